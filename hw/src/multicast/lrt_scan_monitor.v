  // What the memories have of each entry, and of the row that was read last.
  localparam ROWS = LRT_ENTRIES/4;
  integer r, k, e, f;
  reg [LRT_ENTRIES*38-1:0] entries;
  reg [4*38-1:0] given;
  always @(posedge clock)
    for (k = 0; k < 4; k = k + 1)
      for (r = 0; r < ROWS; r = r + 1)
        if (warps.each.enable[k] && warps.each.address[k*8 +: 8] == r) begin
          if (!warps.each.write[k]) given[k*38 +: 38] <= entries[(r*4 + k)*38 +: 38];
          else
            entries[(r*4 + k)*38 +: 38] <= {warps.each.write_data[k*6 +: 6], addresses.each.write_data[k*16 +: 16],
              sources.each.write_data[k*8 +: 8], destinations.each.write_data[k*8 +: 8]};
        end

  // The memories give what was written last to the row.
  reg assume_memories;
  always @(*) begin
    assume_memories = 1;
    for (k = 0; k < 4; k = k + 1)
      if (given[k*38 +: 38] != {warps.each.read_data[k*6 +: 6], addresses.each.read_data[k*16 +: 16],
          sources.each.read_data[k*8 +: 8], destinations.each.read_data[k*8 +: 8]}) assume_memories = 0;
  end

  // The comparators know no more of a field than if it is equal: some bits of each stand for all.
  // Loads are of four warps, with four addresses, two sources and four destinations.
  wire assume_narrow = warp < 4 && address < 4 && source < 2 && destination < 4;

  // An operation stays until it has ended.
  reg stood;
  reg [38:0] operation_before;
  wire [38:0] operation = {drain, warp, address, source, destination};
  always @(posedge clock) begin
    stood <= !reset && search && !ends;
    operation_before <= operation;
  end
  // An operation stays, with its fields, until it has ended.
  wire assume_stays = !stood || (search && operation == operation_before);

  reg [5:0] warp_of;
  reg [31:0] key_of;
  // The table's loads, by entry: the watched one, those that leave before the operation, and its partners.
  reg [LRT_ENTRIES-1:0] used, places, driven, partners;
  reg is_right;
  always @(*) begin
    is_right = 1;
    used = state.valid;
    for (e = 0; e < LRT_ENTRIES; e = e + 1) begin
      {warp_of, key_of} = entries[e*38 +: 38];
      places[e] = used[e] && warp_of == its_warp && key_of[7:0] == register;
      driven[e] = used[e] && warp_of == warp && (drain || key_of[7:0] == destination);
      partners[e] = used[e] && warp_of != warp && !drain && key_of == {address, source, destination};
      if (places[e] && key_of[31:8] != {its_address, its_source}) is_right = 0;
    end
  end

  // Entries in use are as narrow.
  reg lemma_narrow;
  always @(*) begin
    lemma_narrow = 1;
    for (e = 0; e < LRT_ENTRIES; e = e + 1) begin
      {warp_of, key_of} = entries[e*38 +: 38];
      if (used[e] && (warp_of >= 4 || key_of[31:16] >= 4 || key_of[15:8] >= 2 || key_of[7:0] >= 4)) lemma_narrow = 0;
    end
  end

  // A load that waits has one entry, with what came.
  wire lemma_place = (places & (places - 1)) == 0 && |places == waits && is_right;

  // No two entries have the same address and registers.
  reg lemma_key;
  always @(*) begin
    lemma_key = 1;
    for (e = 0; e < LRT_ENTRIES; e = e + 1)
      for (f = 0; f < e; f = f + 1)
        if (used[e] && used[f] && entries[e*38 +: 32] == entries[f*38 +: 32]) lemma_key = 0;
  end

  // The row that is shown is the one that was asked for.
  reg lemma_row;
  // No entry of an earlier row leaves before the operation, and the partner is the one that was found there.
  reg lemma_search;
  always @(*) begin
    lemma_row = inside.row < ROWS;
    lemma_search = (!inside.searching || (stood && search)) && (!inside.found || inside.searching);
    for (r = 0; r < ROWS; r = r + 1) begin
      for (k = 0; k < 4; k = k + 1) begin
        e = r*4 + k;
        if (inside.fresh && inside.row == r && given[k*38 +: 38] != entries[e*38 +: 38]) lemma_row = 0;
        if (inside.searching && r < inside.row && driven[e]) lemma_search = 0;
        if (inside.searching && r < inside.row && partners[e] && !inside.found) lemma_search = 0;
        if (inside.found && inside.found_row == r && inside.found_lane == k &&
            !(partners[e] && inside.found_warp == entries[e*38 + 32 +: 6] && r <= inside.row)) lemma_search = 0;
      end
    end
    if (inside.found && inside.found_row >= ROWS) lemma_search = 0;
  end

  // A load is matched after others came in.
  wire cover_matched = partner && done_ready && occupancy == 3;
