// No load is lost or doubled, and a partner is found if and only if there is one: I §3.1 to §3.3.
//
// The load of one register of one warp, any of them, is watched.
// At lrt_entries=16.

  (* anyseq *) reg [5:0] any_warp;
  (* anyseq *) reg [7:0] any_register;
  reg [5:0] its_warp;
  reg [7:0] register;
  // It is in the table, with its fields.
  reg waits;
  reg [15:0] its_address;
  reg [7:0] its_source;
  wire ends = done && done_ready;
  wire joins = ends && insert && !matched && !full && warp == its_warp && destination == register;
  wire shown = evict && evict_warp == its_warp && evict_destination == register;
  wire partner = done && matched && matched_warp == its_warp && destination == register;
  always @(posedge clock) begin
    if ((shown && evict_ready) || (partner && done_ready)) waits <= 0;
    if (joins) begin
      waits <= 1;
      its_address <= address;
      its_source <= source;
    end
    if (reset) begin
      its_warp <= any_warp;
      register <= any_register;
      waits <= 0;
    end
  end

  // A load that leaves was in the table, as it came.
  wire prove_leaves = !shown || (waits && evict_address == its_address && evict_source == its_source);

  // A partner was in the table, of another warp, with the same address and registers.
  wire prove_partner = !partner || (waits && warp != its_warp && address == its_address && source == its_source && !drain);

  // A load has its partner if that is in the table.
  wire prove_found = !(done && !drain && waits && warp != its_warp && destination == register && address == its_address &&
    source == its_source) || partner;

  // No second load of one register of one warp comes in; an operation ends after all that it drives out has left.
  wire prove_driven = !(done && warp == its_warp && waits && (drain || destination == register));

