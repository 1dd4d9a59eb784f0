//! Functions, methods and macros that do not translate.

#[rtl]
impl Trap {
    fn kernel() {
        x = double(a);
        y = a.is_empty();
        y = clock.pos_edge();
        double(a);
        x.set_bits::<1>(0, 1);
        println!("not hardware");
    }
}
