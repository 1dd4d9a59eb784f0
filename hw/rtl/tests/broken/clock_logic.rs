//! Logic, conditions and data in the clock path.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        child.clock = gated;
        child.clock = !clock;
        if flag {
            child.clock = clock;
        }
        gated = clock;
    }
}
