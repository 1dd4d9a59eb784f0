//! A cast of something computed.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        wide = bit_cast::<8, 4>(a + b);
        wide = bit_cast::<8, 4>(a & (b + 1));
        wide = bit_cast::<8, 4>(!a);
        wide = bit_cast::<8, 4>(a & b);
    }
}
