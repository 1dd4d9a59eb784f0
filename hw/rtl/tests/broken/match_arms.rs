//! A guard, a number, a binding, and `_` before the last arm.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        match self.phase.val() {
            Phase::Idle if self.flag.val() => self.y.next = true,
            _ => self.y.next = false,
            Phase::Run => self.y.next = true,
        }
        match self.a.val().index() {
            0 => self.y.next = true,
            other => self.y.next = false,
        }
    }
}
