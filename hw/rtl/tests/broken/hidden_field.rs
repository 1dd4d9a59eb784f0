//! A field that is no part of the hardware, or has no Verilog spelling.

#[rtl]
impl Trap {
    fn kernel() {
        _x = r#try;
    }
}
