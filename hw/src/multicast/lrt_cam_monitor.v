  // By z3.

  // The table's loads, by entry.
  integer e, f;
  reg [LRT_ENTRIES-1:0] used, places;
  reg is_right;
  always @(*) begin
    is_right = 1;
    for (e = 0; e < LRT_ENTRIES; e = e + 1) begin
      used[e] = state.valid[e];
      places[e] = used[e] && inside.entries_warp[e*6 +: 6] == its_warp && inside.entries_destination[e*8 +: 8] == register;
      if (places[e] && !(inside.entries_address[e*16 +: 16] == its_address && inside.entries_source[e*8 +: 8] == its_source))
        is_right = 0;
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
        if (used[e] && used[f] && inside.entries_destination[e*8 +: 8] == inside.entries_destination[f*8 +: 8] &&
            inside.entries_source[e*8 +: 8] == inside.entries_source[f*8 +: 8] &&
            inside.entries_address[e*16 +: 16] == inside.entries_address[f*16 +: 16]) lemma_key = 0;
  end

  // A load is matched after others came in.
  wire cover_matched = partner && done_ready && occupancy == 3;
