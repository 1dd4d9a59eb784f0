//! A compound assignment, `while` and `loop`.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        turns -= 1;
        while flag {
            y = false;
        }
        loop {
            break;
        }
    }
}
