// SPDX-License-Identifier: Apache-2.0
//! PolyBench's ATAX, `y = Aᵀ (A x)`, and BICG, `s = Aᵀ r` and `q = A p`.
//!
//! A launch has several random matrices: a thread per row or column fills the SM of R Table I eight times
//! over from 16,384 rows and columns on, and one matrix of so many would not fit into memory. References sum
//! in double precision.

use super::{expect_close, extent, Benchmark, Size, Tolerance};
use crate::{Device, Module, Pointer, Result};

pub(super) const ATAX: Benchmark = Benchmark {
    name: "atax",
    stands_for: "PolyBench, AT",
    about: "a matrix times a vector, and its transpose times the result",
    size: Problem::in_words,
    run: atax,
};

pub(super) const BICG: Benchmark = Benchmark {
    name: "bicg",
    stands_for: "PolyBench, BI",
    about: "the two products of a step of the biconjugate gradient method",
    size: Problem::in_words,
    run: bicg,
};

/// Threads of a block.
const THREADS: u32 = 256;
/// The tolerance of sums of up to 1,024 products that are not negative, rounded to single precision at each
/// step; twice in a row.
const TOLERANCE: Tolerance = Tolerance { relative: 5e-5, absolute: 0.0 };

fn atax(device: &mut Device, size: Size) -> Result<()> {
    let module = Module::parse("atax.sass", include_str!("../../kernels/atax.sass"))?;
    let problem = Problem::of(size);
    let (rows, columns) = (problem.rows, problem.columns);
    let [a, x, product, y] = problem.place(device, [columns, rows, columns]);
    problem.upload_vectors(device, x, 1, columns)?;
    problem.launch(device, &module, "atax_product", rows, [a, x, product])?;
    problem.launch(device, &module, "atax_transposed", columns, [a, product, y])?;

    for number in 0..problem.count {
        let matrix = problem.matrix(number);
        let expected = matrix.times(&problem.vector(number, 1, columns));
        expect_sums(device, "product", product, number, &expected)?;
        expect_sums(device, "y", y, number, &matrix.transposed_times(&expected))?;
    }
    Ok(())
}

fn bicg(device: &mut Device, size: Size) -> Result<()> {
    let module = Module::parse("bicg.sass", include_str!("../../kernels/bicg.sass"))?;
    let problem = Problem::of(size);
    let (rows, columns) = (problem.rows, problem.columns);
    let [a, r, s, p, q] = problem.place(device, [rows, columns, columns, rows]);
    problem.upload_vectors(device, r, 1, rows)?;
    problem.upload_vectors(device, p, 2, columns)?;
    problem.launch(device, &module, "bicg_transposed", columns, [a, r, s])?;
    problem.launch(device, &module, "bicg_product", rows, [a, p, q])?;

    for number in 0..problem.count {
        let matrix = problem.matrix(number);
        let expected = matrix.transposed_times(&problem.vector(number, 1, rows));
        expect_sums(device, "s", s, number, &expected)?;
        let expected = matrix.times(&problem.vector(number, 2, columns));
        expect_sums(device, "q", q, number, &expected)?;
    }
    Ok(())
}

/// Matrices of one shape. They are made again where they are needed, one at a time, so that the host holds
/// none.
struct Problem {
    count: usize,
    rows: usize,
    columns: usize,
}

impl Problem {
    fn of(size: Size) -> Problem {
        let (count, rows, columns) = size.pick((1, 512, 256), (32, 512, 512), (32, 1024, 1024));
        Problem { count, rows, columns }
    }

    fn in_words(size: Size) -> String {
        let Problem { count, rows, columns } = Problem::of(size);
        format!("{count} of {}", extent([rows, columns]))
    }

    fn matrix(&self, number: usize) -> Matrix {
        let elements = random(number as u64, self.rows * self.columns);
        Matrix { elements, columns: self.columns }
    }

    /// The vector that is `role` of a matrix.
    fn vector(&self, number: usize, role: u64, length: usize) -> Vec<f64> {
        self.single(number, role, length).into_iter().map(f64::from).collect()
    }

    fn single(&self, number: usize, role: u64, length: usize) -> Vec<f32> {
        random(1000 * role + number as u64, length)
    }

    /// The matrices in device memory, and room for vectors of these lengths for each.
    fn place<const VECTORS: usize, const ALL: usize>(
        &self,
        device: &mut Device,
        lengths: [usize; VECTORS],
    ) -> [Pointer; ALL] {
        let a = device.allocate((4 * self.count * self.rows * self.columns) as u64);
        for number in 0..self.count {
            let matrix = self.matrix(number).elements;
            device.write(a.offset(4 * (number * matrix.len()) as u64), &matrix).expect("just allocated");
        }
        let mut places = vec![a];
        places.extend(lengths.map(|length| device.allocate((4 * self.count * length) as u64)));
        places.try_into().expect("the matrices and each vector")
    }

    fn upload_vectors(&self, device: &mut Device, to: Pointer, role: u64, length: usize) -> Result<()> {
        let all: Vec<f32> = (0..self.count).flat_map(|number| self.single(number, role, length)).collect();
        device.write(to, &all)
    }

    /// `places`: matrices, vectors, and the sums, so many for each matrix.
    fn launch(
        &self,
        device: &mut Device,
        module: &Module,
        kernel: &str,
        sums: usize,
        places: [Pointer; 3],
    ) -> Result<()> {
        let mut arguments = places.map(Into::into).to_vec();
        arguments.extend([(self.rows as i32).into(), (self.columns as i32).into()]);
        let grid = ((sums as u32).div_ceil(THREADS), self.count as u32);
        device.launch(module, kernel, grid, THREADS, 0, &arguments)
    }
}

/// Row by row.
struct Matrix {
    elements: Vec<f32>,
    columns: usize,
}

impl Matrix {
    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let sum = |row: &[f32]| row.iter().zip(vector).map(|(&a, x)| f64::from(a) * x).sum();
        self.elements.chunks(self.columns).map(sum).collect()
    }

    fn transposed_times(&self, vector: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        for (row, x) in self.elements.chunks(self.columns).zip(vector) {
            for (sum, &a) in sums.iter_mut().zip(row) {
                *sum += f64::from(a) * x;
            }
        }
        sums
    }
}

fn random(seed: u64, count: usize) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| random.f32()).collect()
}

fn expect_sums(device: &Device, what: &str, sums: Pointer, number: usize, expected: &[f64]) -> Result<()> {
    let actual = device.read::<f32>(sums.offset(4 * (number * expected.len()) as u64), expected.len())?;
    let actual: Vec<f64> = actual.into_iter().map(f64::from).collect();
    expect_close(what, &actual, expected, TOLERANCE)
}
