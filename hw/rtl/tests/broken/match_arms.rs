//! A guard, a number, a binding, and `_` before the last arm.

#[rtl]
impl Trap {
    fn kernel() {
        match phase {
            Phase::Idle if flag => y = true,
            _ => y = false,
            Phase::Run => y = true,
        }
        match a.index() {
            0 => y = true,
            other => y = false,
        }
    }
}
