//! A field named by a keyword of Verilog or SystemVerilog.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        table = a;
        x = bit;
        v[0].priority = true;
    }
}
