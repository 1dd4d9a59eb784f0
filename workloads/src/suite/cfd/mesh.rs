// SPDX-License-Identifier: Apache-2.0
//! A cube as tetrahedra.

use rustc_hash::FxHashMap;

/// Faces of a tetrahedron.
pub const FACES: usize = 4;

/// Elements are neighbours if they share a face.
pub struct Mesh {
    pub elements: Vec<Tetrahedron>,
}

/// A tetrahedron.
pub struct Tetrahedron {
    pub faces: [Face; FACES],
}

pub struct Face {
    pub neighbour: Neighbour,
    /// The normal, as long as the face is large.
    pub inward: [f64; 3],
}

#[derive(Clone, Copy, PartialEq)]
pub enum Neighbour {
    Element(usize),
    Wall,
    FarField,
}

/// Numbers within so many elements are mixed, so that neighbours lie near, but not side by side.
const MIXED: usize = 256;

/// A corner, in cells from the cube's corner at the origin.
type Corner = [u16; 3];

/// The tetrahedra of a cell: from its origin to the opposite corner, along the axes in every order.
const TETRAHEDRA: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

impl Mesh {
    /// Elements of a cube of `side` cells a side.
    pub fn elements_of_cube(side: usize) -> usize {
        TETRAHEDRA.len() * side.pow(3)
    }

    /// A cube of `side` cells a side, each of them six tetrahedra around a diagonal. Its floor is a wall.
    pub fn cube(side: usize, random: &mut fastrand::Rng) -> Mesh {
        let mut elements: Vec<[Corner; 4]> = vec![];
        for cell in 0..side.pow(3) {
            let origin = [cell % side, cell / side % side, cell / side / side].map(|along| along as u16);
            for axes in TETRAHEDRA {
                let mut corners = [origin; 4];
                for (step, axis) in axes.into_iter().enumerate() {
                    for corner in &mut corners[step + 1..] {
                        corner[axis] += 1;
                    }
                }
                elements.push(corners);
            }
        }
        elements.chunks_mut(MIXED).for_each(|near| random.shuffle(near));
        Mesh::of(&elements)
    }

    fn of(elements: &[[Corner; 4]]) -> Mesh {
        let face = |corners: &[Corner; 4], opposite: usize| {
            let mut face =
                [corners[(opposite + 1) % 4], corners[(opposite + 2) % 4], corners[(opposite + 3) % 4]];
            face.sort_unstable();
            face
        };
        let mut owners: FxHashMap<[Corner; 3], Vec<usize>> = FxHashMap::default();
        for (number, corners) in elements.iter().enumerate() {
            for opposite in 0..FACES {
                owners.entry(face(corners, opposite)).or_default().push(number);
            }
        }
        let element = |number: usize| {
            let corners = &elements[number];
            let faces = std::array::from_fn(|opposite| {
                let face = face(corners, opposite);
                let other = owners[&face].iter().find(|&&owner| owner != number);
                let on_floor = face.iter().all(|corner| corner[2] == 0);
                let neighbour = match other {
                    Some(&other) => Neighbour::Element(other),
                    None if on_floor => Neighbour::Wall,
                    None => Neighbour::FarField,
                };
                Face { neighbour, inward: inward(face, corners[opposite]) }
            });
            Tetrahedron { faces }
        };
        Mesh { elements: (0..elements.len()).map(element).collect() }
    }
}

impl Tetrahedron {
    /// Half the area of its faces.
    pub fn half_surface(&self) -> f64 {
        self.faces.iter().map(|face| 0.5 * length(face.inward)).sum()
    }
}

impl Neighbour {
    /// As the kernel has it.
    pub fn number(self) -> i32 {
        match self {
            Neighbour::Element(number) => number as i32,
            Neighbour::Wall => -1,
            Neighbour::FarField => -2,
        }
    }
}

pub fn length(vector: [f64; 3]) -> f64 {
    dot(vector, vector).sqrt()
}

pub fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The normal of a face, towards the corner that is not on it.
fn inward(face: [Corner; 3], inside: Corner) -> [f64; 3] {
    let [a, b, c] = face.map(|corner| corner.map(f64::from));
    let between = |from: [f64; 3], to: [f64; 3]| std::array::from_fn(|axis| to[axis] - from[axis]);
    let (u, v): ([f64; 3], [f64; 3]) = (between(a, b), between(a, c));
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let half = if dot(cross, between(a, inside.map(f64::from))) > 0.0 { 0.5 } else { -0.5 };
    cross.map(|along| half * along)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_closed_and_neighbours_are_so_to_each_other() {
        let mesh = Mesh::cube(3, &mut fastrand::Rng::with_seed(1));
        assert_eq!(mesh.elements.len(), 6 * 27);
        let (mut walls, mut far) = (0.0, 0.0);
        for (number, element) in mesh.elements.iter().enumerate() {
            for axis in 0..3 {
                let sum: f64 = element.faces.iter().map(|face| face.inward[axis]).sum();
                assert!(sum.abs() < 1e-12, "element {number} is open");
            }
            for face in &element.faces {
                match face.neighbour {
                    Neighbour::Wall => walls += length(face.inward),
                    Neighbour::FarField => far += length(face.inward),
                    Neighbour::Element(other) => {
                        let back = mesh.elements[other]
                            .faces
                            .iter()
                            .find(|back| back.neighbour == Neighbour::Element(number));
                        let back = back.expect("the neighbour knows the element").inward;
                        assert_eq!(back, face.inward.map(|along| -along));
                    }
                }
            }
        }
        // One side of the cube, and the other five.
        assert!((walls - 9.0).abs() < 1e-12 && (far - 45.0).abs() < 1e-12, "{walls} {far}");
    }
}
