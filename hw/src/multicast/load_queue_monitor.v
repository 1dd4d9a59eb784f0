// No request is lost, doubled, out of its turn or passed over: I §3.1.
//
// One request of one sub-core, any of them, is watched.

  // Any sub-core: it has at most two requests.
  (* anyseq *) reg [1:0] any_core;
  (* anyseq *) reg choose;
  reg [1:0] core, count;
  reg watched, turn;
  reg release_of_it;
  reg [37:0] request;
  wire serves = head_valid && inside.turns_grant[core];
  wire leaves = pop && serves;
  wire joins = push[core] && ready[core];
  always @(posedge clock) begin
    count <= count + joins - leaves;
    if (watched && leaves) begin
      watched <= turn;
      turn <= 0;
    end else if (!watched && choose && joins) begin
      watched <= 1;
      turn <= count - leaves;
      release_of_it <= push_release[core];
      request <= {push_warp[core*6 +: 6], push_address[core*16 +: 16], push_source[core*8 +: 8],
        push_destination[core*8 +: 8]};
    end
    if (reset) begin
      core <= any_core;
      count <= 0;
      watched <= 0;
    end
  end
  // Requests of others that left while one of it was at the front, and the head of the cycle before.
  reg [3:0] passed_over;
  reg stood;
  reg [38:0] head_before;
  wire [38:0] head = {head_release, head_warp, head_address, head_source, head_destination};
  always @(posedge clock) begin
    if (count == 0 || leaves) passed_over <= 0;
    else if (pop) passed_over <= passed_over + 1;
    stood <= !reset && head_valid && !pop;
    head_before <= head;
    if (reset) passed_over <= 0;
  end

  // A request comes to the head in its turn, as it was.
  wire prove_turn = !(watched && turn == 0 && serves) ||
    head == {release_of_it, request};

  // A request is taken if and only if the sub-core has less than two.
  wire prove_room = ready[core] == (count < 2);

  // There is a head if any sub-core has a request, and one sub-core is served.
  wire prove_head = (count == 0 || head_valid) && (!serves || count != 0) && head_valid == |inside.turns_grant &&
    (inside.turns_grant & (inside.turns_grant - 1)) == 0;

  // A head stays until it is done.
  wire prove_stays = !stood || (head_valid && head == head_before);

  // Three requests of others at most leave before one that is at the front.
  wire prove_fair = passed_over <= 3;

  // A request lies where its turn says.
  wire [2:0] place = core*2 + turn;
  wire lies = inside.valid[place] && inside.is_release[place] == release_of_it &&
    {inside.requests_warp[place*6 +: 6], inside.requests_address[place*16 +: 16], inside.requests_source[place*8 +: 8],
    inside.requests_destination[place*8 +: 8]} == request;
  // The places of a sub-core are filled from the front, and the request lies where its turn says.
  wire lemma_places = inside.valid[core*2] == (count > 0) && inside.valid[core*2 + 1] == (count > 1) && count <= 2 &&
    (!watched || lies);

  // No sub-core has its second place filled alone.
  wire lemma_front = !(|(inside.valid & 8'haa & ~(inside.valid << 1)));

  // The turn goes around the sub-cores: others are served before it as often as they are ahead.
  wire [3:0] passed = turns.passed;
  wire [2:0] next = passed[0] + passed[1] + passed[2] + passed[3];
  wire [3:0] ahead = core >= next ? core - next : 4 - next + core;
  // Who has had the turn is a prefix, and who waits is not passed over by more than those ahead.
  wire lemma_fair = (passed & (passed + 1)) == 0 && (count == 0 ? passed_over == 0 : passed_over + ahead <= 3);

  // The head of the cycle before has the turn.
  wire lemma_stands = !stood || (head_valid && head == head_before && !(|(inside.turns_grant & passed)));

  // A request waits for three others.
  wire cover_waits = leaves && passed_over == 3 && watched;
