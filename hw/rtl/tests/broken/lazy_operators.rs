//! `&&` and `||`.

#[rtl]
impl Trap {
    fn kernel() {
        if flag && a.any() {
            y = flag || b.any();
        }
    }
}
