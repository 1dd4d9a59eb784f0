//! Logic, conditions and data in the clock path.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.child.clock.next = self.gated.val();
        self.child.clock.next = !self.clock.val();
        if self.flag.val() {
            self.child.clock.next = self.clock.val();
        }
        self.gated.next = self.clock.val();
    }
}
