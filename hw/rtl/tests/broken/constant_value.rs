//! A constant used as a value.

#[rtl]
impl Trap {
    fn kernel() {
        x = LIMIT.into();
        x = Self::LIMIT.into();
    }
}
