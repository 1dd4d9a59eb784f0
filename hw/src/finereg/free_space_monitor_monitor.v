// The entry that is offered is free, and free entries are counted: R §V-C.
// At pcrf_entries=64.

  localparam PART = 8, PARTS = PCRF_ENTRIES / PART, NUMBER = $clog2(PCRF_ENTRIES);

  // Any entry.
  (* anyseq *) reg [NUMBER-1:0] any_entry;
  reg [NUMBER-1:0] entry;
  reg taken;
  always @(posedge clock) begin
    if (take && first_free == entry) taken <= 1;
    if (free && free_entry == entry) taken <= 0;
    if (reset) entry <= any_entry;
    if (reset) taken <= 0;
  end

  // Entries of each part that are in use: a count that follows what is taken and becomes free.
  reg [PARTS*4-1:0] counts;
  integer p, e;
  always @(posedge clock)
    for (p = 0; p < PARTS; p = p + 1) begin
      counts[p*4 +: 4] <= counts[p*4 +: 4] + (take && first_free / PART == p) - (free && free_entry / PART == p);
      if (reset) counts[p*4 +: 4] <= 0;
    end
  reg [11:0] used;
  always @(*) begin
    used = 0;
    for (p = 0; p < PARTS; p = p + 1) used = used + counts[p*4 +: 4];
  end

  // What becomes free is occupied.
  wire assume_free = !free || occupied[free_entry];

  // An entry is occupied if and only if it was taken and has not become free since.
  wire prove_flag = occupied[entry] == taken;

  // The entry that is offered is the lowest that is free.
  wire prove_first = any_free ? !occupied[first_free] && (entry >= first_free || occupied[entry]) : occupied[entry];

  // The count of free entries is that of the parts.
  wire prove_count = free_count == PCRF_ENTRIES - used;

  // The count of a part is the number of its entries that are occupied.
  reg lemma_parts;
  reg [3:0] ones;
  always @(*) begin
    lemma_parts = 1;
    for (p = 0; p < PARTS; p = p + 1) begin
      ones = 0;
      for (e = 0; e < PART; e = e + 1) ones = ones + occupied[p*PART + e];
      if (ones != counts[p*4 +: 4]) lemma_parts = 0;
    end
  end

  reg was_freed;
  always @(posedge clock) was_freed <= !reset && (was_freed || (free && free_entry == entry));
  // An entry that became free is taken again.
  wire cover_again = was_freed && taken;
