// No read is lost, doubled or out of its turn.
//
// One read, any of them, is watched from its push to its pop. With the count of those before it that is all there is to say.
// At slots=3.
// At slots=7.

  localparam PLACES = COLLECTORS * SLOTS;

  // Reads in the queue, and those that join it.
  reg [5:0] count, joining;
  integer s, p;
  always @(*) begin
    joining = 0;
    for (s = 0; s < SLOTS; s = s + 1) joining = joining + push[s];
  end
  always @(posedge clock) count <= reset ? 0 : count + joining - pop;

  // The queue has a place for each read that joins it: a collector has one instruction, and each of its slots one read.
  wire assume_room = count + joining - pop <= PLACES;

  // Any read: its turn is the number of those before it.
  (* anyseq *) reg choose;
  (* anyseq *) reg [2:0] any_slot;
  reg watched;
  reg [5:0] turn, before;
  reg [7:0] row;
  reg [2:0] slot;
  reg [$clog2(COLLECTORS)-1:0] collector;
  always @(*) begin
    before = count - pop;
    for (s = 0; s < SLOTS; s = s + 1)
      if (s < any_slot) before = before + push[s];
  end
  always @(posedge clock) begin
    if (!watched && choose && any_slot < SLOTS && push[any_slot]) begin
      watched <= 1;
      turn <= before;
      row <= push_row[any_slot*8 +: 8];
      slot <= any_slot;
      collector <= push_collector;
    end else if (watched && pop) begin
      turn <= turn - 1;
      watched <= turn != 0;
    end
    if (reset) watched <= 0;
  end

  // A read comes to the head in its turn, with its row, collector and slot.
  wire prove_turn = !watched || turn != 0 ||
    (head_valid && head_row == row && head_collector == collector && head_slot == slot);

  // The queue offers a read if and only if there is one.
  wire prove_head = head_valid == (count != 0);

  // The reads are in the first places.
  reg lemma_places;
  always @(*) begin
    lemma_places = count <= PLACES;
    for (p = 0; p < PLACES; p = p + 1)
      if (inside.valid[p] != (p < count)) lemma_places = 0;
  end

  // A read lies where its turn says.
  wire lemma_read = !watched || (turn < count && inside.row[turn*8 +: 8] == row &&
    inside.collector[turn*$clog2(COLLECTORS) +: $clog2(COLLECTORS)] == collector && inside.slot[turn*3 +: 3] == slot);

  // A read leaves a full queue.
  wire cover_full = pop && count == PLACES && watched && turn == 0;
