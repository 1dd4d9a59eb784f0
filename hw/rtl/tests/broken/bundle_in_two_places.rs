//! A bundle of registers that two sections load, and one that a loop loads in every turn. The module is
//! `tests/declared/module.rs`.

#[rtl]
impl Declared {
    fn one() {
        for s in 0..slots {
            pairs[s].load(first, pair);
        }
    }

    fn other() {
        pairs[0].load(x, pair);
    }
}

#[rtl]
impl Declared {
    fn kernel() {
        for s in 0..slots {
            pairs[0].load(first, pair);
        }
    }
}
