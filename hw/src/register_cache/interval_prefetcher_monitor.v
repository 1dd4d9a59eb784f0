// A warp asks for each register of its interval once, and goes on when all have been read: F §VI-A.
//
// One warp, any of them, is watched, and one place of its list.
// At slots=3.

  (* anyseq *) reg [3:0] any_warp, any_place;
  reg [3:0] watched, place;

  // The interval that the warp is in, the register at the place, whether that is wanted, and whether it has been
  // asked for since the warp entered the interval; and the warp's batches in collectors.
  reg is_known;
  reg [15:0] last_interval;
  reg [7:0] last_register;
  reg was_wanted, was_asked;
  reg [3:0] batches;

  // What there is of the watched warp.
  reg is_there, arrives, forgets, asks_now, waits_now, fills_now, has_interval;
  reg [15:0] interval_now, its_interval, missing;
  reg [127:0] list_now, list_kept;
  reg [15:0] wanted_now;
  reg [3:0] reading;
  // What the picked warp has left to be asked for, and its list.
  reg is_picked;
  reg [15:0] left;
  reg [127:0] list;
  integer w, i, s;
  always @(*) begin
    {is_there, arrives, forgets, asks_now, waits_now, fills_now, has_interval} = 0;
    {interval_now, its_interval, missing, list_now, list_kept, wanted_now, reading} = 0;
    {is_picked, left, list} = 0;
    for (w = 0; w < WARPS; w = w + 1) begin
      if (watched == w) begin
        is_there = 1;
        arrives = arrive[w];
        forgets = forget[w];
        asks_now = asks[w];
        waits_now = waits[w];
        fills_now = filling[w];
        interval_now = interval[w*16 +: 16];
        list_now = registers[w*128 +: 128];
        wanted_now = wanted[w*16 +: 16];
        has_interval = inside.known[w];
        its_interval = inside.its_interval[w*16 +: 16];
        list_kept = inside.numbers[w*128 +: 128];
        missing = inside.missing[w*16 +: 16];
        reading = inside.reading[w*4 +: 4];
      end
      if (warp == w) begin
        is_picked = 1;
        left = inside.left[w*16 +: 16];
        list = inside.at_hand[w*128 +: 128];
      end
    end
  end

  wire enters = arrives && (forgets || !is_known || interval_now != last_interval);
  wire takes = issue && is_there && warp == watched;
  wire gives = leave && is_there && leave_warp == watched;

  // The first places that are left, one for each slot; those of them before the place that is watched.
  reg [4:0] used, before;
  reg [SLOTS-1:0] first_valid;
  reg [SLOTS*8-1:0] first;
  reg is_left, is_wanted_now;
  reg [7:0] register, register_now, register_kept;
  always @(*) begin
    first_valid = 0;
    first = 0;
    used = 0;
    before = 0;
    {is_left, register, is_wanted_now, register_now, register_kept} = 0;
    for (i = 0; i < 16; i = i + 1) begin
      for (s = 0; s < SLOTS; s = s + 1)
        if (left[i] && used == s) begin
          first_valid[s] = 1;
          first[s*8 +: 8] = list[i*8 +: 8];
        end
      if (place == i) begin
        before = used;
        is_left = left[i];
        register = list[i*8 +: 8];
        is_wanted_now = wanted_now[i];
        register_now = list_now[i*8 +: 8];
        register_kept = list_kept[i*8 +: 8];
      end
      used = used + left[i];
    end
  end
  wire is_asked = takes && is_left && before < SLOTS;
  wire is_wanted = enters ? is_wanted_now : was_wanted && !forgets;
  wire had_been_asked = was_asked && !enters && !forgets;
  wire [7:0] its_register = enters ? register_now : last_register;

  always @(posedge clock) begin
    is_known <= arrives || (is_known && !forgets);
    if (enters) last_interval <= interval_now;
    last_register <= its_register;
    was_wanted <= is_wanted;
    was_asked <= had_been_asked || is_asked;
    batches <= batches + takes - gives;
    if (reset) begin
      watched <= any_warp;
      place <= any_place;
      is_known <= 0;
      last_interval <= 0;
      last_register <= 0;
      was_wanted <= 0;
      was_asked <= 0;
      batches <= 0;
    end
  end

  // A batch has the first registers of the list that are left to be asked for, as far as there are slots.
  wire prove_batch = !is_picked || (batch_valid == first_valid && batch == first);

  // A register is asked for only if it is wanted, once, and under its number in the list.
  wire prove_once = !is_asked || (is_wanted && !had_been_asked && register == its_register);

  // A warp goes on only if every register that is wanted has been asked for, and every batch has been read.
  wire prove_goes_on = !is_there || asks_now || waits_now ||
    ((!is_wanted || had_been_asked) && batches == 0 && !fills_now);

  // A warp waits only for batches and for values that enter the cache.
  wire prove_waits = !waits_now || batches != 0 || fills_now;

  // A register is missing if it is wanted and has not been asked for.
  reg lemma_missing;
  always @(*) begin
    lemma_missing = 1;
    for (i = 0; i < 16; i = i + 1)
      if (is_there && place == i && missing[i] != (was_wanted && !was_asked)) lemma_missing = 0;
  end

  // A warp without an interval has nothing to ask for.
  wire lemma_forgotten = is_known || !was_wanted;

  // The interval, the register and the batches are those of the hardware.
  wire lemma_same = !is_there || (has_interval == is_known && reading == batches &&
    (!is_known || (its_interval == last_interval && register_kept == last_register)));

  // A register is asked for after the cycle in which its warp entered the interval.
  wire cover_asks = is_asked && !enters && is_known;

  // A warp goes on when its last batch has been read.
  wire cover_goes_on = arrives && was_asked && !enters && !asks_now && !waits_now;
