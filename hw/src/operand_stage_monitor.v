// An operand is the value that its register had as the instruction entered, whatever else is under way: F §II.
//
// One register, any of them, of one warp is watched: bit 0 of its value. Every bit of a value goes the same way.

  localparam WARP = 1;

  (* anyseq *) reg [7:0] any_register;
  (* anyseq *) reg any_value;
  reg [7:0] register, its_base;
  // Its value as the program sees it, its bank and its row there.
  reg last;
  wire [7:0] home = (register + WARP + 8'd1) & (BANKS - 1);
  wire [7:0] its_row = its_base + register/BANKS;

  // The instruction in each collector: its warp, sources and their registers.
  integer c, o, s, b;
  reg [COLLECTORS-1:0] waits;
  reg [COLLECTORS*4-1:0] warp_of;
  reg [COLLECTORS*SLOTS-1:0] used;
  reg [COLLECTORS*SLOTS*8-1:0] register_of;
  // What the bank has in its row, and what was read last of it.
  reg stored, shown, shows;
  always @(posedge clock) begin
    for (c = 0; c < COLLECTORS; c = c + 1) begin
      if (dispatch[c]) waits[c] <= 0;
      if (issue[c]) begin
        waits[c] <= 1;
        warp_of[c*4 +: 4] <= warp;
        used[c*SLOTS +: SLOTS] <= source_valid;
        register_of[c*SLOTS*8 +: SLOTS*8] <= source_register;
      end
    end
    for (b = 0; b < BANKS; b = b + 1) begin
      if (write_valid[b] && write_warp[b*4 +: 4] == WARP && write_register[b*8 +: 8] == register) last <= write_data[b*WIDTH];
      if (home == b && banks.each.access[b]) begin
        if (!banks.each.memory.write[b]) shows <= banks.each.memory.address[b*8 +: 8] == its_row;
        if (!banks.each.memory.write[b]) shown <= stored;
        if (banks.each.memory.write[b] && banks.each.memory.address[b*8 +: 8] == its_row)
          stored <= banks.each.memory.write_data[b*WIDTH];
      end
    end
    if (reset) begin
      register <= any_register & 3;
      its_base <= WARP*4;
      last <= any_value;
      stored <= any_value;
      waits <= 0;
      shows <= 0;
    end
  end

  // The memory gives what was written last to the row.
  reg assume_memory;
  always @(*) begin
    assume_memory = 1;
    for (b = 0; b < BANKS; b = b + 1)
      if (home == b && shows && banks.each.memory_read_data[b*WIDTH] != shown) assume_memory = 0;
  end

  // An instruction enters one collector, which is free; a warp has values in one of them only.
  reg assume_issue;
  always @(*) begin
    assume_issue = (issue & (issue - 1)) == 0 && (issue & collector_occupied) == 0;
    for (c = 0; c < COLLECTORS; c = c + 1)
      for (o = 0; o < COLLECTORS; o = o + 1)
        if (o != c && issue[c] && collector_owned[o] && collector_warp[o*4 +: 4] == warp) assume_issue = 0;
  end

  // A register lives in its bank, and no other in its row.
  reg assume_rows;
  always @(*) begin
    assume_rows = !(|issue && warp == WARP) || base == its_base;
    for (b = 0; b < BANKS; b = b + 1)
      if (write_valid[b]) begin
        if (((write_register[b*8 +: 8] + write_warp[b*4 +: 4] + 8'd1) & (BANKS - 1)) != b) assume_rows = 0;
        if (write_warp[b*4 +: 4] == WARP && write_base[b*8 +: 8] != its_base) assume_rows = 0;
        if (home == b && (write_base[b*8 +: 8] + write_register[b*8 +: 8]/BANKS) % 256 == its_row &&
            !(write_warp[b*4 +: 4] == WARP && write_register[b*8 +: 8] == register)) assume_rows = 0;
      end
  end

  // The scoreboard holds back a result of a register that an instruction in a collector, or one that enters, reads.
  reg assume_scoreboard;
  always @(*) begin
    assume_scoreboard = 1;
    for (b = 0; b < BANKS; b = b + 1)
      for (s = 0; s < SLOTS; s = s + 1) begin
        if (write_valid[b] && |issue && source_valid[s] && write_warp[b*4 +: 4] == warp &&
            write_register[b*8 +: 8] == source_register[s*8 +: 8]) assume_scoreboard = 0;
        for (c = 0; c < COLLECTORS; c = c + 1)
          if (write_valid[b] && waits[c] && used[c*SLOTS + s] && write_warp[b*4 +: 4] == warp_of[c*4 +: 4] &&
              write_register[b*8 +: 8] == register_of[(c*SLOTS + s)*8 +: 8]) assume_scoreboard = 0;
      end
  end

  // Two warps with four registers stand for all: comparators know no more of a register than if it is equal.
  reg assume_narrow;
  always @(*) begin
    assume_narrow = !(|issue) || (warp < 2 && base == warp*4);
    for (s = 0; s < SLOTS; s = s + 1)
      if (|issue && source_register[s*8 +: 8] >= 4) assume_narrow = 0;
    for (b = 0; b < BANKS; b = b + 1)
      if (write_valid[b] && (write_warp[b*4 +: 4] >= 2 || write_register[b*8 +: 8] >= 4 || write_base[b*8 +: 8] != write_warp[b*4 +: 4]*4))
        assume_narrow = 0;
  end

  // An operand is the value that was written last.
  reg prove_operands;
  // An instruction that leaves had entered, and leaves once with its warp and all of its sources.
  reg prove_dispatch;
  always @(*) begin
    prove_operands = 1;
    prove_dispatch = (dispatch & (dispatch - 1)) == 0 && (dispatch & ~waits) == 0;
    for (c = 0; c < COLLECTORS; c = c + 1)
      if (dispatch[c]) begin
        if (dispatch_warp != warp_of[c*4 +: 4] || operand_valid != used[c*SLOTS +: SLOTS]) prove_dispatch = 0;
        for (s = 0; s < SLOTS; s = s + 1)
          if (waits[c] && warp_of[c*4 +: 4] == WARP && used[c*SLOTS + s] && register_of[(c*SLOTS + s)*8 +: 8] == register &&
              operand_data[s*WIDTH] != last) prove_operands = 0;
      end
  end

  // A collector is occupied if and only if an instruction waits in it that does not leave.
  wire prove_occupied = (collector_occupied | dispatch) == waits;

  reg was_written, was_read;
  always @(posedge clock) begin
    was_written <= !reset && (was_written || (write_valid[0] && home == 0 && write_warp[3:0] == WARP && write_register[7:0] == register));
    was_read <= !reset && |issue && warp == WARP && source_valid[0] && source_register[7:0] == register && was_written;
  end
  // A result is read as an operand.
  wire cover_read = was_read;
