//! Something else than a signal assigned, or read.

#[rtl]
impl Trap {
    fn kernel() {
        LIMIT = a;
        v[0] = Signal::default();
        y = TABLE[0];
    }
}
