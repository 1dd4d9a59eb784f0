//! A cast, literal or slice whose width is left to inference.

impl Logic for Trap {
    #[rtl]
    fn update(&mut self) {
        self.wide.next = bit_cast(self.a.val());
        self.wide.next = bit_cast::<_, 4>(self.a.val());
        self.x.next = bits(5);
        self.x.next = self.wide.val().get_bits(0);
        for i in 0..4_u64 {
            self.x.next = bits::<4>(i);
        }
    }
}
