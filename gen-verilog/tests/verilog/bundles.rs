// SPDX-License-Identifier: Apache-2.0
//! Bundles: assigned as one in the kernel, wire by wire in Verilog, with the same behaviour.

use gpurf_blocks::Parameters;
use gpurf_hw::dialect::{block, bundle, rtl, Declared, Held};
use gpurf_verilog::{check, emit, emit_as, Language, Style};
use rust_hdl::prelude::*;

use crate::lockstep::{agree, random};

/// An order: the customer, and the amount of each slot.
///
/// `N`: bits of a customer's number.
#[bundle]
pub struct Order<const N: usize> {
    /// Who wants it.
    pub customer: Bits<N>,
    /// The slot is wanted.
    pub wanted: [Bit; slots],
    /// How many of it.
    pub amount: [Bits<3>; slots],
}

/// Keeps two orders, and shows one of them and both.
#[block(title = "Order desk", parameters(slots), sizes(orders = 2))]
pub struct OrderDesk {
    /// The orders are taken.
    pub take: In<[Bit; 2]>,
    /// Bit k: order k may be taken.
    pub open: In<Bits<2>>,
    /// Show the second.
    pub second: In<Bit>,
    /// Orders that come in.
    pub order: [Order<In, 4>; 2],
    /// An order on its way through.
    #[flat]
    pub passing: Order<In, 4>,
    /// The order shown; zero unless `second` or the first is taken.
    #[prefix(show)]
    pub shown: Order<Out, 4>,
    /// The order on its way, and the kept ones, bit by bit.
    pub either: Order<Out, 4>,

    copy: Order<Local, 4>,
    kept: [Order<Held, 4>; 2],
}

#[rtl]
impl OrderDesk {
    fn kernel() {
        for k in 0..orders {
            kept[k].load(take[k] & open.get_bit(k), order[k]);
        }
        shown.clear();
        if second {
            pass!(kept[1] => shown);
        } else if take[0] {
            pass!(order[0] => shown);
            // A wire of a bundle is assigned as any other.
            shown.customer = kept[0].customer;
        }
        pass!(passing => copy);
        pass!(copy => either);
        for k in 0..orders {
            either.merge(kept[k]);
        }
    }
}

fn desk(slots: usize) -> OrderDesk {
    OrderDesk::new(&Parameters { slots, ..Parameters::default() })
}

#[test]
fn a_bundle_is_assigned_as_its_wires_are() {
    for slots in [3, 7] {
        agree(|| desk(slots), random(&desk(slots), 2000));
    }
}

#[test]
fn its_wires_are_ports_by_their_names() {
    for language in [Language::Verilog, Language::SystemVerilog] {
        let emitted = emit_as(&desk(3), &Style::of(language)).unwrap();
        check::verilator_lint(&emitted).unwrap_or_else(|error| panic!("{error}"));
        let ports: Vec<(&str, usize, usize)> = emitted
            .top_module()
            .ports
            .iter()
            .map(|port| (port.name.as_str(), port.width, port.count))
            .collect();
        let of = |prefix: &str, orders: usize| {
            let name = |wire: &str| format!("{prefix}{wire}");
            [(name("customer"), 4, orders), (name("wanted"), 1, 3 * orders), (name("amount"), 3, 3 * orders)]
        };
        let bundles = [of("order_", 2), of("", 1), of("show_", 1), of("either_", 1)].concat();
        let found: Vec<_> =
            ports[5..].iter().map(|(name, width, count)| (name.to_string(), *width, *count)).collect();
        assert_eq!(found, bundles);
    }
    let emitted = emit(&desk(3)).unwrap();
    check::iverilog_wall(&emitted).unwrap_or_else(|error| panic!("{error}"));
    check::yosys_check(&emitted).unwrap_or_else(|error| panic!("{error}"));
    let text = &emitted.top_module().text;
    // The doc of the bundle stands by itself above the first wire's.
    for line in ["\n\n  // Orders that come in.\n\n  // Who wants it.\n", "  // How many of it.\n"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn its_wires_are_listed_one_by_one() {
    let listed: Vec<_> = OrderDesk::PORTS.iter().map(|port| (port.name, port.carried, port.length)).collect();
    assert!(listed.contains(&("order_amount", "Bits<3>", Some("2 * slots"))), "{listed:?}");
    assert!(listed.contains(&("customer", "Bits<4>", None)), "{listed:?}");
}
