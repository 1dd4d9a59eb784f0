//! A field that is no part of the hardware, or has no Verilog spelling.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        _x = r#try;
    }
}
