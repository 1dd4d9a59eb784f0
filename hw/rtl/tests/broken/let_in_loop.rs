//! A `let` in a loop whose turns are not those of an array.

#[rtl]
impl Trap {
    fn kernel() {
        for s in 1..4 {
            let each: Bit = a[s];
            x[s] = each;
        }
        for s in 0..self.entries.len() {
            let all: Bit = b[s];
            y[s] = all;
        }
    }
}
