// What is read is what was written last, and what the window needs for that: F §VI-B.
//
// One register, any of them, is watched: bit 0 of its value. Every bit of a value goes the same way.
// At window=2 slots=3 destinations=1.

  localparam PLACES = WINDOW * SLOTS, RESULTS = WINDOW * DESTINATIONS;

  (* anyseq *) reg [7:0] any_register;
  reg [7:0] register;
  always @(posedge clock) if (reset) register <= any_register;

  // Its value as the program sees it. Another warp's can be anything.
  (* anyseq *) reg any_value;
  reg last;
  // The instruction in the collector: sources, registers, and reads that are under way.
  reg [SLOTS-1:0] used, under_way;
  reg [SLOTS*8-1:0] registers;
  integer s, t, b, o, p, i;
  always @(posedge clock) begin
    if (issue) begin
      used <= source_valid;
      registers <= source_register;
      under_way <= request;
    end else if (s_valid) under_way[s_slot] <= 0;
    if (issue && flush) last <= any_value;
    else
      for (b = 0; b < BANKS; b = b + 1)
        if (write_valid[b] && write_register[b*8 +: 8] == register) last <= write_data[b*WIDTH];
    if (reset) under_way <= 0;
  end

  // A value on port S was asked for, and the banks have the one that was written last.
  wire assume_banks = !s_valid || (s_slot < SLOTS && under_way[s_slot] &&
    (registers[s_slot*8 +: 8] != register || s_data[0] == last));

  // The scoreboard holds back a result of a register that the instruction in the collector, or one that enters, reads. A
  // register has one result in a cycle, and none comes while the warp changes.
  reg assume_results;
  always @(*) begin
    assume_results = !(issue && flush && |write_valid);
    for (b = 0; b < BANKS; b = b + 1) begin
      for (o = 0; o < b; o = o + 1)
        if (write_valid[b] && write_valid[o] && write_register[b*8 +: 8] == write_register[o*8 +: 8]) assume_results = 0;
      for (s = 0; s < SLOTS; s = s + 1) begin
        if (occupied && used[s] && write_valid[b] && write_register[b*8 +: 8] == registers[s*8 +: 8])
          assume_results = 0;
        if (issue && source_valid[s] && write_valid[b] && write_register[b*8 +: 8] == source_register[s*8 +: 8])
          assume_results = 0;
      end
    end
  end

  // An operand that is dispatched is the value that was written last.
  reg prove_operands;
  always @(*) begin
    prove_operands = 1;
    for (s = 0; s < SLOTS; s = s + 1)
      if (dispatch && used[s] && registers[s*8 +: 8] == register && operand_data[s*WIDTH] != last) prove_operands = 0;
  end

  // A source of the register is asked for if and only if no valid value of it stays in the window and no source before it names it.
  reg prove_requests;
  reg found, named;
  always @(*) begin
    prove_requests = 1;
    found = 0;
    for (p = 0; p < WINDOW; p = p + 1)
      if (!flush && p != inside.oldest) begin
        for (s = 0; s < SLOTS; s = s + 1)
          if (instructions.each.source_held[p*SLOTS + s] && instructions.each.source_ready[p*SLOTS + s] &&
              instructions.each.source_tag[(p*SLOTS + s)*8 +: 8] == register) found = 1;
        for (s = 0; s < DESTINATIONS; s = s + 1)
          if (instructions.each.destination_held[p*DESTINATIONS + s] && instructions.each.destination_ready[p*DESTINATIONS + s] &&
              instructions.each.destination_tag[(p*DESTINATIONS + s)*8 +: 8] == register) found = 1;
      end
    named = 0;
    for (s = 0; s < SLOTS; s = s + 1)
      if (source_valid[s] && source_register[s*8 +: 8] == register) begin
        if (request[s] != (issue && !found && !named) || hit[s] != (issue && found)) prove_requests = 0;
        named = 1;
      end
  end

  // It is ready if and only if no read is under way.
  wire prove_ready = ready == (occupied && !(|under_way));

  // A value in the window is the one that was written last.
  reg lemma_copies;
  always @(*) begin
    lemma_copies = 1;
    for (i = 0; i < PLACES; i = i + 1)
      if (instructions.each.source_held[i] && instructions.each.source_ready[i] &&
          instructions.each.source_tag[i*8 +: 8] == register && instructions.each.source_data[i*WIDTH] != last)
        lemma_copies = 0;
    for (i = 0; i < RESULTS; i = i + 1)
      if (instructions.each.destination_held[i] && instructions.each.destination_ready[i] &&
          instructions.each.destination_tag[i*8 +: 8] == register && instructions.each.destination_data[i*WIDTH] != last)
        lemma_copies = 0;
  end

  // The present instruction has its sources, and a slot is ready unless its register is being read; those before it wait for none.
  reg lemma_sources;
  reg awaited;
  always @(*) begin
    lemma_sources = !(|under_way) || occupied;
    for (s = 0; s < SLOTS; s = s + 1) begin
      if (under_way[s] && !used[s]) lemma_sources = 0;
      awaited = 0;
      for (t = 0; t < SLOTS; t = t + 1) begin
        if (under_way[t] && registers[t*8 +: 8] == registers[s*8 +: 8]) awaited = 1;
        if (t < s && under_way[s] && under_way[t] && registers[t*8 +: 8] == registers[s*8 +: 8]) lemma_sources = 0;
      end
      for (p = 0; p < WINDOW; p = p + 1) begin
        if (occupied && p == inside.newest && (instructions.each.source_held[p*SLOTS + s] != used[s] ||
            instructions.each.source_tag[(p*SLOTS + s)*8 +: 8] != registers[s*8 +: 8] ||
            (used[s] && instructions.each.source_ready[p*SLOTS + s] == awaited))) lemma_sources = 0;
        if (!(occupied && p == inside.newest) && instructions.each.source_held[p*SLOTS + s] && !instructions.each.source_ready[p*SLOTS + s])
          lemma_sources = 0;
      end
    end
  end

  // The window's places are taken in turn.
  wire lemma_turn = inside.oldest < WINDOW && inside.newest < WINDOW &&
    (!occupied || inside.oldest == (inside.newest == WINDOW - 1 ? 0 : inside.newest + 1));

  reg was_written;
  always @(posedge clock) begin
    for (b = 0; b < BANKS; b = b + 1)
      if (cached[b] && write_register[b*8 +: 8] == register) was_written <= 1;
    if (reset || issue && flush) was_written <= 0;
  end

  // A result in the window is the operand of the next instruction.
  wire cover_forwarded = issue && hit[0] && source_register[7:0] == register && was_written;
