//! A bit taken from something computed, at an index that is computed.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.y.next = (self.a.val() & self.b.val()).get_bit(0);
        self.y.next = self.a.val().get_bit(self.b.val().index() + 1);
        self.x.next = self.a.val().replace_bit(WIDTH - 1, true);
    }
}
