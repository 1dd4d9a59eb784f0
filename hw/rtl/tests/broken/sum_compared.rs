//! A sum, difference, shift or inversion compared as it is computed.

#[rtl]
impl Trap {
    fn kernel() {
        y = a + 1 == b;
        y = a < (b - a);
        y = (a << 1) != b;
        y = !a == b;
        y = (a & (b + 1)) == b;
    }
}
