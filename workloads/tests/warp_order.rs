// SPDX-License-Identifier: Apache-2.0
//! Warps in turns of a few instructions, in an order that a seed draws.

use std::collections::BTreeSet;

use gpurf_workloads::suite::{self, Size};
use gpurf_workloads::{Device, Options};

use crate::support::Frame;

/// Values that four warps read of a word after a barrier, before or after one of them overwrites it: 1 is
/// what stood there at the barrier.
fn read(barrier: &str, seed: Option<u64>) -> Vec<u32> {
    let code = format!(
        "S2R R0, SR_TID.X
         IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]
         SHF.R.U32.HI R1, RZ, 0x5, R0
         MOV R5, 0x1
         STS [0x0], R5
         BAR.SYNC 0x0
         LDS R4, [0x0]
         {barrier}
         IADD3 R5, R5, 0x1, RZ
         IADD3 R5, R5, 0x1, RZ
         IADD3 R5, R5, 0x1, RZ
         STS [0x0], R5
         STG.E.SYS [R2], R4
         EXIT"
    );
    let module = Frame { shared: 64, ..Frame::default() }.module(&code);
    let mut device = Device::new(Options { stream: false, warp_order: seed, ..Options::default() });
    let place = device.allocate(4 * 128);
    device.launch(&module, "k", 1, 128, 0, &[place.into()]).unwrap();
    let values: Vec<u32> = device.read(place, 128).unwrap();
    values.into_iter().step_by(32).collect()
}

#[test]
fn a_race_comes_out_one_way_without_a_seed_and_in_many_with_one() {
    // The warp that comes to the barrier last goes on first, and ends before the others read.
    assert_eq!(read("NOP", None), [4, 4, 4, 1]);
    let outcomes: BTreeSet<_> = (0..40).map(|seed| read("NOP", Some(seed))).collect();
    assert!(outcomes.len() > 4, "{outcomes:?}");
    // Among them what the program means, and what hardware gives when the warps go together.
    assert!(outcomes.contains(&vec![1; 4]), "{outcomes:?}");
    for seed in 0..5 {
        assert_eq!(read("NOP", Some(seed)), read("NOP", Some(seed)), "the same again");
    }
}

#[test]
fn what_barriers_order_is_the_same_in_every_order() {
    for seed in (0..40).map(Some).chain([None]) {
        assert_eq!(read("BAR.SYNC 0x0", seed), [1; 4], "{seed:?}");
    }
}

#[test]
fn workloads_are_right_in_every_order() {
    for name in ["lud", "nw", "tpacf", "igemm", "bfs"] {
        let benchmark = suite::named(name).expect("built in");
        for seed in [1, 2] {
            let options = Options { stream: false, warp_order: Some(seed), ..Options::default() };
            (benchmark.run)(&mut Device::new(options), Size::Small)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
