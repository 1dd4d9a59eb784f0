// One access for a bank and one value for a port S, and no read lost, doubled, misled or left waiting: F §II, §IV-A.
// At slots=3.

  localparam READS = COLLECTORS * SLOTS, WIDE = $clog2(COLLECTORS), PLACES = COLLECTORS * SLOTS;

  // Reads that were asked for and not granted, with their bank and row.
  reg [READS-1:0] waiting;
  reg [READS*8-1:0] home, row;
  reg [SLOTS*8-1:0] place, line;
  integer c, s, b, o, p, q, i, d;
  always @(*)
    for (s = 0; s < SLOTS; s = s + 1) begin
      place[s*8 +: 8] = (source_register[s*8 +: 8] + warp + 8'd1) % BANKS;
      line[s*8 +: 8] = base + source_register[s*8 +: 8] / BANKS;
    end
  // Those of this cycle with them.
  reg [READS-1:0] all;
  reg [READS*8-1:0] all_home, all_row;
  always @(*) begin
    all = waiting;
    all_home = home;
    all_row = row;
    for (c = 0; c < COLLECTORS; c = c + 1)
      for (s = 0; s < SLOTS; s = s + 1)
        if (issue[c] && request[s]) begin
          all[c*SLOTS + s] = 1;
          all_home[(c*SLOTS + s)*8 +: 8] = place[s*8 +: 8];
          all_row[(c*SLOTS + s)*8 +: 8] = line[s*8 +: 8];
        end
  end
  // The read that each bank serves.
  reg [BANKS*8-1:0] served;
  always @(*)
    for (b = 0; b < BANKS; b = b + 1)
      served[b*8 +: 8] = bank_collector[b*WIDE +: WIDE] * SLOTS + bank_slot[b*3 +: 3];
  always @(posedge clock) begin
    waiting <= all;
    home <= all_home;
    row <= all_row;
    for (b = 0; b < BANKS; b = b + 1)
      if (bank_read[b]) waiting[served[b*8 +: 8]] <= 0;
    if (reset) waiting <= 0;
  end

  // One collector gets an instruction, which alone has requests, and only after all reads of the one before.
  reg assume_issue;
  always @(*) begin
    assume_issue = (issue & (issue - 1)) == 0 && (|issue || !(|request));
    for (c = 0; c < COLLECTORS; c = c + 1)
      if (issue[c] && |waiting[c*SLOTS +: SLOTS]) assume_issue = 0;
  end

  // A bank does not read and write in one cycle.
  wire prove_access = !(|(bank_read & write_valid));

  // A collector gets one value in a cycle.
  reg prove_port;
  always @(*) begin
    prove_port = 1;
    for (b = 0; b < BANKS; b = b + 1)
      for (o = 0; o < b; o = o + 1)
        if (bank_read[b] && bank_read[o] && bank_collector[b*WIDE +: WIDE] == bank_collector[o*WIDE +: WIDE])
          prove_port = 0;
  end

  // What a bank reads was asked for and not read before, and is in that bank and row.
  reg prove_read;
  always @(*) begin
    prove_read = 1;
    for (b = 0; b < BANKS; b = b + 1)
      if (bank_read[b] && !(bank_slot[b*3 +: 3] < SLOTS && all[served[b*8 +: 8]] &&
          all_home[served[b*8 +: 8]*8 +: 8] == b && all_row[served[b*8 +: 8]*8 +: 8] == bank_row[b*8 +: 8]))
        prove_read = 0;
  end

  // A bank that has a read rests only while a write, or another bank's value for the same collector, is in the way.
  reg prove_busy;
  reg wanted, taken;
  always @(*) begin
    prove_busy = 1;
    for (b = 0; b < BANKS; b = b + 1) begin
      wanted = 0;
      for (i = 0; i < READS; i = i + 1)
        if (all[i] && all_home[i*8 +: 8] == b) wanted = 1;
      taken = write_valid[b];
      for (o = 0; o < BANKS; o = o + 1)
        if (o != b && bank_read[o] && bank_collector[o*WIDE +: WIDE] == bank_collector[b*WIDE +: WIDE]) taken = 1;
      if (wanted && !bank_read[b] && !taken) prove_busy = 0;
    end
  end

  // A result goes to port D of its warp's collector, or is kept out of it: near ones go, as many as there are ports.
  reg prove_filter;
  reg [7:0] taken_ports;
  reg belongs, goes;
  always @(*) begin
    prove_filter = 1;
    for (c = 0; c < COLLECTORS; c = c + 1) begin
      taken_ports = 0;
      for (b = 0; b < 4; b = b + 1)
        if (b < BANKS) begin
          belongs = write_valid[b] && owned[c] && held_warp[c*4 +: 4] == write_warp[b*4 +: 4];
          goes = belongs && write_near[b] && taken_ports < D_PORTS;
          taken_ports = taken_ports + goes;
          if (d_bank[c*4 + b] != goes || filtered_bank[c*4 + b] != (belongs && !goes)) prove_filter = 0;
        end else if (d_bank[c*4 + b] || filtered_bank[c*4 + b]) prove_filter = 0;
    end
  end

  // The number of the read in a place of a queue.
  reg [BANKS*PLACES*8-1:0] number;
  always @(*)
    for (i = 0; i < BANKS*PLACES; i = i + 1)
      number[i*8 +: 8] = queues.each.collector[i*WIDE +: WIDE] * SLOTS + queues.each.slot[i*3 +: 3];

  // What is in the queue of a bank waits for it, stands there once, and has its row.
  reg lemma_queues;
  always @(*) begin
    lemma_queues = 1;
    for (b = 0; b < BANKS; b = b + 1)
      for (p = 0; p < PLACES; p = p + 1) begin
        if (p > 0 && queues.each.valid[b*PLACES + p] && !queues.each.valid[b*PLACES + p - 1]) lemma_queues = 0;
        if (queues.each.valid[b*PLACES + p] && !(queues.each.slot[(b*PLACES + p)*3 +: 3] < SLOTS && waiting[number[(b*PLACES + p)*8 +: 8]] &&
            home[number[(b*PLACES + p)*8 +: 8]*8 +: 8] == b && row[number[(b*PLACES + p)*8 +: 8]*8 +: 8] == queues.each.row[(b*PLACES + p)*8 +: 8]))
          lemma_queues = 0;
        for (q = 0; q < p; q = q + 1)
          if (queues.each.valid[b*PLACES + p] && queues.each.valid[b*PLACES + q] &&
              number[(b*PLACES + p)*8 +: 8] == number[(b*PLACES + q)*8 +: 8]) lemma_queues = 0;
      end
  end

  // A read that waits is in the queue of its bank.
  reg lemma_waiting;
  reg there;
  always @(*) begin
    lemma_waiting = 1;
    for (i = 0; i < READS; i = i + 1) begin
      there = 0;
      for (b = 0; b < BANKS; b = b + 1)
        for (p = 0; p < PLACES; p = p + 1)
          if (queues.each.valid[b*PLACES + p] && number[(b*PLACES + p)*8 +: 8] == i && home[i*8 +: 8] == b) there = 1;
      if (waiting[i] && !there) lemma_waiting = 0;
    end
  end

  // All reads of two instructions wait, all for one bank.
  reg cover_full;
  always @(*) begin
    cover_full = &waiting;
    for (i = 0; i < READS; i = i + 1) if (home[i*8 +: 8] != 0) cover_full = 0;
  end
