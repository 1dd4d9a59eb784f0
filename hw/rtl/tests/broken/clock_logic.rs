//! Logic, conditions and data in the clock path.

#[rtl]
impl Trap {
    fn kernel() {
        child.clock = gated;
        child.clock = !clock;
        if flag {
            child.clock = clock;
        }
        gated = clock;
    }
}
