//! A loop that counts down.

#[rtl]
impl Trap {
    fn kernel() {
        for i in (0..4).rev() {
            x[i] = a[i];
        }
    }
}
