//! An array indexed by a constant or const parameter.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.v[LAST].next = self.b.val();
        for i in 0..2 {
            self.v[LAST - i].next = self.b.val();
            self.v[i / 2].next = self.b.val();
            self.v[i + 1usize].next = self.b.val();
        }
    }
}
