// Who issues: greed, then data, then age: W §5, F §IV-B1.
//
// The ages of two warps, any of them, are watched.
// At warps=8.
// At warps=16.

  // What each warp could do.
  reg [WARPS-1:0] has_data, blocked, could;
  integer w, x, y, c;
  always @(*)
    for (w = 0; w < WARPS; w = w + 1) begin
      has_data[w] = 0;
      blocked[w] = 0;
      for (c = 0; c < COLLECTORS; c = c + 1)
        if (owned[c] && held_warp[c*4 +: 4] == w) begin
          has_data[w] = 1;
          blocked[w] = occupied[c];
        end
      could[w] = ready[w] & !blocked[w];
    end

  // The warp that issued last, until it ends.
  reg is_last;
  reg [3:0] last;
  always @(posedge clock) begin
    if (is_last && launch[last]) is_last <= 0;
    if (issue) begin
      is_last <= 1;
      last <= warp;
    end
    if (reset) is_last <= 0;
  end

  // Two warps: the first one is older by launch, or by number where they began together.
  (* anyseq *) reg [3:0] any_first, any_second;
  reg [3:0] first, second;
  reg first_is_older;
  always @(posedge clock) begin
    if (launch[first]) first_is_older <= launch[second] & first < second;
    else if (launch[second]) first_is_older <= 1;
    if (reset) begin
      first <= any_first;
      second <= any_second;
      first_is_older <= any_first < any_second;
    end
  end

  // A warp is selected if and only if one could issue, and it could.
  reg prove_selected;
  always @(*) begin
    prove_selected = selected == |could && (!selected || (warp < WARPS && could[warp]));
    for (w = 0; w < WARPS; w = w + 1)
      if (select[w] != (selected && warp == w)) prove_selected = 0;
  end

  // The warp that issued last goes first.
  wire prove_greed = !(is_last && could[last]) || warp == last;

  // A warp with data in a collector goes before one without.
  wire prove_data = !(selected && |(could & has_data)) || has_data[warp] || (is_last && warp == last);

  // Of warps alike in that the oldest goes first.
  wire prove_age = !(selected && !(is_last && warp == last) && first < WARPS && second < WARPS && first != second &&
    first_is_older && could[first] && has_data[first] == has_data[second]) || warp != second;

  // One warp is older than another, as the matrix has it.
  reg [WARPS*WARPS-1:0] older;
  always @(*)
    for (w = 0; w < WARPS; w = w + 1)
      for (x = 0; x < WARPS; x = x + 1) begin
        older[w*WARPS + x] = 0;
        if (w < x) older[w*WARPS + x] = !ages_0.younger[w*(2*WARPS - w - 1)/2 + x - w - 1];
        if (w > x) older[w*WARPS + x] = ages_0.younger[x*(2*WARPS - x - 1)/2 + w - x - 1];
      end

  // The ages are an order.
  reg lemma_order;
  always @(*) begin
    lemma_order = 1;
    for (w = 0; w < WARPS; w = w + 1)
      for (x = 0; x < WARPS; x = x + 1)
        for (y = 0; y < WARPS; y = y + 1)
          if (w != x && x != y && w != y && older[w*WARPS + x] && older[x*WARPS + y] && !older[w*WARPS + y])
            lemma_order = 0;
  end

  // The ages of the two are what they were told.
  wire lemma_ages = !(first < WARPS && second < WARPS && first != second) || older[first*WARPS + second] == first_is_older;

  // The warp that issued last is the one that the hardware has.
  reg lemma_last;
  always @(*) begin
    lemma_last = !is_last || last < WARPS;
    for (w = 0; w < WARPS; w = w + 1)
      if (inside.last[w] != (is_last && last == w)) lemma_last = 0;
  end

  // A younger warp goes first, by its data.
  wire cover_data = selected && first_is_older && could[first] && warp == second && first < WARPS && !is_last;
