//! The type of a column of numbers, by the shapes of all of them.

use arrow_schema::DataType;
use spr_core::model::Dtype;

use crate::feature::{fixed, list};
use crate::numbers::{arrow_type, nested};

/// The sizes of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sizes {
    Unknown,
    All(usize),
    Differ,
}

/// What the numbers of a column have in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    dtype: Option<Dtype>,
    sizes: Vec<Sizes>,
    /// Whether types or numbers of dimensions differ.
    differ: bool,
    /// The dimensions whose size a list of no rows would lose, as bits.
    hidden: u16,
}

impl Shapes {
    /// Adds an array.
    pub(crate) fn add(&mut self, dtype: Dtype, shape: &[usize]) {
        if self.dtype.is_none() {
            self.dtype = Some(dtype);
            self.sizes = vec![Sizes::Unknown; shape.len()];
        }
        if self.dtype != Some(dtype) || self.sizes.len() != shape.len() {
            self.differ = true;
            return;
        }
        for (sizes, size) in self.sizes.iter_mut().zip(shape) {
            *sizes = match *sizes {
                Sizes::Unknown => Sizes::All(*size),
                Sizes::All(other) if other == *size => Sizes::All(other),
                _ => Sizes::Differ,
            };
        }
        let empty = shape.iter().position(|size| *size == 0);
        let behind = empty.map_or(shape.len(), |at| at + 1);
        for (level, size) in shape.iter().enumerate().skip(behind) {
            if *size > 0 {
                self.hidden |= 1 << level.min(15);
            }
        }
    }

    /// Returns the type of nested lists: with lengths where all agree. `None` if the numbers differ
    /// too much.
    pub(crate) fn lists(&self) -> Option<DataType> {
        let lengths = self
            .sizes
            .iter()
            .enumerate()
            .map(|(level, sizes)| match sizes {
                Sizes::All(size) if level > 0 && *size > 0 => i32::try_from(*size).ok(),
                _ => None,
            });
        let lengths: Vec<_> = lengths.collect();
        let mut dtype = arrow_type(self.dtype?)?;
        for length in lengths.iter().rev() {
            dtype = match length {
                Some(length) => fixed(dtype, *length),
                None => list(dtype),
            };
        }
        self.fits(&dtype).then_some(dtype)
    }

    /// Returns `true` if nested lists of this type hold all numbers as they are.
    pub(crate) fn fits(&self, dtype: &DataType) -> bool {
        let is_same = nested(dtype) == self.dtype.map(|own| (own, self.sizes.len()));
        if self.differ || !is_same || self.sizes.is_empty() {
            return false;
        }
        let mut level = dtype;
        for (n, sizes) in self.sizes.iter().enumerate() {
            let is_hidden = self.hidden & (1 << n.min(15)) != 0;
            level = match level {
                DataType::FixedSizeList(item, length) => {
                    if usize::try_from(*length).map(Sizes::All) != Ok(*sizes) {
                        return false;
                    }
                    item.data_type()
                }
                DataType::List(_) | DataType::LargeList(_) if is_hidden => return false,
                DataType::List(item) | DataType::LargeList(item) => item.data_type(),
                _ => return false,
            };
        }
        true
    }

    /// Returns `true` if all shapes agree with one in which `None` is any size.
    pub(crate) fn are(&self, shape: &[Option<i64>]) -> bool {
        let agrees = |(sizes, wanted): (&Sizes, &Option<i64>)| match (sizes, wanted) {
            (_, None) => true,
            (Sizes::All(size), Some(wanted)) => i64::try_from(*size) == Ok(*wanted),
            _ => false,
        };
        shape.len() == self.sizes.len() && self.sizes.iter().zip(shape).all(agrees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(shapes: &[&[usize]]) -> Option<String> {
        let mut all = Shapes::default();
        for shape in shapes {
            all.add(Dtype::F32, shape);
        }
        let mut dtype = all.lists()?;
        let mut words = Vec::new();
        loop {
            let (word, item) = match &dtype {
                DataType::List(item) => ("*".to_owned(), item),
                DataType::FixedSizeList(item, n) => (n.to_string(), item),
                _ => return Some(words.join(" ")),
            };
            words.push(word);
            dtype = item.data_type().clone();
        }
    }

    #[test]
    fn lengths_are_told_where_they_agree() {
        for (shapes, expected) in [
            (&[&[3, 4][..], &[5, 4]][..], Some("* 4")),
            (&[&[3, 4], &[0, 4]], Some("* 4")),
            (&[&[3, 4], &[0, 0]], Some("* *")),
            (&[&[3, 4], &[5, 3]], Some("* *")),
            (&[&[3, 4], &[5, 3], &[0, 3]], None),
            (&[&[3, 0]], Some("* *")),
            (&[&[3], &[0]], Some("*")),
            (&[&[2, 3, 4], &[2, 3, 5]], Some("* 3 *")),
            (&[&[3], &[3, 1]], None),
            (&[&[]], None),
        ] {
            assert_eq!(lists(shapes).as_deref(), expected, "{shapes:?}");
        }
    }
}
