//! Registers of an array in an array: the first place reaches some of them, and the second others. The module
//! is `tests/declared/module.rs`.

#[rtl]
impl Declared {
    fn one() {
        for s in 0..slots {
            grid[0][s].load(first, number);
        }
    }

    fn other() {
        for w in 0..2 {
            if x {
                grid[w][0] = number;
            }
        }
    }
}
