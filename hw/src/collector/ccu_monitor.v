// What is read is what was written last, and what the tables need for that: W §3.2, F §III-C.
//
// One register, any of them, is watched: bit 0 of its value. Every bit of a value goes the same way.
// At entries=4 slots=3.

  // Any register: chosen at a reset, kept since.
  (* anyseq *) reg [7:0] any_register;
  reg [7:0] register;
  always @(posedge clock) if (reset) register <= any_register;

  // Its value as the program sees it. What the banks hold of another warp, or after a result that goes past, can be anything.
  (* anyseq *) reg any_value;
  reg last;
  // The instruction in the collector: sources, registers, and reads that are under way.
  reg [SLOTS-1:0] used, under_way;
  reg [SLOTS*8-1:0] registers;

  wire changes_hands = issue & (!owned | (warp != held_warp) | flush);
  integer s, t, b, p, e, f;
  reg passes;
  always @(*) begin
    passes = 0;
    for (b = 0; b < BANKS; b = b + 1)
      if (filtered[b] && filtered_register[b*8 +: 8] == register) passes = 1;
  end

  always @(posedge clock) begin
    if (issue) begin
      used <= source_valid;
      registers <= source_register;
      under_way <= request;
    end else if (s_valid) under_way[s_slot] <= 0;
    if (changes_hands) last <= any_value;
    else begin
      for (p = 0; p < D_PORTS; p = p + 1)
        if (d_valid[p] && d_register[p*8 +: 8] == register) last <= d_data[p*WIDTH];
      if (passes) last <= any_value;
    end
    if (reset) begin
      used <= 0;
      under_way <= 0;
    end
  end

  // A value on port S was asked for, and the banks have the one that was written last.
  reg assume_banks;
  always @(*) begin
    assume_banks = 1;
    if (s_valid) begin
      if (!(s_slot < SLOTS) || !occupied || !under_way[s_slot]) assume_banks = 0;
      else if (registers[s_slot*8 +: 8] == register && s_data[0] != last) assume_banks = 0;
    end
  end

  // The scoreboard holds back a result of a register that the instruction in the collector, or one that enters, reads.
  reg assume_scoreboard;
  reg [SLOTS-1:0] reads;
  reg [SLOTS*8-1:0] read_registers;
  always @(*) begin
    assume_scoreboard = 1;
    for (s = 0; s < SLOTS; s = s + 1) begin
      for (p = 0; p < D_PORTS; p = p + 1) begin
        if (occupied && used[s] && d_valid[p] && d_register[p*8 +: 8] == registers[s*8 +: 8]) assume_scoreboard = 0;
        if (issue && source_valid[s] && d_valid[p] && d_register[p*8 +: 8] == source_register[s*8 +: 8])
          assume_scoreboard = 0;
      end
      for (b = 0; b < BANKS; b = b + 1) begin
        if (occupied && used[s] && filtered[b] && filtered_register[b*8 +: 8] == registers[s*8 +: 8])
          assume_scoreboard = 0;
        if (issue && source_valid[s] && filtered[b] && filtered_register[b*8 +: 8] == source_register[s*8 +: 8])
          assume_scoreboard = 0;
      end
    end
  end

  // A register has one result in a cycle, and only a collector that belongs to a warp gets any.
  reg assume_results;
  always @(*) begin
    assume_results = owned || !(|d_valid || |filtered);
    for (p = 0; p < D_PORTS; p = p + 1)
      for (b = 0; b < BANKS; b = b + 1)
        if (d_valid[p] && filtered[b] && d_register[p*8 +: 8] == filtered_register[b*8 +: 8]) assume_results = 0;
  end

  // An operand that is dispatched is the value that was written last.
  reg prove_operands;
  always @(*) begin
    prove_operands = 1;
    for (s = 0; s < SLOTS; s = s + 1)
      if (dispatch && used[s] && registers[s*8 +: 8] == register && operand_data[s*WIDTH] != last) prove_operands = 0;
  end

  // No two entries hold one register.
  reg prove_unique;
  // The order of use is an order: no two entries have one rank.
  reg lemma_order;
  always @(*) begin
    prove_unique = 1;
    lemma_order = 1;
    for (e = 0; e < ENTRIES; e = e + 1)
      for (f = 0; f < ENTRIES; f = f + 1)
        if (f < e) begin
          if (cache_table.entry_valid[e] && cache_table.entry_valid[f] &&
              cache_table.entry_tag[e*8 +: 8] == cache_table.entry_tag[f*8 +: 8]) prove_unique = 0;
          if (cache_table.order.rank[e*$clog2(ENTRIES) +: $clog2(ENTRIES)] ==
              cache_table.order.rank[f*$clog2(ENTRIES) +: $clog2(ENTRIES)]) lemma_order = 0;
        end
  end

  // A source is asked for if and only if no entry of its warp holds its register and no source before it names it.
  reg prove_requests;
  reg found, named;
  always @(*) begin
    prove_requests = 1;
    for (s = 0; s < SLOTS; s = s + 1) begin
      found = 0;
      named = 0;
      for (e = 0; e < ENTRIES; e = e + 1)
        if (!changes_hands && cache_table.entry_valid[e] &&
            cache_table.entry_tag[e*8 +: 8] == source_register[s*8 +: 8]) found = 1;
      for (t = 0; t < SLOTS; t = t + 1)
        if (t < s && source_valid[t] && source_register[t*8 +: 8] == source_register[s*8 +: 8]) named = 1;
      if (request[s] != (issue && source_valid[s] && !found && !named)) prove_requests = 0;
      if (hit[s] != (issue && source_valid[s] && found)) prove_requests = 0;
    end
  end

  // It is ready if and only if no read is under way.
  wire prove_ready = ready == (occupied && !(|under_way));

  // Entries with a read under way, and those that a slot points to.
  reg [ENTRIES-1:0] awaited, pointed;
  reg [SLOTS*8-1:0] place;
  always @(*) begin
    awaited = 0;
    pointed = 0;
    for (s = 0; s < SLOTS; s = s + 1) begin
      place[s*8 +: 8] = operand_collector_table.slot_index[s*$clog2(ENTRIES) +: $clog2(ENTRIES)];
      if (occupied && under_way[s]) awaited[place[s*8 +: 8]] = 1;
      if (occupied && used[s]) pointed[place[s*8 +: 8]] = 1;
    end
  end

  // A slot points to the entry of its register, which is locked; no other entry is.
  reg prove_pointers;
  always @(*) begin
    prove_pointers = !occupied || used == operand_collector_table.slot_valid;
    for (s = 0; s < SLOTS; s = s + 1)
      if (occupied && used[s] && !(cache_table.entry_valid[place[s*8 +: 8]] &&
          cache_table.entry_tag[place[s*8 +: 8]*8 +: 8] == registers[s*8 +: 8])) prove_pointers = 0;
    if (cache_table.entry_lock != pointed) prove_pointers = 0;
  end

  // An entry whose value is there has the one that was written last.
  reg lemma_entries;
  always @(*) begin
    lemma_entries = 1;
    for (e = 0; e < ENTRIES; e = e + 1)
      if (cache_table.entry_valid[e] && cache_table.entry_tag[e*8 +: 8] == register && !awaited[e] &&
          cache_table.entry_data[e*WIDTH] != last) lemma_entries = 0;
  end

  // A slot is ready if and only if no read of its entry is under way; reads under way are of different entries.
  reg lemma_reads;
  always @(*) begin
    lemma_reads = !(|under_way) || occupied;
    for (s = 0; s < SLOTS; s = s + 1) begin
      if (occupied && used[s] && operand_collector_table.slot_ready[s] != !awaited[place[s*8 +: 8]]) lemma_reads = 0;
      if (under_way[s] && !used[s]) lemma_reads = 0;
      for (t = 0; t < SLOTS; t = t + 1)
        if (t < s && under_way[s] && under_way[t] && place[s*8 +: 8] == place[t*8 +: 8]) lemma_reads = 0;
    end
  end

  reg was_found, was_written;
  always @(posedge clock) begin
    if (issue) was_found <= hit[0] && source_register[7:0] == register;
    if (changes_hands) was_written <= 0;
    else if (d_valid[0] && d_register[7:0] == register) was_written <= 1;
    if (reset) was_found <= 0;
    if (reset) was_written <= 0;
  end

  // A source of the register is found, and dispatched.
  wire cover_hit = dispatch && was_found;

  // The source that is found is a result that was written before.
  wire cover_result = dispatch && was_found && was_written;
