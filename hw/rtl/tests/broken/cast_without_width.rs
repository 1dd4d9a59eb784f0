//! A cast, literal or slice whose width is left to inference.

#[rtl]
impl Trap {
    fn kernel() {
        wide = bit_cast(a);
        wide = bit_cast::<_, 4>(a);
        x = bits(5);
        x = wide.get_bits(0);
        for i in 0..4_u64 {
            x = bits::<4>(i);
        }
    }
}
