//! A loop variable with the name of a field.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        i = flag;
        for i in 0..4 {
            v[i] = flag;
        }
        for child in 0..4 {
            v[child] = part.child;
        }
    }
}
