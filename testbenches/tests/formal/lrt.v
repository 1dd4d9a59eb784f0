  // A load of any warp, the same throughout.
  reg started = 1'd0;
  reg [WARP-1:0] own_warp_before;
  reg [ADDRESS-1:0] own_address_before;
  reg [7:0] own_source_before, own_destination_before;
  always @(posedge clock) begin
    started <= 1'd1;
    own_warp_before <= own_warp;
    own_address_before <= own_address;
    own_source_before <= own_source;
    own_destination_before <= own_destination;
  end

  // Requests stay until they are done; a release inserts nothing. Few registers make the proof short.
  wire ended = search & done & done_ready;
  reg asked;
  reg drain_before;
  reg [WARP-1:0] warp_before;
  reg [ADDRESS-1:0] address_before;
  reg [7:0] source_before, destination_before;
  always @(posedge clock) begin
    asked <= started & search & !ended;
    drain_before <= drain;
    warp_before <= warp;
    address_before <= address;
    source_before <= source;
    destination_before <= destination;
  end

  // What the ports tell of the load: whether it is in the table; and of all.
  wire same_key = address == own_address && source == own_source && destination == own_destination;
  wire inserted_any = ended & !drain & insert & !matched & !full;
  wire inserted_own = inserted_any && same_key && warp == own_warp;
  wire left_own = evict && evict_warp == own_warp && evict_address == own_address
    && evict_source == own_source && evict_destination == own_destination;
  wire paired_own = matched && same_key && matched_warp == own_warp;
  reg inside;
  reg [7:0] number;
  always @(posedge clock) begin
    inside <= started & ((inside | inserted_own) & !(left_own & evict_ready) & !(paired_own & ended));
    number <= started ? number + inserted_any - (evict & evict_ready) - (matched & ended) : 8'd0;
  end

  always @(*) begin
    assume (reset == !started);
    assume (source < REGISTERS && destination < REGISTERS);
    assume (!started || (own_warp == own_warp_before && own_address == own_address_before
      && own_source == own_source_before && own_destination == own_destination_before));
    assume (!(drain & insert));
    assume (!(started & asked) || (search && drain == drain_before && warp == warp_before
      && address == address_before && source == source_before && destination == destination_before));
    if (started) begin
      // Nothing leaves that is not in the table, and nothing enters twice.
      assert (!left_own | inside);
      assert (!paired_own | (inside && search && !drain && warp != own_warp));
      assert (!inserted_own | !inside);
      // A search of another warp finds it, and a younger load of its own or a release drives it out.
      assert (!(search & done & !drain & inside & same_key) || warp == own_warp || paired_own);
      assert (!(search & done & inside) || warp != own_warp || !(drain || destination == own_destination));
      assert (!(evict & done));
      assert (occupancy == number && full == (number == ENTRIES));
    end
  end
