//! A loop variable with the name of the outer one.

#[rtl]
impl Trap {
    fn kernel() {
        for i in 0..4 {
            for i in 0..2 {
                v[i] = a;
            }
        }
    }
}
