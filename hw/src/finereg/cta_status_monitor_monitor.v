// Answers are those of the CTA that is asked for, and of the order of R §V-B.
//
// One CTA, any of them, is watched.
// At ctas=16 tie=lowest.
// At ctas=16 tie=round_robin.
// At ctas=128 tie=lowest.
// At ctas=128 tie=round_robin.

  localparam WORDS = (CTAS + 31) / 32;
  integer u;

  (* anyseq *) reg [6:0] any_cta;
  reg [6:0] cta, last;
  // Where its context and its registers are.
  reg [1:0] its_context, its_registers;
  always @(posedge clock) begin
    for (u = 0; u < 2; u = u + 1)
      if (update_cta[u*7 +: 7] == cta) begin
        if (set_context[u]) its_context <= context_location[u*2 +: 2];
        if (set_registers[u]) its_registers <= register_location[u*2 +: 2];
      end
    if (select && any_candidate) last <= candidate;
    if (reset) begin
      cta <= any_cta;
      its_context <= 0;
      its_registers <= 0;
      last <= 0;
    end
  end

  // Locations of it are shown as they were told last.
  wire prove_inspected = !(cta < WORDS*32 && inspect == cta) || (inspected_context == its_context && inspected_registers == its_registers);

  // A CTA is active if context and registers both are in place.
  wire prove_active = inspected_active == (inspected_context == 2 && inspected_registers == 2);

  // It could go on.
  wire could = cta < CTAS && resumable[cta] && its_context == 1 && (its_registers == 1 || its_registers == 2);

  // The candidate is a pending CTA that can resume, and its registers are where it says.
  wire prove_candidate = !any_candidate || (candidate < CTAS && (candidate != cta || (could && candidate_in_acrf == (its_registers == 2))));

  // There is a candidate if one could go on; one with its registers in the ACRF goes first.
  wire prove_first = !could || (any_candidate && (its_registers != 2 || candidate_in_acrf));

  // How far behind the CTA selected last another one lies.
  wire [6:0] its_turn = TIE == 0 ? cta : cta - last - 7'd1;
  wire [6:0] turn = TIE == 0 ? candidate : candidate - last - 7'd1;
  // Of CTAs alike in that the lowest goes first, or the next behind the one selected last.
  wire prove_turn = !(could && candidate_in_acrf == (its_registers == 2)) || turn <= its_turn;

  wire unused = cta < CTAS && its_context == 0 && its_registers == 0;
  // The number that is offered is the lowest that is not in use.
  wire prove_unlaunched = (!unused || (any_unlaunched && unlaunched <= cta)) &&
    (!any_unlaunched || (unlaunched < CTAS && (unlaunched != cta || unused)));

  // The hardware has the locations that it was told.
  wire lemma_locations = !(cta < WORDS*32) || ({inside.context_high[cta], inside.context_low[cta]} == its_context &&
    {inside.registers_high[cta], inside.registers_low[cta]} == its_registers);

  // A CTA goes on whose registers are in the PCRF.
  wire cover_goes = any_candidate && candidate == cta && !candidate_in_acrf && its_registers == 1;
