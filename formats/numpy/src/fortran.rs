//! Fortran order: arrays whose first index varies fastest.

use spr_core::{Error, Result};

/// Converts elements of `size` bytes from Fortran order to C order in `to`.
///
/// # Errors
/// The number of elements does not match `shape`.
pub(crate) fn reorder(from: &[u8], shape: &[usize], size: usize, to: &mut [u8]) -> Result<()> {
    let wrong = || Error::malformed("elements that do not fill the shape of their array");
    if from.len() != to.len() || shape.iter().product::<usize>() * size != from.len() {
        return Err(wrong());
    }
    // The distance between elements along each dimension, in bytes.
    let mut steps = vec![size; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis] * shape[axis];
    }
    let mut index = vec![0; shape.len()];
    let mut at = 0;
    for element in from.chunks_exact(size) {
        let place = to.get_mut(at..at + size).ok_or_else(wrong)?;
        place.copy_from_slice(element);
        for ((index, step), len) in index.iter_mut().zip(&steps).zip(shape) {
            *index += 1;
            at += step;
            if *index < *len {
                break;
            }
            at -= step * len;
            *index = 0;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_is_turned() {
        let turned = |from: &[u8], shape: &[usize], size: usize| {
            let mut to = vec![0; from.len()];
            reorder(from, shape, size, &mut to).unwrap();
            to
        };
        assert_eq!(turned(&[1, 2, 3, 4, 5, 6], &[2, 3], 1), [1, 3, 5, 2, 4, 6]);
        assert_eq!(turned(&[1, 2, 3, 4], &[1, 2], 2), [1, 2, 3, 4]);
        assert_eq!(
            turned(&[1, 2, 3, 4, 5, 6, 7, 8], &[2, 2], 2),
            [1, 2, 5, 6, 3, 4, 7, 8]
        );
        // The first index is worth 1, the second 2, the third 6.
        let cube = turned(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], &[2, 3, 2], 1);
        assert_eq!(cube, [0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11]);
        assert!(turned(&[], &[3, 0], 4).is_empty());
        assert!(reorder(&[1], &[2], 1, &mut [0]).is_err());
    }
}
