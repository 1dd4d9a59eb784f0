//! A field of a struct-valued array element in a loop.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        for i in 0..2 {
            self.y.next = self.from[i].val().near;
            self.to[i].next.near = self.flag.val();
        }
    }
}
