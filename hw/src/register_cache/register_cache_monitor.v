// A source is the value that was written last, wherever that lies: C §IV.
//
// One lane of one register, any of them, of one warp is watched, and one bit of it. Lanes, warps and bits are alike.
// At width=32 rc_tag_lanes=32 rc_entries=4 rc_ways=4 slots=3.

  localparam WAYS = RC_WAYS, TAG_LANES = RC_TAG_LANES, GROUPS = 32/TAG_LANES, WARP = 5, LANE = 1;
  localparam GROUP = LANE/TAG_LANES, IN_GROUP = LANE%TAG_LANES, DATA = LANE*(WIDTH/32), LINES = 8*WAYS;

  (* anyseq *) reg [7:0] any_register;
  (* anyseq *) reg any_value;
  reg [7:0] register;
  // The lane as the program sees it, and what the register file has of it.
  reg last, file;
  wire written = write && write_ready && write_warp == WARP && write_register == register && write_lanes[LANE];
  wire goes = register_write && register_ready && register_warp == WARP && register_number == register && register_lanes[LANE];
  wire file_next = goes ? register_data[DATA] : file;
  always @(posedge clock) begin
    if (written) last <= write_data[DATA];
    // Registers of a warp that has ended are dead: they have any value, and that in the register file does.
    if (flush && flush_ready && flush_drop && flush_warp == WARP) last <= file_next;
    file <= file_next;
    if (reset) begin
      register <= any_register;
      last <= any_value;
      file <= any_value;
    end
  end

  // What the memory has of the lane in each of the warp's entries, and what was read last at each port: what leaves, and
  // each source.
  integer p, k;
  reg [RC_ENTRIES-1:0] rows;
  reg [SLOTS:0] is_given, given;
  reg [6:0] row;
  always @(posedge clock) begin
    for (p = 0; p < SLOTS + 1; p = p + 1) begin
      row = memory.read_row[(p*GROUPS + GROUP)*7 +: 7];
      is_given[p] <= memory.read_lanes[p*32 + LANE] && row[2:0] == WARP;
      given[p] <= rows[row[6:3]];
    end
    row = memory.write_row[GROUP*7 +: 7];
    for (k = 0; k < RC_ENTRIES; k = k + 1)
      if (memory.write_lanes[LANE] && row == k*8 + WARP) rows[k] <= memory.write_data[DATA];
    if (reset) is_given <= 0;
  end

  // The memory gives what was written last to the row.
  reg assume_memory;
  always @(*) begin
    assume_memory = 1;
    for (p = 0; p < SLOTS + 1; p = p + 1)
      if (is_given[p] && memory.read_data[p*WIDTH + DATA] != given[p]) assume_memory = 0;
  end

  // A fill brings the value that was written last: none comes after a younger result.
  wire assume_fill = !(fill && fill_warp == WARP && fill_register == register && fill_lanes[LANE]) || fill_data[DATA] == last;

  // Sources of the lane, those of the last cycle that the cache has, and its value as they were looked up.
  integer r;
  reg [SLOTS-1:0] sought, expects;
  reg expected;
  always @(*)
    for (r = 0; r < SLOTS; r = r + 1)
      sought[r] = read[r] && !conflict && read_warp == WARP && read_register[r*8 +: 8] == register && read_lanes[LANE];
  always @(posedge clock) begin
    for (r = 0; r < SLOTS; r = r + 1) expects[r] <= !reset && sought[r] && hit[r*32 + LANE];
    expected <= last;
  end

  // A source that hits gets the value that was written last.
  reg prove_hit;
  // One that misses finds it in the register file.
  reg prove_miss;
  // It does either, unless it waits.
  reg prove_either;
  always @(*) begin
    prove_hit = 1;
    prove_miss = 1;
    prove_either = 1;
    for (r = 0; r < SLOTS; r = r + 1) begin
      if (expects[r] && data[r*WIDTH + DATA] != expected) prove_hit = 0;
      if (sought[r] && miss[r*32 + LANE] && file != last) prove_miss = 0;
      if (sought[r] && hit[r*32 + LANE] == miss[r*32 + LANE]) prove_either = 0;
    end
  end

  // The warp that was flushed last, and whether nothing has entered the cache since. Whether the watched warp has been
  // flushed or dropped, and nothing of it has entered since.
  reg [2:0] flush_of;
  reg returns, emptied;
  wire enters = (write && write_ready) || (fill && fill_ready);
  wire begins = flush && flush_ready;
  always @(posedge clock) begin
    if (enters) returns <= 0;
    if (begins && !flush_drop) begin
      returns <= 1;
      flush_of <= flush_warp;
    end
    if (enters && (write ? write_warp : fill_warp) == WARP) emptied <= 0;
    if (begins && flush_warp == WARP) emptied <= 1;
    if (reset) begin
      returns <= 0;
      emptied <= 0;
    end
  end

  // From a flush until a result or a fill enters, values go to registers of the flushed warp alone.
  wire prove_returns = !returns || enters || !register_write || register_warp == flush_of;

  // The lane's tags, and its part of the buffer.
  wire [LINES*8-1:0] tag = tags_0.tag;
  wire [LINES*TAG_LANES-1:0] valid = tags_0.valid;
  wire [LINES*TAG_LANES-1:0] dirty = tags_0.dirty;
`ifdef RC_REPLACEMENT_FIFO
  wire [8*3-1:0] turn = tags_0.ways.each.turn;
`else
  wire [8*3-1:0] turn = 0;
`endif
  reg [WAYS-1:0] places, valid_there, dirty_there;
  always @(*)
    for (k = 0; k < WAYS; k = k + 1) begin
      places[k] = |valid[(WARP*WAYS + k)*TAG_LANES +: TAG_LANES] && tag[(WARP*WAYS + k)*8 +: 8] == register;
      valid_there[k] = places[k] && valid[(WARP*WAYS + k)*TAG_LANES + IN_GROUP];
      dirty_there[k] = places[k] && dirty[(WARP*WAYS + k)*TAG_LANES + IN_GROUP];
    end
  wire leaves = buffer.pending[LANE] && buffer.held_warp == WARP && buffer.registers[GROUP*8 +: 8] == register;
  wire leaving = buffer.fresh ? given[0] : buffer.held[DATA];

  // A register stands in one entry of its warp at most.
  wire prove_unique = (places & (places - 1)) == 0;

  // Dirty lanes are valid.
  wire prove_valid = (dirty & ~valid) == 0;

  // A warp that was flushed or dropped has nothing in the cache until a result or a fill of it enters.
  wire prove_empty = !emptied || (flushing && flush_of == WARP) || valid[WARP*WAYS*TAG_LANES +: WAYS*TAG_LANES] == 0;

  // A flush goes through the entries of its warp, and leaves none with a value.
  reg lemma_flush;
  always @(*) begin
    lemma_flush = !flushing || (returns && inside.flushed_warp == flush_of && (flush_of != WARP || emptied));
    for (k = 0; k < WAYS; k = k + 1)
      if (flushing && flush_of == WARP && k < inside.flushed_entry && |valid[(WARP*WAYS + k)*TAG_LANES +: TAG_LANES])
        lemma_flush = 0;
    if (returns && |buffer.pending && buffer.held_warp != flush_of) lemma_flush = 0;
  end

  // A lane that is valid has the value that was written last; one that is not dirty is on its way to the register file, or there.
  reg lemma_values;
  always @(*) begin
    lemma_values = (|dirty_there) || (leaves ? leaving : file) == last;
    if (leaves && buffer.fresh && !is_given[0]) lemma_values = 0;
    for (k = 0; k < WAYS; k = k + 1)
      if (valid_there[k] && rows[k] != last) lemma_values = 0;
  end

  // A source that hits has its value read.
  wire lemma_reads = (expects & ~is_given[SLOTS:1]) == 0 && (expects & (given[SLOTS:1] ^ {SLOTS{expected}})) == 0;

  // One of the ways has the turn to make room.
  wire lemma_turn = turn[WARP*3 +: 3] < WAYS;

  reg has_left;
  always @(posedge clock) has_left <= !reset && (has_left || (goes && leaves));
  // A result leaves, and is read from the register file.
  wire cover_leaves = has_left && |sought && miss[LANE];

  // A value that a flush writes back goes, and the warp is empty.
  wire cover_flush = returns && has_left && emptied && !flushing;

  // A result is found.
  wire cover_hit = expects[0] && |dirty_there;
