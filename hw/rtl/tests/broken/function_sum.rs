//! The rules hold for the value of a function, and for what it is given.

#[rtl]
impl Trap {
    fn same(a: Bits<8>, b: Bits<8>) -> Bit {
        a == b
    }

    fn sum(a: Bits<8>, b: Bits<8>) -> Bits<8> {
        a + b
    }

    fn kernel() {
        x = same(c + d, e);
        y = sum(c, d) == e;
    }
}
