//! A constant used as a value.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.x.next = LIMIT.into();
        self.x.next = Self::LIMIT.into();
    }
}
