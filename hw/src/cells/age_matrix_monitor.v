// The oldest is the one that was renewed before all others.
//
// The ages of two entries, any of them, are watched.

  localparam MEMBERS = 8;

  (* anyseq *) reg [3:0] any_first, any_second;
  reg [3:0] first, second;
  reg first_is_older;
  always @(posedge clock) begin
    if (renew[first]) first_is_older <= renew[second] & first < second;
    else if (renew[second]) first_is_older <= 1;
    if (reset) begin
      first <= any_first;
      second <= any_second;
      first_is_older <= any_first < any_second;
    end
  end
  wire is_a_pair = first < MEMBERS && second < MEMBERS && first != second;

  // Exactly one is the oldest if there is any request, and it is a request.
  wire prove_one = (oldest & (oldest - 1)) == 0 && |oldest == |request && (oldest & ~request) == 0;

  // No request is older than the oldest.
  wire prove_oldest = !(is_a_pair && first_is_older && request[first]) || !oldest[second];

  integer w, x, y;
  // One is older than another, as the matrix has it.
  reg [MEMBERS*MEMBERS-1:0] older;
  always @(*)
    for (w = 0; w < MEMBERS; w = w + 1)
      for (x = 0; x < MEMBERS; x = x + 1) begin
        older[w*MEMBERS + x] = 0;
        if (w < x) older[w*MEMBERS + x] = !inside.younger[w*(2*MEMBERS - w - 1)/2 + x - w - 1];
        if (w > x) older[w*MEMBERS + x] = inside.younger[x*(2*MEMBERS - x - 1)/2 + w - x - 1];
      end

  // The ages are an order.
  reg lemma_order;
  always @(*) begin
    lemma_order = 1;
    for (w = 0; w < MEMBERS; w = w + 1)
      for (x = 0; x < MEMBERS; x = x + 1)
        for (y = 0; y < MEMBERS; y = y + 1)
          if (w != x && x != y && w != y && older[w*MEMBERS + x] && older[x*MEMBERS + y] && !older[w*MEMBERS + y])
            lemma_order = 0;
  end

  // The ages of the two are what they were told.
  wire lemma_pair = !is_a_pair || older[first*MEMBERS + second] == first_is_older;
