//! Matrices of numbers.

use spr_core::Limits;
use spr_core::model::{Dtype, Element, Matrix, Rank, bf16, f16};

use crate::faults::Random;

/// A matrix filled from a seed: any bits at all, small numbers, and the ends of the type's range
/// with its NaNs, infinities, denormals and zeros. Seed 0 gives zeros.
pub fn matrix(dtype: Dtype, rank: Rank, rows: usize, cols: usize, seed: u64) -> Matrix {
    let mut matrix = Matrix::default();
    let bytes = matrix
        .reset(dtype, rank, rows, cols, &Limits::default())
        .expect("a matrix for a test is small");
    let mut random = Random::new(seed);
    let size = dtype.size();
    for element in bytes.chunks_exact_mut(size) {
        let bits = if seed == 0 {
            0
        } else {
            bits(dtype, &mut random)
        };
        if cfg!(target_endian = "big") {
            element.copy_from_slice(&bits.to_be_bytes()[8 - size..]);
        } else {
            element.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
    }
    matrix
}

/// A matrix of small numbers that every element type tells apart: 0, 1, 2, … 99, 0, 1, …; of truth
/// values, 0 and 1 in turn.
pub fn plain(dtype: Dtype, rank: Rank, rows: usize, cols: usize) -> Matrix {
    let mut matrix = matrix(dtype, rank, rows, cols, 0);
    let different = if dtype == Dtype::Bool { 2 } else { 100 };
    spr_core::dispatch!(dtype, T => {
        for (n, value) in matrix.values_mut::<T>().expect("its own type").iter_mut().enumerate() {
            *value = T::parse((n % different).to_string().as_bytes()).expect("every type holds it");
        }
    });
    matrix
}

const F32: [u64; 12] = [
    0x8000_0000, // -0
    0x7f80_0000, // inf
    0xff80_0000, // -inf
    0x7fc0_0000, // NaN
    0x7fa0_0001, // signalling NaN
    0xffc1_2345, // negative NaN with a payload
    0x0000_0001, // smallest denormal
    0x807f_ffff, // largest denormal
    0x0080_0000, // smallest normal
    0x7f7f_ffff, // largest
    0xff7f_ffff, // lowest
    0x3f80_0001, // next after 1
];

const F16: [u64; 12] = [
    0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7d01, 0xfe12, 0x0001, 0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3c01,
];

const BF16: [u64; 12] = [
    0x8000, 0x7f80, 0xff80, 0x7fc0, 0x7fa1, 0xffc1, 0x0001, 0x807f, 0x0080, 0x7f7f, 0xff7f, 0x3f81,
];

const F64: [u64; 12] = [
    0x8000_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x7ff4_0000_0000_0001,
    0xfff8_1234_5678_9abc,
    0x0000_0000_0000_0001,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0001,
];

fn bits(dtype: Dtype, random: &mut Random) -> u64 {
    let small = i16::try_from(random.below(2001)).expect("small") - 1000;
    let tenth = f32::from(small) / 10.0;
    let edges = random.below(12);
    match (random.below(4), dtype) {
        (_, Dtype::Bool) => random.next() & 1,
        (0, _) => random.next(),
        (1, Dtype::F32) => F32[edges],
        (1, Dtype::F64) => F64[edges],
        (1, Dtype::F16) => F16[edges],
        (1, Dtype::Bf16) => BF16[edges],
        (_, Dtype::F32) => tenth.to_bits().into(),
        (_, Dtype::F64) => (f64::from(small) / 10.0).to_bits(),
        (_, Dtype::F16) => f16::from_f32(tenth).to_bits().into(),
        (_, Dtype::Bf16) => bf16::from_f32(tenth).to_bits().into(),
        (
            sort,
            Dtype::I8
            | Dtype::U8
            | Dtype::I16
            | Dtype::U16
            | Dtype::I32
            | Dtype::U32
            | Dtype::I64
            | Dtype::U64,
        ) => {
            let top = 1u64 << (8 * dtype.size() - 1);
            match sort {
                1 => [0, top, top - 1, u64::MAX][random.below(4)],
                _ => i64::from(small).cast_unsigned(),
            }
        }
    }
}
