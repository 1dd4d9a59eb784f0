//! A loop variable with the name of a field.

#[rtl]
impl Trap {
    fn kernel() {
        i = flag;
        for i in 0..4 {
            v[i] = flag;
        }
        for child in 0..4 {
            v[child] = part.child;
        }
    }
}
