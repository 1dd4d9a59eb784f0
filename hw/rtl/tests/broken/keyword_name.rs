//! A field named by a keyword of Verilog or SystemVerilog.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.table.next = self.a.val();
        self.x.next = self.bit.val();
        self.v[0].priority.next = true;
    }
}
