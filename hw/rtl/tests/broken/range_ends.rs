//! A range that is open, depends on a signal or another loop, or is no range.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        for i in 0.. {
            self.y.next = self.flag.val();
        }
        for i in 0..self.a.val().index() {
            self.y.next = self.flag.val();
        }
        for i in 0..4 {
            for j in i..4 {
                self.y.next = self.flag.val();
            }
        }
        for i in [1, 2] {
            self.y.next = self.flag.val();
        }
        for (i, j) in [(0, 1)] {
            self.y.next = self.flag.val();
        }
    }
}
