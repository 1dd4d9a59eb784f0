// SPDX-License-Identifier: Apache-2.0
//! The uniform datapath: the same operations, once per warp.

use crate::support::Trial;

#[test]
fn uniform_registers_are_computed_with() {
    let mut random = fastrand::Rng::with_seed(71);
    // A warp has 32 equal values.
    let warps = 16;
    let lists: [Vec<u32>; 4] = std::array::from_fn(|_| {
        let values: Vec<u32> = (0..warps).map(|_| random.u32(..) >> random.u32(..32)).collect();
        values.into_iter().flat_map(|value| [value; 32]).collect()
    });
    let code = "
        UIADD3 UR10, UP0, UR4, -UR5, URZ
        UIADD3.X UR11, UR6, ~UR7, URZ, UP0, !UPT
        UIMAD UR12, UR4, UR5, UR6
        UIMAD.WIDE.U32 UR14, UR4, UR5, UR6
        ULEA UR16, UP1, UR4, UR6, 0x3
        ULEA.HI.X UR17, UR4, UR7, UR5, 0x3, UP1
        ULOP3.LUT UR18, UR4, UR5, UR6, 0x96, !UPT
        ULOP3.LUT UP2, URZ, UR4, 0x1, URZ, 0xc0, !UPT
        USHF.R.U32.HI UR19, URZ, UR5, UR4
        UISETP.GE.AND UP3, UPT, UR4, UR5, UPT
        USEL UR20, UR4, UR5, UP3
        UPLOP3.LUT UP4, UPT, UP2, UP3, UPT, 0x28, 0x0
        USEL UR21, UR4, 0x7, !UP4
        UPOPC UR22, UR4
        UFLO.U32 UR23, UR4
        UBREV UR24, UR4
        UPRMT UR25, UR4, 0x1032, UR5
        USGXT UR26, UR4, 0x9
        UBMSK UR27, 0x3, 0x5
        UMOV UR28, UR5
        S2UR UR29, SR_CTAID.X
        IADD3 R10, R240, UR4, RZ
        ISETP.GE.AND P0, PT, R240, UR29, UP3
        @UP3 UIADD3 UR30, UR4, 0x1, URZ
        LOP3.LUT R12, R240, UR4, RZ, 0xc0, !UPT
        SEL R13, R240, UR5, UP3";
    let places = [
        "UR10", "UR11", "UR12", "UR14", "UR15", "UR16", "UR17", "UR18", "UP2", "UR19", "UP3", "UR20", "UP4",
        "UR21", "UR22", "UR23", "UR24", "UR25", "UR26", "UR27", "UR28", "UR29", "R10", "P0", "UR30", "R12",
        "R13",
    ];
    let mut trial = Trial::new(code);
    for (place, list) in ["UR4", "UR5", "UR6", "UR7"].into_iter().zip(&lists) {
        trial = trial.input(place, list);
    }
    let found = trial.outputs(places);
    for i in 0..32 * warps {
        let [a, b, c, d] = [0, 1, 2, 3].map(|list| lists[list][i]);
        let wide = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        let difference = wide(a, c).wrapping_sub(wide(b, d));
        let product = (u64::from(a) * u64::from(b)).wrapping_add(wide(c, d));
        let shifted = (wide(a, b) << 3).wrapping_add(wide(c, d));
        let odd = a & 1 != 0;
        let greater = a as i32 >= b as i32;
        // Tables 0x28: rows a b c = 011 and 101.
        let different = odd != greater;
        let expected = [
            difference as u32,
            (difference >> 32) as u32,
            a.wrapping_mul(b).wrapping_add(c),
            product as u32,
            (product >> 32) as u32,
            shifted as u32,
            (shifted >> 32) as u32,
            a ^ b ^ c,
            odd.into(),
            a.checked_shr(b).unwrap_or(0),
            greater.into(),
            if greater { a } else { b },
            different.into(),
            if different { 7 } else { a },
            a.count_ones(),
            a.checked_ilog2().unwrap_or(u32::MAX),
            a.reverse_bits(),
            a.rotate_left(16),
            ((a << 23) as i32 >> 23) as u32,
            0xf8,
            b,
            i as u32 / 32,
            (i as u32).wrapping_add(a),
            (greater && i >= i / 32).into(),
            if greater { a.wrapping_add(1) } else { 0 },
            i as u32 & a,
            if greater { i as u32 } else { b },
        ];
        for (number, place) in places.iter().enumerate() {
            assert_eq!(found[number][i], expected[number], "{place}: {a:#x} {b:#x} {c:#x} {d:#x}");
        }
    }
}
