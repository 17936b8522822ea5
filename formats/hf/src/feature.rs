//! The types of columns in the words of `datasets`: JSON in the metadata, YAML in the card.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};

use crate::json::Json;

/// The key of the metadata that describes the data set.
pub(crate) const HUGGINGFACE: &str = "huggingface";
/// The name that tells which type a JSON object describes.
const TYPE: &str = "_type";

/// Returns a nullable field.
pub(crate) fn field(name: &str, dtype: DataType) -> Field {
    Field::new(name, dtype, true)
}

/// Returns a list of items.
pub(crate) fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(field("item", item)))
}

/// Returns a list of so many items.
pub(crate) fn fixed(item: DataType, length: i32) -> DataType {
    DataType::FixedSizeList(Arc::new(field("item", item)), length)
}

/// Returns the type of sound: a whole file, and its name.
pub(crate) fn audio() -> DataType {
    DataType::Struct(Fields::from(vec![
        field("bytes", DataType::Binary),
        field("path", DataType::Utf8),
    ]))
}

/// Returns the description of a type, or `None` for those that `datasets` has no word for.
pub(crate) fn describe(dtype: &DataType) -> Option<Json> {
    let one = |name: &str, item: &Field, length: Option<i32>| {
        let feature = describe(item.data_type())?;
        let length = length.map(|length| ("length", Json::number(length)));
        let named = [("feature", feature)].into_iter().chain(length);
        Some(Json::object(named.chain([(TYPE, Json::text(name))])))
    };
    Some(match dtype {
        DataType::List(item) => match item.data_type() {
            // In a list of objects the usual word would turn the two inside out.
            DataType::Struct(_) => Json::List(vec![describe(item.data_type())?]),
            _ => one("Sequence", item, None)?,
        },
        DataType::FixedSizeList(item, length) => one("Sequence", item, Some(*length))?,
        DataType::LargeList(item) => one("LargeList", item, None)?,
        DataType::Struct(fields) => {
            let fields = fields.iter();
            let told = fields.map(|f| Some((f.name().clone(), describe(f.data_type())?)));
            Json::Map(told.collect::<Option<_>>()?)
        }
        dtype => Json::object([
            ("dtype", Json::text(word(dtype)?)),
            (TYPE, Json::text("Value")),
        ]),
    })
}

/// The types that have a word without parameters.
const WORDS: [(&str, DataType); 20] = [
    ("null", DataType::Null),
    ("bool", DataType::Boolean),
    ("int8", DataType::Int8),
    ("int16", DataType::Int16),
    ("int32", DataType::Int32),
    ("int64", DataType::Int64),
    ("uint8", DataType::UInt8),
    ("uint16", DataType::UInt16),
    ("uint32", DataType::UInt32),
    ("uint64", DataType::UInt64),
    ("float16", DataType::Float16),
    ("float32", DataType::Float32),
    ("float64", DataType::Float64),
    ("date32", DataType::Date32),
    ("date64", DataType::Date64),
    ("binary", DataType::Binary),
    ("large_binary", DataType::LargeBinary),
    ("string", DataType::Utf8),
    ("large_string", DataType::LargeUtf8),
    ("string_view", DataType::Utf8View),
];

const UNITS: [(&str, TimeUnit); 4] = [
    ("s", TimeUnit::Second),
    ("ms", TimeUnit::Millisecond),
    ("us", TimeUnit::Microsecond),
    ("ns", TimeUnit::Nanosecond),
];

fn unit_word(unit: TimeUnit) -> &'static str {
    let mut all = UNITS.iter();
    all.find(|(_, own)| *own == unit)
        .map_or("us", |(word, _)| word)
}

/// Returns the word for a type of single values.
fn word(dtype: &DataType) -> Option<String> {
    if let Some((word, _)) = WORDS.iter().find(|(_, own)| own == dtype) {
        return Some((*word).to_owned());
    }
    Some(match dtype {
        DataType::Time32(unit) => format!("time32[{}]", unit_word(*unit)),
        DataType::Time64(unit) => format!("time64[{}]", unit_word(*unit)),
        DataType::Duration(unit) => format!("duration[{}]", unit_word(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", unit_word(*unit)),
        DataType::Timestamp(unit, Some(zone)) => {
            format!("timestamp[{}, tz={zone}]", unit_word(*unit))
        }
        DataType::Decimal128(digits, scale) => format!("decimal128({digits}, {scale})"),
        _ => return None,
    })
}

/// Returns the type of single values that a word stands for.
fn type_of_word(word: &str) -> Option<DataType> {
    if let Some((_, dtype)) = WORDS.iter().find(|(own, _)| *own == word) {
        return Some(dtype.clone());
    }
    let (name, inside) = word.split_once(['[', '('])?;
    let mut parts = inside.strip_suffix([']', ')'])?.split(',').map(str::trim);
    let first = parts.next()?;
    let second = parts.next();
    let unit = || {
        let mut all = UNITS.iter();
        all.find(|(own, _)| *own == first).map(|(_, unit)| *unit)
    };
    Some(match name {
        "time32" => DataType::Time32(unit()?),
        "time64" => DataType::Time64(unit()?),
        "duration" => DataType::Duration(unit()?),
        "timestamp" => {
            let zone = second.and_then(|zone| zone.strip_prefix("tz="));
            DataType::Timestamp(unit()?, zone.map(Into::into))
        }
        "decimal128" => {
            let digits = first
                .parse()
                .ok()
                .filter(|digits| (1..=38).contains(digits));
            DataType::Decimal128(digits?, second?.parse().ok()?)
        }
        _ => return None,
    })
}

/// Returns the type that a description stands for, or `None` if it is another program's.
pub(crate) fn type_of(told: &Json) -> Option<DataType> {
    let inner = || type_of(told.get("feature")?);
    let word = || type_of_word(told.get("dtype")?.as_str()?);
    if let Some(items) = told.items() {
        return match items {
            [item] => Some(list(type_of(item)?)),
            _ => None,
        };
    }
    let members = told.members()?;
    match told.get(TYPE).and_then(Json::as_str) {
        None => {
            let fields = members.iter();
            let fields = fields.map(|(name, told)| Some(field(name, type_of(told)?)));
            Some(DataType::Struct(fields.collect::<Option<Vec<_>>>()?.into()))
        }
        Some("Value") => word(),
        Some("ClassLabel") => Some(DataType::Int64),
        Some("Audio" | "Image") => Some(audio()),
        Some("LargeList") => Some(DataType::LargeList(Arc::new(field("item", inner()?)))),
        Some("List" | "Sequence") => {
            let length = told.get("length").and_then(Json::as_int);
            match length.filter(|length| *length >= 0) {
                Some(length) => Some(fixed(inner()?, i32::try_from(length).ok()?)),
                None => Some(list(inner()?)),
            }
        }
        Some("Array2D") => Some(list(list(word()?))),
        Some(_) => None,
    }
}

/// Returns the shape of a description of an `Array2D`, in which `None` stands for any length.
pub(crate) fn array_2d(told: &Json) -> Option<[Option<i64>; 2]> {
    match told.get("shape")?.items()? {
        [rows, cols] if is_a(told, "Array2D") => Some([rows.as_int(), cols.as_int()]),
        _ => None,
    }
}

/// Returns the description of classes with these names.
pub(crate) fn class_label(names: &[String]) -> Json {
    let names = names.iter().map(|name| Json::text(name.as_str())).collect();
    Json::object([
        ("names", Json::List(names)),
        (TYPE, Json::text("ClassLabel")),
    ])
}

/// Returns the description of sound of a rate, if all has the same.
pub(crate) fn sound(rate: Option<u32>) -> Json {
    let rate = rate.map(|rate| ("sampling_rate", Json::number(rate)));
    Json::object(rate.into_iter().chain([(TYPE, Json::text("Audio"))]))
}

/// Returns the names of classes of a description, if it is one of them.
pub(crate) fn class_names(told: &Json) -> Option<Vec<String>> {
    if !is_a(told, "ClassLabel") {
        return None;
    }
    let names = told.get("names")?.items()?.iter();
    names.map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Returns `true` for a description of the type with this name.
pub(crate) fn is_a(told: &Json, name: &str) -> bool {
    told.get(TYPE).and_then(Json::as_str) == Some(name)
}

/// Returns `true` if two types are the same but for the names and flags of the items of lists.
pub(crate) fn same(a: &DataType, b: &DataType) -> bool {
    match (a, b) {
        (DataType::List(a), DataType::List(b))
        | (DataType::LargeList(a), DataType::LargeList(b)) => same(a.data_type(), b.data_type()),
        (DataType::FixedSizeList(a, n), DataType::FixedSizeList(b, m)) => {
            n == m && same(a.data_type(), b.data_type())
        }
        (DataType::Struct(a), DataType::Struct(b)) => {
            let mut pairs = a.iter().zip(b.iter());
            let equal = |(a, b): (&Arc<Field>, &Arc<Field>)| {
                a.name() == b.name() && same(a.data_type(), b.data_type())
            };
            a.len() == b.len() && pairs.all(equal)
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_back_from_their_descriptions() {
        let zone = Some("UTC".into());
        for dtype in [
            DataType::Utf8,
            DataType::Float16,
            DataType::Timestamp(TimeUnit::Microsecond, None),
            DataType::Timestamp(TimeUnit::Nanosecond, zone),
            DataType::Time32(TimeUnit::Second),
            DataType::Decimal128(10, 2),
            list(fixed(DataType::Float32, 4)),
            list(audio()),
            DataType::LargeList(Arc::new(field("item", DataType::Int32))),
        ] {
            let told = describe(&dtype).unwrap();
            let back = type_of(&told).unwrap();
            assert!(same(&back, &dtype), "{told} {back}");
        }
        assert_eq!(
            describe(&DataType::Utf8View).and_then(|told| type_of(&told)),
            Some(DataType::Utf8View)
        );
    }

    #[test]
    fn older_and_other_words_are_read() {
        for (told, dtype) in [
            (
                r#"{"feature": {"dtype": "int32", "_type": "Value", "id": null},
                    "length": -1, "_type": "Sequence"}"#,
                Some(list(DataType::Int32)),
            ),
            (
                r#"[{"dtype": "string", "_type": "Value"}]"#,
                Some(list(DataType::Utf8)),
            ),
            (r#"{"_type": "Translation", "languages": ["en"]}"#, None),
            (r#"{"dtype": "decimal128(99, 2)", "_type": "Value"}"#, None),
            (r#"{"dtype": "time32", "_type": "Value"}"#, None),
        ] {
            assert_eq!(type_of(&Json::parse(told).unwrap()), dtype, "{told}");
        }
        let told = r#"{"shape": [null, 4], "dtype": "float32", "_type": "Array2D"}"#;
        let told = Json::parse(told).unwrap();
        assert_eq!(array_2d(&told), Some([None, Some(4)]));
    }
}
