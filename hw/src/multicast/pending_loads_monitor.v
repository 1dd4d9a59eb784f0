// No load is lost or doubled, or leaves before its scoreboards allow it: I §3.1.
//
// The register of one warp, any of them, is watched.
// By z3.

  (* anyseq *) reg [5:0] any_warp;
  (* anyseq *) reg [7:0] any_register;
  reg [5:0] warp;
  reg [7:0] register;
  // A load of it waits, and was allowed; its fields.
  reg waits, allowed;
  reg [15:0] address;
  reg [7:0] source;
  reg [5:0] first, second;
  reg has_second;
  wire joins = offer && accepted && offer_destination == register &&
    (offer_first_warp == warp || (offer_second_valid && offer_second_warp == warp));
  wire shown = load_valid && load_destination == register &&
    (load_first_warp == warp || (load_second_valid && load_second_warp == warp));
  wire leaves = shown && load_ready;
  wire asked = ask_valid[warp[1:0]] && ask_warp[warp[1:0]*6 +: 6] == warp && ask_register[warp[1:0]*8 +: 8] == register;
  always @(posedge clock) begin
    if (asked && enable[warp[1:0]]) allowed <= 1;
    if (leaves) waits <= 0;
    if (joins) begin
      waits <= 1;
      allowed <= 0;
      address <= offer_address;
      source <= offer_source;
      first <= offer_first_warp;
      second <= offer_second_warp;
      has_second <= offer_second_valid;
    end
    if (reset) begin
      warp <= any_warp;
      register <= any_register;
      waits <= 0;
    end
  end

  // A load leaves that waits, as it came, and after its register was found free.
  wire prove_leaves = !shown || (waits && allowed && load_address == address && load_source == source &&
    load_first_warp == first && load_second_valid == has_second && (!has_second || load_second_warp == second));

  // No second load of one register of one warp comes in before the first has left.
  wire prove_joins = !(joins && waits);

  // It is asked only about what waits and was not found free.
  wire prove_asks = !asked || (waits && !allowed);

  // Places of loads of it, and whether one has what came.
  integer p;
  reg [3:0] places, frees, ones, twos;
  reg is_right;
  always @(*) begin
    is_right = 1;
    for (p = 0; p < 4; p = p + 1) begin
      ones[p] = inside.valid[p] && inside.destination[p*8 +: 8] == register && inside.warp[p*12 +: 6] == warp;
      twos[p] = inside.valid[p] && inside.destination[p*8 +: 8] == register && inside.second_valid[p] &&
        inside.warp[p*12 + 6 +: 6] == warp;
      places[p] = ones[p] || twos[p];
      frees[p] = (ones[p] && inside.free[p*2]) || (twos[p] && inside.free[p*2 + 1]);
      if (places[p] && !(inside.address[p*16 +: 16] == address && inside.source[p*8 +: 8] == source &&
          inside.warp[p*12 +: 6] == first && inside.second_valid[p] == has_second &&
          (!has_second || inside.warp[p*12 + 6 +: 6] == second))) is_right = 0;
    end
  end

  // A load that waits has one place, with what came.
  wire lemma_place = (places & (places - 1)) == 0 && |places == waits && is_right && (!waits || |frees == allowed) &&
    !(|(ones & twos));

  // A load without a second warp asks for one only.
  reg lemma_second;
  always @(*) begin
    lemma_second = 1;
    for (p = 0; p < 4; p = p + 1)
      if (inside.valid[p] && !inside.second_valid[p] && !inside.free[p*2 + 1]) lemma_second = 0;
  end

  // The second warp of a multicast leaves with it.
  wire cover_second = leaves && has_second && warp == second;
