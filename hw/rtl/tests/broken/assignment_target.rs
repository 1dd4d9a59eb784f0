//! Something else than a signal assigned, or read without `.val()`.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.y = Signal::default();
        self.v[0] = Signal::default();
        self.y.next = self.y.next;
    }
}
