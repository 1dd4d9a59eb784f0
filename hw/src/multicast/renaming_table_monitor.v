// A source is read where its value was written, and nothing is written where another warp still reads: I §5.2.2.
//
// One register of two warps, any of them, is watched. All warps of the sub-core are of one CTA.
// At slots=3 renaming_entries=8.

  (* anyseq *) reg [7:0] any_register;
  (* anyseq *) reg [3:0] any_first, any_second;
  reg [7:0] its_register;
  reg [3:0] first, second;

  // The warps in whose homes the values of both lie.
  reg [3:0] first_home, second_home;
  wire is_its = register == its_register;
  always @(posedge clock) begin
    if (is_its && warp == first && write) first_home <= row;
    if (is_its && warp == first && skip) first_home <= leader;
    if (first < WARPS && forget[first]) first_home <= first;
    if (is_its && warp == second && write) second_home <= row;
    if (is_its && warp == second && skip) second_home <= leader;
    if (second < WARPS && forget[second]) second_home <= second;
    if (reset) begin
      its_register <= any_register;
      first <= any_first;
      second <= any_second;
      first_home <= any_first;
      second_home <= any_second;
    end
  end

  // Warps are those that there are.
  wire assume_warps = warp < WARPS && leader < WARPS;

  // All are of one CTA: they come together.
  wire assume_peers = &peers && (&forget || !(|forget));

  // The table does one thing in a cycle, and has room for it.
  wire assume_one = write + skip + |forget <= 1 && !(skip && free == 0);

  integer s, e, w;
  // A source is looked up in the home in which its value lies.
  reg prove_source;
  always @(*) begin
    prove_source = 1;
    for (s = 0; s < SLOTS; s = s + 1)
      if (first < WARPS && warp == first && source_register[s*8 +: 8] == its_register)
        if (lender[s*4 +: 4] != first_home || lent[s] != (first_home != first)) prove_source = 0;
  end

  // A write goes to a home that no other warp reads.
  wire prove_write = !(write && is_its && warp == first && first < WARPS && second < WARPS && first != second) ||
    row != second_home;

  // It is the home of a warp that there is.
  wire prove_row = !write || row < WARPS;

  // The entry of a register has the homes of both; what has none lies at home.
  reg lemma_homes, is_listed;
  always @(*) begin
    lemma_homes = first_home < WARPS || first >= WARPS;
    is_listed = 0;
    for (e = 0; e < RENAMING_ENTRIES; e = e + 1)
      if (inside.valid[e] && inside.its_register[e*8 +: 8] == its_register) begin
        if (is_listed) lemma_homes = 0;
        is_listed = 1;
        for (w = 0; w < WARPS; w = w + 1) begin
          if (first == w && inside.home[(e*WARPS + w)*4 +: 4] != first_home) lemma_homes = 0;
          if (second == w && inside.home[(e*WARPS + w)*4 +: 4] != second_home) lemma_homes = 0;
        end
      end
    if (!is_listed && ((first < WARPS && first_home != first) || (second < WARPS && second_home != second)))
      lemma_homes = 0;
  end

  // Homes are those of warps that there are.
  reg lemma_range;
  always @(*) begin
    lemma_range = 1;
    for (e = 0; e < RENAMING_ENTRIES*WARPS; e = e + 1)
      if (inside.valid[e/WARPS] && inside.home[e*4 +: 4] >= WARPS) lemma_range = 0;
  end

  // A warp writes where another one had read.
  wire cover_moves = write && is_its && warp == first && first_home != row && second_home == first_home && first != second;

  // A source lies with another warp.
  wire cover_lent = |lent;
