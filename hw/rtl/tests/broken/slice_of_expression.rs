//! A bit taken from something computed, at an index that is computed.

#[rtl]
impl Trap {
    fn kernel() {
        y = (a & b).get_bit(0);
        y = a.get_bit(b.index() + 1);
        x = a.replace_bit(WIDTH - 1, true);
    }
}
