//! A sum or inversion reduced, shifted right or used as an index.

#[rtl]
impl Trap {
    fn kernel() {
        y = (a + b).any();
        y = (!a).all();
        x = (a - b) >> 1;
        x = a >> (b + 1);
        y = (a + b).get_bit(0);
        y = a.get_bit((b - 1).index());
    }
}
