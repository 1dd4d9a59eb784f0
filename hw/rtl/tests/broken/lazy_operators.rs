//! `&&` and `||`.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        if self.flag.val() && self.a.val().any() {
            self.y.next = self.flag.val() || self.b.val().any();
        }
    }
}
