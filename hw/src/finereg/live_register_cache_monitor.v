// An answer is the vector of the PC that was asked for: R §V-C.
//
// One PC, any of them, is watched, and the row that it has in the memories.

  (* anyseq *) reg [31:0] any_pc;
  (* anyseq *) reg [63:0] any_vector;
  reg [31:0] watched;
  reg [63:0] vector;
  always @(posedge clock) if (reset) begin
    watched <= any_pc;
    vector <= any_vector;
  end
  wire [4:0] row = watched[8:4] ^ watched[13:9];

  // The PC that was asked for, until it is answered; memory has taken its request.
  reg asked, taken;
  reg [31:0] wanted;
  always @(posedge clock) begin
    if (answer) asked <= 0;
    if (answer) taken <= 0;
    if (memory_request && memory_ready) taken <= 1;
    if (request && ready) begin
      asked <= 1;
      wanted <= pc;
    end
    if (reset) asked <= 0;
    if (reset) taken <= 0;
  end

  // What the memories have in the row, and what was read last.
  reg filled, read_row;
  reg [31:0] tag, read_tag;
  reg [63:0] value, read_value;
  always @(posedge clock) begin
    if (inside.pcs_enable) begin
      read_row <= !inside.filled && inside.address == row;
      read_tag <= tag;
      read_value <= value;
      if (inside.filled && inside.address == row) begin
        filled <= 1;
        tag <= inside.asked;
        value <= {memory_high, memory_low};
      end
    end
    if (reset) filled <= 0;
    if (reset) read_row <= 0;
  end

  // The memories give what was written last to the row.
  wire assume_memories = !read_row || (inside.pcs_read_data == read_tag &&
    inside.highs_read_data == read_value[63:32] && inside.lows_read_data == read_value[31:0]);

  // Memory answers what it took, and always the same for one PC.
  wire assume_memory = !memory_answer || (taken && (wanted != watched || {memory_high, memory_low} == vector));

  // The answer is the vector of the PC that was asked for.
  wire prove_answer = !(answer && wanted == watched) || {high, low} == vector;

  // An answer comes for what was asked, once; the next PC is taken with it at the earliest.
  wire prove_once = (!answer || asked) && ready == (!asked || hit);

  // Memory is asked for the PC that was asked for, and only if it is not there.
  wire prove_memory = !memory_request || (asked && memory_pc == wanted && !(wanted == watched && filled && tag == watched));

  // It hits if and only if the row has the PC.
  wire prove_hit = !(hit || miss) || wanted != watched || hit == (filled && tag == watched);

  // A row that has the PC has its vector.
  wire lemma_row = !(filled && tag == watched) || value == vector;

  // The hardware is in one state, has the PC that was asked for, and knows whether the row is filled.
  wire lemma_state = 2'd0 + inside.looking + inside.wanting + inside.waiting == asked && taken == inside.waiting &&
    (!asked || inside.asked == wanted) && inside.valid[row] == filled &&
    (!(inside.looking && (wanted[8:4] ^ wanted[13:9]) == row) || (read_row && read_tag == tag && read_value == value));

  // A PC is found that was asked for before.
  wire cover_hit = hit && wanted == watched;
