// What issues leaves its latch once, as it came, and in its turn: Accel-Sim's ID_OC registers.
//
// The instruction of one unit, any of them, is watched.
// At slots=3 destinations=1 issue_latch=blocking.
// At slots=3 destinations=1 issue_latch=passing.

  integer u, c;
  // Units in the order in which they offer, the first one lowest.
  wire [23:0] order = {3'd7, 3'd4, 3'd6, 3'd0, 3'd2, 3'd5, 3'd3, 3'd1};

  // Which latches hold an instruction, and of which warps, by unit.
  reg [7:0] held;
  reg [31:0] warps;
  // The watched unit, and its instruction.
  (* anyseq *) reg [2:0] any_watched;
  reg [2:0] watched;
  localparam FIELDS = 41 + 10*SLOTS + 9*DESTINATIONS;
  reg [FIELDS-1:0] its;

  // An instruction that could enter a collector, and the first one.
  reg [7:0] could;
  reg [2:0] first;
  always @(*) begin
    could = held;
    first = 0;
`ifdef ISSUE_LATCH_PASSING
    for (u = 0; u < 8; u = u + 1)
      for (c = 0; c < COLLECTORS; c = c + 1)
        if (owned[c] && occupied[c] && held_warp[c*4 +: 4] == warps[u*4 +: 4]) could[u] = 0;
`endif
    for (u = 7; u >= 0; u = u - 1)
      if (could[order[u*3 +: 3]]) first = order[u*3 +: 3];
  end

  always @(posedge clock) begin
    if (taken) held[first] <= 0;
    if (issue) begin
      held[unit] <= 1;
      warps[unit*4 +: 4] <= warp;
      if (unit == watched)
        its <= {payload, base, flush, source_valid, source_register, source_near, destination_valid, destination_register};
    end
    if (reset) begin
      held <= 0;
      watched <= any_watched;
    end
  end

  // A collector takes what is offered.
  wire assume_taken = !taken || offers;

  // What issues finds room.
  wire assume_issue = !issue || room[unit];

  // An instruction is offered if and only if one could enter, and it is the first one.
  wire prove_offered = offers == |could && (!offers || offered_warp == warps[first*4 +: 4]);

  // That one leaves.
  wire prove_first = !taken || (entering_unit == first && entering_warp == offered_warp);

  wire [FIELDS-1:0] entering = {entering_payload, entering_base, entering_flush, entering_source_valid,
    entering_source_register, entering_source_near, entering_destination_valid, entering_destination_register};

  // An instruction leaves as it came.
  wire prove_kept = !(taken && entering_unit == watched) || entering == its;

  // A latch has room if and only if it is empty or its instruction leaves.
  wire prove_room = room == (~held | (taken ? 8'd1 << first : 8'd0));

  // Latches hold what they were given, in the order in which they offer.
  reg lemma_latches;
  always @(*) begin
    lemma_latches = 1;
    for (u = 0; u < 8; u = u + 1) begin
      if (inside.valid[u] != held[order[u*3 +: 3]]) lemma_latches = 0;
      if (inside.valid[u] && (inside.latched_warp[u*4 +: 4] != warps[order[u*3 +: 3]*4 +: 4] ||
        inside.latched_unit[u*3 +: 3] != order[u*3 +: 3])) lemma_latches = 0;
      if (inside.valid[u] && order[u*3 +: 3] == watched && its != {inside.latched_payload[u*32 +: 32],
        inside.latched_base[u*8 +: 8], inside.latched_flush[u], inside.latched_source_valid[u*SLOTS +: SLOTS],
        inside.latched_source_register[u*8*SLOTS +: 8*SLOTS], inside.latched_source_near[u*SLOTS +: SLOTS],
        inside.latched_destination_valid[u*DESTINATIONS +: DESTINATIONS],
        inside.latched_destination_register[u*8*DESTINATIONS +: 8*DESTINATIONS]}) lemma_latches = 0;
    end
  end

  // A latch takes another instruction as one leaves.
  wire cover_passes = taken && issue && unit == first && watched == unit;

  // All latches are full, and the last of the order is watched.
  wire cover_full = &held && watched == 7;
