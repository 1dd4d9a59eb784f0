//! An inversion as an operand of arithmetic or a shift.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        x = !a + b;
        x = !a << 1;
    }
}
