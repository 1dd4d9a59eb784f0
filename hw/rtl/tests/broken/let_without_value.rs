//! A `let` that has no value somewhere: under a condition, before it is said, outside of its block.

#[rtl]
impl Trap {
    fn one() {
        if c {
            let held: Bit = a;
            x = held;
        }
        y = later;
        let later: Bit = a & b;
        for s in 0..4 {
            let each: Bit = a[s];
            z[s] = each;
        }
        w = each;
    }

    fn other() {
        v = later;
    }
}
