//! A cast of something computed.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.wide.next = bit_cast::<8, 4>(self.a.val() + self.b.val());
        self.wide.next = bit_cast::<8, 4>(self.a.val() & (self.b.val() + 1));
        self.wide.next = bit_cast::<8, 4>(!self.a.val());
        self.wide.next = bit_cast::<8, 4>(self.a.val() & self.b.val());
    }
}
