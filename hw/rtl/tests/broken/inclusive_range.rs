//! An inclusive range.

#[rtl]
impl Trap {
    fn kernel() {
        for i in 0..=7 {
            y = flag;
        }
    }
}
