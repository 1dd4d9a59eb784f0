//! A `let` without a type, without a value or with a pattern, and an item.

#[rtl]
impl Trap {
    fn kernel() {
        let sum = a + b;
        let none: Bit;
        let mut changed: Bit = a;
        let (one, other): (Bit, Bit) = (a, b);
        let many: [Bit; 4] = a;
        const ONE: u64 = 1;
        x = a;
    }
}
