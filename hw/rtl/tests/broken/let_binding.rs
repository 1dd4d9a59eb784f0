//! A local variable, and an item.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        let sum = self.a.val() + self.b.val();
        const ONE: u64 = 1;
        self.x.next = self.a.val();
    }
}
