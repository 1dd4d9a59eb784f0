//! `&&` and `||`.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        if flag && a.any() {
            y = flag || b.any();
        }
    }
}
