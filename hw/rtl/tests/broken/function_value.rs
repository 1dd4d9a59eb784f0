//! Functions that are no value, read signals, or are called with other arguments.

#[rtl]
impl Trap {
    fn steps(a: Bit) -> Bit {
        x = a;
        x
    }

    fn reads(a: Bit) -> Bit {
        a & enable
    }

    fn own(&self, a: Bit) -> Bit {
        a
    }

    fn nothing(a: Bit) {
        x = a;
    }

    fn both(a: Bit, b: Bit) -> Bit {
        a & b
    }

    fn kernel() {
        x = both(c);
    }
}
