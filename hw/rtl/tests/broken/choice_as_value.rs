//! A choice that is no whole value, a closure and `as` used as a value.

#[rtl]
impl Trap {
    fn kernel() {
        x = if flag { a };
        x = a + if flag { a } else { b };
        y = match flag {
            true => false,
            false => true,
        };
        y = (|| true)();
        x = (3 as u64).into();
    }
}
