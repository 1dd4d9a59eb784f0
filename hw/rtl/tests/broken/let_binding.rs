//! A local variable, and an item.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        let sum = a + b;
        const ONE: u64 = 1;
        x = a;
    }
}
