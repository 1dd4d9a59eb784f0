// SPDX-License-Identifier: Apache-2.0
//! Everything that a kernel may hold: simulated, and translated.

use gpurf_hw::dialect::rtl;
use rust_hdl::prelude::*;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Phase {
    Idle,
    Run,
    Drain,
}

#[derive(LogicBlock, Default)]
struct Child {
    pub clock: Signal<In, Clock>,
    pub data: Signal<In, Bits<4>>,
    pub ready: Signal<Out, Bit>,
    pub seen: Signal<Out, Bits<4>>,
}

#[rtl]
impl Child {
    fn kernel() {
        seen = data;
        ready = data.any();
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
    pub data: Signal<In, Bits<W>>,
    pub wide: Signal<Out, Bits<8>>,
    pub flag: Signal<Out, Bit>,
    pub one_hot: Signal<Out, Bits<4>>,
    pub first: Signal<Out, Bits<2>>,
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
            data: Signal::default(),
            wide: Signal::default(),
            flag: Signal::default(),
            one_hot: Signal::default(),
            first: Signal::default(),
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

#[rtl]
impl<const W: usize> Everything<W> {
    /// Clocks and parts.
    fn clocks_and_parts() {
        child.clock = clock;
        pass!(sum => child.data);
        for i in 0..self.children.len() {
            children[i].clock = clock;
            children[i].data = child.seen ^ 5;
        }
    }

    /// Arithmetic is assigned, then used.
    fn arithmetic() {
        sum = a + b - 1;
        flag = (sum == limit) & !valid | sum.all() | !(a & b).any() & (sum >> 1).xor();
        low = a.get_bits::<2>(1);
        through = !data | (data << 1);
    }

    /// Casts of plain values.
    fn casts() {
        wide = bit_cast::<8, 4>(sum) + bits::<8>(3);
        if a > b {
            wide = bit_cast::<8, 2>(a.get_bits::<2>(0));
        } else if !valid {
            wide = bit_cast::<8, 4>(bit_cast::<4, 2>(select));
        } else {
            wide = words[1];
        }
    }

    /// Loops, nested and multiply indexed; ends from fields and expressions.
    fn loops() {
        for i in 0..self._rows {
            for j in 0..2 {
                grid[i][j] = sum;
                if i + 1 == 2 * j {
                    grid[i][1 - j] = i.to_bits::<4>();
                }
            }
        }
        for i in 0..self._rows - 1 {
            words[i] = bit_cast::<8, 4>(grid[i + 1][0]);
        }
    }

    /// Bits by constant and by signal.
    fn bits() {
        one_hot = 0;
        first = select;
        for i in 0..4 {
            if a.get_bit(3 - i) {
                first = (3 - i).to_bits::<2>();
            }
            one_hot = one_hot.replace_bit(i, b.get_bit(i));
        }
        if a.get_bit(select) {
            one_hot = one_hot.replace_bit(select.index(), true);
        }
    }

    /// Selection.
    fn selection() {
        count = 7;
        match phase {
            Phase::Idle => {}
            Phase::Run => count = a,
            _ => {
                count = 8;
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
    assert_eq!(module.count.val(), bits::<4>(8));
    assert_eq!(settled(Phase::Run).count.val(), bits::<4>(0b0110)); // a
    assert_eq!(settled(Phase::Idle).count.val(), bits::<4>(7));
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

        #[rtl]
        impl $name {
            fn kernel() {
                y = x & $value ^ $inverted;
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
