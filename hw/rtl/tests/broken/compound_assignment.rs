//! A compound assignment, `while` and `loop`.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self._turns += 1;
        while self.flag.val() {
            self.y.next = false;
        }
        loop {
            break;
        }
    }
}
