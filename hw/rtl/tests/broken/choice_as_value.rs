//! A choice, a closure and `as` used as a value.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.x.next = if self.flag.val() {
            self.a.val()
        } else {
            self.b.val()
        };
        self.y.next = match self.flag.val() {
            true => false,
            false => true,
        };
        self.y.next = (|| true)();
        self.x.next = (3 as u64).into();
    }
}
