//! A sum or inversion reduced, shifted right or used as an index.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.y.next = (self.a.val() + self.b.val()).any();
        self.y.next = (!self.a.val()).all();
        self.x.next = (self.a.val() - self.b.val()) >> 1;
        self.x.next = self.a.val() >> (self.b.val() + 1);
        self.y.next = (self.a.val() + self.b.val()).get_bit(0);
        self.y.next = self.a.val().get_bit((self.b.val() - 1).index());
    }
}
