//! The attribute with arguments, on an `impl` of a trait, and on what is no section.

#[rtl(fast)]
impl Trap {
    fn kernel() {}
}

#[rtl]
impl Logic for Trap {
    fn update(&mut self) {}
}

#[rtl]
impl Trap {
    const WIDTH: usize = 4;

    fn update() {}

    fn sum(a: Bit) -> Bit {}
}
