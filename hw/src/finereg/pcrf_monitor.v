// No entry is on two chains, none is lost, and a register comes back in its turn, with its value: R §V-D, §V-E.
//
// A register of a chain, any of them, is watched, and bit 0 of its value. Every bit of a value goes the same way.
// At pcrf_entries=64 pcrf_latency=1.

  localparam NUMBER = $clog2(PCRF_ENTRIES), LONG = NUMBER + 1, STAGES = PCRF_LATENCY;

  integer e, f, s;
  // Entries in use; those that begin a chain, those that a walk reads next, those of the chain under construction and of the
  // chain that is watched.
  reg [PCRF_ENTRIES-1:0] used, first, walked, open, own;
  // The entry before an entry, and how many are before it.
  reg [PCRF_ENTRIES*NUMBER-1:0] before;
  reg [PCRF_ENTRIES*LONG-1:0] position;
  // What the memories have of each entry, and what was read last.
  reg [PCRF_ENTRIES-1:0] last;
  reg [PCRF_ENTRIES*NUMBER-1:0] next;
  reg given_last;
  reg [NUMBER-1:0] given_next;

  // A chain is begun; registers of it that are stored.
  wire begins = take && !stored;
  reg [LONG-1:0] count;
  always @(posedge clock) begin
    for (e = 0; e < PCRF_ENTRIES; e = e + 1) begin
      if (walk && walk_pointer == e) begin
        first[e] <= 0;
        walked[e] <= 1;
      end
      if (free && !last[free_entry] && next_freed == e) walked[e] <= 1;
      if (stored && store_last) open[e] <= 0;
      if (free && free_entry == e) used[e] <= 0;
      if (take && first_free == e) begin
        used[e] <= 1;
        first[e] <= begins;
        walked[e] <= 0;
        open[e] <= 1;
        before[e*NUMBER +: NUMBER] <= inside.current;
        position[e*LONG +: LONG] <= begins ? 0 : count + 1;
      end
      if (nexts.write && nexts.write_address == e) next[e*NUMBER +: NUMBER] <= nexts.write_data;
      if (ends.write && ends.write_address == e) last[e] <= ends.write_data;
    end
    if (begins) count <= 0;
    if (stored) count <= count + 1;
    if (nexts.read) given_next <= next_read;
    if (ends.read) given_last <= last[ends.read_address];
    if (reset) used <= 0;
  end
  // The next of the entry that becomes free and of the one that is read, and the position of the first.
  reg [NUMBER-1:0] next_freed, next_read;
  reg [LONG-1:0] position_freed;
  always @(*) begin
    next_freed = 0;
    next_read = 0;
    position_freed = 0;
    for (e = 0; e < PCRF_ENTRIES; e = e + 1) begin
      if (free_entry == e) next_freed = next_freed | next[e*NUMBER +: NUMBER];
      if (free_entry == e) position_freed = position_freed | position[e*LONG +: LONG];
      if (nexts.read_address == e) next_read = next_read | next[e*NUMBER +: NUMBER];
    end
  end

  // Registers that the walk has shown, and cycles since it showed one; the position of the one that it shows, if that is
  // the last, and if its chain is the one below.
  reg [LONG-1:0] index, shown_position;
  reg [3:0] idle;
  reg shown_last, shown_own;
  always @(posedge clock) begin
    if (walk) index <= 0;
    if (free) begin
      shown_position <= position_freed;
      shown_last <= last[free_entry];
      shown_own <= own[free_entry];
    end
    if (restored && accept) index <= index + 1;
    idle <= walking && !restored ? idle + 1 : 0;
    if (reset) idle <= 0;
  end

  // Any chain, from its first register to the end of its walk, and any place in it.
  (* anyseq *) reg choose;
  (* anyseq *) reg [NUMBER-1:0] any_place;
  reg [NUMBER-1:0] place;
  reg watched, complete, walks;
  reg [NUMBER-1:0] head_of_it;
  // The register in that place: its entry and fields, once it is stored.
  reg kept, is_last;
  reg [NUMBER-1:0] entry;
  reg [11:0] fields;
  wire builds = watched && !complete;
  always @(posedge clock) begin
    if (take) own[first_free] <= builds;
    if (begins && !watched && choose) begin
      watched <= 1;
      complete <= 0;
      walks <= 0;
      kept <= 0;
      head_of_it <= first_free;
      own <= 1 << first_free;
    end
    if (builds && stored) begin
      complete <= store_last;
      if (count == place) begin
        kept <= 1;
        is_last <= store_last;
        entry <= inside.current;
        fields <= {store_warp, store_register, store_data[0]};
      end
    end
    if (walk && watched && walk_pointer == head_of_it) walks <= 1;
    if (walks && restored && restored_last && accept) begin
      watched <= 0;
      walks <= 0;
      own <= 0;
    end
    if (reset) begin
      place <= any_place;
      walks <= 0;
      watched <= 0;
    end
  end
  // What the memories have in its entry, and whether that was read last.
  reg [11:0] row, given;
  reg is_given;
  always @(posedge clock) begin
    if (data.write && data.write_address == (builds && count == place && stored ? inside.current : entry))
      row <= {warps.write_data, registers.write_data, data.write_data[0]};
    if (data.read) begin
      is_given <= data.read_address == entry;
      given <= row;
    end
    if (reset) is_given <= 0;
  end

  // Stages of the reads under way.
  reg [STAGES-1:0] reads;
  reg [STAGES*NUMBER-1:0] stages;
  always @(*) begin
    reads = inside.stage;
    reads[0] = inside.follow;
    stages = inside.stage_entry;
  end

  // The memories give what was written last to the row.
  wire assume_memories = nexts.read_data == given_next && ends.read_data == given_last &&
    (!is_given || {warps.read_data, registers.read_data, data.read_data[0]} == given);

  // The entry that is offered is free.
  wire assume_offered = !any_free || !used[first_free];

  // A chain is walked that is complete, while no walk is under way.
  wire assume_walk = !walk || (used[walk_pointer] && first[walk_pointer] && !open[walk_pointer] && !(|reads) && !restored);

  // A chain has at most as many registers as there are entries.
  wire assume_length = !(stored && !store_last) || count < PCRF_ENTRIES - 1;

  // An entry is taken only if one is free, and what becomes free is in use.
  wire prove_flags = (!take || any_free) && (!free || used[free_entry]);

  // A register comes back in its turn, with its value, and none after the last of its chain.
  wire prove_value = !(walks && restored && index == place) || (kept && restored_last == is_last &&
    {restored_warp, restored_register, restored_data[0]} == fields);

  // A walk ends: it shows at most as many registers as there are entries, and waits for none longer than a read takes.
  wire prove_ends = (!restored || index < PCRF_ENTRIES) && idle < PCRF_LATENCY + 1;

  reg [PCRF_ENTRIES-1:0] written, named, lies;
  reg [LONG-1:0] further;
  wire [LONG-1:0] at_place = place;
  // An entry that another names as its next is in use, and no other names it, nor a chain or a walk begins with it.
  reg prove_next;
  // An entry in use begins a chain, or is read next, or another one in use names it.
  reg prove_reached;
  // Entries behind each other are both under construction, or neither is.
  reg lemma_chain;
  // They are both of the watched chain, or neither is.
  reg lemma_same;
  // Their positions follow each other.
  reg lemma_positions;
  always @(*) begin
    written = used;
    if (inside.reserved) written[inside.current] = 0;
    prove_next = 1;
    lemma_chain = 1;
    lemma_same = 1;
    lemma_positions = 1;
    named = 0;
    for (e = 0; e < PCRF_ENTRIES; e = e + 1) begin
      further = position[e*LONG +: LONG] + 1;
      for (f = 0; f < PCRF_ENTRIES; f = f + 1)
        if (written[e] && !last[e] && next[e*NUMBER +: NUMBER] == f) begin
          named[f] = 1;
          if (!(used[f] && !first[f] && !walked[f] && before[f*NUMBER +: NUMBER] == e)) prove_next = 0;
          if (open[f] != open[e]) lemma_chain = 0;
          if (own[f] != own[e]) lemma_same = 0;
          if (position[f*LONG +: LONG] != further) lemma_positions = 0;
        end
    end
    prove_reached = !(|(used & ~first & ~walked & ~named));
  end

  // The chain under construction is the one that the hardware has, and its entries are behind each other.
  reg lemma_open;
  // The watched register is in the one entry of its chain that is in its place, and the memories have it.
  reg lemma_own;
  always @(*) begin
    lemma_open = 1;
    lemma_own = (!builds || (inside.reserved && head == head_of_it)) && !(builds && kept != (count > place));
    for (e = 0; e < PCRF_ENTRIES; e = e + 1) begin
      lies[e] = position[e*LONG +: LONG] == at_place;
      if (inside.reserved && inside.current == e && !(used[e] && open[e] && position[e*LONG +: LONG] == count)) lemma_open = 0;
      if (inside.reserved && head == e && !(used[e] && first[e] && open[e])) lemma_open = 0;
      if (used[e] && first[e] && (walked[e] || position[e*LONG +: LONG] != 0)) lemma_open = 0;
      if (used[e] && position[e*LONG +: LONG] >= PCRF_ENTRIES) lemma_open = 0;
      if (used[e] && open[e] && !(inside.reserved && !walked[e] && (!first[e] || e == head))) lemma_open = 0;
      if (written[e] && open[e] && (last[e] || position[e*LONG +: LONG] >= count)) lemma_open = 0;
      if (watched && !walks && e == head_of_it && !(used[e] && first[e])) lemma_own = 0;
      if (used[e] && first[e] && own[e] != (watched && !walks && e == head_of_it)) lemma_own = 0;
      if (used[e] && own[e] && (!watched || (open[e] != builds))) lemma_own = 0;
      if (written[e] && own[e]) begin
        if (!kept && position[e*LONG +: LONG] >= at_place) lemma_own = 0;
        if (kept && position[e*LONG +: LONG] < at_place && last[e]) lemma_own = 0;
        if (kept && is_last && position[e*LONG +: LONG] > at_place) lemma_own = 0;
        if (kept && lies[e] && !(e == entry && last[e] == is_last && row == fields)) lemma_own = 0;
      end
    end
  end

  // The walk is at the oldest of the reads under way; each of the others is next to the one before it.
  reg lemma_walk;
  reg [NUMBER-1:0] at, here, ahead;
  reg [3:0] oldest;
  always @(*) begin
    lemma_walk = 1;
    oldest = 0;
    at = 0;
    for (s = 0; s < STAGES; s = s + 1)
      if (reads[s]) begin
        oldest = s;
        at = stages[s*NUMBER +: NUMBER];
      end
    for (s = 0; s < STAGES; s = s + 1) begin
      here = stages[s*NUMBER +: NUMBER];
      ahead = stages[((s + NEXT_LATENCY) % STAGES)*NUMBER +: NUMBER];
      if (reads[s] && s != oldest && (s + NEXT_LATENCY >= STAGES || !reads[s + NEXT_LATENCY])) lemma_walk = 0;
      for (e = 0; e < PCRF_ENTRIES; e = e + 1) begin
        if (reads[s] && here == e && !(written[e] && !open[e] && !first[e])) lemma_walk = 0;
        if (reads[s] && here == e && s >= NEXT_LATENCY && reads[s - NEXT_LATENCY] == last[e]) lemma_walk = 0;
        if (reads[s] && s != oldest && ahead == e && next[e*NUMBER +: NUMBER] != here) lemma_walk = 0;
      end
    end
    for (e = 0; e < PCRF_ENTRIES; e = e + 1) begin
      if ((used[e] && walked[e]) != (|reads && e == at)) lemma_walk = 0;
      if (|reads && e == at && !(position[e*LONG +: LONG] == index + restored && own[e] == walks)) lemma_walk = 0;
    end
    if (!restored && idle > oldest) lemma_walk = 0;
    if (restored && !(shown_position == index && index < PCRF_ENTRIES && shown_own == walks && shown_last == !(|reads)))
      lemma_walk = 0;
    if (restored && walks && (kept ? (index < place && shown_last) || (is_last && index > place) ||
        (index == place && !(is_given && given == fields && shown_last == is_last)) : index >= place)) lemma_walk = 0;
    if (walks && !(complete && watched && (restored || |reads))) lemma_walk = 0;
  end

  // The watched register comes back after others, and its chain goes on.
  wire cover_value = walks && restored && accept && index == place && place == 2 && !is_last;
