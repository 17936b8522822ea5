//! What columns become: classes, numbers, segments and sound, and what is wrong with others.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};
use spr_core::Limits;
use spr_core::format::{FieldSet, Request};
use spr_core::model::{About, Array as Numbers, Audio, Dtype, Matrix, NamedArray, Tag, Utterance};
use spr_testkit::generate;

use crate::common::{
    dtype_of, parquet, read, read_bytes, refusal, surroundings, table_of, tags, texts, written,
};

fn tagged(key: &str, accent: &str) -> Utterance {
    let mut utt = Utterance {
        key: key.into(),
        text: Some("x".into()),
        ..Utterance::default()
    };
    utt.meta.gender = Some(if key == "b" { "m" } else { "f" }.into());
    utt.meta.tags = vec![Tag::new("manifest", "accent", accent)];
    utt
}

fn classes(table: &RecordBatch, name: &str) -> Vec<i64> {
    let column = table.column_by_name(name).unwrap();
    column.as_primitive::<Int64Type>().values().to_vec()
}

#[test]
fn text_becomes_classes_and_stays_them() {
    let utts = [
        tagged("a", "\"south\""),
        tagged("b", "\"north\""),
        tagged("c", "\"south\""),
    ];
    let about = About::default();
    let bytes = written(&utts, &[("classes", "gender+accent")], &about).unwrap();
    let table = table_of(bytes.clone());
    // In the order of their names.
    assert_eq!(classes(&table, "accent"), [1, 0, 1]);
    assert_eq!(classes(&table, "gender"), [0, 1, 0]);
    let told = table.schema().metadata()["huggingface"].clone();
    let label = r#""accent": {"names": ["north", "south"], "_type": "ClassLabel"}"#;
    assert!(told.contains(label), "{told}");
    let found = read_bytes(bytes, &[]).unwrap();
    assert_eq!(found.utts, utts);
    assert_eq!(found.about.classes["gender"], ["f", "m"]);
    // They leave as classes without being asked to, and as text where one is new.
    let table = table_of(written(&found.utts[..1], &[], &found.about).unwrap());
    assert_eq!(
        (classes(&table, "accent"), classes(&table, "gender")),
        (vec![1], vec![0])
    );
    let mut other = found.utts.clone();
    other[0].meta.tags[0] = Tag::new("manifest", "accent", "\"west\"");
    let table = table_of(written(&other, &[], &found.about).unwrap());
    assert_eq!(dtype_of(&table, "accent"), DataType::Utf8);
    assert_eq!(classes(&table, "gender"), [0, 1, 0]);
    // A class in other letters stands once more as it was.
    let escaped = [tagged("a", "\"\\u0065\""), tagged("b", "null")];
    let bytes = written(&escaped, &[("classes", "gender")], &about).unwrap();
    assert_eq!(read_bytes(bytes, &[]).unwrap().utts, escaped);
    let error = written(&utts[..1], &[("classes", "accent+snr")], &about).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("option classes: there is no column 'snr'"),
        "{error}"
    );
    let number = [tagged("a", "7")];
    let error = written(&number, &[("classes", "accent")], &about).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("option classes: the column 'accent' is no text"),
        "{error}"
    );
}

#[test]
fn numbers_of_classes_are_names() {
    let told = r#"{"gender": {"names": ["f", "m"], "_type": "ClassLabel"}, "accent": {"names": ["n"], "_type": "ClassLabel"}}"#;
    let file = |gender: i8, accent: i64| {
        let gender: ArrayRef = Arc::new(Int8Array::from(vec![gender]));
        let accent: ArrayRef = Arc::new(Int64Array::from(vec![accent]));
        let columns = [
            ("id", texts(&["a"])),
            ("gender", gender),
            ("accent", accent),
        ];
        read_bytes(parquet(&columns, Some(told)), &[])
    };
    let found = file(1, 0).unwrap();
    assert_eq!(found.utts[0].meta.gender, Some("m".into()));
    assert_eq!(
        tags(&found.utts[0]),
        [("accent".to_owned(), "\"n\"".to_owned())]
    );
    for (gender, accent, message) in [
        (2, 0, "row 0: the column 'gender': class 2 of 2 classes"),
        (-1, 0, "row 0: the column 'gender': class -1 of 2 classes"),
        (0, 1, "row 0: the column 'accent': class 1 of 1 classes"),
    ] {
        let refused = refusal(file(gender, accent));
        assert!(refused.ends_with(message), "{refused}");
    }
}

/// A list column with one list, of these items.
fn list_of(items: ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths([items.len()]);
    Arc::new(ListArray::new(field, offsets, items, None))
}

fn large_list_of(items: ArrayRef) -> ArrayRef {
    let field = Arc::new(Field::new("item", items.data_type().clone(), true));
    let offsets = OffsetBuffer::from_lengths([items.len()]);
    Arc::new(LargeListArray::new(field, offsets, items, None))
}

fn structs(columns: Vec<(&str, ArrayRef)>, nulls: Option<NullBuffer>) -> ArrayRef {
    let fields: Fields = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let arrays = columns.into_iter().map(|(_, array)| array).collect();
    Arc::new(StructArray::new(fields, arrays, nulls))
}

#[test]
fn segments_are_structs_in_a_list() {
    let floats = |values: Vec<Option<f64>>| Arc::new(Float64Array::from(values)) as ArrayRef;
    let with = |starts: Vec<Option<f64>>, text: Option<&str>, nulls: Option<NullBuffer>| {
        let ends = floats(vec![None]);
        let text: ArrayRef = Arc::new(StringArray::from(vec![text]));
        structs(
            vec![("start", floats(starts)), ("end", ends), ("text", text)],
            nulls,
        )
    };
    let file = |segments: ArrayRef| {
        let columns = [("id", texts(&["a"])), ("segments", segments)];
        read_bytes(parquet(&columns, None), &[])
    };
    for make in [list_of, large_list_of] {
        let found = file(make(with(vec![Some(0.5)], Some("x"), None))).unwrap();
        let segment = &found.utts[0].tiers[0].segments[0];
        assert_eq!(
            (segment.start.value(), segment.end, &*segment.label),
            (0.5, None, &b"x"[..])
        );
    }
    let null = Some(NullBuffer::from(vec![false]));
    for (segments, message) in [
        (
            with(vec![None], Some("x"), None),
            "a segment without a start",
        ),
        (
            with(vec![Some(0.0)], None, None),
            "a segment without a text",
        ),
        (
            with(vec![Some(f64::NAN)], Some("x"), None),
            "the start of a segment is not a number",
        ),
        (with(vec![Some(0.0)], Some("x"), null), "a segment"),
    ] {
        let refused = refusal(file(list_of(segments)));
        assert!(
            refused.contains("row 0: the column 'segments': "),
            "{refused}"
        );
        assert!(refused.contains(message), "{refused}");
    }
    // Other lists of structs are columns.
    let other = structs(vec![("start", floats(vec![Some(1.0)]))], None);
    let found = file(list_of(other)).unwrap();
    assert_eq!(
        tags(&found.utts[0]),
        [("segments".to_owned(), "[{\"start\": 1.0}]".to_owned())]
    );
}

#[test]
fn lists_keep_their_types_as_arrays_of_two_axes_do() {
    let told = r#"{"features": {"shape": [null, 2], "dtype": "float64", "_type": "Array2D"}}"#;
    let values: ArrayRef = Arc::new(Float64Array::from(vec![1.0, 2.0, 3.0, 4.0]));
    let field = Arc::new(Field::new("item", DataType::Float64, true));
    let rows: ArrayRef = Arc::new(ListArray::new(
        field,
        OffsetBuffer::from_lengths([2, 2]),
        values,
        None,
    ));
    let columns = [("id", texts(&["a"])), ("features", list_of(rows.clone()))];
    let found = read_bytes(parquet(&columns, Some(told)), &[]).unwrap();
    let matrix = Matrix::from_rows(&[1.0f64, 2.0, 3.0, 4.0], 2, spr_core::model::Rank::Matrix);
    assert_eq!(found.utts[0].features, matrix.ok());
    let table = table_of(written(&found.utts, &[], &found.about).unwrap());
    let schema = table.schema();
    assert!(
        schema.metadata()["huggingface"].contains("\"Array2D\""),
        "{schema:?}"
    );
    let field = schema.field_with_name("features").unwrap();
    assert_eq!(
        field.metadata()["ARROW:extension:metadata"],
        "[[null, 2], \"float64\"]"
    );
    // Another number of columns is no such array.
    let mut wide = found.utts.clone();
    wide[0].features =
        Matrix::from_rows(&[1.0f64, 2.0, 3.0], 3, spr_core::model::Rank::Matrix).ok();
    let table = table_of(written(&wide, &[], &found.about).unwrap());
    assert!(!table.schema().metadata()["huggingface"].contains("\"Array2D\""));
    // Large lists, and lists of a fixed length, stay such.
    let large = large_list_of(rows);
    let columns = [("id", texts(&["a"])), ("features", large)];
    let found = read_bytes(parquet(&columns, None), &[]).unwrap();
    let table = table_of(written(&found.utts, &[], &found.about).unwrap());
    let DataType::LargeList(item) = dtype_of(&table, "features") else {
        panic!("{}", dtype_of(&table, "features"))
    };
    assert!(matches!(item.data_type(), DataType::List(_)), "{item}");
    let inner = table
        .column_by_name("features")
        .unwrap()
        .as_list::<i64>()
        .value(0);
    let inner = inner.as_list::<i32>().values().clone();
    assert_eq!(
        inner.as_primitive::<Float64Type>().values().to_vec(),
        [1.0, 2.0, 3.0, 4.0]
    );
}

#[test]
fn numbers_of_more_axes_are_arrays() {
    let mut utt = tagged("a", "\"x\"");
    let array = |shape: &[usize]| Numbers::new(Dtype::F32, shape, &Limits::default()).unwrap();
    let named = |name: &str, shape: &[usize]| NamedArray {
        name: name.to_owned(),
        array: array(shape),
    };
    utt.arrays = vec![named("cube", &[2, 1, 3]), named("emb", &[4])];
    let bytes = written(&[utt.clone()], &[], &About::default()).unwrap();
    assert_eq!(read_bytes(bytes.clone(), &[]).unwrap().utts, [utt]);
    let error = refusal(read_bytes(bytes, &[("features", "cube")]));
    assert!(error.contains("the column 'cube' of"), "{error}");
    assert!(error.contains("can't be features"), "{error}");
}

#[test]
fn options_name_one_column_for_one_thing() {
    let list: ArrayRef = list_of(list_of(Arc::new(Int32Array::from(vec![1, 2]))));
    let columns = [
        ("id", texts(&["a"])),
        ("xs", list),
        ("said", texts(&["words"])),
    ];
    let file = parquet(&columns, None);
    let both = [("features", "xs"), ("labels", "xs")];
    let error = read_bytes(file.clone(), &both).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("option labels: the column 'xs' is features as well"),
        "{error}"
    );
    let both = [("key", "said"), ("text", "said")];
    let error = read_bytes(file.clone(), &both).unwrap_err();
    assert!(error.to_string().contains("is the key as well"), "{error}");
    let error = read_bytes(file.clone(), &[("text", "zzz")]).unwrap_err();
    assert_eq!(
        error.hint_text().as_deref(),
        Some("the columns are id, xs, said")
    );
    let error = read_bytes(file, &[("text", "sad")]).unwrap_err();
    assert_eq!(
        error.hint_text().as_deref(),
        Some("did you mean 'said'? the columns are id, xs, said")
    );
    // Of a guess it is told.
    let twice = parquet(&[("id", texts(&["a"])), ("id", texts(&["b"]))], None);
    let error = read_bytes(twice, &[]).unwrap_err();
    assert!(
        error.to_string().contains("has two columns called 'id'"),
        "{error}"
    );
}

#[test]
fn sound_is_a_whole_file_or_the_name_of_one() {
    let wav = generate::encoded("wav", 4).bytes;
    let file = |bytes: Option<&[u8]>, path: Option<&str>| {
        let bytes: ArrayRef = Arc::new(BinaryArray::from(vec![bytes]));
        let path: ArrayRef = Arc::new(StringArray::from(vec![path]));
        let columns = [
            ("id", texts(&["a"])),
            (
                "audio",
                structs(vec![("bytes", bytes), ("path", path)], None),
            ),
        ];
        read_bytes(parquet(&columns, None), &[])
    };
    let found = file(Some(&wav), Some("x/a.wav")).unwrap();
    assert!(matches!(&found.utts[0].audio, Some(Audio::Encoded(sound)) if sound.bytes == wav));
    let found = file(None, Some("x/a.wav")).unwrap();
    assert!(matches!(&found.utts[0].audio, Some(Audio::Reference(_))));
    for (bytes, path, message) in [
        (None, None, "sound with neither bytes nor a path"),
        (Some(&b""[..]), None, "a sound file of no bytes"),
        (Some(b"rubbish"), None, "a sound file of an unknown format"),
    ] {
        let refused = refusal(file(bytes, path));
        assert!(
            refused.ends_with(&format!("row 0: the column 'audio': {message}")),
            "{refused}"
        );
    }
    let plain: ArrayRef = Arc::new(BinaryArray::from(vec![&*wav]));
    let columns = [("id", texts(&["a"])), ("data", plain)];
    let found = read_bytes(parquet(&columns, None), &[("audio", "data")]).unwrap();
    assert!(matches!(&found.utts[0].audio, Some(Audio::Encoded(sound)) if sound.bytes == wav));
}

#[test]
fn one_of_sound_and_features_is_chosen_by_the_target() {
    let mut utt = tagged("a", "\"x\"");
    utt.features = Matrix::from_rows(&[1.0f32], 1, spr_core::model::Rank::Matrix).ok();
    utt.audio = Some(Audio::Encoded(generate::encoded("wav", 4)));
    let (store, env) = surroundings();
    store.insert(
        "x.parquet",
        written(&[utt], &[], &About::default()).unwrap(),
    );
    let none = FieldSet::NONE;
    for (forms, has, told) in [
        (
            FieldSet {
                audio: true,
                ..none
            },
            (true, false),
            "the features are left out in favour of the sound, here and below",
        ),
        (
            FieldSet {
                features: true,
                ..none
            },
            (false, true),
            "the sound is left out in favour of the features, here and below",
        ),
    ] {
        let found = read("x.parquet", &[], Request::all().forms(forms), &env).unwrap();
        let utt = &found.utts[0];
        assert_eq!((utt.audio.is_some(), utt.features.is_some()), has);
        assert_eq!(found.warnings.len(), 1);
        assert!(found.warnings[0].ends_with(told), "{:?}", found.warnings);
    }
}
