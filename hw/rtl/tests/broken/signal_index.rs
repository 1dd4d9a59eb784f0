//! An array indexed by a signal.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.v[self.a.val().index()].next = self.b.val();
        self.x.next = self.v[self.a.val().index()].val();
    }
}
