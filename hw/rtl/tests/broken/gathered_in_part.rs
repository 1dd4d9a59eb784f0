//! Arrays that are gathered within a value, or without saying of what.

#[rtl]
impl Trap {
    fn kernel() {
        x = flag & any(0..4, |i| a[i]);
        x = any(0..4, a[0]);
        y = select(0..4, |i| a[i]);
        y = count(a);
    }
}
