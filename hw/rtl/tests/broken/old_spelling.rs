//! Signals as rust-hdl spells them.

#[rtl]
impl Trap {
    fn kernel() {
        self.x.next = self.a.val() + 1;
        y.next = b;
        for i in 0..self._entries {
            v[i] = a.val();
        }
    }
}
