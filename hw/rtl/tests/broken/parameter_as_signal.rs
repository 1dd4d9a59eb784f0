//! A parameter where a signal is asked for: the module is `tests/declared/module.rs`.

#[rtl]
impl Declared {
    fn kernel() {
        x = first & wide;
        if wide & first {
            x = false;
        }
    }
}
