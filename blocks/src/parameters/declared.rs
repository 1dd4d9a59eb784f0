// SPDX-License-Identifier: Apache-2.0
//! The parameters, each declared once.
//!
//! W is the Malekeh workshop paper, F the full one, I inter-warp multicasting, R FineReg,
//! C the register cache, H the study of the cores that ship.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use strum::VariantNames;

use super::declare::parameters;
use super::parameter::{Parameter, ParameterError, ParameterValue, Setting};
use super::policy::{
    Allocation, CacheAllocation, CacheReplacement, CacheWrite, Choice, DestinationMapping, Isolation,
    IssueLatch, LruStorage, Occupied, ReadRule, Refill, ReplacementPolicy, ReuseEntries, Search, Storage,
    Tie, Waiting,
};
use super::scheduling::Scheduling;
use super::sthld_table::SthldTable;
use super::timing::{Timing, TIMING};
use super::values::Values;

const fn one_of(numbers: &'static [usize]) -> Values {
    Values::OneOf(numbers)
}

const fn range(first: usize, last: usize, step: usize) -> Values {
    Values::Range { first, last, step }
}

const fn names(names: &'static [&'static str]) -> Values {
    Values::Names(names)
}

const BOOLEAN: Values = names(&["false", "true"]);

parameters! {
    // Collectors, banks and the register file of a sub-core.

    /// Width of a register's data. 1024 bits are a register of a warp; 32 bits carry a token that stands for
    /// one.
    width [w]: usize = 1024, one_of(&[32, 1024]), "bits", "F §II: 32 lanes of 32 bits";

    /// Entries of a cache table. They must be more than the source slots, because an instruction may lock
    /// an entry for each.
    entries [e]: usize = 8, one_of(&[4, 8, 16]), "registers of a warp", "F §III-C";

    /// Source slots of a collector. The sources of an instruction that reads more registers enter in rounds.
    slots: usize = 7, one_of(&[3, 4, 5, 6, 7, 8]), "registers of a warp", "W §2; HMMA.1688.F32 reads 2 + 1 + 4";

    /// Warps of a sub-core; an SM has four sub-cores. The warps' registers share the rows of the banks.
    warps [wp]: usize = 8, one_of(&[8, 16]), "", "F Table I: 32 in an SM; R Table I: 64";

    /// Collectors of a sub-core.
    collectors [oc]: usize = 2, one_of(&[1, 2, 4, 8]), "", "F §II";

    /// Banks of a sub-core's register file. Each makes `accesses` accesses per cycle.
    banks: usize = 2, one_of(&[2, 4]), "", "F §II";

    /// Accesses that a bank makes in a cycle, at most one of them a write, and values that a collector takes
    /// from the banks in a cycle.
    accesses [x]: usize = 1, one_of(&[1, 2]), "", "F §II: single-ported banks; Accel-Sim clocks them twice a cycle";

    /// A read whose bank is free, and whose bank's queue is empty, is granted in the cycle of its
    /// instruction's issue. Without it every read waits in its queue first.
    grant_at_issue [gi]: bool = true, BOOLEAN, "", "F §II: conflicting reads are stored in a queue";

    /// An instruction can be dispatched in the cycle in which its last value arrives. Without it the value is
    /// stored first.
    dispatch_on_arrival [da]: bool = false, BOOLEAN, "",
        "F §II: the ready bit is set once the data is stored in the data field";

    /// A collector can take the next instruction in the cycle of its dispatch. Without it, in the next cycle.
    issue_on_dispatch [id]: bool = true, BOOLEAN, "", "F §II: once dispatched, the OCU will be released";

    /// Ports of the arbiter through which registers leave the banks without an instruction, last in order.
    transfer_ports [t]: usize = 0, one_of(&[0, 1]), "", "R §V-C: register indices are sent to the ACRF through arbitrator";

    /// Rows of a bank. A row holds one register of a warp.
    rows [r]: usize = 256, one_of(&[32, 64, 128, 256]), "registers of a warp", "F Table I: 256 KB per SM";

    /// Which entry of a cache table makes room.
    replacement [lru]: ReplacementPolicy = ReplacementPolicy::Malekeh, names(ReplacementPolicy::VARIANTS), "",
        "W §4.1, F §IV-A1";

    /// How the order of use of a cache table's entries is kept.
    lru_order [p]: LruStorage = LruStorage::Ranks, names(LruStorage::VARIANTS), "",
        "W §3.2, F §III-C: three bits for each of eight entries";

    /// A missing source gets its entry of the cache table when its value arrives, one in a cycle. Without it,
    /// all missing sources get theirs at issue.
    allocate_on_arrival [a]: bool = false, BOOLEAN, "", "F §III-C1 allocates at issue";

    /// Results whose next read is far are put into the cache table too.
    cache_far [far]: bool = false, BOOLEAN, "", "F §IV-A2 filters them";

    /// A result that is kept out of a collector invalidates its register there. Without it, one sees what is
    /// missed.
    invalidate [inv]: bool = true, BOOLEAN, "", "our decision: a later read would find the stale value";

    /// Ports D of a caching collector: results that it takes in a cycle.
    d_ports [d]: usize = 1, one_of(&[1, 2]), "", "F §III-C";

    /// Instructions in the window of a bypassing operand collector.
    window: usize = 3, range(2, 8, 1), "instructions", "F §VI-B";

    /// Destinations of an instruction that a bypassing operand collector keeps.
    destinations: usize = 2, range(1, 4, 1), "registers of a warp", "F §VI-B";

    // Issue.

    /// Which ready warp goes first.
    scheduling [sched]: Scheduling = Scheduling::MALEKEH, names(Scheduling::NAMES), "", "F §IV-B1";

    /// The scheduler's choice about a warp whose own collector is occupied.
    occupied [skip]: Occupied = Occupied::Skip, names(Occupied::VARIANTS), "", "F §IV-B allows both";

    /// Which collector an instruction enters.
    allocation [al]: Allocation = Allocation::Malekeh, names(Allocation::VARIANTS), "", "F §IV-B2";

    /// The registers that an instruction passes between the warp scheduler and the collectors. With latches
    /// the scheduler does not look at the collectors.
    issue_latch [il?]: IssueLatch = IssueLatch::None, names(IssueLatch::VARIANTS), "",
        "our decision: F has none; Accel-Sim has a register for each unit, and the code of F's first author";

    /// While the counter is below STHLD, or up to it, an allocation waits for a collector with near values.
    waiting [upto]: Waiting = Waiting::Below, names(Waiting::VARIANTS), "", "F §IV-B2; W §6 waits up to it";

    /// How one of several free collectors is chosen, and one of several far entries to replace.
    choice [fix]: Choice = Choice::Random, names(Choice::VARIANTS), "", "W §4.1, §6, F §IV";

    /// Seed of the random choice of a collector.
    seed: usize = 0, range(0, 255, 1), "", "our decision: each sub-core has its own";

    /// Time between two decisions of the STHLD controller, and between two records of the statistics. With
    /// four instructions in each cycle, 16 bits count those of the longest.
    interval: usize = 10_000, range(1, (1 << 14) - 1, 1), "cycles", "F §IV-B3";

    /// Transitions of the STHLD controller.
    sthld_table: SthldTable = SthldTable::default(), Values::File("a TOML file that can be read"), "",
        "our decision: reconstructed from F §IV-B3, W §7, whose figure the text does not repeat";

    // Inter-warp multicasting.

    /// Entries of the load request table.
    lrt_entries: usize = 192, range(16, 192, 4), "loads", "I §5.2.3";

    /// How the load request table is searched.
    search: Search = Search::Cam, names(Search::VARIANTS), "", "I §3.1, §5.2.3 allow both";

    /// Time after which a load without a partner may leave alone; after twice as much it does. 0 is never.
    release_age: usize = 256, range(0, 65_535, 1), "cycles", "our decision: I has no rule";

    // FineReg.

    /// Registers that the register file of pending CTAs (PCRF) holds.
    pcrf_entries: usize = 1024, range(64, 2048, 32), "registers of a warp", "R §VI-A: half of the register file";

    /// CTAs that an SM can have, active and pending.
    ctas: usize = 128, one_of(&[16, 32, 64, 128]), "", "R §V-F";

    /// Time from reading a PCRF entry until its register is there.
    pcrf_latency: usize = 4, range(1, 8, 1), "cycles", "R §V-E: at least 4";

    /// Time until a PCRF entry's next pointer is there: registers of a chain follow each other so. It is part
    /// of the tag, so it takes no longer than the register.
    next_latency: usize = 1, range(1, 8, 1), "cycles", "R §V-E: retrieving the chain is pipelined";

    /// Accesses that the PCRF makes in a cycle: a read and a write, or one of both.
    pcrf_ports [pp]: usize = 2, one_of(&[1, 2]), "", "our decision: R has it in the banks of the register file";

    /// Registers of the outgoing CTA leave while those of the incoming one come. Without it they follow them,
    /// one at a time.
    streams [st]: bool = true, BOOLEAN, "", "R §V-E: meanwhile, the live registers are transferred";

    /// Bits of a live register count in the pointer table. A larger count saturates.
    count_bits: usize = 12, one_of(&[6, 12]), "bits", "our decision: every count fits; R §V-F has 6";

    /// Which of several pending CTAs that could resume goes first.
    tie: Tie = Tie::RoundRobin, names(Tie::VARIANTS), "", "our decision: R does not say";

    // Register cache.

    /// Registers that a register cache keeps for each thread.
    rc_entries [rce]: usize = 8, one_of(&[4, 8, 16]), "registers", "C §VI-B";

    /// Ways of a set of a register cache: entries among which a register can lie.
    rc_ways [rcw]: usize = 8, one_of(&[2, 4, 8]), "registers", "C Table VI; 8 of 8 is fully associative";

    /// Which operands a register cache takes in when it does not have them.
    rc_allocation [rca]: CacheAllocation = CacheAllocation::Write, names(CacheAllocation::VARIANTS), "",
        "C §IV-B, Table II, Table VI";

    /// Which set of a register cache takes in a destination.
    rc_mapping [rcm]: DestinationMapping = DestinationMapping::Interleaving, names(DestinationMapping::VARIANTS), "",
        "C §IV-C2";

    /// Which way of a set of a register cache makes room.
    rc_replacement [rcr]: CacheReplacement = CacheReplacement::Fifo, names(CacheReplacement::VARIANTS), "", "C §IV-E";

    /// When a result reaches the register file behind a register cache.
    rc_write [rct]: CacheWrite = CacheWrite::Back, names(CacheWrite::VARIANTS), "", "C §IV-E";

    /// Lanes of a warp that share the tags of a register cache: each thread has its own, as C counts, or the
    /// warp has them once, with a valid bit for each lane.
    rc_tag_lanes [rcl]: usize = 32, one_of(&[1, 32]), "lanes", "C §V-B has 1; our decision: what one would build";

    /// Lanes whose values lie side by side in a bank of a register cache: 8 banks of 128 bits, or 32 of 32
    /// bits.
    rc_bank_lanes [rcb]: usize = 4, one_of(&[1, 4]), "lanes", "C §IV-D";

    // Two-level scheduling.

    /// Warps of a sub-core that a two-level scheduler lets issue; at least as many as the sub-core has let
    /// all of them.
    active_warps [aw]: usize = 2, range(1, 16, 1), "", "F §VI-A: 2 of 8";

    /// Which pending warp becomes active.
    refill [rf]: Refill = Refill::Ready, names(Refill::VARIANTS), "", "our decision: F does not say";

    // The sub-core that ships.

    /// Time until the next instruction of a warp whose last one has stall count 0 and yields.
    long_stall [ls]: usize = 45, range(16, 63, 1), "cycles", "H §4; GA100 measures 55, H's simulator has 46";

    /// Time until the next instruction of a warp whose last one has a stall count above 11 and does not
    /// yield.
    collapsed [cs]: usize = 2, range(1, 2, 1), "cycles", "H §4: 1 or 2";

    /// Time that the scheduler waits for a constant before it turns to another warp.
    constant_wait [cw]: usize = 4, range(1, 7, 1), "cycles", "H §5.1.1";

    /// Which reads of an instruction fit into its read window. Neither rule is a fact.
    read_rule [rr]: ReadRule = ReadRule::Packed, names(ReadRule::VARIANTS), "",
        "H §5.3 packs; holding is fitted to windows of one GA100";

    /// Cycles in which an instruction may read its sources.
    read_window [rwin]: usize = 3, range(3, 5, 1), "cycles", "H §5.3";

    /// Reads that a bank makes in a cycle beside a write. With three, no reads of instructions of fixed
    /// latency meet.
    read_ports [rports]: usize = 1, range(1, 3, 1), "", "H §5.3; Table 6 has 1, 2 and any number";

    /// Entries of the register-file cache that the compiler's reuse bits fill.
    reuse_cache [rfc]: ReuseEntries = ReuseEntries::TensorApart, names(ReuseEntries::VARIANTS), "",
        "H §5.3.1 has one for each slot and bank; tensor instructions apart is inferred from what ptxas sets";

    /// Instructions of variable latency that wait in a queue, beside the one at its head.
    variable_depth [vq]: usize = 4, range(1, 7, 1), "instructions", "H §5.4; H's simulator has 3 for Turing";

    /// Results of fixed latency that may reach a bank in a cycle: as many as there are latencies, since one
    /// instruction is dispatched in a cycle.
    result_ports [res]: usize = 4, range(2, 4, 1), "", "our decision; H §5.3 speaks of two";

    /// Results of fixed latency that a bank has room for, from the issue of their instructions on.
    result_depth [rq]: usize = 8, one_of(&[4, 8, 16]), "registers of a warp", "H's simulator; H §5.3 has no number";

    // What collectors are built of.

    /// The storage of a collector's values.
    storage [latches?]: Storage = Storage::FlipFlops, names(Storage::VARIANTS), "",
        "our decision: W and F speak of storage, and not of how it is built";

    /// The part of a collector that rests while nothing needs it.
    isolation [iso?]: Isolation = Isolation::None, names(Isolation::VARIANTS), "", "our decision: W and F do not say";

    // DARSIE.

    /// Ports of each source slot at which an instruction names another warp's row for its operand.
    lenders [ln]: usize = 0, one_of(&[0, 1]), "", "I §5.2.2: the later instruction is guided to the RF";

    /// Registers of a sub-core that a renaming table has. A register beyond them is not renamed.
    renaming_entries [rn]: usize = 32, one_of(&[8, 16, 32, 64]), "registers", "our decision: I gives no size";
}
