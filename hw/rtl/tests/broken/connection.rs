//! Connections that say no port, no value, or no name.

#[rtl]
impl Trap {
    fn kernel() {
        connect!(part { port = a });
        connect!(part { port: a -> out });
        connect!(part -> out as 5);
        connect!(part + other { port });
    }
}
