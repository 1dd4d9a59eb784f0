// The order of use is an order, and what is used moves to its front: W §3.2, F §III-C.
//
// Two entries, any of them, are watched.
// At entries=4.
// At entries=4 lru_order=pairs.
// With ranks, 8 entries are open: solvers do not end on their sums. The contract of the ranks is proved there.
// At entries=8 lru_order=pairs.

  integer e, f, g;

  (* anyseq *) reg [3:0] any_first, any_second;
  reg [3:0] first, second;
  // The second was used more recently than the first.
  reg second_is_newer;
  always @(posedge clock) begin
    if (touch[first] != touch[second]) second_is_newer <= touch[second];
    if (reset) begin
      first <= any_first;
      second <= any_second;
      second_is_newer <= any_second < any_first;
    end
  end
  wire is_a_pair = first < ENTRIES && second < ENTRIES && first != second;

  // Of two entries one is the newer: the ranks are a permutation.
  reg prove_order;
  // What is newer than a newer one is newer.
  reg prove_transitive;
  always @(*) begin
    prove_order = 1;
    prove_transitive = 1;
    for (e = 0; e < ENTRIES; e = e + 1) begin
      if (newer[e*16 + e]) prove_order = 0;
      if (ENTRIES < 16 && |(newer[e*16 +: 16] >> ENTRIES)) prove_order = 0;
      for (f = 0; f < ENTRIES; f = f + 1) begin
        if (e < f && newer[e*16 + f] == newer[f*16 + e]) prove_order = 0;
        for (g = 0; g < ENTRIES; g = g + 1)
          if (newer[e*16 + f] && newer[f*16 + g] && !newer[e*16 + g]) prove_transitive = 0;
      end
    end
  end

  // One that is used is newer than one that is not; two that are used together stay in their order.
  wire prove_newer = !is_a_pair || newer[first*16 + second] == second_is_newer;

  // The entry that was the last in the order becomes the first.
  wire cover_first = is_a_pair && first == ENTRIES - 1 && !(|newer[(ENTRIES - 1)*16 +: 16]);
