//! A compound assignment, `while` and `loop`.

#[rtl]
impl Trap {
    fn kernel() {
        turns -= 1;
        while flag {
            y = false;
        }
        loop {
            break;
        }
    }
}
