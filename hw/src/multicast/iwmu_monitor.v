// No load is lost or doubled on its way through queue, table and pending loads: I §3.
//
// The loads of one register of one warp, any of them, are watched, and one load of those.
// At lrt_entries=16.
// At lrt_entries=16 search=scan.

  (* anyseq *) reg [5:0] any_warp;
  (* anyseq *) reg [7:0] any_register;
  (* anyseq *) reg choose;
  reg [5:0] its_warp;
  reg [7:0] register;
  wire [1:0] core = its_warp[1:0];
  // Loads of it that came in and have not left; how many of them are before the watched one, and its fields.
  reg [2:0] inside_now, before;
  reg watched;
  reg [23:0] fields;
  wire joins = request_valid[core] && request_ready[core] && !request_release[core] &&
    request_warp[core*6 +: 6] == its_warp && request_destination[core*8 +: 8] == register;
  wire shown = load_valid && load_destination == register &&
    (load_first_warp == its_warp || (load_second_valid && load_second_warp == its_warp));
  wire leaves = shown && load_ready;
  always @(posedge clock) begin
    inside_now <= inside_now + joins - leaves;
    if (watched && leaves) begin
      watched <= before != 0;
      before <= before - 1;
    end
    if (joins && !watched && choose) begin
      watched <= 1;
      before <= inside_now - leaves;
      fields <= {request_address[core*16 +: 16], request_source[core*8 +: 8]};
    end
    if (reset) begin
      its_warp <= any_warp;
      register <= any_register;
      inside_now <= 0;
      watched <= 0;
    end
  end

  integer c, e, f, p;
  // The comparators know no more of a field than if it is equal: some bits of each stand for all.
  // Loads are of eight warps, with four addresses, two sources and four destinations.
  reg assume_narrow;
  always @(*) begin
    assume_narrow = 1;
    for (c = 0; c < 4; c = c + 1)
      if (request_valid[c] && (request_warp[c*6 +: 6] >= 8 || request_address[c*16 +: 16] >= 4 || request_source[c*8 +: 8] >= 2 ||
          request_destination[c*8 +: 8] >= 4)) assume_narrow = 0;
  end

  // The table's loads, by entry.
  reg [LRT_ENTRIES-1:0] used;
  reg [LRT_ENTRIES*38-1:0] entries;
  reg [5:0] warp_of;
  reg [15:0] address_of;
  reg [7:0] source_of, destination_of;
`ifdef SEARCH_SCAN
  // What the memories have of each entry, and of the row that was read last.
  localparam ROWS = LRT_ENTRIES/4;
  integer r, k;
  reg [4*38-1:0] given;
  always @(*) used = scan_0.state.valid;
  always @(posedge clock)
    for (k = 0; k < 4; k = k + 1)
      for (r = 0; r < ROWS; r = r + 1)
        if (scan_0.warps.each.enable[k] && scan_0.warps.each.address[k*8 +: 8] == r) begin
          if (!scan_0.warps.each.write[k]) given[k*38 +: 38] <= entries[(r*4 + k)*38 +: 38];
          else
            entries[(r*4 + k)*38 +: 38] <= {scan_0.warps.each.write_data[k*6 +: 6],
              scan_0.addresses.each.write_data[k*16 +: 16], scan_0.sources.each.write_data[k*8 +: 8],
              scan_0.destinations.each.write_data[k*8 +: 8]};
        end

  // The memories give what was written last to the row.
  reg assume_memories;
  always @(*) begin
    assume_memories = 1;
    for (k = 0; k < 4; k = k + 1)
      if (given[k*38 +: 38] != {scan_0.warps.each.read_data[k*6 +: 6], scan_0.addresses.each.read_data[k*16 +: 16],
          scan_0.sources.each.read_data[k*8 +: 8], scan_0.destinations.each.read_data[k*8 +: 8]}) assume_memories = 0;
  end

  // The operation of the cycle before, if it has not ended.
  reg stood;
  reg [38:0] head_before;
  wire [38:0] head = {queue.head_release, queue.head_warp, queue.head_address, queue.head_source, queue.head_destination};
  always @(posedge clock) begin
    stood <= !reset && queue.head_valid && !queue.pop;
    head_before <= head;
  end

  // An operation stays, with its turn, until it has ended.
  wire lemma_stands = !stood || (queue.head_valid && head == head_before && !(|(queue.turns.grant & queue.turns.passed)));

  // The row that is shown is the one that was asked for.
  reg lemma_row;
  // No entry of an earlier row leaves before the operation, and the partner is the one that was found there.
  reg lemma_search;
  reg [LRT_ENTRIES-1:0] driven, partners;
  always @(*) begin
    lemma_row = scan_0.row < ROWS;
    lemma_search = (!scan_0.searching || stood) && (!scan_0.found || (scan_0.searching && scan_0.found_row < ROWS));
    for (r = 0; r < ROWS; r = r + 1)
      for (k = 0; k < 4; k = k + 1) begin
        e = r*4 + k;
        {warp_of, address_of, source_of, destination_of} = entries[e*38 +: 38];
        driven[e] = used[e] && warp_of == queue.head_warp && (queue.head_release || destination_of == queue.head_destination);
        partners[e] = used[e] && warp_of != queue.head_warp && !queue.head_release &&
          {address_of, source_of, destination_of} == {queue.head_address, queue.head_source, queue.head_destination};
        if (scan_0.fresh && scan_0.row == r && given[k*38 +: 38] != entries[e*38 +: 38]) lemma_row = 0;
        if (scan_0.searching && r < scan_0.row && (driven[e] || (partners[e] && !scan_0.found))) lemma_search = 0;
        if (scan_0.found && scan_0.found_row == r && scan_0.found_lane == k &&
            !(partners[e] && scan_0.found_warp == warp_of && r <= scan_0.row)) lemma_search = 0;
      end
  end
`else
  always @(*) begin
    used = cam_0.state.valid;
    for (e = 0; e < LRT_ENTRIES; e = e + 1)
      entries[e*38 +: 38] = {cam_0.entries_warp[e*6 +: 6], cam_0.entries_address[e*16 +: 16],
        cam_0.entries_source[e*8 +: 8], cam_0.entries_destination[e*8 +: 8]};
  end
`endif

  // Its loads where they can be, the oldest first: with the pending loads, in the table, and in the two places of the queue.
  reg [3:0] pending_places, twice;
  reg [LRT_ENTRIES-1:0] table_places;
  reg [3:0] there;
  reg [4*24-1:0] fields_there;
  always @(*) begin
    there = 0;
    fields_there = 0;
    for (p = 0; p < 4; p = p + 1) begin
      twice[p] = pending.second_valid[p] && pending.warp[p*12 +: 6] == pending.warp[p*12 + 6 +: 6];
      pending_places[p] = pending.valid[p] && pending.destination[p*8 +: 8] == register &&
        (pending.warp[p*12 +: 6] == its_warp || (pending.second_valid[p] && pending.warp[p*12 + 6 +: 6] == its_warp));
      if (pending_places[p]) begin
        there[0] = 1;
        fields_there[23:0] = {pending.address[p*16 +: 16], pending.source[p*8 +: 8]};
      end
    end
    for (e = 0; e < LRT_ENTRIES; e = e + 1) begin
      {warp_of, address_of, source_of, destination_of} = entries[e*38 +: 38];
      table_places[e] = used[e] && warp_of == its_warp && destination_of == register;
      if (table_places[e]) begin
        there[1] = 1;
        fields_there[47:24] = {address_of, source_of};
      end
    end
    for (c = 0; c < 8; c = c + 1)
      if (c/2 == core && queue.valid[c] && !queue.is_release[c] && queue.requests_warp[c*6 +: 6] == its_warp &&
          queue.requests_destination[c*8 +: 8] == register) begin
        there[2 + c%2] = 1;
        fields_there[(2 + c%2)*24 +: 24] = {queue.requests_address[c*16 +: 16], queue.requests_source[c*8 +: 8]};
      end
  end

  // A load leaves that came in and has not left, and the watched one as it came, in its turn.
  wire prove_leaves = !shown || (inside_now != 0 && !(watched && before == 0 && {load_address, load_source} != fields));

  // Each load that came in and has not left is in one place, and no other is anywhere.
  wire prove_places = inside_now == there[0] + there[1] + there[2] + there[3] &&
    (pending_places & (pending_places - 1)) == 0 && (table_places & (table_places - 1)) == 0;

  // The watched load stands in the place of its turn, unchanged.
  reg prove_turn;
  reg [2:0] older;
  always @(*) begin
    prove_turn = !watched || before < inside_now;
    older = 0;
    for (p = 0; p < 4; p = p + 1)
      if (there[p]) begin
        if (watched && before == older && fields_there[p*24 +: 24] != fields) prove_turn = 0;
        older = older + 1;
      end
  end

  // The requests in the queue are those of its sub-core, the first one in front.
  reg lemma_queue;
  // The two warps of a multicast differ.
  wire lemma_warps = !(|(pending.valid & twice));
  // No two entries have the same address and registers.
  reg lemma_key;
  always @(*) begin
    lemma_queue = 1;
    for (c = 0; c < 8; c = c + 1)
      if (queue.valid[c] && (queue.requests_warp[c*6 +: 2] != c/2 || (c%2 == 1 && !queue.valid[c - 1]))) lemma_queue = 0;
    lemma_key = 1;
    for (e = 0; e < LRT_ENTRIES; e = e + 1)
      for (f = 0; f < e; f = f + 1)
        if (used[e] && used[f] && entries[e*38 +: 32] == entries[f*38 +: 32]) lemma_key = 0;
  end

  // All are as narrow.
  reg lemma_narrow;
  always @(*) begin
    lemma_narrow = 1;
    for (c = 0; c < 8; c = c + 1)
      if (queue.valid[c] && (queue.requests_warp[c*6 +: 6] >= 8 || queue.requests_address[c*16 +: 16] >= 4 ||
          queue.requests_source[c*8 +: 8] >= 2 || queue.requests_destination[c*8 +: 8] >= 4)) lemma_narrow = 0;
    for (e = 0; e < LRT_ENTRIES; e = e + 1) begin
      {warp_of, address_of, source_of, destination_of} = entries[e*38 +: 38];
      if (used[e] && (warp_of >= 8 || address_of >= 4 || source_of >= 2 || destination_of >= 4)) lemma_narrow = 0;
    end
    for (p = 0; p < 4; p = p + 1)
      if (pending.valid[p] && (pending.warp[p*12 +: 6] >= 8 || pending.address[p*16 +: 16] >= 4 ||
          pending.source[p*8 +: 8] >= 2 || pending.destination[p*8 +: 8] >= 4 ||
          (pending.second_valid[p] && pending.warp[p*12 + 6 +: 6] >= 8))) lemma_narrow = 0;
  end

  // A load that is one of two leaves while others of its register come behind it.
  wire cover_behind = leaves && load_second_valid && watched && inside_now == 3;
