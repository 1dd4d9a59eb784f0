//! A local variable, and an item.

#[rtl]
impl Trap {
    fn kernel() {
        let sum = a + b;
        const ONE: u64 = 1;
        x = a;
    }
}
