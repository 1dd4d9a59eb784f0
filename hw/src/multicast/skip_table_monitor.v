// A load is found as long as it is kept, and each warp that follows goes on once: I §5.2.2.
//
// One load, any of them, and one warp that may follow it are watched.
// At rows=32 banks=2.

  localparam LAST = ROWS*BANKS/4 - 1;
  (* anyseq *) reg [15:0] any_pc;
  (* anyseq *) reg [6:0] any_cta;
  (* anyseq *) reg [7:0] any_section;
  (* anyseq *) reg [3:0] any_leader, any_follower;
  reg [15:0] its_pc;
  reg [6:0] its_cta;
  reg [7:0] its_section;
  reg [3:0] leader, follower;

  // The load is in the table, at this place; its data have come; the warp follows it.
  reg is_kept, has_come, follows;
  reg [7:0] place;
  wire [7:0] place_now = place - (kept && removed < place);
  wire makes_room = kept && removed == place;
  wire is_same = pc == its_pc && cta == its_cta && section == its_section;
  wire is_by_it = pc == its_pc && warp == leader;
  wire enters = kept && is_same && is_by_it;
  wire arrives = loaded && is_by_it;
  // Any load of this instruction and warp is under way: its place and its CTA.
  reg is_busy;
  reg [7:0] busy_place;
  reg [6:0] busy_cta;
  wire hears = arrived && is_kept && entry == place;
  wire [7:0] since = section - its_section;
  wire is_dropped = cta == its_cta && (forget || (opens && has_come && since > 1));
  wire asks = request && is_same && warp == follower && follower != leader && alike[place];
  always @(posedge clock) begin
    place <= place_now;
    if (is_kept && (makes_room || is_dropped)) is_kept <= 0;
    if (hears) has_come <= 1;
    if (found && under_way && entry == place && warp == follower) follows <= 1;
    if (enters) begin
      is_kept <= 1;
      place <= LAST;
      has_come <= 0;
      follows <= 0;
    end
    busy_place <= busy_place - (kept && removed < busy_place);
    if (arrives) is_busy <= 0;
    if (kept && is_by_it) begin
      is_busy <= 1;
      busy_place <= LAST;
      busy_cta <= cta;
    end
    if (reset) begin
      is_busy <= 0;
      busy_place <= 0;
      busy_cta <= 0;
      its_pc <= any_pc;
      its_cta <= any_cta;
      its_section <= any_section;
      leader <= any_leader;
      follower <= any_follower;
      is_kept <= 0;
      place <= 0;
      has_come <= 0;
      follows <= 0;
    end
  end

  // A CTA leaves that has no load under way.
  wire assume_forget = !(forget && is_busy && cta == busy_cta);

  // A warp has one load of an instruction under way.
  wire assume_one = !(request && is_busy && is_by_it);

  // There are as many warps as there are.
  wire assume_warp = warp < WARPS;

  // A load that is kept is found by a warp that does the same, or a newer one is.
  wire prove_found = !(is_kept && asks) || (found && entry >= place);

  // A load is found only with its own instruction, CTA and section, by another warp that does the same.
  wire prove_its = !(found && is_kept && entry == place) || (is_same && warp != leader && alike[place] && under_way == !has_come);

  // Data come for the load that is under way.
  wire prove_arrives = !(is_kept && !has_come && arrives) || hears;

  // A warp goes on with the data of the load that it follows, and only then.
  wire prove_follows = !(hears && follower < WARPS) || (!has_come && arrives && followers[follower] == follows);

  // A load that is under way is not given up.
  wire prove_stays = !(is_kept && makes_room) || has_come;

  // A load goes to memory without an entry only if all entries are under way.
  wire prove_kept = !(request && !found && !kept) || !is_kept || !has_come;

  integer e;
  // The place has the load.
  reg lemma_place;
  always @(*) begin
    lemma_place = !is_kept || place <= LAST;
    for (e = 0; e <= LAST; e = e + 1)
      if (is_kept && place == e && !(inside.valid[e] && inside.its_pc[e*16 +: 16] == its_pc &&
        inside.its_cta[e*7 +: 7] == its_cta && inside.its_section[e*8 +: 8] == its_section &&
        inside.leader[e*4 +: 4] == leader && inside.has_come[e] == has_come)) lemma_place = 0;
  end

  // The warp is noted there as long as it follows.
  reg lemma_follows;
  reg [15:0] its_followers;
  always @(*) begin
    its_followers = 0;
    for (e = 0; e <= LAST; e = e + 1)
      if (place == e) its_followers = its_followers | inside.following[e*16 +: 16];
    lemma_follows = !(is_kept && follower < WARPS && !has_come) || its_followers[follower] == follows;
  end

  // One entry at most has a load of the same instruction and warp under way.
  reg lemma_busy;
  always @(*) begin
    lemma_busy = !is_busy || busy_place <= LAST;
    for (e = 0; e <= LAST; e = e + 1) begin
      if ((inside.valid[e] && !inside.has_come[e] && inside.its_pc[e*16 +: 16] == its_pc &&
        inside.leader[e*4 +: 4] == leader) != (is_busy && busy_place == e)) lemma_busy = 0;
      if (is_busy && busy_place == e && inside.its_cta[e*7 +: 7] != busy_cta) lemma_busy = 0;
    end
  end

  // The load that is watched is the one under way, until its data come.
  wire lemma_watched = !(is_kept && !has_come) || (is_busy && busy_place == place);

  // Only what is in the table has come.
  wire lemma_come = !(|(inside.has_come & ~inside.valid));

  // A warp follows, and goes on.
  wire cover_follows = hears && followers[follower] && follower < WARPS;

  // A load is found after its data have come.
  wire cover_skips = found && is_kept && entry == place && has_come;
