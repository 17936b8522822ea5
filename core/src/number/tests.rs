//! Numbers of every type as text, and decimals in their lowest terms.

use std::collections::HashSet;

use super::*;

fn printed<T: Element>(values: &[T]) -> String {
    let mut out = Vec::new();
    print_row(values, b' ', &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn rows_are_printed_with_as_few_digits_as_come_back() {
    assert_eq!(printed(&[1i8, -128]), "1 -128");
    assert_eq!(printed(&[u64::MAX]), "18446744073709551615");
    assert_eq!(
        printed(&[0.1f32, 1e-45, 16_777_216.0]),
        "0.1 1e-45 16777216"
    );
    assert_eq!(printed(&[0.1f64, -0.0]), "0.1 -0");
    assert_eq!(printed(&[true, false]), "1 0");
    // The shortest of 0.0999755859375 and 65504 that no other half is nearer to.
    let halves = [0.1f32, 65504.0].map(f16::from_f32);
    assert_eq!(printed(&halves), "0.1 65500");
    assert_eq!(
        printed(&[bf16::from_f32(0.1), bf16::from_f32(256.0)]),
        "0.1 256"
    );
    assert_eq!(printed::<i32>(&[]), "");
    let mut out = Vec::new();
    print_rows(&[1i32, 2, 3, 4], 2, b"[", b',', &mut out);
    assert_eq!(out, b"[1,2,[3,4,");
    out.clear();
    print_rows(&[1f32, 2.5, 3.0, 4.0], 2, b"[", b',', &mut out);
    assert_eq!(out, b"[1,2.5,[3,4,");
}

#[test]
fn text_is_parsed_as_the_type_that_is_wanted() {
    assert_eq!(i8::parse(b"-128"), Some(-128));
    assert_eq!(i8::parse(b"128"), None);
    assert_eq!(u64::parse(b"18446744073709551615"), Some(u64::MAX));
    assert_eq!(
        f32::parse(b"1e39"),
        f32::parse(b"x"),
        "beyond the type, and none"
    );
    assert_eq!(f64::parse(b"1e39"), Some(1e39));
    for (text, value) in [
        (&b"1"[..], Some(true)),
        (b"true", Some(true)),
        (b"0", Some(false)),
        (b"false", Some(false)),
        (b"2", None),
        (b"", None),
    ] {
        assert_eq!(bool::parse(text), value);
    }
    assert_eq!(f16::parse(b"0.1"), Some(f16::from_f32(0.1)));
    assert_eq!(f16::parse(b"65504"), Some(f16::MAX));
    assert_eq!(f16::parse(b"70000"), None, "it would be infinite");
    assert_eq!(f16::parse(b"inf"), Some(f16::INFINITY));
    assert_eq!(bf16::parse(b"70000"), Some(bf16::from_f32(70000.0)));
}

#[test]
fn wide_numbers_become_the_nearest_truth_value() {
    let cases = [
        (Wide::Int(0), false),
        (Wide::Int(-3), false),
        (Wide::Int(2), true),
        (Wide::Float(0.5), false),
        (Wide::Float(0.6), true),
        (Wide::Float(f64::NAN), false),
    ];
    for (n, (wide, truth)) in cases.into_iter().enumerate() {
        assert_eq!(bool::nearest(wide), truth, "{n}");
    }
}

#[test]
fn decimals_that_are_equal_are_one() {
    let of = |text: &str| Decimal::parse(text).unwrap();
    for (text, terms) in [
        ("0", (0, 0)),
        ("0.00", (0, 0)),
        ("12.50", (125, -1)),
        ("-300", (-3, 2)),
        ("1e5", (1, 5)),
    ] {
        assert_eq!(of(text).in_lowest_terms(), terms, "{text}");
    }
    let set: HashSet<_> = ["1.50", "1.5", "15e-1", "2"].map(of).into();
    assert_eq!(set.len(), 2);
    let signs = ["1", "0", "-1"].map(|text| {
        let number = of(text);
        (number.is_positive(), number.is_negative(), number.is_zero())
    });
    let expected = [
        (true, false, false),
        (false, false, true),
        (false, true, false),
    ];
    assert_eq!(signs, expected);
}
