//! Everything that a kernel may hold: simulated, and translated.

use gpurf_hw::dialect::rtl;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Run,
    Drain,
}

#[derive(Copy, Clone, Debug, Default, PartialEq, LogicStruct)]
struct Request {
    tag: Bits<4>,
    near: Bit,
}

#[derive(LogicBlock, Default)]
struct Child {
    pub clock: Signal<In, Clock>,
    pub data: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
    pub seen: Signal<Out, Bits<4>>,
}

impl Logic for Child {
    #[rtl]
    fn update(&mut self) {
        self.seen.next = self.data.val();
        self.ready.next = self.data.val().any();
    }
}

#[derive(LogicBlock)]
struct Everything<const W: usize> {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub b: Signal<In, Bits<4>>,
    pub select: Signal<In, Bits<2>>,
    pub valid: Signal<In, Bit>,
    pub phase: Signal<In, Phase>,
    pub request: Signal<In, Request>,
    pub data: Signal<In, Bits<W>>,
    pub wide: Signal<Out, Bits<8>>,
    pub flag: Signal<Out, Bit>,
    pub one_hot: Signal<Out, Bits<4>>,
    pub first: Signal<Out, Bits<2>>,
    pub forward: Signal<Out, Request>,
    pub low: Signal<Out, Bits<2>>,
    pub count: Signal<Out, Bits<4>>,
    pub through: Signal<Out, Bits<W>>,
    sum: Signal<Local, Bits<4>>,
    grid: Vec<Vec<Signal<Local, Bits<4>>>>,
    words: Vec<Signal<Local, Bits<8>>>,
    child: Child,
    children: Vec<Child>,
    limit: Constant<Bits<4>>,
    _rows: usize,
}

impl<const W: usize> Everything<W> {
    fn new(rows: usize) -> Self {
        Everything {
            clock: Signal::default(),
            a: Signal::default(),
            b: Signal::default(),
            select: Signal::default(),
            valid: Signal::default(),
            phase: Signal::default(),
            request: Signal::default(),
            data: Signal::default(),
            wide: Signal::default(),
            flag: Signal::default(),
            one_hot: Signal::default(),
            first: Signal::default(),
            forward: Signal::default(),
            low: Signal::default(),
            count: Signal::default(),
            through: Signal::default(),
            sum: Signal::default(),
            grid: (0..rows).map(|_| vec![Signal::default(), Signal::default()]).collect(),
            words: vec![Signal::default(), Signal::default()],
            child: Child::default(),
            children: vec![Child::default(), Child::default()],
            limit: Constant::new(9.into()),
            _rows: rows,
        }
    }
}

impl<const W: usize> Logic for Everything<W> {
    /// A kernel may carry documentation.
    #[rtl]
    fn update(&mut self) {
        // Clocks and parts.
        self.child.clock.next = self.clock.val();
        pass!(self.sum => self.child.data);
        for i in 0..self.children.len() {
            self.children[i].clock.next = self.clock.val();
            self.children[i].data.next = self.child.seen.val() ^ 5;
        }

        // Arithmetic is assigned, then used.
        self.sum.next = self.a.val() + self.b.val() - 1;
        self.flag.next = (self.sum.val() == self.limit.val()) & !self.valid.val()
            | self.sum.val().all()
            | !(self.a.val() & self.b.val()).any() & (self.sum.val() >> 1).xor();
        self.low.next = self.a.val().get_bits::<2>(1);
        self.through.next = !self.data.val() | (self.data.val() << 1);

        // Casts of plain values.
        self.wide.next = bit_cast::<8, 4>(self.sum.val()) + bits::<8>(3);
        if self.a.val() > self.b.val() {
            self.wide.next = bit_cast::<8, 2>(self.a.val().get_bits::<2>(0));
        } else if !self.valid.val() {
            self.wide.next = bit_cast::<8, 4>(bit_cast::<4, 2>(self.select.val()));
        } else {
            self.wide.next = self.words[1].val();
        }

        // Loops, nested and multiply indexed; ends from fields and expressions.
        for i in 0..self._rows {
            for j in 0..2 {
                self.grid[i][j].next = self.sum.val();
                if i + 1 == 2 * j {
                    self.grid[i][1 - j].next = i.to_bits::<4>();
                }
            }
        }
        for i in 0..self._rows - 1 {
            self.words[i].next = bit_cast::<8, 4>(self.grid[i + 1][0].val());
        }

        // Bits by constant and by signal.
        self.one_hot.next = 0.into();
        self.first.next = self.select.val();
        for i in 0..4 {
            if self.a.val().get_bit(3 - i) {
                self.first.next = (3 - i).to_bits::<2>();
            }
            self.one_hot.next = self.one_hot.val().replace_bit(i, self.b.val().get_bit(i));
        }
        if self.a.val().get_bit(self.select.val().index()) {
            self.one_hot.next = self.one_hot.val().replace_bit(self.select.val().index(), true);
        }

        // Selection and structs.
        self.forward.next = self.request.val();
        self.count.next = self.request.val().tag;
        match self.phase.val() {
            Phase::Idle => {}
            Phase::Run => self.count.next = self.a.val(),
            _ => {
                self.forward.next.near = self.valid.val();
            }
        }
    }
}

fn settled(phase: Phase) -> Everything<40> {
    let mut module = Everything::<40>::new(3);
    module.connect_all();
    module.a.next = 0b0110.into();
    module.b.next = 0b1011.into();
    module.select.next = 2.into();
    module.phase.next = phase;
    module.request.next = Request { tag: 7.into(), near: true };
    for _ in 0..8 {
        module.update_all();
    }
    module
}

#[test]
fn the_kernel_simulates_as_written() {
    let module = settled(Phase::Drain);
    assert_eq!(module.sum.val(), bits::<4>(0)); // 6 + 11 - 1, modulo 16
    assert_eq!(module.wide.val(), bits::<8>(2)); // a <= b and not valid: the select input
    assert_eq!(module.grid[1][0].val(), bits::<4>(1)); // i = 1, j = 1
    assert_eq!(module.words[0].val(), bits::<8>(1)); // the cast of that element
    assert_eq!(module.first.val(), bits::<2>(1)); // lowest bit set in a
    assert_eq!(module.one_hot.val(), bits::<4>(0b1111)); // b, and a's bit 2
    assert_eq!(module.count.val(), bits::<4>(7));
    assert_eq!(settled(Phase::Run).count.val(), bits::<4>(0b0110)); // a
    assert!(settled(Phase::Idle).forward.val().near);
    assert!(!module.forward.val().near);
    assert_eq!(module.children[1].data.val(), bits::<4>(5)); // sum ^ 5 through the child
}

#[test]
fn the_kernel_translates() {
    let module = settled(Phase::Drain);
    let Verilog::Combinatorial(kernel) = module.hdl() else { panic!("a combinational kernel") };
    let text = format!("{kernel:?}");
    assert_eq!(text.matches("Loop(").count(), 5);
    assert_eq!(text.matches("Match(").count(), 1);
    assert_eq!(text.matches("Cast(").count(), 5);
    assert!(text.contains("Slice(Signal(\"grid[i+1][0]\"), 8, Literal("), "{text}");
}

/// A module written by a macro: fragments arrive in invisible groups.
macro_rules! gate {
    ($name:ident, $value:expr, $inverted:literal) => {
        #[derive(LogicBlock, Default)]
        struct $name {
            pub x: Signal<In, Bit>,
            pub y: Signal<Out, Bit>,
        }

        impl Logic for $name {
            #[rtl]
            fn update(&mut self) {
                self.y.next = self.x.val() & $value ^ $inverted;
            }
        }
    };
}

gate!(Nand, true | false, true);

#[test]
fn fragments_of_a_macro_keep_their_grouping() {
    let mut nand = Nand::default();
    nand.connect_all();
    nand.x.next = true;
    for _ in 0..4 {
        nand.update_all();
    }
    assert!(!nand.y.val());
    let Verilog::Combinatorial(kernel) = nand.hdl() else { panic!("a combinational kernel") };
    assert_eq!(format!("{kernel:?}").matches("Paren(").count(), 2);
}
