//! An array indexed by a signal.

#[rtl]
impl Trap {
    fn kernel() {
        v[a] = b;
        x = v[part.a];
    }
}
