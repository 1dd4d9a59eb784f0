//! A range that is open, depends on another loop, or is no range.

#[rtl]
impl Trap {
    fn kernel() {
        for i in 0.. {
            y = flag;
        }
        for i in 0..4 {
            for j in i..4 {
                y = flag;
            }
        }
        for i in [1, 2] {
            y = flag;
        }
        for (i, j) in [(0, 1)] {
            y = flag;
        }
    }
}
