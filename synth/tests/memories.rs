// SPDX-License-Identifier: Apache-2.0
//! Energies of memories: CACTI's own, the rule for other sizes, and other nodes.

use gpurf_synth::{Memories, MemoryArray, MemoryRun, Ports, ProcessNode};

const LANES: Ports = Ports { shared: 0, reads: 8, writes: 1 };

fn measured(memories: &Memories, rows: usize, width: usize, ports: Ports) -> MemoryRun {
    let found = memories.runs.iter().find(|one| {
        (one.rows, one.width, one.ports()) == (rows, width, ports)
            && one.kind.is_none()
            && one.node_nm.is_none()
            && one.cell.is_none()
    });
    found.expect("CACTI was run for it").clone()
}

#[test]
fn a_memory_of_cactis_size_has_its_figures() {
    let memories = Memories::default();
    for (rows, width, ports) in [(256, 32, Ports::ONE), (1024, 128, Ports::TWO), (64, 32, LANES)] {
        let (own, found) =
            (measured(&memories, rows, width, ports), memories.access(rows, width, ports).unwrap());
        let figures = [found.read_fj, found.write_fj, found.leakage_nw, found.area_um2];
        assert_eq!(figures, [own.read_fj, own.write_fj, own.leakage_nw, own.area_um2], "{rows} × {width}");
        assert_eq!(found.access_ns, Some(own.access_ns), "{rows} × {width}");
        assert_eq!(found.source, format!("CACTI 7.0 for {rows} × {width}, {ports}"));
    }
}

#[test]
fn a_wide_row_stands_in_arrays_side_by_side() {
    let memories = Memories::default();
    let (array, bank) = (measured(&memories, 256, 128, Ports::ONE), memories.access(256, 1024, Ports::ONE));
    let bank = bank.unwrap();
    assert_eq!([bank.read_fj, bank.write_fj], [8.0 * array.read_fj, 8.0 * array.write_fj]);
    assert_eq!((bank.area_um2, bank.access_ns), (8.0 * array.area_um2, Some(array.access_ns)));
    assert_eq!(bank.source, "8 arrays of 128 bits; CACTI 7.0 for 256 × 128, 1RW");
    // In one array it would take more: its wires are as long as the row.
    assert!(measured(&memories, 256, 1024, Ports::ONE).read_fj > bank.read_fj);
}

#[test]
fn the_rule_is_near_to_cacti() {
    for error in Memories::default().errors() {
        let what = format!("{} with {}", error.figure, error.ports);
        assert!(error.mean_percent < 9.0, "{what}: {:.1}% on average", error.mean_percent);
        assert!(
            error.worst_percent < 60.0,
            "{what}: {:.1}%, {} × {}",
            error.worst_percent,
            error.worst.0,
            error.worst.1
        );
        // An energy grows slower than its rows, which share wires, and about as its width.
        if error.figure.starts_with("energy") {
            assert!(error.by_rows > 0.1 && error.by_rows < 0.7, "{what}: {}", error.by_rows);
            assert!(error.by_width > 0.8 && error.by_width < 1.2, "{what}: {}", error.by_width);
        }
    }
}

#[test]
fn from_one_memory_more_rows_and_more_bits_take_more() {
    // Only around one memory of CACTI's: from one to the next its choice of arrays makes steps, down as well
    // as up.
    let memories = Memories::default();
    let rows: Vec<_> = [4, 8, 16, 31].map(|rows| memories.access(rows, 32, Ports::ONE).unwrap()).into();
    let widths: Vec<_> = [1, 2, 5, 7].map(|width| memories.access(256, width, Ports::ONE).unwrap()).into();
    for pair in rows.windows(2).chain(widths.windows(2)) {
        assert!(pair[0].read_fj < pair[1].read_fj && pair[0].write_fj < pair[1].write_fj, "{pair:?}");
        assert!(pair[0].leakage_nw < pair[1].leakage_nw && pair[0].area_um2 < pair[1].area_um2, "{pair:?}");
    }
}

#[test]
fn what_is_not_known_is_refused() {
    let memories = Memories::default();
    let refused = |rows, width, ports| memories.access(rows, width, ports).unwrap_err().to_string();
    assert_eq!(
        refused(1_000_000, 32, Ports::ONE),
        "a memory of 1000000 × 32 with ports 1RW is too far from all that CACTI 7.0 was run for; the nearest has 2048 × 32"
    );
    let three = Ports { shared: 3, reads: 0, writes: 0 };
    assert!(refused(256, 32, three)
        .starts_with("CACTI 7.0 was run for no memory with ports 3RW, only 1R1W, 1RW, 1RW1R, 2R1W"));
    assert_eq!(refused(0, 32, Ports::ONE), "a memory of 0 rows of 32 bits is none");
}

#[test]
fn memories_of_a_module_add_up_and_the_slowest_counts() {
    let memories = Memories::default();
    let (small, large) = (
        MemoryArray { rows: 48, width: 16, ports: Ports::ONE, count: 3 },
        MemoryArray { rows: 1024, width: 128, ports: Ports::TWO, count: 2 },
    );
    let of = |one: &MemoryArray| measured(&memories, one.rows, one.width, one.ports);
    let area = memories.area(&[small, large]).unwrap();
    let sum = 3.0 * of(&small).area_um2 + 2.0 * of(&large).area_um2;
    assert!((area.um2 / sum - 1.0).abs() < 1e-12, "{} {sum}", area.um2);
    assert_eq!(area.access_ns, of(&large).access_ns);
    assert_eq!(memories.area(&[]).unwrap().um2, 0.0);
    assert!(memories.area(&[MemoryArray { rows: 1_000_000, ..small }]).is_err());
}

#[test]
fn a_second_port_takes_area() {
    let memories = Memories::default();
    let second = Ports { reads: 1, ..Ports::ONE };
    let areas = [Ports::ONE, second].map(|ports| memories.access(256, 1024, ports).unwrap().area_um2);
    assert!(areas[1] > 1.5 * areas[0] && areas[1] < 3.0 * areas[0], "{areas:?}");
}

#[test]
fn a_file_that_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.toml");
    assert!(Memories::read(&path).unwrap_err().to_string().ends_with("memories.toml: cannot be read"));
    std::fs::write(&path, "tool = 3\n").unwrap();
    assert!(Memories::read(&path)
        .unwrap_err()
        .to_string()
        .ends_with("memories.toml: no figures of memories"));
}

#[test]
fn nodes_scale_and_cacti_agrees_in_energy() {
    let memories = Memories::default();
    let bank = memories.access(256, 128, Ports::ONE).unwrap();
    assert_eq!(bank.at(&ProcessNode::of(45).unwrap()), bank);
    let energies: Vec<f64> = ProcessNode::all().map(|node| bank.at(&node).read_fj).collect();
    assert!(energies.windows(2).all(|pair| pair[0] > pair[1]), "{energies:?}");
    let refused = ProcessNode::of(28).unwrap_err().to_string();
    assert_eq!(refused, "no scaling to 28 nm is known, only to 90, 65, 45, 32, 20, 16, 14, 10, 7");
    // Its own run at the next node: two models, one of gates and one of memories.
    let at_32 = memories.runs.iter().find(|one| one.node_nm == Some(32) && one.width == 128).unwrap();
    let scaled = bank.at(&ProcessNode::of(32).unwrap());
    assert!((scaled.read_fj / at_32.read_fj - 1.0).abs() < 0.1, "{} {}", scaled.read_fj, at_32.read_fj);
    assert!(scaled.source.ends_with("; scaled to 32 nm"));
    assert_eq!(scaled.access_ns, None, "no rule takes times there");
}

#[test]
fn below_32_nm_bit_cells_shrink_less_than_ideally() {
    for node in ProcessNode::all().filter(|node| node.nm() < 32) {
        let (ideal, cells) = (node.ideal_area(), node.bit_cell_area());
        assert!(ideal < cells && cells < 1.0, "{} nm: {ideal} {cells}", node.nm());
    }
    let seven = ProcessNode::of(7).unwrap();
    assert_eq!((seven.bit_cell_um2(), seven.ideal_area()), (0.027, 49.0 / 2025.0));
    // Its own run at 32 nm: a bit cell's shrink, and that of what is around it.
    let memories = Memories::default();
    let bank = measured(&memories, 256, 128, Ports::ONE);
    let at_32 = memories.runs.iter().find(|one| one.node_nm == Some(32) && one.width == 128).unwrap();
    let (cacti, cells) = (at_32.area_um2 / bank.area_um2, ProcessNode::of(32).unwrap().bit_cell_area());
    assert!((cacti / cells - 1.0).abs() < 0.1, "{cacti} {cells}");
}
