//! A loop variable with the name of a field.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        for i in 0..4 {
            self.i.next = self.flag.val();
        }
        for child in 0..4 {
            self.child.next = self.flag.val();
        }
    }
}
