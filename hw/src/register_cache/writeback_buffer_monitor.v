// Lanes that enter leave once, with their values: C §IV-E.
// At rc_tag_lanes=32.

  // What entered and has not left; its values come a cycle after it.
  reg [31:0] inside_lanes;
  reg [2:0] inside_warp;
  reg [7:0] inside_register;
  reg fresh;
  reg [WIDTH-1:0] values;
  always @(posedge clock) begin
    fresh <= push;
    if (fresh) values <= data;
    if (valid && ready) inside_lanes <= 0;
    if (push) begin
      inside_lanes <= push_lanes;
      inside_warp <= push_warp;
      inside_register <= push_register;
    end
    if (reset) inside_lanes <= 0;
    if (reset) fresh <= 0;
  end

  // The lanes that are shown are those that entered, of their register.
  wire prove_lanes = valid == |inside_lanes && lanes == inside_lanes &&
    (!valid || (warp == inside_warp && register == inside_register));

  // Their values are those that came behind them.
  wire prove_values = !valid || leaving_data == (fresh ? data : values);

  // It is free if and only if it is empty, or is emptied.
  wire prove_free = free == (!(|inside_lanes) || (valid && ready));

  // A source conflicts if and only if it looks for what is in here.
  integer s;
  reg sought;
  always @(*) begin
    sought = 0;
    for (s = 0; s < SLOTS; s = s + 1)
      if (look[s] && look_warp == inside_warp && look_register[s*8 +: 8] == inside_register) sought = 1;
  end
  // A source waits if and only if its register is in here.
  wire prove_conflict = conflict == (sought && |inside_lanes);

  // What entered is what the hardware has.
  wire lemma_held = inside.pending == inside_lanes && inside.fresh == fresh &&
    (!(|inside_lanes) || (inside.held_warp == inside_warp && inside.registers == inside_register)) && (fresh || !(|inside_lanes) || inside.held == values);

  // Lanes leave after they had to wait.
  wire cover_waits = valid && ready && !fresh && lanes == 5;
