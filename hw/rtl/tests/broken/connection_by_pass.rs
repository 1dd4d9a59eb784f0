//! Wires between the module and a part, which are connected.

#[rtl]
impl Trap {
    fn kernel() {
        pass!(self => part: request, head);
        pass!(part => self: grant);
    }
}
