//! A loop variable with the name of the outer one.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        for i in 0..4 {
            for i in 0..2 {
                v[i] = a;
            }
        }
    }
}
