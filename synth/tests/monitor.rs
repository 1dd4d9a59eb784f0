// SPDX-License-Identifier: Apache-2.0
//! Monitors proved, and refuted where the hardware is broken on purpose: no proof is empty.

use std::time::Instant;

use gpurf_blocks::{Allocation, IssueLatch, LruStorage, Parameters, Search, Setting, Tie};
use gpurf_hw::cells::{AgeMatrix, LruOrder};
use gpurf_hw::collector::{Ccu, Ocu};
use gpurf_hw::dialect::Monitor;
use gpurf_hw::finereg::{
    ContextMover, CtaStatusMonitor, LiveRegisterCache, Pcrf, PcrfPointerTable, RegisterIndexDecoder,
};
use gpurf_hw::issue::{CollectorAllocator, IssueLatches, SthldController, WarpScheduler};
use gpurf_hw::multicast::{Iwmu, LoadQueue, LrtCam, LrtScan, PendingLoads, RenamingTable};
use gpurf_hw::operand_stage::OperandStage;
use gpurf_hw::register_cache::{IntervalPrefetcher, RegisterCache, TagArray, WritebackBuffer};
use gpurf_hw::register_file::{Arbiter, Bank, RequestQueue, SharedRegisterPool};
use gpurf_synth::{digest_with_monitor, prove_monitor, Holds, PropertyKind, RuleProof, Watched, Z3};
use gpurf_verilog::{emit, Hierarchy};

use crate::contract::is_missing;
use crate::known_proofs::{keep, known, Line, Outcome, SHORT};

const SECONDS: u64 = 60;

/// A module's monitor over its hardware, or over hardware with a line changed.
struct Job<'a> {
    module: &'a str,
    hierarchy: &'a Hierarchy,
    watched: &'a Watched,
}

impl Job<'_> {
    /// The result, proved now unless it is known of the same hardware and the same monitor.
    fn outcome(&self) -> Outcome {
        let source = digest_with_monitor(&self.hierarchy.code(), self.watched);
        if let Some(known) = known(&source) {
            return known;
        }
        let begin = Instant::now();
        let outcome = self.prove();
        if begin.elapsed() >= SHORT {
            keep(Line { module: self.module.into(), source, outcome: outcome.clone() });
        }
        outcome
    }

    fn prove(&self) -> Outcome {
        let properties = &self.watched.properties;
        let covers = properties.iter().filter(|property| property.kind == PropertyKind::Cover).count();
        let proofs = prove_monitor(self.hierarchy, self.watched, SECONDS, None).unwrap();
        let (rules, reached) = proofs.split_at(proofs.len() - covers);
        if let Some(RuleProof { rule, .. }) = rules.iter().find(|it| matches!(it.holds, Holds::Not { .. })) {
            return Outcome::Refuted(rule.clone());
        }
        let is_open = |proof: &&RuleProof| match (proof.holds, self.watched.within) {
            (Holds::Bounded { cycles }, Some(within)) => cycles < within,
            (holds, _) => holds != Holds::Always,
        };
        let is_missed = |proof: &&RuleProof| !matches!(proof.holds, Holds::Reached { .. });
        match rules.iter().find(is_open).or(reached.iter().find(is_missed)) {
            Some(RuleProof { rule, .. }) => Outcome::Open(rule.clone()),
            None => Outcome::Proved,
        }
    }
}

/// Proves the monitor of a module. Once a line of some module is changed, a rule must be broken.
fn check(module: &str, hierarchy: &Hierarchy, parameters: &[Setting], changes: &[(&str, &str)]) {
    let watched = Watched::read(Monitor::of(module).expect("it has a monitor").text, parameters).unwrap();
    let outcome = Job { module, hierarchy, watched: &watched }.outcome();
    assert_eq!(outcome, Outcome::Proved, "{}", hierarchy.top);
    let mut rules_alone = watched.clone();
    rules_alone.properties.retain(|property| property.kind != PropertyKind::Cover);
    for (line, by) in changes {
        let mut broken = hierarchy.clone();
        let found: usize = broken.modules.iter().map(|module| module.code.matches(line).count()).sum();
        assert_eq!(found, 1, "{line}");
        for module in &mut broken.modules {
            module.code = module.code.replace(line, by);
        }
        let outcome = Job { module, hierarchy: &broken, watched: &rules_alone }.outcome();
        assert!(matches!(outcome, Outcome::Refuted(_)), "`{by}` for `{line}`: {outcome:?}");
    }
}

/// A module at a size, with its parameters for the monitor.
macro_rules! check {
    ($module:literal, $hardware:expr, $parameters:ident: [$($name:literal),*], $changes:expr) => {{
        if is_missing() {
            return;
        }
        let values: Vec<Setting> = vec![$($parameters.setting($name)),*];
        check($module, &emit(&$hardware).unwrap(), &values, &$changes[..]);
    }};
}

/// Small operand stages.
fn small() -> Parameters {
    Parameters { slots: 3, width: 32, ..Parameters::default() }
}

#[test]
fn what_a_caching_collector_reads_was_written_last() {
    let parameters = Parameters { entries: 4, ..small() };
    check!(
        "ccu",
        Ccu::<32, 2>::new(&parameters),
        parameters: ["entries", "slots", "width", "banks", "d_ports"],
        [
            ("if (kill[b] & (entry_tag[e*8 +: 8] == kill_register[b*8 +: 8])) killed[e] = 1'd1;", ""),
            ("(cache_table_lock[e] & !dispatch)", "1'd0"),
            ("((!owner | (warp != warp_held)) | flush)", "(!owner | flush)"),
        ]
    );
}

#[test]
fn what_other_collectors_read_was_written_last() {
    let parameters = small();
    check!(
        "ocu",
        Ocu::<32>::new(&parameters),
        parameters: ["slots", "width"],
        [
            ("slot_ready[s] <= !issue;", "slot_ready[s] <= 1'd1;"),
            ("if (arrives[s]) slot_data", "if (s_valid) slot_data"),
            ("if (issue) slot_valid <= source_valid;", "if (issue & !occupancy) slot_valid <= source_valid;"),
        ]
    );
}

#[test]
#[ignore = "takes minutes"]
fn operand_stages_deliver_what_was_written_last() {
    let parameters = Parameters { collectors: 2, banks: 2, ..small() };
    check!(
        "ocu_stage",
        OperandStage::<Ocu<32>, 32, 1>::new(&parameters),
        parameters: ["width", "collectors", "slots", "banks"],
        [
            ("(banks_data_valid[b] & (banks_data_collector[b] == c[0]))", "(banks_data_valid[b])"),
            ("(next_valid[b] & !write_valid[b])", "next_valid[b]"),
        ]
    );
}

#[test]
fn a_queue_neither_loses_nor_doubles_a_read() {
    let parameters = small();
    check!(
        "request_queue",
        RequestQueue::<1>::new(&parameters),
        parameters: ["collectors", "slots"],
        [
            ("if (pop) full[p] = valid[p + 1];", ""),
            ("any_push = any_push | push[s];", "any_push = push[s];"),
            ("offered_slot[l*3 +: 3] | s[2:0];", "3'd0;"),
        ]
    );
}

#[test]
fn an_arbiter_serves_each_read_once() {
    let parameters = small();
    check!(
        "arbiter",
        Arbiter::<1>::new(&parameters),
        parameters: ["collectors", "slots", "banks", "d_ports"],
        [
            ("wants[b*3 + s] & !(direct[b*3 + s] & granted[b])", "wants[b*3 + s] & !direct[b*3 + s]"),
            ("queues_pop[b] = granted[b] & queues_head_valid[b];", "queues_pop[b] = queues_head_valid[b];"),
            ("(next_valid[b] & !write_valid[b])", "next_valid[b]"),
        ]
    );
}

#[test]
fn a_scheduler_knows_greed_data_and_age() {
    let parameters = small();
    check!(
        "warp_scheduler",
        WarpScheduler::new(&parameters),
        parameters: ["warps", "collectors"],
        [
            ("if (issue | launch[w]) last[w]", "if (issue) last[w]"),
            ("if (any_data) eligible[w] = candidate[w] & has_data[w];", ""),
            ("younger[p] <= !(|(renewals & higher[p*16 +: 16]));", "younger[p] <= |(renewals & higher[p*16 +: 16]);"),
        ]
    );
}

#[test]
fn a_warp_waits_for_a_collector_as_long_as_it_should() {
    let parameters = small();
    check!(
        "collector_allocator",
        CollectorAllocator::<1>::new(&parameters),
        parameters: ["collectors", "allocation"],
        [
            ("counter < {1'd0, sthld}", "counter <= {1'd0, sthld}"),
            ("else if (request & torn) counter", "else if (request) counter"),
            ("eligible[c] = own[c] & !occupied[c];", "eligible[c] = own[c];"),
        ]
    );
    let parameters = Parameters { allocation: Allocation::OwnElseLru, ..parameters };
    check!(
        "collector_allocator",
        CollectorAllocator::<1>::new(&parameters),
        parameters: ["collectors", "allocation"],
        [
            (".renew(grant)", ".renew(2'd0)"),
            ("eligible[c] = own[c] & !occupied[c];", "eligible[c] = own[c];"),
        ]
    );
}

#[test]
fn what_issues_leaves_its_latch_as_it_came_and_in_its_turn() {
    let parameters = Parameters { destinations: 1, issue_latch: IssueLatch::Passing, ..small() };
    check!(
        "issue_latches",
        IssueLatches::new(&parameters),
        parameters: ["collectors", "slots", "destinations", "issue_latch"],
        [
            ("candidate[u] & !offers", "candidate[u]"),
            ("enters[u] | leaves[u]", "enters[u]"),
            ("held_warp[c*4 +: 4] == latched_warp[u*4 +: 4]", "1'd1"),
        ]
    );
}

#[test]
fn sthld_moves_as_the_instructions_change() {
    for interval in [10_000, 1, 16_383] {
        let parameters = Parameters { interval, ..small() };
        check!("sthld_controller", SthldController::new(&parameters), parameters: ["interval"], []);
    }
    // An error shows itself after some intervals.
    let parameters = Parameters { interval: 13, ..small() };
    check!(
        "sthld_controller",
        SthldController::new(&parameters),
        parameters: ["interval"],
        [
            ("(product < {6'd0, previous})", "(product <= {6'd0, previous})"),
            ("if (moved[6]) stored_sthld_d = 5'd0;", ""),
            ("if (interval_end) stored_state", "stored_state"),
        ]
    );
}

#[test]
fn the_oldest_are_known_and_each_register_is_shown_once() {
    let parameters = small();
    check!(
        "age_matrix",
        AgeMatrix::new(parameters.warps),
        parameters: [],
        [
            ("beaten = beaten | higher[p*16 +: 16];", "beaten = beaten | lower[p*16 +: 16];"),
            ("younger[p] <= !(|(renewals & higher[p*16 +: 16]));", "younger[p] <= 1'd1;"),
        ]
    );
    check!(
        "register_index_decoder",
        RegisterIndexDecoder::new(&parameters),
        parameters: [],
        [
            ("left_low_d = left_low & ~shown;", "left_low_d = left_low & ~lowest;"),
            ("if (load | (step & is_high)) left_high", "if (load) left_high"),
        ]
    );
}

#[test]
fn vectors_rows_and_lanes_are_those_that_were_written() {
    let parameters = small();
    check!(
        "live_register_cache",
        LiveRegisterCache::new(&parameters),
        parameters: [],
        [
            ("valid[index] & (pcs_read_data == asked)", "valid[index]"),
            ("if (accepted) address = pc[8:4] ^ pc[13:9];", "if (request) address = pc[8:4] ^ pc[13:9];"),
        ]
    );
    check!(
        "bank",
        Bank::<32, 1>::new(&parameters),
        parameters: ["collectors", "width", "rows"],
        [
            ("data_valid <= read;", "data_valid <= read | write;"),
            ("if (read) data_slot <= slot;", "if (read) data_slot <= slot | 3'd1;"),
        ]
    );
    check!(
        "writeback_buffer",
        WritebackBuffer::<32, 32>::new(&parameters),
        parameters: ["slots", "width"],
        [
            ("if (fresh) leaving_data = data;", ""),
            ("if (push | (ready & goes)) pending", "if (push | ready & fresh) pending"),
        ]
    );
}

#[test]
fn no_request_for_a_load_is_passed_over() {
    let parameters = small();
    check!(
        "load_queue",
        LoadQueue::<6, 16>::new(&parameters),
        parameters: [],
        [
            ("unpassed[i] & (!grant[i] | finish)", "unpassed[i] & !grant[i]"),
            ("to_front[s] = takes[s] & (pops[s] | !valid[s*2]);", "to_front[s] = takes[s] & !valid[s*2];"),
        ]
    );
}

#[test]
fn a_table_of_loads_finds_each_partner() {
    if Z3.find().is_none() {
        return gpurf_fixtures::missing("z3", "tools/prover");
    }
    let parameters = Parameters { lrt_entries: 8, ..Parameters::default() };
    check!(
        "lrt_cam",
        LrtCam::<6, 16>::new(&parameters),
        parameters: ["lrt_entries"],
        [
            ("drain | (entries_destination[(r*4 + k)*8 +: 8] == destination)", "drain"),
            ("(evict & evict_ready) | ((ends & done_ready) & any_partner)", "evict & evict_ready"),
            ("(entries_source[(r*4 + k)*8 +: 8] == source)", "(entries_source[(r*4 + k)*8 +: 7] == source[6:0])"),
        ]
    );
}

fn check_table_in_memories(changes: &[(&str, &str)]) {
    let parameters = Parameters { lrt_entries: 8, ..Parameters::default() };
    check!(
        "lrt_scan",
        LrtScan::<6, 16>::new(&parameters),
        parameters: ["lrt_entries"],
        changes
    );
}

#[test]
fn a_table_in_memories_finds_each_partner() {
    check_table_in_memories(&[]);
}

#[test]
#[ignore = "takes minutes"]
fn broken_tables_in_memories_are_refuted() {
    check_table_in_memories(&[
        ("if (found) matched_warp = found_warp;", ""),
        ("assign at_end = row >= last_row;", "assign at_end = 1'd1;"),
    ]);
}

fn check_multicasting_unit(search: Search, changes: &[(&str, &str)]) {
    let parameters = Parameters { lrt_entries: 8, search, ..Parameters::default() };
    check!(
        "iwmu",
        Iwmu::<6, 16>::new(&parameters),
        parameters: ["lrt_entries", "search"],
        changes
    );
}

#[test]
fn a_load_leaves_the_unit_once_and_in_its_turn() {
    check_multicasting_unit(Search::Cam, &[]);
}

#[test]
#[ignore = "takes minutes"]
fn broken_multicasting_units_are_refuted() {
    check_multicasting_unit(
        Search::Cam,
        &[
            ("if (evict) offer_source = evict_source;", ""),
            ("assign pop = done & (!offers | accepted);", "assign pop = done;"),
        ],
    );
    check_multicasting_unit(
        Search::Scan,
        &[
            ("if (found) matched_warp = found_warp;", ""),
            ("assign at_end = row >= last_row;", "assign at_end = 1'd1;"),
        ],
    );
}

#[test]
fn a_load_that_waits_leaves_once_and_as_it_came() {
    if Z3.find().is_none() {
        return gpurf_fixtures::missing("z3", "tools/prover");
    }
    let parameters = Parameters::default();
    check!(
        "pending_loads",
        PendingLoads::<6, 16>::new(&parameters),
        parameters: [],
        []
    );
}

#[test]
fn what_is_used_moves_to_the_front_of_the_order() {
    let parameters = Parameters { entries: 4, ..small() };
    check!(
        "lru_order",
        LruOrder::<2>::new(&parameters),
        parameters: ["entries"],
        [
            ("if (touch[t] & (rank[t*2 +: 2] > rank[e*2 +: 2]))", "if (touch[t])"),
            ("updated[e*2 +: 2] = 2'd0;", ""),
        ]
    );
    let parameters = Parameters { lru_order: LruStorage::Pairs, ..parameters };
    check!(
        "lru_order",
        LruOrder::<2>::new(&parameters),
        parameters: ["entries"],
        [("higher_newer[p] <= |(touched & higher[p*16 +: 16]);", "higher_newer[p] <= |(touched & lower[p*16 +: 16]);")]
    );
}

#[test]
fn a_pending_block_is_chosen_by_its_locations_and_its_turn() {
    let parameters = Parameters { ctas: 16, tie: Tie::RoundRobin, ..Parameters::default() };
    check!(
        "cta_status_monitor",
        CtaStatusMonitor::new(&parameters),
        parameters: ["ctas", "tie"],
        [
            ("if (context_location[u*2 + 1])", "if (context_location[u*2])"),
            ("level[95:64] = level[127:96] & turn;", "level[95:64] = level[127:96];"),
            ("assign candidate_in_acrf = level_any[1];", "assign candidate_in_acrf = level_any[0];"),
            ("assign unlaunched = level_base[34:28] | free_place;", "assign unlaunched = level_base[34:28];"),
            ("(inspected_context == 2'd2) & ", ""),
        ]
    );
}

#[test]
fn each_context_moves_once() {
    let parameters = Parameters::default();
    check!(
        "context_mover",
        ContextMover::new(&parameters),
        parameters: [],
        [
            ("(ends & !store)", "ends"),
            ("(word == last_word)", "(word[7:0] == last_word[7:0])"),
        ]
    );
}

fn check_prefetcher(changes: &[(&str, &str)]) {
    let parameters = Parameters { slots: 3, ..Parameters::default() };
    check!(
        "interval_prefetcher",
        IntervalPrefetcher::new(&parameters),
        parameters: ["warps", "slots"],
        changes
    );
}

#[test]
#[ignore = "takes minutes"]
fn each_register_of_an_interval_is_asked_for_once() {
    check_prefetcher(&[]);
}

#[test]
#[ignore = "takes minutes"]
fn broken_prefetchers_are_refuted() {
    check_prefetcher(&[
        ("| (forget[w] | !known[w])", "| !known[w]"),
        ("= next[i*3 + s] & !open[i];", "= next[i*3 + s];"),
        ("!(its_turn[w] & taken[i])", "!its_turn[w]"),
        ("(filling[w] | (reading[w*4 +: 4] != 4'd0))", "filling[w]"),
    ]);
}

fn check_renaming(changes: &[(&str, &str)]) {
    let parameters = Parameters { slots: 3, renaming_entries: 8, ..Parameters::default() };
    check!(
        "renaming_table",
        RenamingTable::new(&parameters),
        parameters: ["warps", "slots", "renaming_entries"],
        changes
    );
}

#[test]
#[ignore = "takes minutes"]
fn nothing_is_written_where_another_warp_reads() {
    check_renaming(&[]);
}

fn check_pool(changes: &[(&str, &str)]) {
    let parameters = Parameters::default();
    check!(
        "shared_register_pool",
        SharedRegisterPool::new(&parameters),
        parameters: ["warps"],
        changes
    );
}

#[test]
fn a_section_of_the_pool_has_one_warp() {
    check_pool(&[]);
}

#[test]
#[ignore = "takes minutes"]
fn broken_pools_are_refuted() {
    check_pool(&[
        ("(taken[31:0] & ~returned[31:0]) | taken_low", "taken[31:0] | taken_low"),
        ("(give_back[i] | leave[i])", "give_back[i]"),
    ]);
}

fn check_chains(pcrf_latency: usize, next_latency: usize, changes: &[(&str, &str)]) {
    let parameters = Parameters { pcrf_entries: 4, pcrf_latency, next_latency, ..small() };
    check!(
        "pcrf",
        Pcrf::<32, 2>::new(&parameters),
        parameters: ["pcrf_entries", "pcrf_latency", "next_latency"],
        changes
    );
}

#[test]
fn a_chain_comes_back_as_it_was_stored() {
    check_chains(1, 1, &[]);
}

#[test]
#[ignore = "takes minutes"]
fn broken_chains_are_refuted() {
    check_chains(4, 1, &[]);
    check_chains(4, 4, &[]);
    check_chains(
        1,
        1,
        &[
            ("assign begins = (store & !reserved) & any_free;", "assign begins = store & !reserved;"),
            ("if (advance) restored <= value_read;", "if (accept) restored <= value_read;"),
            ("if (take) current <= first_free;", "if (begins) current <= first_free;"),
            ("assign take = begins | (written & !store_last);", "assign take = begins | written;"),
            (".write_data(store_warp)", ".write_data(5'd0)"),
        ],
    );
}

#[test]
fn a_line_of_pointers_is_read_as_it_was_written() {
    let parameters = Parameters::default();
    check!(
        "pcrf_pointer_table",
        PcrfPointerTable::<10>::new(&parameters),
        parameters: ["pcrf_entries", "count_bits"],
        [
            ("assign pointers_enable = read | write;", "assign pointers_enable = read;"),
            ("counts_write_data[s*6 +: 6] = stored_count[6*s +: 6];", "counts_write_data[s*6 +: 6] = stored_count[5:0];"),
        ]
    );
}

#[test]
fn a_register_cache_keeps_what_was_written_until_it_leaves() {
    let parameters = Parameters { rc_tag_lanes: 1, rc_entries: 4, rc_ways: 4, ..small() };
    check!(
        "tag_array",
        TagArray::<1>::new(&parameters),
        parameters: ["rc_tag_lanes", "rc_ways", "slots"],
        [
            ("(own_tag[k*8 +: 8] == register)", "(own_tag[k*8 +: 7] == register[6:0])"),
            ("leaves[k] = taken[k] |", "leaves[k] ="),
            ("(turn + 3'd1) & last", "turn + 3'd1"),
            ("if (fill) stores = mask & !had;", "if (fill) stores = mask;"),
        ]
    );
}

#[test]
#[ignore = "takes minutes"]
fn what_a_register_cache_gives_was_written_last() {
    let parameters = Parameters { rc_tag_lanes: 32, rc_entries: 4, rc_ways: 4, ..small() };
    check!(
        "register_cache",
        RegisterCache::<32, 32>::new(&parameters),
        parameters: ["width", "slots", "rc_entries", "rc_ways", "rc_tag_lanes", "rc_replacement"],
        [
            ("if (flushing) warp = flushed_warp;", ""),
            ("if (begins) flushed_entry_d = 4'd0;", "if (begins) flushed_entry_d = 4'd1;"),
            ("assign can_write = (buffer_free & !flushing) & !flush;", "assign can_write = !flushing & !flush;"),
            ("assign conflict = buffer_conflict;", "assign conflict = 1'd0;"),
            ("if (write) memory_write_data = write_data;", ""),
        ]
    );
}
