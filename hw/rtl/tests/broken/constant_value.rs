//! A constant used as a value.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        x = LIMIT.into();
        x = Self::LIMIT.into();
    }
}
