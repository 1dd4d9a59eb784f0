// SPDX-License-Identifier: Apache-2.0
//! The load request table proved: no load is lost, doubled or taken for another, whatever comes.
//!
//! The property ([`PROPERTY`]) follows one load through the ports of the emitted Verilog. Nothing about the
//! load is fixed, except that it stays the same. Yosys proves the property with its SAT solver, by
//! induction over cycles and thus for any number of them, on a small table of either reading. Tables that are
//! broken on purpose must fail.

use std::fs;

use gpurf_blocks::{Parameters, SCAN_LANES};
use gpurf_hw::multicast::{LrtCam, LrtScan};
use gpurf_verilog::tools::{run, Tool};
use gpurf_verilog::{emit, Hierarchy};

/// Goes into the table's module, beside its ports.
const PROPERTY: &str = include_str!("formal/lrt.v");

/// A table of two rows, loads of four warps, four addresses and two registers.
const ENTRIES: usize = 8;
const WARP: usize = 2;
const ADDRESS: usize = 2;
const REGISTERS: usize = 2;

/// Bits of a memory's address.
const ROW: usize = 8;

/// Fields of an entry: what the scanned table calls its memories, the port, bits.
const FIELDS: [(&str, &str, usize); 4] = [
    ("warps", "warp", WARP),
    ("addresses", "address", ADDRESS),
    ("sources", "source", 8),
    ("destinations", "destination", 8),
];

fn parameters() -> Parameters {
    Parameters { lrt_entries: ENTRIES, ..Parameters::default() }
}

fn used(entry: usize) -> String {
    format!("state_used[{entry}]")
}

/// An element of a vector of the table.
fn element(vector: &str, index: usize, width: usize) -> String {
    format!("{vector}[{}:{}]", (index + 1) * width - 1, index * width)
}

/// The field of an entry in the table's registers.
fn registered(field: &str, entry: usize) -> String {
    let (_, port, width) = FIELDS.iter().find(|(name, ..)| *name == field).expect("a field");
    element(&format!("entries_{port}"), entry, *width)
}

/// The field of an entry as it was written to the memories.
fn kept(field: &str, entry: usize) -> String {
    format!("kept_{field}_{entry}")
}

/// A line for each entry.
fn each(line: impl Fn(usize) -> String) -> String {
    (0..ENTRIES).map(line).collect()
}

/// The invariant between two cycles, beside the property. The entries in use are as many as the ports tell,
/// and the load is among them if they say so. No two are partners or a warp's loads into one register.
/// `of`: a field of an entry.
fn between_cycles(of: fn(&str, usize) -> String) -> String {
    let equal = |e: usize, to: &str| {
        FIELDS.map(|(field, port, _)| format!("{} == {to}{port}", of(field, e))).join(" && ")
    };
    let all = |text: &dyn Fn(usize) -> String, by: &str| (0..ENTRIES).map(text).collect::<Vec<_>>().join(by);
    let number = all(&used, " + ");
    let inside = all(&|e| format!("({} && {})", used(e), equal(e, "own_")), " || ");
    let alike = |a: usize, b: usize| {
        let same = |field: &str| format!("{} == {}", of(field, a), of(field, b));
        let [warp, address, source, destination] = FIELDS.map(|(field, ..)| same(field));
        format!("{} && {} && {destination} && ({warp} || ({address} && {source}))", used(a), used(b))
    };
    let few = each(|e| {
        let few = |field: &str| format!("{} < REGISTERS", of(field, e));
        format!("    assert (!{} || ({} && {}));\n", used(e), few("sources"), few("destinations"))
    });
    let apart = each(|b| (0..b).map(|a| format!("    assert (!({}));\n", alike(a, b))).collect());
    format!(
        "  always @(*) if (started) begin\n    assert (number == {number});\n    assert (inside == ({inside}));\n\
         {few}{apart}  end\n"
    )
}

/// The memories of a scanned table, taken to be right: what was written, and what was read last.
fn memories() -> String {
    let mut text = String::new();
    for (field, port, width) in FIELDS {
        let (bits, width) = (width, width - 1);
        text += &each(|e| {
            let (row, lane) = (e / SCAN_LANES, e % SCAN_LANES);
            let address = element("warps_address", lane, ROW);
            format!(
                "  reg [{width}:0] kept_{field}_{e};\n  always @(posedge clock) if (warps_enable[{lane}] && state_writes \
                 && {address} == {row}) kept_{field}_{e} <= {port};\n"
            )
        });
        for k in 0..SCAN_LANES {
            let address = element("warps_address", k, ROW);
            let rows = (1..ENTRIES / SCAN_LANES).fold(format!("kept_{field}_{k}"), |rest, row| {
                format!("{address} == {row} ? kept_{field}_{} : {rest}", SCAN_LANES * row + k)
            });
            let read = element(&format!("{field}_read_data"), k, bits);
            text += &format!(
                "  reg [{width}:0] shown_{field}_{k};\n  always @(posedge clock) if (warps_enable[{k}] && !state_writes) \
                 shown_{field}_{k} <= {rows};\n  always @(*) assume ({read} == shown_{field}_{k});\n"
            );
        }
    }
    text
}

/// The invariant in the midst of a scan. The memories show the row, and rows before it have nothing that
/// must leave. The partner that was found is there and the only one.
fn within_a_scan() -> String {
    let shown = each(|e| {
        let (row, lane) = (e / SCAN_LANES, e % SCAN_LANES);
        let same = FIELDS.map(|(field, ..)| format!("shown_{field}_{lane} == kept_{field}_{e}")).join(" && ");
        format!("    assert (!fresh || row != {row} || ({same}));\n")
    });
    let passed = each(|e| {
        let (row, lane) = (e / SCAN_LANES, e % SCAN_LANES);
        let own = format!("kept_warps_{e} == warp_before");
        let key = format!(
            "kept_addresses_{e} == address_before && kept_sources_{e} == source_before \
             && kept_destinations_{e} == destination_before"
        );
        let leaves = format!("{own} && (drain_before || kept_destinations_{e} == destination_before)");
        let is_partner = format!("{} && !drain_before && !({own}) && {key}", used(e));
        let is_found = format!("found && found_row == {row} && found_lane == {lane}");
        format!(
            "    assert (!(searching && {row} < row && {} && {leaves}));\n    assert (!(searching && {row} < row \
             && {is_partner}) || ({is_found}));\n    assert (!({is_found}) || ({is_partner} \
             && kept_warps_{e} == found_warp));\n",
            used(e)
        )
    });
    format!(
        "  always @(*) if (started) begin\n    assert (row < {});\n    assert (!searching || (asked && fresh));\n    \
         assert (!found || (searching && found_row <= row));\n{shown}{passed}  end\n",
        ENTRIES / SCAN_LANES
    )
}

/// The design with the property, and what else it takes to prove it, in its top module.
fn with_property(hierarchy: &Hierarchy, more: &str) -> String {
    let head = format!("module {} (\n", hierarchy.top);
    let parameters = format!(
        "  localparam ENTRIES = {ENTRIES}, WARP = {WARP}, ADDRESS = {ADDRESS}, \
         REGISTERS = {REGISTERS};\n"
    );
    let ports = FIELDS.map(|(_, port, width)| format!("  input wire [{}:0] own_{port},\n", width - 1));
    let source = hierarchy.source();
    let (before, module) = source.split_once(&head).expect("the top module");
    let (body, after) = module.split_once("endmodule").expect("its end");
    let ports = ports.concat();
    format!("{before}{head}{ports}{body}{parameters}{PROPERTY}{more}endmodule{after}")
}

fn cam() -> (String, String) {
    let hierarchy = emit(&LrtCam::<WARP, ADDRESS>::new(&parameters())).expect("emits");
    let source = with_property(&hierarchy, &between_cycles(registered));
    (hierarchy.top, source)
}

fn scan() -> (String, String) {
    let hierarchy = emit(&LrtScan::<WARP, ADDRESS>::new(&parameters())).expect("emits");
    let source = with_property(&hierarchy, &(memories() + &between_cycles(kept) + &within_a_scan()));
    (hierarchy.top, source)
}

/// Returns true if Yosys proves all assertions. `async2sync` makes cells of them for its solver in versions
/// whose other passes have not done so before.
fn is_proved(top: &str, source: &str) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("table.v"), source).expect("writes");
    let script = format!(
        "read_verilog -sv -formal -DSYNTHESIS table.v; prep -flatten -top {top}; async2sync; memory_map; opt -full; \
         sat -tempinduct -prove-asserts -set-assumes -maxsteps 1"
    );
    let mut command = Tool::Yosys.command().expect("Yosys");
    let output = run(command.current_dir(&folder).args(["-p", &script])).expect("Yosys reads the table");
    let proved = output.contains("Induction step proven: SUCCESS!");
    let failed = output.contains("Reached maximum number of time steps") || output.contains("FAIL!");
    assert!(proved != failed, "{output}");
    proved
}

/// An entry becomes free when it is taken, or as the partner that a search has found.
const PARTNER_LEAVES: &str = "assign frees = (evict & evict_ready) | ((ends & done_ready) & any_partner);";

/// Each change of the Verilog makes the proof fail.
fn fails_when_broken((top, source): (String, String), changes: &[(&str, &str)]) {
    for (line, broken) in changes {
        assert_eq!(source.matches(line).count(), 1, "{line}");
        assert!(!is_proved(&top, &source.replace(line, broken)), "proved with {broken}");
    }
}

#[test]
fn compared_at_once_no_load_is_lost_or_doubled() {
    let (top, source) = cam();
    assert!(is_proved(&top, &source));
}

#[test]
fn scanned_no_load_is_lost_or_doubled() {
    let (top, source) = scan();
    assert!(is_proved(&top, &source));
}

#[test]
fn broken_tables_compared_at_once_fail() {
    let changes = [
        // A partner stays in the table.
        (PARTNER_LEAVES, "assign frees = evict & evict_ready;"),
        // An insertion does not reach its entry.
        (
            "entries_warp_enable[r*4 + k] = state_writes\n",
            "entries_warp_enable[r*4 + k] = (state_writes & !(r == 0 && k == 3))\n",
        ),
        // A warp's own repeat does not drive the older load out.
        ("(search & any_leaving)", "((search & drain) & any_leaving)"),
        // A load that leaves stays.
        (".evict_ready(evict_ready)", ".evict_ready(evict_ready & drain)"),
    ];
    fails_when_broken(cam(), &changes);
    // The source register of an entry is not compared.
    let (top, source) = cam();
    let compared = "(entries_source[(r*4 + k)*8 +: 8] == source)";
    let broken = source.replace(compared, &format!("({compared} || (r*4 + k == 5))"));
    assert!(source != broken && !is_proved(&top, &broken));
}

#[test]
fn broken_scanned_tables_fail() {
    let changes = [
        // A partner stays in the table.
        (PARTNER_LEAVES, "assign frees = evict & evict_ready;"),
        // A search looks at what the memories showed before a write.
        ("fresh <= !state_writes;", "fresh <= 1'd1;"),
        // A partner is forgotten on the way to the last row.
        ("found <= !state_finishes;", "found <= 1'd0;"),
        // A search ends with the first row.
        ("assign state_ends = passed & at_end;", "assign state_ends = passed;"),
        // The source register of a lane is not compared.
        ("(sources_read_data[k*8 +: 8] == source)", "((sources_read_data[k*8 +: 8] == source) | (k == 1))"),
    ];
    fails_when_broken(scan(), &changes);
}
