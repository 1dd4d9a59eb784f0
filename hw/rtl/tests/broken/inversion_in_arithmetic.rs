//! An inversion as an operand of arithmetic or a shift.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.x.next = !self.a.val() + self.b.val();
        self.x.next = !self.a.val() << 1;
    }
}
