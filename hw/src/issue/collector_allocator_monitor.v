// Which collector an instruction gets, and how long it waits: W §6, F §IV-B2.
// At collectors=2.
// At collectors=4.
// At collectors=2 allocation=own_else_lru.
// At collectors=4 allocation=own_else_lru.

  integer c;
  // What there is to choose from.
  reg [COLLECTORS-1:0] own;
  always @(*)
    for (c = 0; c < COLLECTORS; c = c + 1) own[c] = owned[c] && held_warp[c*4 +: 4] == warp;

  // A collector that is granted is free.
  wire prove_free = !(|(grant & occupied));

  // A warp with data in a collector gets no other.
  wire prove_own = !(|own) || !(|(grant & ~own));

`ifdef ALLOCATION_OWN_ELSE_LRU
  // Two collectors, any of them, are watched: which of them was taken later.
  (* anyseq *) reg [2:0] any_first, any_second;
  reg [2:0] first, second;
  reg second_is_later;
  always @(posedge clock) begin
    if (grant[first] != grant[second]) second_is_later <= grant[second];
    if (reset) begin
      first <= any_first;
      second <= any_second;
      second_is_later <= any_second > any_first;
    end
  end
  wire is_a_pair = first < COLLECTORS && second < COLLECTORS && first < second;

  // A warp without data gets no collector while one is free that was taken earlier.
  wire prove_oldest = !is_a_pair || |own || !(second_is_later ? grant[second] && !occupied[first] : grant[first] && !occupied[second]);

  // A warp gets a collector if and only if one is free that it may take, and never waits.
  wire prove_granted = granted == (request && (|own ? |(own & ~occupied) : !(&occupied))) && granted == |grant && !waiting;

  wire [4:0] pair = first*(2*COLLECTORS - first - 1)/2 + second - first - 1;

  // The order is that of the last times.
  wire lemma_order = !is_a_pair || ages_0.younger[pair] == !second_is_later;

  // A collector is passed over because it is occupied.
  wire cover_passed = is_a_pair && !second_is_later && grant[first] && occupied[second] && !(|own);
`else
  wire [COLLECTORS-1:0] far = ~occupied & ~near;
  // Only collectors with near values are free.
  wire torn = !(|own) && !(&occupied) && !(|far);

  // Cycles that warps have waited since one of those was taken.
  reg [7:0] waited;
  always @(posedge clock) begin
    if (request && torn) waited <= granted ? 0 : waited + 1;
    if (reset) waited <= 0;
  end
  // STHLD does not fall while warps wait. That makes the bound plain.
  reg [4:0] highest;
  always @(posedge clock) begin
    if (sthld > highest) highest <= sthld;
    if (reset) highest <= 0;
  end

  // A warp waits if and only if the free collectors all hold near values and less than STHLD was waited.
  wire prove_waits = waiting == (request && torn && waited < sthld);

  // Nobody waits for longer than the highest STHLD there was.
  wire prove_bound = waited <= highest;

  // Without a reason to wait, a warp gets a collector if and only if one is free that it may take.
  wire prove_granted = granted == (request && (|own ? |(own & ~occupied) : !(&occupied)) && !waiting) && granted == |grant;

  // A collector with near values is granted only while none without is free.
  wire prove_far = |own || !(|(grant & near)) || !(|far);

  // What was waited is what the hardware counts.
  wire lemma_counter = inside.counter == waited;

  // A warp gets a collector with near values after a wait.
  wire cover_wait = granted && torn && waited == 3;
`endif
