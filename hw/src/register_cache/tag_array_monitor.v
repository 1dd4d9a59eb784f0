// No register stands twice, and no lane that was written is lost: C §IV.
//
// One lane of one register, any of them, of one warp is watched. The warps' lines are alike.
// At rc_tag_lanes=1 rc_entries=4 rc_ways=4 slots=3.
// At rc_tag_lanes=1 rc_entries=8 rc_ways=8 slots=3.
// At rc_tag_lanes=32 rc_entries=4 rc_ways=4 slots=3.

  localparam LANES = RC_TAG_LANES, WAYS = RC_WAYS, WARP = 5;

  (* anyseq *) reg [7:0] any_register;
  (* anyseq *) reg [4:0] any_lane;
  reg [7:0] its_register;
  reg [4:0] chosen;
  wire [4:0] lane = chosen & (LANES - 1);
  // The lane was written here and has not left; its row.
  reg kept;
  reg [6:0] its_row;
  wire leaves = victim[lane] && victim_register == its_register && victim_row[2:0] == WARP;
  always @(posedge clock) begin
    if (leaves || (drop && warp == WARP)) kept <= 0;
    if (write && !fill && warp == WARP && register == its_register && stored[lane]) begin
      kept <= 1;
      its_row <= row;
    end
    if (reset) begin
      its_register <= any_register;
      chosen <= any_lane;
      kept <= 0;
    end
  end

  // There is one set.
  wire assume_set = set == 0;

  // Each lane of a result is stored, or goes to the register file.
  wire prove_stored = !(write && !fill) || ((stored ^ direct) == mask && (stored & direct) == 0);

  integer r, k;
  // A lane that was written here is found, where it was written, until it leaves.
  reg prove_found;
  always @(*) begin
    prove_found = 1;
    for (r = 0; r < SLOTS; r = r + 1)
      if (kept && read[r] && read_warp == WARP && read_register[r*8 +: 8] == its_register && read_mask[lane] &&
          !(hit[r*LANES + lane] && hit_row[r*7 +: 7] == its_row)) prove_found = 0;
  end

  // A fill is not stored over a lane that was written here.
  wire prove_fill = !(write && fill && warp == WARP && register == its_register && kept && stored[lane]);

  // A lane leaves once, from where it was written, and only if it was written here.
  wire prove_leaves = !leaves || (kept && victim_row == its_row);

  // The lines of the register; those that have its lane, and those with what the register file has not.
  reg [WAYS-1:0] places, valid_there, dirty_there;
  reg [6:0] place;
  always @(*) begin
    place = 0;
    for (k = 0; k < WAYS; k = k + 1) begin
      places[k] = |inside.valid[(WARP*WAYS + k)*LANES +: LANES] && inside.tag[(WARP*WAYS + k)*8 +: 8] == its_register;
      valid_there[k] = places[k] && inside.valid[(WARP*WAYS + k)*LANES + lane];
      dirty_there[k] = places[k] && inside.dirty[(WARP*WAYS + k)*LANES + lane];
      if (places[k]) place = k*8 + WARP;
    end
  end

  // A register stands in one entry of its warp at most.
  wire prove_unique = (places & (places - 1)) == 0;

  // A lane that was written here is valid and dirty in the entry where it was written, and no other is dirty.
  wire prove_dirty = |dirty_there == kept && (!kept || (|valid_there && place == its_row));

  // Dirty lanes are valid.
  wire prove_valid = (inside.dirty & ~inside.valid) == 0;

  // One of the ways has the turn to make room.
  wire lemma_turn = ways.each.turn[WARP*3 +: 3] < WAYS;

  // A lane makes room for another register.
  wire cover_leaves = leaves && write;
