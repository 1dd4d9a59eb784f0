// At width=32 window=2 slots=3 destinations=1 banks=2.

  // One for each warp.
  localparam COLLECTORS = 8;

  // A warp has the collector of its number.
  wire assume_own = !(|issue) || issue == 1 << warp;

  // No result of a warp comes while its collector is emptied.
  integer f;
  reg assume_flush;
  always @(*) begin
    assume_flush = 1;
    for (f = 0; f < BANKS; f = f + 1)
      if (|issue && flush && write_valid[f] && write_warp[f*4 +: 4] == warp) assume_flush = 0;
  end

