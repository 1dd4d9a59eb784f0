// A register that leaves comes back once, with its value: R §V-C.
//
// One register, any of them, of one warp of one thread block is watched: bit 0 of its value.
// Within 30 cycles.
// With memories.
// At width=32 pcrf_entries=4 ctas=16 pcrf_latency=1 next_latency=1.

  (* anyseq *) reg [6:0] any_cta;
  (* anyseq *) reg [4:0] any_warp;
  (* anyseq *) reg [5:0] any_register;
  (* anyseq *) reg [31:0] any_pc;
  (* anyseq *) reg any_live;
  reg [6:0] its_cta;
  reg [4:0] its_warp;
  reg [5:0] register;
  // It is live at this PC, or it is not.
  reg [31:0] its_pc;
  reg is_live;

  // Thread blocks that went out and have not come back; the watched one goes out, comes back.
  reg [CTAS-1:0] out;
  reg [6:0] cta_out, cta_in;
  reg stores, restores, discards, leaves, comes;
  wire accepted = request && ready;
  // Warps that were looked up, and the last of them; the watched warp at the watched PC, and the last warp was.
  reg [5:0] next_warp;
  reg was_looked, is_counted, ended;
  wire looks = warp_valid && warp_ready;
  // Reads that the register file has not answered; the register was asked for, so many before it are not answered, it has
  // a value.
  reg [1:0] reads, ahead;
  reg is_asked, has_value, value;
  wire asks = acrf_read && acrf_read_ready && leaves && acrf_read_warp == its_warp && acrf_read_register == register;
  // Its block is out with it; it has come back.
  reg saved, is_back;
  wire back = acrf_write && acrf_write_ready && comes && acrf_write_warp == its_warp && acrf_write_register == register;
  // Memory has taken a request for a vector.
  reg memory_has;
  reg [31:0] memory_has_pc;
  always @(posedge clock) begin
    if (accepted) begin
      leaves <= store && outgoing == its_cta;
      comes <= restore && incoming == its_cta;
      stores <= store;
      restores <= restore;
      discards <= discard;
      cta_out <= outgoing;
      cta_in <= incoming;
      next_warp <= 0;
      was_looked <= 0;
      is_counted <= 0;
      ended <= !store;
      is_asked <= 0;
      has_value <= 0;
      is_back <= 0;
    end
    if (looks) begin
      next_warp <= warp + 1;
      ended <= warp_last;
      if (warp == its_warp) was_looked <= 1;
      if (warp == its_warp && pc == its_pc) is_counted <= 1;
    end
    reads <= reads + (acrf_read && acrf_read_ready) - acrf_answer;
    if (asks) begin
      is_asked <= 1;
      ahead <= reads - acrf_answer;
    end else if (acrf_answer && is_asked && !has_value) begin
      if (ahead == 0) begin
        has_value <= 1;
        value <= acrf_answer_data[0];
      end
      ahead <= ahead - 1;
    end
    if (back) is_back <= 1;
    if (done) begin
      if (leaves || comes) saved <= leaves && is_asked;
      if (restores) out[cta_in] <= 0;
      if (stores) out[cta_out] <= 1;
    end
    if (memory_request && memory_ready) begin
      memory_has <= 1;
      memory_has_pc <= memory_pc;
    end else if (memory_answer) memory_has <= 0;
    if (reset) begin
      its_cta <= any_cta;
      its_warp <= any_warp;
      register <= any_register;
      its_pc <= any_pc;
      is_live <= any_live;
      out <= 0;
      reads <= 0;
      leaves <= 0;
      comes <= 0;
      saved <= 0;
      ended <= 1;
      memory_has <= 0;
    end
  end

  // A block comes in that went out, and goes out that is in.
  wire assume_blocks = !accepted || ((store || restore) && (!store || (outgoing < CTAS && !out[outgoing])) &&
    (!restore || (incoming < CTAS && out[incoming])));

  // A warp of a block is looked up once, in the order of their numbers.
  wire assume_warps = !looks || (!ended && warp >= next_warp);

  // Memory answers what it took, and always the same for one PC.
  wire [63:0] vector = {memory_high, memory_low};
  wire assume_memory = !memory_answer || (memory_has && (memory_has_pc != its_pc || vector[register] == is_live));

  // The register file answers what it took.
  wire assume_answers = !acrf_answer || reads != 0;

  // What comes back was saved, has its value, and comes once.
  wire prove_value = !back || (saved && !is_back && acrf_write_data[0] == value);

  // It comes back by the end of the switch.
  wire prove_back = !(done && comes && saved && !discards) || is_back;

  // It is saved by the end of a switch if and only if it is live.
  wire prove_saved = !(done && leaves) || (is_counted ? is_asked == is_live : was_looked || !is_asked);

  // It is read once.
  wire prove_once = !asks || !is_asked;

  // It comes back behind another.
  wire cover_back = back;
