// SPDX-License-Identifier: Apache-2.0
//! Elements of buffers, and where their values come from.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::arguments::{DeclaredArgument, Places};
use super::elements::{ElementType, Number};

/// Where values come from.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Values {
    #[default]
    Zero,
    /// 0, 1, 2, ...
    Iota,
    /// The same everywhere.
    Fill(Number),
    /// One by one.
    List(Vec<Number>),
    /// `start`, `start + step`, ...
    Range { start: Number, step: Number },
    /// Evenly distributed from `min` to `max`; the same seed gives the same values.
    Random { seed: u64, min: Number, max: Number },
    /// The bytes of a file, little endian.
    File(PathBuf),
    /// As the elements of an argument that is an array: addresses, structs.
    Array(Vec<DeclaredArgument>),
}

impl Values {
    /// Adds the files that they are read from, as they are written.
    pub fn files(&self, files: &mut Vec<PathBuf>) {
        match self {
            Values::File(path) => files.push(path.clone()),
            Values::Array(list) => list.iter().for_each(|argument| argument.files(files)),
            _ => {}
        }
    }

    /// `count` elements, little endian. Paths start from `folder`.
    pub fn bytes(
        &self,
        element: ElementType,
        count: usize,
        folder: &Path,
        places: &dyn Places,
    ) -> Result<Vec<u8>, String> {
        match self {
            Values::Zero => Ok(vec![0; count * element.size()]),
            Values::Iota => series(element, count, Number::Integer(0), Number::Integer(1)),
            Values::Fill(value) => each(element, count, |_| Ok(*value)),
            Values::List(list) if list.len() != count => {
                Err(format!("the list has {} values; give {count}", list.len()))
            }
            Values::List(list) => each(element, count, |index| Ok(list[index])),
            Values::Range { start, step } => series(element, count, *start, *step),
            Values::Random { seed, min, max } => random(element, count, *seed, *min, *max),
            Values::Array(list) => {
                let mut bytes = vec![];
                for argument in list {
                    bytes.extend(argument.bytes(places, folder)?);
                }
                let expected = count * element.size();
                if bytes.len() != expected {
                    return Err(format!("the array has {} bytes; give {expected}", bytes.len()));
                }
                Ok(bytes)
            }
            Values::File(path) => {
                let path = folder.join(path);
                let bytes = fs::read(&path).map_err(|error| {
                    format!("{}: cannot be read: {error}; check the path", path.display())
                })?;
                let expected = count * element.size();
                if bytes.len() != expected {
                    return Err(format!(
                        "{} has {} bytes; {count} elements of type {} take {expected}",
                        path.display(),
                        bytes.len(),
                        element.name(),
                    ));
                }
                Ok(bytes)
            }
        }
    }
}

fn each(
    element: ElementType,
    count: usize,
    mut value: impl FnMut(usize) -> Result<Number, String>,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(count * element.size());
    for index in 0..count {
        element.encode(value(index)?, &mut bytes)?;
    }
    Ok(bytes)
}

fn series(element: ElementType, count: usize, start: Number, step: Number) -> Result<Vec<u8>, String> {
    each(element, count, |index| match (start, step) {
        (Number::Integer(start), Number::Integer(step)) => {
            let value = step.checked_mul(index as i64).and_then(|distance| start.checked_add(distance));
            value.map(Number::Integer).ok_or_else(|| format!("value {index} of the series overflows"))
        }
        _ => Ok(Number::Float(start.to_f64() + step.to_f64() * index as f64)),
    })
}

fn random(
    element: ElementType,
    count: usize,
    seed: u64,
    min: Number,
    max: Number,
) -> Result<Vec<u8>, String> {
    let mut random = fastrand::Rng::with_seed(seed);
    if min.to_f64() > max.to_f64() {
        return Err(format!("min = {} is above max = {}; swap them", min.text(), max.text()));
    }
    match (element.is_integer(), min, max) {
        (true, Number::Integer(min), Number::Integer(max)) => {
            each(element, count, |_| Ok(Number::Integer(random.i64(min..=max))))
        }
        (true, ..) => Err(format!("min and max of type {} are whole numbers", element.name())),
        (false, ..) => {
            let (min, max) = (min.to_f64(), max.to_f64());
            each(element, count, |_| Ok(Number::Float(min + (max - min) * random.f64())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nowhere;

    impl Places for Nowhere {
        fn buffer(&self, name: &str) -> Result<u64, String> {
            Err(format!("no buffer {name}"))
        }

        fn variable(&self, name: &str) -> Result<u64, String> {
            self.buffer(name)
        }

        fn image(&self, name: &str) -> Result<u64, String> {
            self.buffer(name)
        }

        fn round(&self) -> u64 {
            0
        }
    }

    fn texts(values: &Values, element: ElementType, count: usize) -> Result<String, String> {
        let bytes = values.bytes(element, count, Path::new("."), &Nowhere)?;
        let texts: Vec<_> = bytes.chunks(element.size()).map(|bytes| element.text(bytes)).collect();
        Ok(texts.join(" "))
    }

    #[test]
    fn values_come_as_described() {
        let whole = Number::Integer;
        assert_eq!(texts(&Values::Zero, ElementType::U16, 3).unwrap(), "0 0 0");
        assert_eq!(texts(&Values::Iota, ElementType::I8, 4).unwrap(), "0 1 2 3");
        assert_eq!(texts(&Values::Fill(whole(-1)), ElementType::I64, 2).unwrap(), "-1 -1");
        assert_eq!(texts(&Values::Fill(Number::Float(0.1)), ElementType::F32, 1).unwrap(), "0.1");
        let list = Values::List(vec![whole(3), Number::Float(0.5)]);
        assert_eq!(texts(&list, ElementType::F16, 2).unwrap(), "3 0.5");
        let range = Values::Range { start: Number::Float(1.5), step: whole(-1) };
        assert_eq!(texts(&range, ElementType::F64, 3).unwrap(), "1.5 0.5 -0.5");
    }

    #[test]
    fn random_values_stay_in_range_and_repeat() {
        for element in [ElementType::I16, ElementType::F16, ElementType::F64] {
            let random = Values::Random { seed: 7, min: Number::Integer(-3), max: Number::Integer(2) };
            let bytes = random.bytes(element, 500, Path::new("."), &Nowhere).unwrap();
            assert_eq!(bytes, random.bytes(element, 500, Path::new("."), &Nowhere).unwrap());
            let values: Vec<f64> = bytes.chunks(element.size()).map(|bytes| element.to_f64(bytes)).collect();
            assert!(values.iter().all(|value| (-3.0..=2.0).contains(value)), "{values:?}");
            assert!(values.iter().any(|&value| value < -1.0) && values.iter().any(|&value| value > 1.0));
        }
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        let refused = |values: Values, element, part: &str| {
            let error = texts(&values, element, 300).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        refused(Values::Iota, ElementType::U8, "256 does not fit type u8");
        refused(Values::Fill(Number::Integer(-1)), ElementType::U32, "-1 does not fit type u32");
        refused(Values::Fill(Number::Float(1.5)), ElementType::I32, "1.5 does not fit type i32");
        refused(Values::List(vec![Number::Integer(1)]), ElementType::F32, "give 300");
        let range = Values::Range { start: Number::Integer(i64::MAX), step: Number::Integer(1) };
        refused(range, ElementType::I64, "overflows");
        let random = |min, max| Values::Random { seed: 1, min, max };
        refused(random(Number::Integer(2), Number::Integer(1)), ElementType::F32, "above max");
        refused(random(Number::Float(0.5), Number::Integer(1)), ElementType::U8, "whole numbers");
    }
}
