//! Byte orders that are known as the program runs. Reading and writing a number in one of them is
//! `byteorder`'s; what that lacks stands here: the order as a value, and the swap of bytes that need
//! not be aligned.

use byteorder::{BigEndian, ByteOrder as _, LittleEndian};

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl ByteOrder {
    /// The byte order of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "big") {
        Self::Big
    } else {
        Self::Little
    };

    /// Returns `little` or `big`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }
}

macro_rules! numbers {
    ($($number:ident: $read:ident $write:ident $put:ident;)*) => {
        impl ByteOrder {
            $(
                #[doc = concat!("Returns the `", stringify!($number), "` that these bytes are.")]
                pub fn $read(self, bytes: [u8; size_of::<$number>()]) -> $number {
                    match self {
                        Self::Little => LittleEndian::$read(&bytes),
                        Self::Big => BigEndian::$read(&bytes),
                    }
                }
            )*
        }

        /// Appends numbers to bytes.
        pub trait PutNumber {
            $(
                #[doc = concat!("Appends the bytes of a `", stringify!($number), "`.")]
                fn $put(&mut self, number: $number, order: ByteOrder);
            )*
        }

        impl PutNumber for Vec<u8> {
            $(
                fn $put(&mut self, number: $number, order: ByteOrder) {
                    let mut bytes = [0; size_of::<$number>()];
                    match order {
                        ByteOrder::Little => LittleEndian::$write(&mut bytes, number),
                        ByteOrder::Big => BigEndian::$write(&mut bytes, number),
                    }
                    self.extend_from_slice(&bytes);
                }
            )*
        }
    };
}

numbers! {
    u16: read_u16 write_u16 put_u16;
    u32: read_u32 write_u32 put_u32;
    u64: read_u64 write_u64 put_u64;
    i32: read_i32 write_i32 put_i32;
    i64: read_i64 write_i64 put_i64;
    f32: read_f32 write_f32 put_f32;
    f64: read_f64 write_f64 put_f64;
}

/// Reverses the bytes of each `width`-byte element (1, 2, 4 or 8). The elements need not be
/// aligned.
pub fn swap_in_place(bytes: &mut [u8], width: usize) {
    match width {
        2 => each::<2>(bytes, |element| {
            let number = BigEndian::read_u16(element);
            LittleEndian::write_u16(element, number);
        }),
        4 => each::<4>(bytes, |element| {
            let number = BigEndian::read_u32(element);
            LittleEndian::write_u32(element, number);
        }),
        8 => each::<8>(bytes, |element| {
            let number = BigEndian::read_u64(element);
            LittleEndian::write_u64(element, number);
        }),
        _ => {}
    }
}

fn each<const N: usize>(bytes: &mut [u8], swap: impl Fn(&mut [u8; N])) {
    bytes.as_chunks_mut().0.iter_mut().for_each(swap);
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

    #[test]
    fn numbers_come_back_in_either_order() {
        for (order, first) in [(ByteOrder::Little, 2), (ByteOrder::Big, 1)] {
            let mut bytes = Vec::new();
            bytes.put_u16(0x0102, order);
            assert_eq!(bytes[0], first);
            assert_eq!(order.read_u16([bytes[0], bytes[1]]), 0x0102);
            bytes.clear();
            bytes.put_f64(-1.5, order);
            assert_eq!(bytes.first_chunk().map(|b| order.read_f64(*b)), Some(-1.5));
        }
    }
}
