//! A `let` that is assigned again, one of the same name, one called like a field of `tests/declared/module.rs`.

#[rtl]
impl Declared {
    fn kernel() {
        let sum: Bits<8> = number + 1;
        sum = number;
        sum |= number;
        let number: Bits<8> = sum;
        x = number.any();
    }

    fn other() {
        let sum: Bit = first;
        x = sum;
    }
}
