//! A cast of something computed.

#[rtl]
impl Trap {
    fn kernel() {
        wide = bit_cast::<8, 4>(a + b);
        wide = bit_cast::<8, 4>(a & (b + 1));
        wide = bit_cast::<8, 4>(!a);
        wide = bit_cast::<8, 4>(a & b);
    }
}
