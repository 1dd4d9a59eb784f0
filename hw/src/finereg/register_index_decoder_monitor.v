// Each register of a vector is shown and dropped once: R §V-C.

  // The registers that are left.
  reg [63:0] left;
  always @(posedge clock) begin
    if (step) left[index] <= 0;
    if (load) left <= {load_high, load_low};
    if (reset) left <= 0;
  end
  integer r;
  reg [5:0] lowest;
  always @(*) begin
    lowest = 0;
    for (r = 63; r >= 0; r = r - 1)
      if (left[r]) lowest = r;
  end

  // What is left is what was loaded and not shown yet.
  wire prove_left = {left_high, left_low} == left && any == |left;

  // The wanted register is found if and only if it is left.
  wire prove_found = found == (want && left[wanted]);

  // The register that is shown is the wanted one, or else the lowest.
  wire prove_index = index == (found ? wanted : lowest);

  // It is the last if and only if no other is left.
  wire prove_last = last == (|left && (left & (left - 1)) == 0);

  reg [5:0] shown;
  always @(posedge clock) shown <= load ? 0 : shown + step;
  // All registers are shown.
  wire cover_all = shown == 20 && last && step;
