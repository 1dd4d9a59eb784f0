//! A sum, difference, shift or inversion compared as it is computed.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        y = a + 1 == b;
        y = a < (b - a);
        y = (a << 1) != b;
        y = !a == b;
        y = (a & (b + 1)) == b;
    }
}
