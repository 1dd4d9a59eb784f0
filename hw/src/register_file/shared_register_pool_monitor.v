// No section of the pool is lost or has two warps, and no warp waits while one is free: R §I, §VI-A.
//
// One section, any of them, and two warps are watched.

  (* anyseq *) reg [5:0] any_place;
  (* anyseq *) reg [3:0] any_first, any_second;
  reg [5:0] place;
  reg [3:0] first, second;

  // Who has the section: a warp in a slot, or one that has left.
  reg is_held, is_away;
  reg [3:0] holder;
  integer w;
  reg takes, comes, is_doubled;
  reg [3:0] taker;
  always @(*) begin
    takes = 0;
    comes = 0;
    is_doubled = 0;
    taker = 0;
    for (w = 0; w < WARPS; w = w + 1) begin
      if (granted[w] && given[w*6 +: 6] == place) begin
        is_doubled = is_doubled || takes;
        takes = 1;
        taker = w;
      end
      if (come[w] && come_section[w*6 +: 6] == place) begin
        is_doubled = is_doubled || comes;
        comes = 1;
        taker = w;
      end
    end
  end
  wire is_returned = is_held && give_back[holder];
  wire leaves = is_held && leave[holder];
  always @(posedge clock) begin
    if (is_returned || leaves) is_held <= 0;
    if (leaves) is_away <= 1;
    if (comes) is_away <= 0;
    if (takes || comes) begin
      is_held <= 1;
      holder <= taker;
    end
    if (reset) begin
      place <= any_place;
      first <= any_first;
      second <= any_second;
      is_held <= 0;
      is_away <= 0;
      holder <= 0;
    end
  end

  // A warp comes back with a section with which one has left, and it alone.
  wire assume_come = !comes || (is_away && !(is_doubled && !takes));

  // A section is given to a warp only if it is free, or comes back in this cycle, and to one warp.
  wire prove_given = !takes || (!is_doubled && !is_away && (!is_held || is_returned) && place < sections);

  // A warp has a section if and only if it was given to it, or came with it, and has not left since.
  reg prove_holder;
  always @(*) begin
    prove_holder = holder < WARPS;
    for (w = 0; w < WARPS; w = w + 1)
      if ((holds[w] && section[w*6 +: 6] == place) != (is_held && holder == w)) prove_holder = 0;
  end

  wire waits = first < WARPS && acquire[first] && !granted[first];
  // A warp waits only if every section has gone to another one.
  wire prove_waits = !(waits && place < sections) || (is_held && !is_returned) || is_away || takes;

  // Of two warps that ask, the lower number goes first.
  wire prove_order = !(waits && second < WARPS && first < second) || !granted[second];

  // A section was free when the cycle began, or none was.
  wire prove_free = any_free || !(place < sections) || is_held || is_away;

  // The flag of a section is that of a warp that has it, in a slot or not.
  wire lemma_flag = inside.taken[place] == (is_held || is_away) && !(is_held && is_away);

  // A section comes back and goes to another warp in one cycle.
  wire cover_hands = takes && is_returned && holder != taker;

  // A warp comes back with its section.
  wire cover_back = comes && is_away;
