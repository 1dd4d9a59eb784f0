//! A sum, difference, shift or inversion compared as it is computed.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.y.next = self.a.val() + 1 == self.b.val();
        self.y.next = self.a.val() < (self.b.val() - self.a.val());
        self.y.next = (self.a.val() << 1) != self.b.val();
        self.y.next = !self.a.val() == self.b.val();
        self.y.next = (self.a.val() & (self.b.val() + 1)) == self.b.val();
    }
}
