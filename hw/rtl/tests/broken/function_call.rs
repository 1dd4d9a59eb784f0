//! Functions, methods and macros that do not translate.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.x.next = double(self.a.val());
        self.y.next = self.a.val().is_empty();
        self.y.next = self.clock.pos_edge();
        double(self.a.val());
        self.x.next.set_bits::<1>(0, 1.into());
        println!("not hardware");
    }
}
