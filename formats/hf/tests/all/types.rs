//! Values of every type become text, and leave in the type that they had.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeBinaryBuilder, Int64Builder, LargeListBuilder, MapBuilder, StringBuilder,
};
use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_buffer::i256;
use arrow_schema::DataType;

use crate::common::{dtype_of, parquet, read_bytes, refusal, table_of, tags, texts, written};

/// A column of the value `$value` and a null.
macro_rules! one {
    ($array:ident, $value:expr) => {
        Arc::new($array::from(vec![Some($value), None])) as ArrayRef
    };
}

fn list_of_text() -> ArrayRef {
    let mut list = LargeListBuilder::new(StringBuilder::new());
    list.values().append_value("x");
    list.values().append_null();
    list.append(true);
    list.append(false);
    Arc::new(list.finish())
}

fn map() -> ArrayRef {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    map.keys().append_value("k");
    map.values().append_value(1);
    map.append(true).unwrap();
    map.append(false).unwrap();
    Arc::new(map.finish())
}

fn fixed_bytes() -> ArrayRef {
    let mut bytes = FixedSizeBinaryBuilder::new(2);
    bytes.append_value([0, 1]).unwrap();
    bytes.append_null();
    Arc::new(bytes.finish())
}

fn dictionary() -> ArrayRef {
    let keys = Int8Array::from(vec![Some(1), None]);
    let values = Arc::new(Int32Array::from(vec![7, -8]));
    Arc::new(DictionaryArray::<Int8Type>::try_new(keys, values).unwrap())
}

/// Columns of types with a word in `datasets`, and what their value is.
fn with_words() -> Vec<(&'static str, ArrayRef, &'static str)> {
    let zone = TimestampSecondArray::from(vec![Some(-1), None]).with_timezone("Europe/Brussels");
    let decimal = Decimal128Array::from(vec![Some(-5), None]).with_precision_and_scale(20, 3);
    vec![
        ("bool", one!(BooleanArray, true), "true"),
        ("i8", one!(Int8Array, -128), "-128"),
        ("i16", one!(Int16Array, -300), "-300"),
        ("i32", one!(Int32Array, 70_000), "70000"),
        ("i64", one!(Int64Array, -5_000_000_000), "-5000000000"),
        ("u8", one!(UInt8Array, 255), "255"),
        ("u16", one!(UInt16Array, 65_535), "65535"),
        ("u32", one!(UInt32Array, 4_294_967_295), "4294967295"),
        ("u64", one!(UInt64Array, u64::MAX), "18446744073709551615"),
        ("f16", one!(Float16Array, half::f16::from_f32(0.5)), "0.5"),
        ("f32", one!(Float32Array, 0.1), "0.1"),
        ("f64", one!(Float64Array, 1e300), "1e+300"),
        ("date32", one!(Date32Array, 2), "2"),
        ("date64", one!(Date64Array, 86_400_000), "86400000"),
        ("time_s", one!(Time32SecondArray, 61), "61"),
        ("time_ms", one!(Time32MillisecondArray, 62), "62"),
        ("time_us", one!(Time64MicrosecondArray, 63), "63"),
        ("time_ns", one!(Time64NanosecondArray, 64), "64"),
        ("at_s", Arc::new(zone), "-1"),
        ("at_ms", one!(TimestampMillisecondArray, 65), "65"),
        ("at_us", one!(TimestampMicrosecondArray, 66), "66"),
        ("at_ns", one!(TimestampNanosecondArray, 67), "67"),
        ("for_s", one!(DurationSecondArray, 68), "68"),
        ("for_ms", one!(DurationMillisecondArray, 69), "69"),
        ("for_us", one!(DurationMicrosecondArray, 70), "70"),
        ("for_ns", one!(DurationNanosecondArray, 71), "71"),
        ("decimal", Arc::new(decimal.unwrap()), "-0.005"),
        ("large", one!(LargeStringArray, "é\""), "\"é\\\"\""),
        ("view", one!(StringViewArray, "view"), "\"view\""),
        ("binary", one!(BinaryArray, &[0u8, 1][..]), "\"AAE=\""),
        (
            "large_binary",
            one!(LargeBinaryArray, &[255u8][..]),
            "\"/w==\"",
        ),
        ("list", list_of_text(), "[\"x\", null]"),
    ]
}

/// Columns of types that `datasets` has no word for.
fn without_words() -> Vec<(&'static str, ArrayRef, &'static str)> {
    let d32 = Decimal32Array::from(vec![Some(150), None]).with_precision_and_scale(9, 2);
    let d64 = Decimal64Array::from(vec![Some(-1), None]).with_precision_and_scale(18, 1);
    let d256 = Decimal256Array::from(vec![Some(i256::from_i128(12)), None]);
    let d256 = d256.with_precision_and_scale(50, 0);
    vec![
        ("d32", Arc::new(d32.unwrap()), "1.50"),
        ("d64", Arc::new(d64.unwrap()), "-0.1"),
        ("d256", Arc::new(d256.unwrap()), "12"),
        ("dictionary", dictionary(), "-8"),
        ("fixed", fixed_bytes(), "\"AAE=\""),
        (
            "byte_view",
            one!(BinaryViewArray, &[1u8, 2, 3][..]),
            "\"AQID\"",
        ),
        ("map", map(), "[{\"key\": \"k\", \"value\": 1}]"),
    ]
}

fn file(all: &[(&'static str, ArrayRef, &'static str)]) -> Vec<u8> {
    let mut columns = vec![("id", texts(&["a", "b"])), ("text", texts(&["one", "two"]))];
    columns.extend(all.iter().map(|(name, array, _)| (*name, array.clone())));
    parquet(&columns, None)
}

#[test]
fn values_are_shown_as_json() {
    let all = [with_words(), without_words()].concat();
    let found = read_bytes(file(&all), &[]).unwrap();
    assert_eq!(
        (found.keys().as_str(), found.errors.len()),
        ("a b", 0),
        "{found:?}"
    );
    let expected = all
        .iter()
        .map(|(name, _, value)| ((*name).to_owned(), (*value).to_owned()));
    assert_eq!(tags(&found.utts[0]), expected.collect::<Vec<_>>());
    assert_eq!(tags(&found.utts[1]), []);
}

#[test]
fn types_are_kept_from_file_to_file() {
    let all = with_words();
    let bytes = file(&all);
    let found = read_bytes(bytes.clone(), &[]).unwrap();
    let again = written(&found.utts, &[], &found.about).unwrap();
    let (before, after) = (table_of(bytes), table_of(again.clone()));
    for (name, ..) in &all {
        let (old, new) = (dtype_of(&before, name), dtype_of(&after, name));
        let same = match (&old, &new) {
            // The names of items may differ.
            (DataType::LargeList(old), DataType::LargeList(new)) => {
                old.data_type() == new.data_type()
            }
            (old, new) => old == new,
        };
        assert!(same, "{name}: {old} became {new}");
        let (old, new) = (before.column_by_name(name), after.column_by_name(name));
        let (old, new) = (old.unwrap(), new.unwrap());
        assert_eq!((old.null_count(), new.null_count()), (1, 1), "{name}");
        assert_eq!(old.to_data().buffers(), new.to_data().buffers(), "{name}");
    }
    assert_eq!(read_bytes(again, &[]).unwrap().utts, found.utts);
}

/// A value that the type of before can't have makes the column another.
#[test]
fn a_type_that_does_not_fit_is_given_up() {
    let column = |name: &'static str, array: ArrayRef| vec![(name, array, "")];
    for (column, value, expected) in [
        (column("n", one!(Int8Array, 7)), "128", DataType::Int64),
        (column("n", one!(UInt16Array, 7)), "-1", DataType::Int64),
        (column("n", one!(UInt8Array, 7)), "\"x\"", DataType::Utf8),
        (column("n", one!(BooleanArray, true)), "1", DataType::Utf8),
        (column("n", one!(Date32Array, 7)), "1.5", DataType::Float64),
        (column("n", list_of_text()), "[1]", DataType::Utf8),
        (
            column("n", one!(BinaryArray, &[7u8][..])),
            "\"?\"",
            DataType::Utf8,
        ),
        (column("n", one!(Int8Array, 7)), "-128", DataType::Int8),
    ] {
        let mut found = read_bytes(file(&column), &[]).unwrap();
        let tag = spr_core::model::Tag::new("manifest", "n", value);
        found.utts[1].meta.tags = vec![tag];
        let bytes = written(&found.utts, &[], &found.about).unwrap();
        assert_eq!(dtype_of(&table_of(bytes.clone()), "n"), expected, "{value}");
        assert_eq!(read_bytes(bytes, &[]).unwrap().utts, found.utts, "{value}");
    }
}

#[test]
fn types_without_a_form_are_refused_by_name() {
    let ids = || ("id", texts(&["a"]));
    let months = IntervalYearMonthArray::from(vec![1]);
    let struct_of = StructArray::from(vec![(
        Arc::new(arrow_schema::Field::new(
            "m",
            months.data_type().clone(),
            true,
        )),
        Arc::new(months.clone()) as ArrayRef,
    )]);
    let list = ListArray::new(
        Arc::new(arrow_schema::Field::new(
            "item",
            struct_of.data_type().clone(),
            true,
        )),
        arrow_buffer::OffsetBuffer::from_lengths([1]),
        Arc::new(struct_of),
        None,
    );
    for (array, part) in [
        (
            Arc::new(months) as ArrayRef,
            "the column 'm' has the type Interval",
        ),
        (Arc::new(list), "the column 'm' has the type List"),
    ] {
        let message = refusal(read_bytes(parquet(&[ids(), ("m", array)], None), &[]));
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn keys_and_names_may_be_numbers_or_in_a_dictionary() {
    let keys = Int8Array::from(vec![1, 0]);
    let names = DictionaryArray::<Int8Type>::try_new(keys, texts(&["ann", "bob"])).unwrap();
    let numbers: ArrayRef = Arc::new(UInt16Array::from(vec![7, 65_535]));
    let columns = [
        ("id", numbers),
        ("text", texts(&["one", "two"])),
        ("speaker", Arc::new(names) as ArrayRef),
        ("gender", Arc::new(Int16Array::from(vec![Some(-1), None]))),
    ];
    let found = read_bytes(parquet(&columns, None), &[]).unwrap();
    assert_eq!(found.keys(), "7 65535");
    let who = |n: usize| {
        let meta = &found.utts[n].meta;
        [&meta.speaker, &meta.gender].map(|key| key.as_ref().map(ToString::to_string))
    };
    assert_eq!(who(0), [Some("bob".to_owned()), Some("-1".to_owned())]);
    assert_eq!(who(1), [Some("ann".to_owned()), None]);
    // Names that were numbers are numbers again, but not those that would be others.
    let again = table_of(written(&found.utts, &[], &found.about).unwrap());
    assert_eq!(dtype_of(&again, "id"), DataType::UInt16);
    assert_eq!(dtype_of(&again, "gender"), DataType::Int16);
    let mut utts = found.utts;
    utts[0].key = "007".into();
    let again = table_of(written(&utts, &[], &found.about).unwrap());
    assert_eq!(dtype_of(&again, "id"), DataType::Utf8);
}
