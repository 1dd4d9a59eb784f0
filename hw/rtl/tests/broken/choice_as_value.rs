//! A choice, a closure and `as` used as a value.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        x = if flag {
            a
        } else {
            b
        };
        y = match flag {
            true => false,
            false => true,
        };
        y = (|| true)();
        x = (3 as u64).into();
    }
}
