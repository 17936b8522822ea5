use spr_core::bytes::Source;
use spr_core::model::Matrix;
use spr_core::{ErrorKind, Limits, Result};

use super::{Decoder, Encoder, Header};

fn decode(bytes: &[u8]) -> Result<Matrix> {
    let mut source = Source::from_bytes("memory", bytes.to_vec())?;
    let mut values = Matrix::default();
    Decoder::open(&mut source)?.read(&mut values, &Limits::default())?;
    match source.at_end()? {
        true => Ok(values),
        false => Err(source.malformed("more")),
    }
}

fn bytes_of(hex: &str) -> Vec<u8> {
    let pairs = hex.as_bytes().chunks(2);
    pairs
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

#[test]
fn streams_are_those_of_lilcom() {
    for (values, shape, tick, hex) in [
        (vec![0.0], vec![1], -5, "4c0063951400"),
        (vec![1.0], vec![1], -5, "4c00639d8b0100"),
        (
            vec![0.0; 10_000_000],
            vec![100_000, 100],
            -8,
            "4c007002801f0004d4300000210304000800080004000120000210408080401022000080729618",
        ),
    ] {
        let (bytes, loss) = Encoder::new(tick, true)
            .unwrap()
            .encode(&values, &shape)
            .unwrap();
        assert_eq!(bytes, bytes_of(hex));
        assert_eq!(loss.changed, 0);
        let back = decode(&bytes).unwrap();
        assert_eq!(back.values::<f32>().unwrap(), values);
        let shape: Vec<_> = shape.iter().map(|n| *n as u64).collect();
        assert_eq!(Header::of(&bytes).unwrap().shape, shape);
    }
}

/// Numbers without an end: the next of a linear congruence.
fn noise(seed: &mut u64) -> f32 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 40) as f32 / (1u64 << 24) as f32 - 0.5
}

#[test]
fn any_array_comes_back_within_half_a_tick() {
    let mut seed = 1;
    for (n, shape) in [
        vec![1],
        vec![7],
        vec![5000],
        vec![500, 80],
        vec![3, 5000],
        vec![40, 1],
        vec![1, 40],
        vec![5, 6, 7],
        vec![2, 3, 4, 5],
        vec![2, 3, 4, 1],
    ]
    .into_iter()
    .enumerate()
    {
        let len = shape.iter().product();
        for scale in [0.0, 1e-3, 1.0, 30.0, 1e5] {
            let mut sum = 0.0;
            let values: Vec<f32> = (0..len)
                .map(|_| {
                    sum += noise(&mut seed) * scale;
                    if n % 2 == 0 {
                        sum
                    } else {
                        noise(&mut seed) * scale
                    }
                })
                .collect();
            for tick in [-20i32, -8, -5, 0, 20] {
                let most = values
                    .iter()
                    .fold(0f32, |most, value| most.max(value.abs()));
                if f64::from(most) > 2f64.powi(29 + tick) {
                    continue;
                }
                for regression in [false, true] {
                    let encoder = Encoder::new(tick, regression).unwrap();
                    let (bytes, loss) = encoder.encode(&values, &shape).unwrap();
                    let back = decode(&bytes).unwrap();
                    let back = back.values::<f32>().unwrap();
                    let half = 2f64.powi(tick - 1);
                    // Predictions may be as large as the largest values, and are rounded as well.
                    let ulp = f64::from(most.next_up()) - f64::from(most);
                    let mut worst = 0f64;
                    for (value, back) in values.iter().zip(back) {
                        let error = (f64::from(*value) - f64::from(*back)).abs();
                        assert!(error <= half + 8.0 * ulp, "{value} {back} {tick}");
                        worst = worst.max(error);
                    }
                    assert_eq!(loss.max_abs_err, worst);
                    assert_eq!((loss.values, loss.clipped), (values.len() as u64, 0));
                }
            }
        }
    }
}

#[test]
fn values_out_of_range_are_counted() {
    let values = [1e9, -1e9, 3.0, 1e9];
    let (bytes, loss) = Encoder::default().encode(&values, &[4]).unwrap();
    assert!(loss.clipped > 0 && loss.changed >= loss.clipped);
    decode(&bytes).unwrap();
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = Encoder::default().encode(&[1.0, value], &[2]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unfit);
    }
    // Squares out of range have no coefficient.
    Encoder::default().encode(&[1e30, 1e30], &[2]).unwrap();
    Encoder::default().encode(&[], &[0]).unwrap_err();
    Encoder::default().encode(&[1.0], &[2]).unwrap_err();
    Encoder::default().encode(&[1.0], &[]).unwrap_err();
    Encoder::new(21, true).unwrap_err();
}

#[test]
fn every_cut_and_any_further_byte_is_found() {
    let mut seed = 5;
    let values: Vec<f32> = (0..600).map(|_| noise(&mut seed) * 9.0).collect();
    let (bytes, _) = Encoder::default().encode(&values, &[200, 3]).unwrap();
    for len in 0..bytes.len() {
        let error = decode(&bytes[..len]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{len}: {error}");
    }
    let error = decode(&[&bytes[..], &[0]].concat()).unwrap_err();
    assert!(error.to_string().contains("more"), "{error}");
}

#[test]
fn wrong_headers_are_refused_by_name() {
    let header = |integers: &[i32]| {
        let mut out = super::bits::BitWriter::new(b"L\0".to_vec());
        let integers: Vec<_> = integers.iter().map(|n| super::unsigned(*n)).collect();
        super::integers::write(&integers, &mut out);
        [out.finish(), vec![0; 9]].concat()
    };
    for (bytes, kind, why) in [
        (b"L\x01abc".to_vec(), ErrorKind::Unsupported, "version 1"),
        (b"M\0abc".to_vec(), ErrorKind::Malformed, "starts with L"),
        (b"L".to_vec(), ErrorKind::Truncated, "header"),
        (header(&[0, 0, 1]), ErrorKind::Malformed, "0 axes"),
        (header(&[17, 0, 1]), ErrorKind::Malformed, "17 axes"),
        (header(&[1, 21, 1]), ErrorKind::Malformed, "the tick 2^21"),
        (header(&[1, 0, 0]), ErrorKind::Malformed, "axis 0 of size 0"),
        (
            header(&[1, 0, -3]),
            ErrorKind::Malformed,
            "axis 0 of size -3",
        ),
        (
            header(&[2, 0, 1, 0, 1, 257]),
            ErrorKind::Malformed,
            "the coefficient 257 of axis 1",
        ),
        (
            header(&[2, 0, i32::MAX, 0, i32::MAX, 0]),
            ErrorKind::Limit,
            "limit",
        ),
        (
            header(&[3, 0, i32::MAX, 0, i32::MAX, 0, i32::MAX, 0]),
            ErrorKind::Limit,
            "2147483647 x 2147483647",
        ),
    ] {
        let error = decode(&bytes).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(why), "{why}: {error}");
    }
    // Width 32, and on: an integer of 33 bits.
    let wide = [b'L', 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let error = decode(&wide).unwrap_err();
    assert!(error.to_string().contains("more than 32 bits"), "{error}");
    // A start width of 0, and a run of 2^31 zeros.
    let run = [b'L', 0, 0, 0, 0, 0, 0xf0, 0xff, 0xff, 0xff, 0xff];
    let error = decode(&run).unwrap_err();
    assert!(error.to_string().contains("2^31 zeros"), "{error}");
}
