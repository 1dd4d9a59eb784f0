// Which collector an instruction gets, and how long it waits: W §6, F §IV-B2.
// At collectors=2.
// At collectors=4.

  integer c;
  // What there is to choose from.
  reg [COLLECTORS-1:0] own;
  always @(*)
    for (c = 0; c < COLLECTORS; c = c + 1) own[c] = owned[c] && held_warp[c*4 +: 4] == warp;
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

  // A collector that is granted is free.
  wire prove_free = !(|(grant & occupied));

  // A warp with data in a collector gets no other.
  wire prove_own = !(|own) || !(|(grant & ~own));

  // A collector with near values is granted only while none without is free.
  wire prove_far = |own || !(|(grant & near)) || !(|far);

  // What was waited is what the hardware counts.
  wire lemma_counter = inside.counter == waited;

  // A warp gets a collector with near values after a wait.
  wire cover_wait = granted && torn && waited == 3;
