//! An inclusive range.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        for i in 0..=7 {
            y = flag;
        }
    }
}
