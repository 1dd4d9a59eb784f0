//! Something else than a signal assigned, or read.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        LIMIT = a;
        v[0] = Signal::default();
        y = TABLE[0];
    }
}
