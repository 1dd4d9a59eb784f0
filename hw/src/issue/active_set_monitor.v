// Who is active, who leaves, and who enters: F §VI-A.
//
// The order of two warps, any of them, is watched.
// At warps=8 active_warps=2.
// At warps=8 active_warps=6.

  // The active warps, from what the ports say.
  reg [WARPS-1:0] active;
  integer w, x, y;
  always @(posedge clock) active <= reset ? 0 : (allowed | entered) & ~retire;
  reg [5:0] kept, taken;
  always @(*) begin
    kept = 0;
    taken = 0;
    for (w = 0; w < WARPS; w = w + 1) begin
      kept = kept + active[w];
      taken = taken + (allowed[w] | entered[w]);
    end
  end
  wire [WARPS-1:0] waits = active & ~(ready | dependence);
  wire [WARPS-1:0] ends = active & (ready | dependence) & ends_strand;

  // Two warps: the first has been pending for longer, or has the lower number where both began together. Those that wait go
  // before those whose strand ends; one that retires is the last.
  (* anyseq *) reg [3:0] any_first, any_second;
  reg [3:0] first, second;
  reg first_is_ahead, is_ahead_now;
  wire [1:0] first_group = ends[first] ? 2 : waits[first] ? 1 : 0;
  wire [1:0] second_group = ends[second] ? 2 : waits[second] ? 1 : 0;
  wire is_a_pair = first < WARPS && second < WARPS && first != second;
  always @(*)
    if (first_group != second_group) is_ahead_now = first_group < second_group;
    else if (first_group != 0) is_ahead_now = first < second;
    else is_ahead_now = first_is_ahead;
  always @(posedge clock) begin
    if (retire[first] != retire[second]) first_is_ahead <= retire[second];
    else if (retire[first]) first_is_ahead <= first < second;
    else first_is_ahead <= is_ahead_now;
    if (reset) begin
      first <= any_first;
      second <= any_second;
      first_is_ahead <= any_first < any_second;
    end
  end

  // There are at most as many active warps as places, and so there are with those that enter.
  wire prove_places = kept <= ACTIVE_WARPS && taken <= ACTIVE_WARPS;

  // An active warp stays if it is ready, or waits for something short, and its strand does not end; else it leaves.
  wire prove_leaves = left == (waits | ends) && allowed == (active & ~left);

  // A warp that enters is ready, and is not active.
  wire prove_enters = !(|(entered & ~ready)) && !(|(entered & allowed));

  // A ready warp stays out only if all places are taken.
  wire prove_full = !(|(ready & ~allowed & ~entered)) || taken == ACTIVE_WARPS;

  // No ready warp is passed over by one that has been pending for less long.
  wire prove_order = !(is_a_pair && is_ahead_now && entered[second] && ready[first]) || entered[first] || allowed[first];

  // One warp is before another, as the hardware has it.
  reg [WARPS*WARPS-1:0] before;
  always @(*)
    for (w = 0; w < WARPS; w = w + 1)
      for (x = 0; x < WARPS; x = x + 1) begin
        before[w*WARPS + x] = 0;
        if (w < x) before[w*WARPS + x] = !inside.turned[x*16 + w];
        if (w > x) before[w*WARPS + x] = inside.turned[w*16 + x];
      end

  // The turns are an order.
  reg lemma_turns;
  always @(*) begin
    lemma_turns = 1;
    for (w = 0; w < WARPS; w = w + 1)
      for (x = 0; x < WARPS; x = x + 1)
        for (y = 0; y < WARPS; y = y + 1)
          if (w != x && x != y && w != y && before[w*WARPS + x] && before[x*WARPS + y] && !before[w*WARPS + y])
            lemma_turns = 0;
    for (w = 0; w < 16*WARPS; w = w + 1)
      if (w % 16 >= w / 16 && inside.turned[w]) lemma_turns = 0;
  end

  // The two are in the order that they were told.
  wire lemma_pair = !is_a_pair || before[first*WARPS + second] == first_is_ahead;

  // The active warps are those of the hardware.
  wire lemma_active = inside.active == active;

  // A warp takes the place of one that leaves.
  wire cover_turn = |left && |entered && kept == ACTIVE_WARPS;
