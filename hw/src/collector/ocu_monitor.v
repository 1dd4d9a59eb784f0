// What is read is what was written last, and each source is asked for: W §2, F §II.
//
// One register, any of them, is watched: bit 0 of its value. Every bit of a value goes the same way.
// At slots=3.
// At slots=7.

  (* anyseq *) reg [7:0] any_register;
  reg [7:0] register;
  always @(posedge clock) if (reset) register <= any_register;

  // The value that the banks have: any, but none comes while a source of the register waits.
  (* anyseq *) reg any_value;
  reg last;
  // The instruction in the collector: sources, registers, and reads that are under way.
  reg [SLOTS-1:0] used, under_way;
  reg [SLOTS*8-1:0] registers;
  integer s;
  reg reads;
  always @(*) begin
    reads = 0;
    for (s = 0; s < SLOTS; s = s + 1) begin
      if (occupied && used[s] && registers[s*8 +: 8] == register) reads = 1;
      if (issue && source_valid[s] && source_register[s*8 +: 8] == register) reads = 1;
    end
  end
  always @(posedge clock) begin
    if (issue) begin
      used <= source_valid;
      registers <= source_register;
      under_way <= request;
    end else if (s_valid) under_way[s_slot] <= 0;
    if (!reads) last <= any_value;
    if (reset) under_way <= 0;
  end

  // A value on port S was asked for, and the banks have the one that was written last.
  wire assume_banks = !s_valid || (s_slot < SLOTS && under_way[s_slot] &&
    (registers[s_slot*8 +: 8] != register || s_data[0] == last));

  // An operand that is dispatched is the value that was written last.
  reg prove_operands;
  always @(*) begin
    prove_operands = 1;
    for (s = 0; s < SLOTS; s = s + 1)
      if (dispatch && used[s] && registers[s*8 +: 8] == register && operand_data[s*WIDTH] != last) prove_operands = 0;
  end

  // Each source of an instruction that enters is asked for, and no other.
  wire prove_requests = request == (source_valid & {SLOTS{issue}}) && hit == 0;

  // It is ready if and only if no read is under way.
  wire prove_ready = ready == (occupied && !(|under_way));

  // A slot is used and ready as the reads say, and has the value that was written last.
  reg lemma_slots;
  always @(*) begin
    lemma_slots = !(|under_way) || occupied;
    for (s = 0; s < SLOTS; s = s + 1) begin
      if (under_way[s] && !used[s]) lemma_slots = 0;
      if (occupied && (inside.slot_valid[s] != used[s] || (used[s] && inside.slot_ready[s] == under_way[s])))
        lemma_slots = 0;
      if (occupied && used[s] && !under_way[s] && registers[s*8 +: 8] == register && inside.slot_data[s*WIDTH] != last)
        lemma_slots = 0;
    end
  end

  // An instruction with all sources of one register is dispatched.
  wire cover_dispatch = dispatch && &used && registers[7:0] == register && registers[15:8] == register;
