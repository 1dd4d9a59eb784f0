// SPDX-License-Identifier: Apache-2.0
//! Volta's products, four at a time.

use super::{half, single, Lanes};

/// `HMMA.884`: the four products of an 8×4 and a 4×8 matrix, one for each four lanes of the lower half of
/// the warp with the four that are 16 above.
///
/// Lane l of the lower four stands for row (or column) l mod 4, of the upper for 4 + l mod 4. By row, a lane
/// has the four elements of its row of A, else the rows' elements of column l mod 4 from its half of the
/// rows; of B likewise with columns.
pub struct QuadProduct {
    left: [[[f64; 4]; 8]; 4],
    /// By column.
    right: [[[f64; 4]; 8]; 4],
}

/// Which of the four products a lane takes part in, and whether it is one of the upper lanes of it.
fn quad(lane: usize) -> (usize, usize) {
    (lane % 16 / 4, lane / 16)
}

impl QuadProduct {
    pub fn new(a: [&Lanes; 2], a_by_row: bool, b: [&Lanes; 2], b_by_row: bool) -> QuadProduct {
        // Both as lists of four along the dimension that is summed over.
        let unpack = |registers: [&Lanes; 2], whole: bool| {
            let mut lists = [[[0.0; 4]; 8]; 4];
            for lane in 0..32 {
                let (quad, upper) = quad(lane);
                for i in 0..4 {
                    let value = half::value((registers[i / 2][lane] >> (16 * (i % 2))) as u16);
                    if whole {
                        lists[quad][4 * upper + lane % 4][i] = value;
                    } else {
                        lists[quad][4 * upper + i][lane % 4] = value;
                    }
                }
            }
            lists
        };
        QuadProduct { left: unpack(a, a_by_row), right: unpack(b, !b_by_row) }
    }

    fn element(&self, quad: usize, row: usize, column: usize, addend: f64) -> f64 {
        let pairs = self.left[quad][row].iter().zip(&self.right[quad][column]);
        pairs.fold(addend, |sum, (a, b)| sum + a * b)
    }

    /// Registers 2 n and 2 n + 1 of the eight of C and D in single precision.
    pub fn add_singles(&self, c: [&Lanes; 2], step: usize) -> [Lanes; 2] {
        self.to_singles(step, |register, lane, _| f64::from(f32::from_bits(c[register][lane])))
    }

    /// As `add_singles`, with C in half precision and its registers as `add_halves` has them: 0 and 1 in the
    /// first two steps, 2 and 3 in the others.
    pub fn add_halves_to_singles(&self, c: [&Lanes; 2], step: usize) -> [Lanes; 2] {
        self.to_singles(step, |_, lane, (row, column)| {
            let word = c[column % 4 / 2][lane / 4 * 4 + row % 4];
            half::value((word >> (16 * (column % 2))) as u16)
        })
    }

    /// The addend is that of a register, a lane and its row and column.
    fn to_singles(&self, step: usize, addend: impl Fn(usize, usize, (usize, usize)) -> f64) -> [Lanes; 2] {
        std::array::from_fn(|register| {
            let i = 2 * step + register;
            std::array::from_fn(|lane| {
                let (quad, upper) = quad(lane);
                let (row, column) = (4 * upper + (i & 2) + (lane & 1), (i & 4) + (lane & 2) + (i & 1));
                let addend = addend(register, lane, (row, column));
                let value = self.element(quad, row, column, addend) as f32;
                if value.is_nan() {
                    single::NAN
                } else {
                    value.to_bits()
                }
            })
        })
    }

    /// Registers 2 n and 2 n + 1 of the four of C and D in half precision, two elements each.
    pub fn add_halves(&self, c: [&Lanes; 2], step: usize) -> [Lanes; 2] {
        std::array::from_fn(|register| {
            std::array::from_fn(|lane| {
                let (quad, upper) = quad(lane);
                let row = 4 * upper + lane % 4;
                half::from_pair(std::array::from_fn(|part| {
                    let column = 4 * step + 2 * register + part;
                    let addend = half::value((c[register][lane] >> (16 * part)) as u16);
                    self.element(quad, row, column, addend)
                }))
            })
        })
    }
}
