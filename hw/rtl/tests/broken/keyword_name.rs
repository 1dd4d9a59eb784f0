//! A field named by a keyword of Verilog or SystemVerilog.

#[rtl]
impl Trap {
    fn kernel() {
        table = a;
        x = bit;
        v[0].priority = true;
    }
}
