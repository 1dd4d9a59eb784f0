// A warp asks for each register of its interval once, and goes on when all have been read: F §VI-A.
//
// One warp, any of them, is watched with its list, and one register of that.
// At slots=3.

  (* anyseq *) reg [3:0] any_warp, any_place;
  reg [3:0] watched, place;
  wire is_there = watched < WARPS;
  wire arrives = is_there && arrive[watched];
  wire forgets = is_there && forget[watched];
  wire picked = is_there && warp == watched;
  wire takes = issue && picked;
  wire gives = leave && is_there && leave_warp == watched;

  // The interval that the warp is in, its list, and what of that it has not asked for.
  reg is_known;
  reg [15:0] its_interval;
  reg [127:0] kept_list;
  reg [15:0] kept_left;
  wire enters = arrives && (forgets || !is_known || interval[watched*16 +: 16] != its_interval);
  wire [127:0] list = enters ? registers[watched*128 +: 128] : kept_list;
  wire [15:0] left = enters ? wanted[watched*16 +: 16] : forgets ? 16'd0 : kept_left;

  // The first of the list that are left, as far as there are slots.
  reg [15:0] taken;
  reg [SLOTS-1:0] first_valid;
  reg [SLOTS*8-1:0] first;
  integer i, s, used;
  always @(*) begin
    taken = 0;
    first_valid = 0;
    first = 0;
    used = 0;
    for (i = 0; i < 16; i = i + 1)
      if (left[i] && used < SLOTS) begin
        taken[i] = 1;
        first_valid[used] = 1;
        first[used*8 +: 8] = list[i*8 +: 8];
        used = used + 1;
      end
  end

  // Its batches in collectors.
  reg [3:0] batches;

  // The register is wanted, and has been asked for since the warp entered the interval.
  reg was_wanted, was_asked;
  wire is_wanted = enters ? wanted[watched*16 + place] : was_wanted && !forgets;
  wire had_been_asked = was_asked && !enters && !forgets;
  wire [7:0] its_register = list[place*8 +: 8];
  reg is_in_batch, is_twice;
  always @(*) begin
    is_in_batch = 0;
    for (s = 0; s < SLOTS; s = s + 1)
      if (batch_valid[s] && batch[s*8 +: 8] == its_register) is_in_batch = picked;
    is_twice = 0;
    for (i = 0; i < 16; i = i + 1)
      if (i != place && list[i*8 +: 8] == its_register) is_twice = 1;
  end

  always @(posedge clock) begin
    is_known <= arrives || (is_known && !forgets);
    if (enters) its_interval <= interval[watched*16 +: 16];
    kept_list <= list;
    kept_left <= takes ? left & ~taken : left;
    batches <= batches + takes - gives;
    was_wanted <= is_wanted;
    was_asked <= had_been_asked || (takes && is_in_batch);
    if (reset) begin
      watched <= any_warp;
      place <= any_place;
      is_known <= 0;
      its_interval <= 0;
      kept_list <= 0;
      kept_left <= 0;
      batches <= 0;
      was_wanted <= 0;
      was_asked <= 0;
    end
  end

  // A list has a register once.
  wire assume_list = !enters || !is_twice;

  // A batch has the first registers of the list that have not been asked for, as far as there are slots.
  wire prove_batch = !picked || (batch_valid == first_valid && batch == first);

  // A register is asked for only if it is wanted, and once.
  wire prove_once = !(takes && is_in_batch) || (is_wanted && !had_been_asked);

  // A warp goes on only if every register that is wanted has been asked for, and every batch has been read.
  wire prove_goes_on = !is_there || asks[watched] || waits[watched] ||
    ((!is_wanted || had_been_asked) && batches == 0 && !filling[watched]);

  // A warp that has asked for all and got all goes on.
  wire prove_ends = !is_there || ((asks[watched] == (left != 0)) &&
    (!waits[watched] || batches != 0 || filling[watched]));

  // What is left of the register's set is what is wanted and has not been asked for.
  wire lemma_left = !(is_known && !enters && !forgets) || kept_left[place] == (was_wanted && !was_asked);
  wire lemma_forgotten = is_known || (kept_left == 0 && !was_wanted);

  // A list that has been taken in has the register once.
  reg lemma_list;
  always @(*) begin
    lemma_list = 1;
    for (i = 0; i < 16; i = i + 1)
      if (is_known && i != place && kept_list[i*8 +: 8] == kept_list[place*8 +: 8]) lemma_list = 0;
  end

  // The interval, the list and the batches are those of the hardware.
  wire lemma_same = !is_there || (inside.known[watched] == is_known &&
    inside.missing[watched*16 +: 16] == kept_left && inside.reading[watched*4 +: 4] == batches &&
    (!is_known || (inside.its_interval[watched*16 +: 16] == its_interval &&
      inside.numbers[watched*128 +: 128] == kept_list)));

  // A warp enters another interval with a register more than fits into a batch, and asks for it.
  wire cover_asks = takes && is_in_batch && had_been_asked == 0 && !enters && is_known;

  // It goes on when its last batch has been read.
  wire cover_goes_on = arrives && was_asked && !asks[watched] && !waits[watched];
