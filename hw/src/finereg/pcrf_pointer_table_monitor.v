// A line is read as it was written: R §V-C.
//
// One line, any of them, is watched, and the row that it has in the memories.

  localparam NUMBER = $clog2(PCRF_ENTRIES), SLICES = COUNT_BITS / 6;

  (* anyseq *) reg [6:0] any_line;
  reg [6:0] line;
  // It was written, and what; it was the last that was read, after that.
  reg written, shown;
  reg [NUMBER-1:0] its_pointer, shown_pointer;
  reg [11:0] its_count, shown_count;
  always @(posedge clock) begin
    if (write && cta == line) begin
      written <= 1;
      its_pointer <= write_pointer;
      its_count <= write_count;
    end
    if (read) begin
      shown <= written && cta == line;
      shown_pointer <= its_pointer;
      shown_count <= its_count;
    end
    if (reset) begin
      line <= any_line;
      written <= 0;
      shown <= 0;
    end
  end

  // What the memories have in the row, and what was read of it last.
  reg has_pointer, gives_pointer;
  reg [SLICES-1:0] has_count, gives_count;
  reg [NUMBER-1:0] pointer_row, pointer_read;
  reg [SLICES*6-1:0] count_row, count_read;
  integer s;
  always @(posedge clock) begin
    if (pointers.enable) begin
      if (pointers.write && pointers.address == line) begin
        has_pointer <= 1;
        pointer_row <= pointers.write_data;
      end
      if (!pointers.write) begin
        gives_pointer <= has_pointer && pointers.address == line;
        pointer_read <= pointer_row;
      end
    end
    for (s = 0; s < SLICES; s = s + 1)
      if (counts.each.enable[s]) begin
        if (counts.each.write[s] && counts.each.address[s*7 +: 7] == line) begin
          has_count[s] <= 1;
          count_row[s*6 +: 6] <= counts.each.write_data[s*6 +: 6];
        end
        if (!counts.each.write[s]) begin
          gives_count[s] <= has_count[s] && counts.each.address[s*7 +: 7] == line;
          count_read[s*6 +: 6] <= count_row[s*6 +: 6];
        end
      end
    if (reset) begin
      has_pointer <= 0;
      gives_pointer <= 0;
      has_count <= 0;
      gives_count <= 0;
    end
  end

  // The memories give what was written last to the row.
  reg assume_memories;
  always @(*) begin
    assume_memories = !gives_pointer || pointers.read_data == pointer_read;
    for (s = 0; s < SLICES; s = s + 1)
      if (gives_count[s] && counts.each.read_data[s*6 +: 6] != count_read[s*6 +: 6]) assume_memories = 0;
  end

  // The pointer is that of the line that was read last.
  wire prove_pointer = !shown || pointer == shown_pointer;

  // The count is that of the line that was read last.
  wire prove_count = !shown || count == shown_count;

  // The memories have what was written to the line.
  wire lemma_rows = (!written || (has_pointer && &has_count && pointer_row == its_pointer && count_row == its_count)) &&
    (!shown || (gives_pointer && &gives_count && pointer_read == shown_pointer && count_read == shown_count));

  // A line is shown as it was after another write to it.
  wire cover_shown = shown && shown_pointer != its_pointer && shown_count != its_count;
