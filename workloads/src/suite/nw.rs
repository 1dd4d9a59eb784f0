// SPDX-License-Identifier: Apache-2.0
//! Rodinia's NW: global alignment of pairs of sequences by Needleman and Wunsch.
//!
//! A launch computes a diagonal of tiles, so that the first and the last one of a pair have one block,
//! whatever the size; many pairs at once have enough blocks. The reference fills the table row by row.

use super::{counted, expect_equal, Benchmark, Size};
use crate::{Device, Module, Result};

pub(super) const NW: Benchmark = Benchmark {
    name: "nw",
    stands_for: "Rodinia, NW",
    about: "global alignment of pairs of sequences, diagonal by diagonal",
    size: |size| {
        let (pairs, length) = input(size);
        format!("{} of {length}", counted(pairs, "pair"))
    },
    run,
};

const TILE: usize = 16;
/// Kinds of elements.
const KINDS: usize = 24;
/// The cost of an element that is aligned with none.
const PENALTY: i32 = 10;

/// Pairs, and elements of a sequence.
fn input(size: Size) -> (usize, usize) {
    size.pick((1, 64), (256, 48), (256, 160))
}

fn run(device: &mut Device, size: Size) -> Result<()> {
    let (pairs, length) = input(size);
    let mut random = fastrand::Rng::with_seed(10);
    let scores = Scores::random(&mut random);
    let tables: Vec<Table> = (0..pairs).map(|_| Table::random(length, &scores, &mut random)).collect();

    let module = Module::parse("nw.sass", include_str!("../../kernels/nw.sass"))?;
    let similarity =
        device.upload(&tables.iter().flat_map(|table| &table.similarity).copied().collect::<Vec<_>>());
    let table = device.upload(&tables.iter().flat_map(Table::borders).collect::<Vec<_>>());
    let tiles = length / TILE;
    let growing = (0..tiles).map(|diagonal| ("align_growing", diagonal, diagonal + 1));
    let shrinking =
        (tiles..2 * tiles - 1).map(|diagonal| ("align_shrinking", diagonal, 2 * tiles - 1 - diagonal));
    for (kernel, diagonal, blocks) in growing.chain(shrinking) {
        let arguments = [
            similarity.into(),
            table.into(),
            (length as i32).into(),
            PENALTY.into(),
            (diagonal as i32).into(),
        ];
        device.launch(&module, kernel, (blocks as u32, pairs as u32), TILE as u32, 0, &arguments)?;
    }

    let expected: Vec<i32> = tables.iter().flat_map(Table::aligned).collect();
    expect_equal("score", &device.read::<i32>(table, expected.len())?, &expected)
}

/// How well two kinds of elements go together.
struct Scores([[i32; KINDS]; KINDS]);

impl Scores {
    fn random(random: &mut fastrand::Rng) -> Scores {
        let mut scores = [[0; KINDS]; KINDS];
        for a in 0..KINDS {
            for b in 0..=a {
                let score = if a == b { random.i32(4..=11) } else { random.i32(-4..=3) };
                (scores[a][b], scores[b][a]) = (score, score);
            }
        }
        Scores(scores)
    }
}

/// For a pair of sequences: a row and a column for each element, behind those for none.
struct Table {
    side: usize,
    similarity: Vec<i32>,
}

impl Table {
    fn random(length: usize, scores: &Scores, random: &mut fastrand::Rng) -> Table {
        let side = length + 1;
        let [down, across] =
            [(); 2].map(|()| (0..length).map(|_| random.usize(..KINDS)).collect::<Vec<usize>>());
        let mut similarity = vec![0; side * side];
        for (y, &a) in down.iter().enumerate() {
            for (x, &b) in across.iter().enumerate() {
                similarity[(y + 1) * side + x + 1] = scores.0[a][b];
            }
        }
        Table { side, similarity }
    }

    /// Scores of alignments with nothing; zeros elsewhere.
    fn borders(&self) -> Vec<i32> {
        let mut scores = vec![0; self.side * self.side];
        for i in 0..self.side {
            scores[i] = -PENALTY * i as i32;
            scores[i * self.side] = -PENALTY * i as i32;
        }
        scores
    }

    /// The best score of every two beginnings.
    fn aligned(&self) -> Vec<i32> {
        let side = self.side;
        let mut scores = self.borders();
        for y in 1..side {
            for x in 1..side {
                let aligned = scores[(y - 1) * side + x - 1] + self.similarity[y * side + x];
                let gap = scores[(y - 1) * side + x].max(scores[y * side + x - 1]) - PENALTY;
                scores[y * side + x] = aligned.max(gap);
            }
        }
        scores
    }
}
