//! Functions, methods and macros that do not translate.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        x = double(a);
        y = a.is_empty();
        y = clock.pos_edge();
        double(a);
        x.set_bits::<1>(0, 1);
        println!("not hardware");
    }
}
