// States, range and steps of STHLD: W §7, F §IV-B3.
// At interval=10000.
// At interval=1.
// At interval=16383.

  // Cycles and instructions of the interval, and instructions of the one before, in wide arithmetic.
  reg [31:0] cycle, instructions, before;
  wire [31:0] now = instructions + issued;
  always @(posedge clock) begin
    cycle <= cycle == INTERVAL - 1 ? 0 : cycle + 1;
    instructions <= cycle == INTERVAL - 1 ? 0 : now;
    if (cycle == INTERVAL - 1) before <= now;
    if (reset) begin
      cycle <= 0;
      instructions <= 0;
      before <= 0;
    end
  end
  // State and threshold of the cycle before, and whether an interval ended in it.
  reg ended, known;
  reg [2:0] state_before;
  reg [5:0] sthld_before;
  always @(posedge clock) begin
    known <= !reset;
    ended <= interval_end;
    state_before <= state;
    sthld_before <= sthld;
  end

  // The state is one of six.
  wire prove_state = state >= 1 && state <= 6;

  // The interval ends in its last cycle.
  wire prove_interval = interval_end == (cycle == INTERVAL - 1);

  // How much it changed.
  wire [31:0] change = now > before ? now - before : before - now;

  // A change is small if and only if it is less than 2% of the interval before, or none.
  wire prove_small = inside.is_small == (50*change < before || change == 0);

  // State and threshold change at the end of an interval only.
  wire prove_stable = !known || ended || (state == state_before && sthld == sthld_before);

  // The threshold falls by at most 4 and rises by at most 2.
  wire prove_step = !known || (sthld + 6'd4 >= sthld_before && sthld <= sthld_before + 6'd2);

  // The instructions of an interval are at most four for each cycle.
  wire lemma_bound = cycle < INTERVAL && instructions <= 4*cycle && before <= 4*INTERVAL;

  // The counts are those of the hardware: none overflows.
  wire lemma_counts = inside.cycle == cycle && inside.instructions == instructions && inside.previous == before;
