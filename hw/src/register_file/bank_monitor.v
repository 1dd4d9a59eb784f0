// What is read is what was written last in its row, for whom it was read: F §II.
//
// One row, any of them, is watched.
// At rows=256.

  (* anyseq *) reg [7:0] any_row;
  (* anyseq *) reg [WIDTH-1:0] any_value;
  reg [7:0] watched;
  // Its value, which a reset leaves as it is, and the read of the cycle before.
  reg [WIDTH-1:0] value, expected;
  reg was_read, of_row;
  reg [$clog2(COLLECTORS)-1:0] reader;
  reg [2:0] place;
  always @(posedge clock) begin
    if (write && row == watched) value <= write_data;
    was_read <= read;
    of_row <= read && row == watched;
    expected <= value;
    reader <= collector;
    place <= slot;
    if (reset) watched <= any_row;
    if (reset) value <= any_value;
    if (reset) was_read <= 0;
    if (reset) of_row <= 0;
  end

  // The memory's row, and what it shows.
  reg [WIDTH-1:0] stored, shown;
  reg shows;
  always @(posedge clock) begin
    if (inside.access && memory.write && memory.address == watched) stored <= memory.write_data;
    if (inside.access && !memory.write) shows <= memory.address == watched;
    if (inside.access && !memory.write) shown <= stored;
    if (reset) shows <= 0;
    if (reset) stored <= any_value;
  end

  // The memory gives what was written last to the row.
  wire assume_memory = !shows || inside.memory_read_data == shown;

  // A value is there in the cycle after a read, and only then.
  wire prove_valid = data_valid == was_read;

  // It is for whom it was read.
  wire prove_reader = !was_read || (data_collector == reader && data_slot == place);

  // It is what was written last.
  wire prove_value = !of_row || data == expected;

  // The memory has what was written.
  wire lemma_row = stored == value && (!of_row || (shows && shown == expected));

  reg was_written;
  always @(posedge clock) was_written <= !reset && (was_written || (write && row == watched));
  // A value that was written is read.
  wire cover_read = of_row && was_written;
