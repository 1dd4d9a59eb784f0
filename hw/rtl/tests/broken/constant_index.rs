//! An array indexed by a constant or const parameter.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        v[LAST] = b;
        for i in 0..2 {
            v[LAST - i] = b;
            v[i / 2] = b;
            v[i + 1usize] = b;
        }
    }
}
