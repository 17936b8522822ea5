//! Tables that the libraries of Arrow and Parquet make, and what is read of them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use spr_core::Result;
use spr_core::bytes::{Env, MemoryStore};
use spr_core::format::{Format, Registry, Request};
use spr_core::model::{About, Utterance};
use spr_format_hf::FORMAT;
use spr_testkit::faults::drain;

/// The surroundings of a test: files in memory, and a format of sound.
pub(crate) fn surroundings() -> (MemoryStore, Env) {
    let store = MemoryStore::new();
    let formats: [&'static dyn Format; 1] = [&spr_format_audio::WAV];
    let env = Env::default().with_formats(Registry::new(formats));
    (store.clone(), env.with_store(Arc::new(store)))
}

/// A Parquet file with these columns, whose description is `told` in the words of `datasets`.
pub(crate) fn parquet(columns: &[(&str, ArrayRef)], told: Option<&str>) -> Vec<u8> {
    let fields: Vec<_> = columns
        .iter()
        .map(|(name, array)| Field::new(*name, array.data_type().clone(), true))
        .collect();
    let told = told.map(|told| format!("{{\"info\": {{\"features\": {told}}}}}"));
    let metadata: HashMap<_, _> = told
        .into_iter()
        .map(|told| ("huggingface".to_owned(), told))
        .collect();
    let schema = Arc::new(Schema::new_with_metadata(fields, metadata));
    let arrays = columns.iter().map(|(_, array)| array.clone()).collect();
    let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// Returns the rows of a Parquet file as the library reads them, with their schema.
pub(crate) fn table_of(bytes: Vec<u8>) -> RecordBatch {
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    let schema = builder.schema().clone();
    let rows = builder.build().unwrap().next().unwrap().unwrap();
    rows.with_schema(schema).unwrap()
}

/// What reading gave.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) utts: Vec<Utterance>,
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) about: About,
}

impl Found {
    pub(crate) fn keys(&self) -> String {
        let keys: Vec<_> = self.utts.iter().map(|utt| utt.key.to_string()).collect();
        keys.join(" ")
    }
}

/// Reads a file or a folder.
pub(crate) fn read(at: &str, pairs: &[(&str, &str)], request: Request, env: &Env) -> Result<Found> {
    let (env, told) = spr_testkit::listening(env);
    let options = spr_testkit::options(&FORMAT, pairs)?;
    let opened = match env.is_folder(&at.into()) {
        true => request.open_folder(&FORMAT, &at.into(), &[], &options, &env)?,
        false => request.open(&FORMAT, env.open_file(&at.into())?, &options, &env)?,
    };
    let reader = opened.into_stream()?;
    let about = reader.info().about.clone();
    let drained = drain(reader);
    let warnings = told.lock().unwrap().clone();
    Ok(Found {
        utts: drained.utterances,
        errors: drained.errors.iter().map(ToString::to_string).collect(),
        warnings,
        about,
    })
}

/// Reads a file of these bytes.
pub(crate) fn read_bytes(bytes: Vec<u8>, pairs: &[(&str, &str)]) -> Result<Found> {
    let (store, env) = surroundings();
    store.insert("x.parquet", bytes);
    read("x.parquet", pairs, Request::all(), &env)
}

/// Writes a file, and returns its bytes.
pub(crate) fn written(
    utts: &[Utterance],
    pairs: &[(&str, &str)],
    about: &About,
) -> Result<Vec<u8>> {
    use spr_core::bytes::Locator;
    use spr_core::format::create;
    let (store, env) = surroundings();
    let output = env.output(&Locator::file("x.parquet"));
    let options = spr_testkit::options(&FORMAT, pairs)?;
    let mut writer = create(&FORMAT, output.clone(), &options, about, &env)?;
    for utt in utts {
        writer.write(utt)?;
    }
    writer.finish()?;
    output.commit()?;
    Ok(store.get("x.parquet").unwrap())
}

/// The columns of an utterance, as their names and values.
pub(crate) fn tags(utt: &Utterance) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let tags = utt.meta.tags.iter();
    tags.map(|tag| (text(&tag.key), text(&tag.value))).collect()
}

/// A column of text.
pub(crate) fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(arrow_array::StringArray::from(values.to_vec()))
}

/// Returns the one error of what can't be opened or read.
pub(crate) fn refusal(read: Result<Found>) -> String {
    match read {
        Err(error) => error.to_string(),
        Ok(found) => {
            assert_eq!(found.errors.len(), 1, "{found:?}");
            found.errors[0].clone()
        }
    }
}

/// Returns the type of a column.
pub(crate) fn dtype_of(table: &RecordBatch, name: &str) -> arrow_schema::DataType {
    let column = table.column_by_name(name);
    column
        .unwrap_or_else(|| panic!("no {name}"))
        .data_type()
        .clone()
}
