//! An array indexed by a constant or const parameter.

#[rtl]
impl Trap {
    fn kernel() {
        v[LAST] = b;
        for i in 0..2 {
            v[LAST - i] = b;
            v[i / 2] = b;
            v[i + 1usize] = b;
        }
    }
}
