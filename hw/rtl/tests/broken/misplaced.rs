//! The attribute with arguments, and on something else than the kernel.

impl Logic for Trap {
    #[rtl(fast)]
    fn update(&mut self) {}

    #[rtl]
    fn connect(&mut self) {}
}
