// SPDX-License-Identifier: Apache-2.0
//! Control flow: lanes that part, wait for each other, leave, and meet again.

#[allow(dead_code)]
use std::fmt::Write;

use crate::support::{device, Frame, Trial};
use gpurf_workloads::Argument;
use proptest::prelude::*;

/// Runs `code` with one block of so many threads; parameter 0 is an array of a word per thread, which
/// is given back. R0 is the thread's number, R2 - R3 the address of its word.
#[track_caller]
fn run(threads: u32, code: &str) -> Vec<u32> {
    try_run(threads, code).unwrap_or_else(|error| panic!("{error}"))
}

fn try_run(threads: u32, code: &str) -> gpurf_workloads::Result<Vec<u32>> {
    let code = format!("k:\nS2R R0, SR_TID.X\nIMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]\n{code}");
    let mut device = device();
    let out = device.allocate(u64::from(4 * threads));
    let frame = Frame { shared: 4096, registers: 64, ..Frame::default() };
    device.launch(&frame.module(&code), "k", 1, threads, 0, &[out.into()])?;
    device.read(out, threads as usize)
}

/// The lanes that are together, into R9 and the thread's word.
const STORE_BALLOT: &str = "VOTE.ANY R9, PT, PT\nSTG.E.SYS [R2], R9\n";

#[test]
fn lanes_meet_again_behind_bsync() {
    let found = run(
        32,
        &format!(
            "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT
             BSSY B0, `(after)
             @P0 BRA `(odd)
             VOTE.ANY R8, PT, PT
             BRA `(join)
             odd:
             VOTE.ANY R8, PT, PT
             IADD3 R8, R8, 0x1, RZ
             join:
             BSYNC B0
             after:
             {STORE_BALLOT}
             IADD3 R8, R8, R9, RZ
             STG.E.SYS [R2], R8
             EXIT"
        ),
    );
    for (thread, found) in found.into_iter().enumerate() {
        let expected = if thread % 2 == 0 { 0x5555_5555 } else { 0xaaaa_aaabu32 };
        assert_eq!(found, expected.wrapping_add(u32::MAX));
    }
}

#[test]
fn lanes_stay_apart_without_a_barrier() {
    // No BSSY: the two halves never meet, even at the same instruction.
    let found =
        run(32, &format!("ISETP.GE.AND P0, PT, R0, 0xa, PT\n@P0 BRA `(next)\nnext:\n{STORE_BALLOT}EXIT"));
    assert!(found
        .iter()
        .enumerate()
        .all(|(thread, &found)| found == if thread < 10 { 0x3ff } else { !0x3ff }));
}

#[test]
fn barriers_nest() {
    let found = run(
        32,
        &format!(
            "LOP3.LUT R4, R0, 0x3, RZ, 0xc0, !PT
             ISETP.GE.AND P0, PT, R4, 0x2, PT
             LOP3.LUT P1, RZ, R4, 0x1, RZ, 0xc0, !PT
             BSSY B0, `(outer)
             @P0 BRA `(outer_join)
             BSSY B1, `(inner)
             @P1 BRA `(inner_join)
             NOP
             inner_join:
             BSYNC B1
             inner:
             VOTE.ANY R8, PT, PT
             outer_join:
             BSYNC B0
             outer:
             {STORE_BALLOT}
             @!P0 STG.E.SYS [R2], R8
             EXIT"
        ),
    );
    for (thread, found) in found.into_iter().enumerate() {
        assert_eq!(found, if thread % 4 < 2 { 0x3333_3333 } else { u32::MAX });
    }
}

#[test]
fn a_partial_warp_meets_without_the_missing_lanes() {
    let code = format!(
        "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT
         BSSY B0, `(after)
         @P0 BRA `(join)
         NOP
         join:
         BSYNC B0
         after:
         {STORE_BALLOT}
         EXIT"
    );
    for threads in [1, 13, 33, 50] {
        for (thread, found) in run(threads, &code).into_iter().enumerate() {
            let lanes = (threads - thread as u32 / 32 * 32).min(32);
            assert_eq!(found, u32::MAX >> (32 - lanes));
        }
    }
}

#[test]
fn exits_within_a_region_are_not_waited_for() {
    let found = run(
        32,
        &format!(
            "LOP3.LUT R4, R0, 0x3, RZ, 0xc0, !PT
             ISETP.EQ.AND P0, PT, R4, 0x1, PT
             ISETP.EQ.AND P1, PT, R4, 0x2, PT
             BSSY B0, `(after)
             @P0 BRA `(leave)
             @P1 EXIT
             BRA `(join)
             leave:
             EXIT
             join:
             BSYNC B0
             after:
             {STORE_BALLOT}
             EXIT"
        ),
    );
    for (thread, found) in found.into_iter().enumerate() {
        assert_eq!(found, if [0, 3].contains(&(thread % 4)) { 0x9999_9999 } else { 0 });
    }
}

/// A loop, left by BREAK: each lane takes as many rounds as its number says.
#[test]
fn breaks_leave_a_barrier() {
    let found = run(
        32,
        "MOV R4, RZ
         BSSY B0, `(after)
         BSSY B1, `(broken)
         loop:
         ISETP.GE.AND P0, PT, R4, R0, PT
         IADD3 R5, R0, -0x10, RZ
         ISETP.GE.AND P1, PT, R4, R5, PT
         ISETP.GE.AND P1, PT, R0, 0x10, P1
         BREAK P1, B1
         @P1 BRA `(away)
         IADD3 R4, R4, 0x1, RZ
         @!P0 BRA `(loop)
         BSYNC B1
         broken:
         VOTE.ANY R6, PT, PT
         BRA `(join)
         away:
         VOTE.ANY R6, PT, PT
         join:
         BSYNC B0
         after:
         VOTE.ANY R7, PT, PT
         ISETP.EQ.AND P2, PT, R7, -0x1, PT
         SEL R6, R6, RZ, P2
         STG.E.SYS [R2], R6
         EXIT",
    );
    for (thread, found) in found.into_iter().enumerate() {
        // The lower half meets at B1; lanes above leave one by one: P1 holds after `thread - 16` rounds.
        assert_eq!(found, if thread < 16 { 0xffff } else { 1 << thread });
    }
}

#[test]
fn barriers_are_saved_cleared_and_restored() {
    // Between saving and restoring, the same barrier serves another divergence.
    let found = run(
        32,
        &format!(
            "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT
             LOP3.LUT P1, RZ, R0, 0x2, RZ, 0xc0, !PT
             BSSY B0, `(after)
             @P0 BRA `(join)
             BMOV.32.CLEAR R10, B0
             BSSY B0, `(inner)
             @P1 BRA `(inner_join)
             NOP
             inner_join:
             BSYNC B0
             inner:
             VOTE.ANY R8, PT, PT
             BMOV.32 B0, R10
             join:
             BSYNC B0
             after:
             {STORE_BALLOT}
             @!P0 LOP3.LUT R9, R8, R10, RZ, 0x3c, !PT
             @!P0 STG.E.SYS [R2], R9
             EXIT"
        ),
    );
    for (thread, found) in found.into_iter().enumerate() {
        // The saved barrier holds all lanes, the inner one the even ones.
        assert_eq!(found, if thread % 2 == 0 { !0x5555_5555 } else { u32::MAX });
    }
}

#[test]
fn a_cleared_barrier_lets_pass() {
    let found = run(
        32,
        &format!(
            "LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT
             BSSY B3, `(after)
             @P0 BRA `(wait)
             BMOV.32.CLEAR RZ, B3
             wait:
             @!P0 BSYNC B3
             after:
             @!P0 {STORE_BALLOT}
             @P0 BREAK B3
             EXIT",
            STORE_BALLOT = STORE_BALLOT.replace("STG", "@!P0 STG"),
        ),
    );
    for (thread, found) in found.into_iter().enumerate() {
        assert_eq!(found, if thread % 2 == 0 { 0x5555_5555 } else { 0 });
    }
}

#[test]
fn warpsync_joins_the_lanes_of_its_mask() {
    // Lanes 0 to 7 and 8 to 15 part without a barrier and meet at different WARPSYNCs of one mask; the
    // upper half has gone its own way.
    let found = run(
        32,
        &format!(
            "ISETP.GE.AND P0, PT, R0, 0x10, PT
             @P0 BRA `(upper)
             LOP3.LUT P1, RZ, R0, 0x8, RZ, 0xc0, !PT
             @P1 BRA `(second)
             STS [R0.X4], R0
             WARPSYNC 0xffff
             LDS.U R5, [R0.X4+0x20]
             BRA `(meet)
             second:
             STS [R0.X4], R0
             WARPSYNC 0xffff
             LDS.U R5, [R0.X4+-0x20]
             meet:
             WARPSYNC 0xffff
             {STORE_BALLOT}
             IADD3 R9, R9, R5, RZ
             STG.E.SYS [R2], R9
             EXIT
             upper:
             MOV R6, 0xffff0000
             WARPSYNC R6
             {STORE_BALLOT}
             EXIT"
        ),
    );
    for (thread, found) in found.into_iter().enumerate() {
        let expected = if thread < 16 { 0xffff + (thread as u32 ^ 8) } else { 0xffff_0000 };
        assert_eq!(found, expected, "thread {thread}");
    }
}

#[test]
fn block_barriers_do_not_wait_for_the_dead_and_join_diverged_lanes() {
    // Lanes that reach the barrier in groups leave it as one; a warp ends before it, or after all others
    // have come to it.
    for leaving in 0..3 {
        let found = run(
            80,
            &format!(
                "SHF.R.U32.HI R4, RZ, 0x5, R0
                 ISETP.EQ.AND P0, PT, R4, {leaving:#x}, PT
                 LOP3.LUT P1, RZ, R0, 0x1, RZ, 0xc0, !PT
                 @P0 EXIT
                 @P1 BRA `(bar)
                 NOP
                 bar:
                 BAR.SYNC 0x0
                 {STORE_BALLOT}
                 EXIT"
            ),
        );
        for (thread, found) in found.into_iter().enumerate() {
            let expected = match thread / 32 {
                warp if warp == leaving => 0,
                2 => 0xffff,
                _ => u32::MAX,
            };
            assert_eq!(found, expected, "thread {thread}");
        }
    }
}

#[test]
fn named_barriers_count_threads() {
    // Warps 0 and 1 wait for each other at barrier 1, twice; warps 2 and 3 arrive at barrier 2, where warp
    // 4 waits for both without their waiting for it.
    let found = run(
        160,
        "SHF.R.U32.HI R4, RZ, 0x5, R0
         ISETP.GE.AND P0, PT, R4, 0x2, PT
         @P0 BRA `(others)
         STS [R0.X4], R0
         BAR.SYNC 0x1, 0x40
         LOP3.LUT R5, R0, 0x20, RZ, 0x3c, !PT
         LDS.U R6, [R5.X4]
         BAR.SYNC 0x1, 0x40
         STG.E.SYS [R2], R6
         EXIT
         others:
         ISETP.EQ.AND P1, PT, R4, 0x4, PT
         @P1 BRA `(consumer)
         STS [R0.X4], R0
         MOV R7, 0x2
         MOV R8, 0x60
         BAR.ARV R7, R8
         EXIT
         consumer:
         BAR.SYNC.DEFER_BLOCKING 0x2, 0x60
         LDS.U R6, [R0.X4+-0x80]
         LDS.U R5, [R0.X4+-0x100]
         IADD3 R6, R6, R5, RZ
         STG.E.SYS [R2], R6
         EXIT",
    );
    for (thread, found) in found.into_iter().enumerate() {
        let expected = match thread / 32 {
            0 | 1 => thread ^ 32,
            4 => 2 * thread - 96,
            _ => 0,
        };
        assert_eq!(found, expected as u32, "thread {thread}");
    }
}

#[test]
fn an_arrival_completes_a_barrier() {
    // Warp 1 arrives last, without waiting, and then waits in a loop for what warp 0 does afterwards.
    let found = run(
        64,
        "ISETP.GE.AND P0, PT, R0, 0x20, PT
         @P0 BRA `(second)
         BAR.SYNC 0x3, 0x40
         MOV R4, 0x7
         STS [0x10], R4
         EXIT
         second:
         BAR.ARV 0x3, 0x40
         wait:
         LDS.U R5, [0x10]
         ISETP.NE.AND P1, PT, R5, 0x7, PT
         @P1 BRA `(wait)
         STG.E.SYS [R2], R5
         EXIT",
    );
    assert!(found[32..].iter().all(|&found| found == 7));
}

#[test]
fn barriers_reduce_over_waiting_threads() {
    // The number of threads that hold, at a named barrier of two warps each and in all.
    let found = run(
        128,
        "SHF.R.U32.HI R4, RZ, 0x6, R0
         IADD3 R4, R4, 0x1, RZ
         IMAD R5, R4, 0x9, RZ
         LOP3.LUT R6, R0, 0x3f, RZ, 0xc0, !PT
         ISETP.LT.AND P0, PT, R6, R5, PT
         BAR.RED.POPC R4, 0x40, P0
         B2R.RESULT R7
         ISETP.GE.AND P1, PT, R0, RZ, PT
         BAR.RED.AND.DEFER_BLOCKING 0x0, P1
         B2R.RESULT RZ, P2
         ISETP.EQ.AND P1, PT, R0, 0x55, PT
         BAR.RED.OR 0x0, P1
         B2R.RESULT RZ, P3
         BAR.RED.OR 0x0, !PT
         B2R.RESULT RZ, P4
         SEL R8, R7, RZ, P2
         @!P3 MOV R8, RZ
         @P4 MOV R8, RZ
         STG.E.SYS [R2], R8
         EXIT",
    );
    for (thread, found) in found.into_iter().enumerate() {
        assert_eq!(found, if thread < 64 { 9 } else { 18 }, "thread {thread}");
    }
}

#[test]
fn warps_wait_for_each_other_through_memory() {
    // Each warp waits for the one behind it; lane 0 for lane 31 of its own warp, too.
    let found = run(
        96,
        "LOP3.LUT R4, R0, 0x1f, RZ, 0xc0, !PT
         ISETP.EQ.AND P0, PT, R0, 0x5f, PT
         MOV R5, 0x1
         @P0 STS [R0.X4], R5
         @P0 BRA `(done)
         wait:
         LDS.U R6, [R0.X4+0x4]
         ISETP.EQ.AND P1, PT, R6, RZ, PT
         @P1 BRA `(wait)
         IADD3 R5, R6, 0x1, RZ
         STS [R0.X4], R5
         done:
         STG.E.SYS [R2], R5
         EXIT",
    );
    for (thread, found) in found.into_iter().enumerate() {
        assert_eq!(found, 96 - thread as u32);
    }
}

#[test]
fn calls_return_to_where_each_lane_came_from() {
    // Both sides of a branch call one function, which loops as often as its argument says.
    let found = run(
        32,
        "ISETP.GE.AND P0, PT, R0, 0xb, PT
         BSSY B0, `(after)
         @P0 BRA `(high)
         MOV R4, R0
         MOV R20, 0x90
         MOV R21, 0x0
         CALL.REL.NOINC `(double)
         BRA `(join)
         high:
         IADD3 R4, R0, 0x64, RZ
         MOV R20, 0xe0
         MOV R21, 0x0
         CALL.REL.NOINC `(double)
         NOP
         IADD3 R4, R4, 0x1, RZ
         join:
         BSYNC B0
         after:
         VOTE.ALL RZ, P1, PT
         @P1 STG.E.SYS [R2], R4
         EXIT
         double:
         MOV R6, R4
         loop:
         ISETP.EQ.AND P2, PT, R6, RZ, PT
         @P2 RET.REL.NODEC R20 `(k)
         IADD3 R4, R4, 0x1, RZ
         IADD3 R6, R6, -0x1, RZ
         BRA `(loop)",
    );
    for (thread, found) in found.into_iter().enumerate() {
        let thread = thread as u32;
        assert_eq!(found, if thread < 11 { 2 * thread } else { 2 * (thread + 100) + 1 }, "thread {thread}");
    }
}

#[test]
fn returns_may_ask_for_two_predicates() {
    // Lanes return after as many rounds as their number says, odd ones alone at the first place.
    let found = run(
        32,
        "MOV R4, RZ
         LOP3.LUT R5, R0, 0x1, RZ, 0xc0, !PT
         ISETP.NE.AND P1, PT, R5, RZ, PT
         MOV R20, 0x80
         MOV R21, 0x0
         CALL.REL.NOINC `(counts)
         STG.E.SYS [R2], R4
         EXIT
         counts:
         ISETP.GE.AND P0, PT, R4, R0, PT
         @P0 RET.REL.NODEC P1, R20 `(k)
         ISETP.GE.AND P2, PT, R4, 0x28, PT
         @P2 RET.REL.NODEC !P1, R20 `(k)
         IADD3 R4, R4, 0x1, RZ
         BRA `(counts)",
    );
    for (thread, found) in found.into_iter().enumerate() {
        assert_eq!(found, if thread % 2 == 1 { thread as u32 } else { 40 }, "thread {thread}");
    }
}

#[test]
fn indexed_branches_scatter_lanes() {
    let literals: Vec<u8> = [0xe0u32, 0x100, 0x120, 0x100].into_iter().flat_map(u32::to_le_bytes).collect();
    let code = "
        S2R R0, SR_TID.X
        IMAD.WIDE.U32 R2, R0, 0x4, c[0x0][0x160]
        LOP3.LUT R4, R0, 0x3, RZ, 0xc0, !PT
        IMAD.SHL.U32 R4, R4, 0x4, RZ
        LDC R4, c[0x2][R4]
        SHF.R.S32.HI R5, RZ, 0x1f, R4
        ISETP.EQ.AND P0, PT, R0, 0x5, PT
        MOV R8, 0x63
        BSSY B0, `(after)
        @!P0 BRX R4 -0xa0 (*\"BRANCH_TARGETS .L_a,.L_b,.L_c\"*)
        MOV R8, 0x64
        BRA `(join)
        NOP
        NOP
        MOV R8, 0xa
        BRA `(join)
        MOV R8, 0xb
        BRA `(join)
        MOV R8, 0xc
        join:
        BSYNC B0
        after:
        VOTE.ALL RZ, P1, PT
        @P1 STG.E.SYS [R2], R8
        EXIT";
    let mut device = device();
    let out = device.allocate(128);
    let arguments: [Argument; 1] = [out.into()];
    let frame = Frame { literals, ..Frame::default() };
    device.launch(&frame.module(code), "k", 1, 32, 0, &arguments).unwrap();
    for (thread, found) in device.read::<u32>(out, 32).unwrap().into_iter().enumerate() {
        let expected = if thread == 5 { 100 } else { [10, 11, 12, 11][thread % 4] };
        assert_eq!(found, expected, "thread {thread}");
    }
}

#[test]
fn divergent_branches_are_taken_by_a_warp_that_is_apart() {
    let found = run(
        32,
        &format!(
            "ISETP.GE.AND P0, PT, R0, 0x4, PT
             BRA.DIV `(wrong)
             @P0 BRA `(apart)
             apart:
             BRA.DIV ~URZ, `(right)
             wrong:
             WARPSYNC 0xffffffff
             EXIT
             right:
             {STORE_BALLOT}
             WARPSYNC 0xffffffff
             EXIT"
        ),
    );
    for (thread, found) in found.into_iter().enumerate() {
        assert_eq!(found, if thread < 4 { 0xf } else { !0xf });
    }
}

/// A structured program over a lane's variables R4 and R5; R0 is the thread's number.
#[derive(Clone, Debug)]
enum Statement {
    /// R4 = R4 · 5 + R5 + constant.
    Mix(u32),
    /// R5 = R5 xor (R4 shifted right).
    Stir(u32),
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// Repeats while the condition holds, a number of times at most.
    While(Condition, u32, Vec<Statement>),
    /// Leaves the innermost loop.
    Break(Condition),
    /// Goes on with the next round of the innermost loop.
    Continue(Condition),
    Return(Condition),
    /// Writes down which lanes are here together.
    Ballot,
}

/// True if some bits of R4, R5 or the thread's number are below a limit.
#[derive(Clone, Copy, Debug)]
struct Condition {
    register: u8,
    shift: u32,
    limit: u32,
}

impl Condition {
    fn holds(self, lane: &Lane) -> bool {
        let value = match self.register {
            0 => lane.number,
            4 => lane.a,
            _ => lane.b,
        };
        (value >> self.shift & 7) < self.limit
    }

    /// Into P0; overwrites R6.
    fn code(self) -> String {
        let Condition { register, shift, limit } = self;
        format!(
            "SHF.R.U32.HI R6, RZ, {shift:#x}, R{register}\nLOP3.LUT R6, R6, 0x7, RZ, 0xc0, !PT\n\
             ISETP.LT.U32.AND P0, PT, R6, {limit:#x}, PT\n"
        )
    }
}

/// A lane of the reference.
struct Lane {
    number: u32,
    a: u32,
    b: u32,
}

enum Flow {
    Next,
    Break,
    Continue,
    Return,
}

fn interpret(statements: &[Statement], lane: &mut Lane) -> Flow {
    for statement in statements {
        let flow = match statement {
            Statement::Mix(constant) => {
                lane.a = lane.a.wrapping_mul(5).wrapping_add(lane.b).wrapping_add(*constant);
                Flow::Next
            }
            Statement::Stir(shift) => {
                lane.b ^= lane.a >> shift;
                Flow::Next
            }
            Statement::If(condition, then, otherwise) => {
                interpret(if condition.holds(lane) { then } else { otherwise }, lane)
            }
            Statement::While(condition, most, body) => {
                let mut flow = Flow::Next;
                for _ in 0..*most {
                    if !condition.holds(lane) {
                        break;
                    }
                    match interpret(body, lane) {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        Flow::Return => {
                            flow = Flow::Return;
                            break;
                        }
                    }
                }
                flow
            }
            Statement::Break(condition) if condition.holds(lane) => Flow::Break,
            Statement::Continue(condition) if condition.holds(lane) => Flow::Continue,
            Statement::Return(condition) if condition.holds(lane) => Flow::Return,
            Statement::Break(_) | Statement::Continue(_) | Statement::Return(_) | Statement::Ballot => {
                Flow::Next
            }
        };
        if !matches!(flow, Flow::Next) {
            return flow;
        }
    }
    Flow::Next
}

/// Code of a program, as a compiler lays it out.
#[derive(Default)]
struct Generator {
    code: String,
    labels: u32,
    /// Convergence barriers in use, outermost first.
    barriers: u32,
    /// For each loop around: its number, and how many barriers were in use outside and within it.
    loops: Vec<(u32, u32, u32)>,
}

impl Generator {
    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    /// Opens a region whose lanes meet at its end. Every second region is left to diverge for good, as
    /// compilers do where nothing depends on it.
    fn open(&mut self, number: u32) -> Option<u32> {
        let barrier = (number % 3 != 0 && self.barriers < 16).then_some(self.barriers)?;
        self.barriers += 1;
        writeln!(self.code, "BMOV.32.CLEAR RZ, B{barrier}\nBSSY B{barrier}, `(after{number})").unwrap();
        Some(barrier)
    }

    fn close(&mut self, number: u32, barrier: Option<u32>) {
        if let Some(barrier) = barrier {
            writeln!(self.code, "BSYNC B{barrier}").unwrap();
            self.barriers -= 1;
        }
        writeln!(self.code, "after{number}:").unwrap();
    }

    /// A jump under P0 out of regions: those within `outside` are left.
    fn jump(&mut self, outside: u32, label: &str) {
        for barrier in (outside..self.barriers).rev() {
            writeln!(self.code, "BREAK P0, B{barrier}").unwrap();
        }
        writeln!(self.code, "@P0 BRA `({label})").unwrap();
    }

    fn statements(&mut self, statements: &[Statement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Mix(constant) => {
                writeln!(self.code, "IMAD R4, R4, 0x5, R5\nIADD3 R4, R4, {constant:#x}, RZ").unwrap();
            }
            Statement::Stir(shift) => {
                let code = format!("SHF.R.U32.HI R6, RZ, {shift:#x}, R4\nLOP3.LUT R5, R5, R6, RZ, 0x3c, !PT");
                writeln!(self.code, "{code}").unwrap();
            }
            Statement::If(condition, then, otherwise) => {
                let number = self.label();
                let barrier = self.open(number);
                self.code += &condition.code();
                writeln!(self.code, "@!P0 BRA `(else{number})").unwrap();
                self.statements(then);
                writeln!(self.code, "BRA `(join{number})\nelse{number}:").unwrap();
                self.statements(otherwise);
                writeln!(self.code, "join{number}:").unwrap();
                self.close(number, barrier);
            }
            Statement::While(condition, most, body) => {
                let number = self.label();
                let outside = self.barriers;
                let barrier = self.open(number);
                // The counter lives in a register of this depth.
                let counter = 10 + self.loops.len();
                writeln!(self.code, "MOV R{counter}, {most:#x}\nloop{number}:").unwrap();
                self.code += &condition.code();
                writeln!(self.code, "ISETP.NE.AND P0, PT, R{counter}, RZ, P0\n@!P0 BRA `(join{number})")
                    .unwrap();
                writeln!(self.code, "IADD3 R{counter}, R{counter}, -0x1, RZ").unwrap();
                // The lanes of a round meet before the next one.
                let round = self.label();
                let round_barrier = self.open(round);
                self.loops.push((number, outside + u32::from(barrier.is_some()), round));
                self.statements(body);
                self.loops.pop();
                writeln!(self.code, "join{round}:").unwrap();
                self.close(round, round_barrier);
                writeln!(self.code, "BRA `(loop{number})\njoin{number}:").unwrap();
                self.close(number, barrier);
            }
            Statement::Break(condition) => {
                if let Some(&(number, within, _)) = self.loops.last() {
                    self.code += &condition.code();
                    self.jump(within, &format!("join{number}"));
                }
            }
            Statement::Continue(condition) => {
                if let Some(&(_, within, round)) = self.loops.last() {
                    self.code += &condition.code();
                    // The barrier of the round is where it meets.
                    let kept = within + u32::from(self.barriers > within && round % 3 != 0);
                    self.jump(kept, &format!("join{round}"));
                }
            }
            Statement::Return(condition) => {
                self.code += &condition.code();
                writeln!(
                    self.code,
                    "@P0 MOV R8, 0x1\n@P0 STG.E.64.SYS [R2+0x8], R8\n@P0 STG.E.64.SYS [R2], R4\n@P0 EXIT"
                )
                .unwrap();
            }
            Statement::Ballot => {
                writeln!(self.code, "VOTE.ANY R9, PT, PT").unwrap();
            }
        }
    }
}

fn condition() -> impl Strategy<Value = Condition> {
    (prop::sample::select(vec![0u8, 4, 5]), 0..12u32, 0..9u32)
        .prop_map(|(register, shift, limit)| Condition { register, shift, limit })
}

fn program() -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        4 => any::<u32>().prop_map(Statement::Mix),
        3 => (0..20u32).prop_map(Statement::Stir),
        2 => condition().prop_map(Statement::Break),
        1 => condition().prop_map(Statement::Continue),
        1 => condition().prop_map(Statement::Return),
        1 => Just(Statement::Ballot),
    ];
    let statement = leaf.prop_recursive(5, 40, 5, |inner| {
        let list = || prop::collection::vec(inner.clone(), 1..5);
        prop_oneof![
            2 => (condition(), list(), list()).prop_map(|(condition, then, otherwise)| Statement::If(condition, then, otherwise)),
            2 => (condition(), 1..6u32, list()).prop_map(|(condition, most, body)| Statement::While(condition, most, body)),
        ]
    });
    prop::collection::vec(statement, 1..8)
}

/// A `break` or `continue` outside a loop is nothing, in the code as in the reference.
fn within_loops(statements: Vec<Statement>, depth: u32) -> Vec<Statement> {
    let keep = |statement: Statement| match statement {
        Statement::If(condition, then, otherwise) => {
            Some(Statement::If(condition, within_loops(then, depth), within_loops(otherwise, depth)))
        }
        Statement::While(condition, most, body) => {
            Some(Statement::While(condition, most, within_loops(body, depth + 1)))
        }
        Statement::Break(_) | Statement::Continue(_) if depth == 0 => None,
        statement => Some(statement),
    };
    statements.into_iter().filter_map(keep).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_programs_do_in_each_lane_what_they_say(program in program(), threads in 1..70u32) {
        let program = within_loops(program, 0);
        let mut generator = Generator::default();
        generator.statements(&program);
        let code = format!(
            "S2R R0, SR_TID.X
             IMAD.WIDE.U32 R2, R0, 0x10, c[0x0][0x160]
             IMAD R4, R0, 0x9e3779b9, RZ
             MOV R5, R0
             MOV R8, RZ
             MOV R9, RZ
             {}
             MOV R8, 0x2
             STG.E.64.SYS [R2+0x8], R8
             STG.E.64.SYS [R2], R4
             EXIT",
            generator.code
        );
        let mut device = device();
        let out = device.allocate(u64::from(16 * threads));
        let frame = Frame { registers: 32, ..Frame::default() };
        device.launch(&frame.module(&code), "k", 1, threads, 0, &[out.into()]).map_err(|error| {
            TestCaseError::fail(format!("{error}\n{code}"))
        })?;
        let found: Vec<[u32; 4]> = device.read(out, threads as usize).unwrap();
        for (thread, found) in found.into_iter().enumerate() {
            let number = thread as u32;
            let mut lane = Lane { number, a: number.wrapping_mul(0x9e37_79b9), b: number };
            let end = match interpret(&program, &mut lane) {
                Flow::Return => 1,
                _ => 2,
            };
            prop_assert_eq!(&found[..3], &[lane.a, lane.b, end], "thread {}\n{}", thread, code);
            // A lane is always among those that execute with it.
            prop_assert!(found[3] == 0 || found[3] >> (thread % 32) & 1 != 0);
        }
    }
}

#[test]
fn guards_keep_lanes_out() {
    let bits: Vec<u32> = (0..32).map(|lane| u32::from(lane % 3 == 0)).collect();
    let found = Trial::new(
        "MOV R10, 0x1\n@P0 MOV R10, 0x2\n@!P0 IADD3 R10, R10, 0x5, RZ\n@!PT MOV R10, RZ\n@P0 EXIT",
    )
    .input("P0", &bits)
    .output("R10");
    for (lane, found) in found.into_iter().enumerate() {
        assert_eq!(found, if lane % 3 == 0 { 0 } else { 6 });
    }
}
