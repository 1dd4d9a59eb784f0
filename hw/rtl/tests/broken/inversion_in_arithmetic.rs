//! An inversion as an operand of arithmetic or a shift.

#[rtl]
impl Trap {
    fn kernel() {
        x = !a + b;
        x = !a << 1;
    }
}
