// Entries make room in their order: free ones, then far ones from a random place on, then the one used longest ago: W §4.1, F §IV-A1.
// At entries=4 slots=3.

  integer s, t, u, p, e, f, g;
  localparam WANTS = SLOTS + D_PORTS;
  wire [WANTS-1:0] wants = {d_miss, miss};
  wire [WANTS*16-1:0] victims = {d_victim, victim};

  // The order of use is an order.
  reg assume_order;
  always @(*) begin
    assume_order = 1;
    for (e = 0; e < ENTRIES; e = e + 1) begin
      if (newer[e*16 + e]) assume_order = 0;
      for (f = 0; f < ENTRIES; f = f + 1) begin
        if (e < f && newer[e*16 + f] == newer[f*16 + e]) assume_order = 0;
        for (g = 0; g < ENTRIES; g = g + 1)
          if (newer[e*16 + f] && newer[f*16 + g] && !newer[e*16 + g]) assume_order = 0;
      end
    end
  end

  // Entries that are kept, and sources that want one.
  reg [5:0] kept, wanted;
  always @(*) begin
    kept = 0;
    wanted = 0;
    for (e = 0; e < ENTRIES; e = e + 1) kept = kept + keep[e];
    for (s = 0; s < SLOTS; s = s + 1) wanted = wanted + miss[s];
  end
  // There is an entry for each source: what is kept and what is wanted is no more than there is.
  wire assume_room = kept + wanted <= ENTRIES;

  // A source that needs an entry gets one, and none that does not.
  reg prove_one;
  always @(*) begin
    prove_one = 1;
    for (s = 0; s < WANTS; s = s + 1) begin
      if ((victims[s*16 +: 16] & (victims[s*16 +: 16] - 16'd1)) != 0) prove_one = 0;
      if (!wants[s] && |victims[s*16 +: 16]) prove_one = 0;
      if (s < SLOTS && wants[s] && !(|victims[s*16 +: 16])) prove_one = 0;
    end
  end

  // What is kept makes no room.
  reg prove_kept;
  reg [15:0] all;
  always @(*) begin
    all = 0;
    for (s = 0; s < WANTS; s = s + 1) all = all | victims[s*16 +: 16];
    prove_kept = 1;
    for (e = 0; e < 16; e = e + 1)
      if (all[e] && (e >= ENTRIES || keep[e])) prove_kept = 0;
  end

  // No two get one entry.
  reg prove_apart;
  always @(*) begin
    prove_apart = 1;
    for (s = 0; s < WANTS; s = s + 1)
      for (t = 0; t < s; t = t + 1)
        if (|(victims[s*16 +: 16] & victims[t*16 +: 16])) prove_apart = 0;
  end

  localparam NUMBER = $clog2(ENTRIES);
  // An entry is passed over only for one that is before it in the order.
  reg prove_order;
  reg [NUMBER-1:0] here, there;
  reg is_before;
  always @(*) begin
    prove_order = 1;
    for (e = 0; e < ENTRIES; e = e + 1)
      for (f = 0; f < ENTRIES; f = f + 1)
        if (e != f && all[e] && !all[f] && !keep[f]) begin
          here = e - random;
          there = f - random;
          if (!valid[e] || !valid[f]) is_before = !valid[e] && (valid[f] || e < f);
          else if (near[e] != near[f]) is_before = near[f];
          else if (!near[e]) is_before = here < there;
          else is_before = newer[e*16 + f];
          if (!is_before) prove_order = 0;
        end
  end

  // All sources and the result get entries, some far and some near.
  wire cover_all = &wants && |(all & near) && |(all & ~near) && |victims[SLOTS*16 +: 16];
