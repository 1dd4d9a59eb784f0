//! A register that is assigned in two blocks: it would keep what the second says. The module is
//! `tests/declared/module.rs`.

#[rtl]
impl Declared {
    fn kernel() {
        if slots == 2 {
            if first {
                held = number;
            }
        }
        if slots == 2 {
            if x {
                held = 0;
            }
        }
    }
}
