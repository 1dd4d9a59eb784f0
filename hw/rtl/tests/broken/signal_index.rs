//! An array indexed by a signal.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        v[a] = b;
        x = v[part.a];
    }
}
