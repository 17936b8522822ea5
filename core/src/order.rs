//! Byte order.

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl ByteOrder {
    /// The order of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "big") {
        Self::Big
    } else {
        Self::Little
    };

    /// `little` or `big`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }

    /// The other one.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Little => Self::Big,
            Self::Big => Self::Little,
        }
    }
}

/// Reverses the bytes of each `width`-byte element (1, 2, 4 or 8). The elements need not be
/// aligned.
pub fn swap_in_place(bytes: &mut [u8], width: usize) {
    match width {
        2 => swap_chunks::<2>(bytes),
        4 => swap_chunks::<4>(bytes),
        8 => swap_chunks::<8>(bytes),
        _ => {}
    }
}

fn swap_chunks<const N: usize>(bytes: &mut [u8]) {
    for chunk in bytes.as_chunks_mut::<N>().0 {
        chunk.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swaps_each_width() {
        for (width, expected) in [
            (1, [1, 2, 3, 4, 5, 6, 7, 8]),
            (2, [2, 1, 4, 3, 6, 5, 8, 7]),
            (4, [4, 3, 2, 1, 8, 7, 6, 5]),
            (8, [8, 7, 6, 5, 4, 3, 2, 1]),
        ] {
            let mut bytes = [1, 2, 3, 4, 5, 6, 7, 8];
            swap_in_place(&mut bytes, width);
            assert_eq!(bytes, expected, "width {width}");
        }
    }
}
