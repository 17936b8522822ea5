//! The utterance of a row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use spr_core::bytes::{Env, Locator};
use spr_core::model::{
    Array as Numbers, Audio, AudioReference, EncodedAudio, Key, Matrix, NamedArray, Rank, Tag,
    Utterance,
};
use spr_core::{Error, Result};
use spr_syntax::json::{Fields, Object, write_text};
use spr_syntax::manifest::Places;
use spr_syntax::manifest::columns;
use spr_syntax::sound;

use crate::cells::{bytes, integer, write_json};
use crate::generic;
use crate::layout::Column;
use crate::numbers::dense;
use crate::role::{Role, SOUND_PATH};
use crate::segments;

/// The format of tags that belong to columns.
pub(crate) const FORMAT: &str = "hf";
/// The tag with the name of a sound file, where it is not that of the key.
pub(crate) const PATH: &str = "audio.path";

/// A column with its values.
pub(crate) type Filled<'a> = (&'a Column, &'a ArrayRef);

/// Reads rows into utterances.
pub(crate) struct RowReader {
    env: Env,
    places: Places,
}

impl RowReader {
    pub(crate) fn new(places: Places, env: &Env) -> Self {
        let env = env.clone();
        Self { env, places }
    }

    /// Fills `utt`, which was started and has its key, from a row.
    ///
    /// # Errors
    /// A value is not what its column should have.
    pub(crate) fn fill(
        &mut self,
        cells: &[Filled<'_>],
        row: usize,
        utt: &mut Utterance,
    ) -> Result<()> {
        let mut json = Vec::new();
        for (column, array) in cells {
            let filled = match column.role {
                Role::Tag | Role::Json => write_tag(column, array, row, &mut json),
                _ if array.is_null(row) => Ok(()),
                _ => self.fill_one(column, array, row, utt),
            };
            filled.map_err(|e| e.context(format!("the column '{}'", column.name)))?;
        }
        let written = cells
            .iter()
            .find(|(column, _)| column.role == Role::Written);
        let written = written.and_then(|(_, array)| bytes(array, row));
        read_tags(&mut json, written, utt)
    }

    fn fill_one(
        &mut self,
        column: &Column,
        array: &ArrayRef,
        row: usize,
        utt: &mut Utterance,
    ) -> Result<()> {
        let limits = &self.env.limits;
        let name = || name_of(column, array, row).map(|name| Some(Key::from(name)));
        let number = |what: &str| segments::decimal(array, row, what);
        match column.role {
            Role::Audio => self.sound(array, row, utt)?,
            Role::Features => fill_matrix(array, row, utt.features_mut(), &self.env)?,
            Role::Labels => {
                fill_matrix(array, row, utt.labels_mut(), &self.env)?;
                check_lengths(utt)?;
            }
            Role::Text => utt.text = bytes(array, row).map(<[u8]>::to_vec),
            Role::Segments => {
                let read = segments::segments(array, row)?;
                utt.tiers = read
                    .map(|read| vec![spr_core::model::Tier::only(read)])
                    .unwrap_or_default();
            }
            Role::Tiers => utt.tiers = segments::tiers(array, row)?,
            Role::Speaker => utt.meta.speaker = name()?,
            Role::Gender => utt.meta.gender = name()?,
            Role::Language => utt.meta.language = name()?,
            Role::Recording => utt.meta.recording = name()?,
            Role::Channel => utt.meta.channel = name()?,
            Role::Start => utt.meta.start = number("the start")?,
            Role::End => utt.meta.end = number("the end")?,
            Role::Shift => utt.meta.frame_shift = number("the frame shift")?,
            Role::Offset => utt.meta.frame_offset = number("the frame offset")?,
            Role::Array => {
                let array = match generic::is_generic(array.data_type()) {
                    true => generic::read(array, row, limits)?,
                    false => {
                        let numbers = dense(array, row)?;
                        let mut array = Numbers::new(numbers.dtype, &numbers.shape, limits)?;
                        numbers.copy(array.values_mut().as_bytes_mut())?;
                        array
                    }
                };
                let name = column.stands_for.clone();
                utt.arrays.push(NamedArray { name, array });
            }
            Role::Key | Role::Name | Role::Tag | Role::Json | Role::Written => {}
        }
        Ok(())
    }

    /// Reads a sound file, or where it is.
    fn sound(&mut self, array: &ArrayRef, row: usize, utt: &mut Utterance) -> Result<()> {
        let (data, path) = match array.data_type() {
            DataType::Struct(_) => {
                let fields = array.as_struct();
                let of = |name: &str| fields.column_by_name(name).and_then(|a| bytes(a, row));
                (of("bytes"), of(SOUND_PATH))
            }
            _ => (bytes(array, row), None),
        };
        let path = path.map(|path| std::str::from_utf8(path));
        let path = path.transpose();
        let path = path.map_err(|_| Error::malformed("the path is not UTF-8"))?;
        let Some(data) = data else {
            let Some(path) = path else {
                return Err(Error::malformed("sound with neither bytes nor a path"));
            };
            let file = self.places.find(path);
            let reference = AudioReference::new(Locator::File(file));
            utt.audio = Some(Audio::Reference(reference));
            return Ok(());
        };
        let extension = path.and_then(|path| sound::format_of(&path.to_lowercase()));
        let format = self.env.nested_by_magic(data).or(extension);
        let Some(format) = format else {
            return Err(match data.is_empty() {
                true => Error::malformed("a sound file of no bytes"),
                false => Error::unsupported("a sound file of an unknown format"),
            });
        };
        let size = self.env.limits.bytes("a sound file", data.len() as u64)?;
        let mut copy = Vec::with_capacity(size);
        copy.extend_from_slice(data);
        let usual = usual_path(&utt.key, format);
        if path != Some(&usual) {
            let tag = Tag::new(FORMAT, PATH, path.unwrap_or_default());
            utt.meta.tags.push(tag);
        }
        utt.audio = Some(Audio::Encoded(EncodedAudio {
            format: format.to_owned(),
            facts: sound::facts(format, data, &self.env),
            bytes: copy,
        }));
        Ok(())
    }
}

/// Returns the name that the sound file of an utterance has unless it is told another.
pub(crate) fn usual_path(key: &Key, format: &str) -> String {
    format!("{key}.{}", sound::extension_of(format))
}

/// Reads features or labels.
fn fill_matrix(array: &ArrayRef, row: usize, matrix: &mut Matrix, env: &Env) -> Result<()> {
    if !generic::is_generic(array.data_type()) {
        return dense(array, row)?.fill(matrix, &env.limits);
    }
    let numbers = generic::read(array, row, &env.limits)?;
    let (rank, rows, cols) = match *numbers.shape() {
        [] => (Rank::Scalar, 1, 1),
        [rows] => (Rank::Vector, rows, 1),
        [rows, cols] => (Rank::Matrix, rows, cols),
        _ => return Err(Error::malformed("numbers of more than two dimensions")),
    };
    *matrix = numbers.into_values();
    matrix.reshape(rank, rows, cols)
}

fn check_lengths(utt: &Utterance) -> Result<()> {
    match (&utt.features, &utt.labels) {
        (Some(features), Some(labels)) if features.rows() != labels.rows() => {
            let (frames, count) = (features.rows(), labels.rows());
            let error = Error::malformed(format!("{count} labels for {frames} frames"));
            Err(error.hint("labels=COLUMN chooses another column, labels=none leaves it an array"))
        }
        _ => Ok(()),
    }
}

/// Returns the name of a class, or text, or the digits of a number.
///
/// # Errors
/// It is none of these, or there is no such class.
pub(crate) fn name_of(column: &Column, array: &ArrayRef, row: usize) -> Result<Vec<u8>> {
    if let Some(text) = bytes(array, row) {
        return Ok(text.to_vec());
    }
    let Some(number) = integer(array, row) else {
        return Err(Error::malformed("expected text or an integer"));
    };
    match &column.classes {
        Some(classes) => class_of(classes, number).map(|name| name.as_bytes().to_vec()),
        None => Ok(number.to_string().into_bytes()),
    }
}

fn class_of(classes: &[String], number: i128) -> Result<&String> {
    let class = usize::try_from(number).ok().and_then(|n| classes.get(n));
    class.ok_or_else(|| {
        let message = format!("class {number} of {} classes", classes.len());
        Error::malformed(message)
    })
}

/// Appends a column without a field to a JSON object that is not closed. Null leaves it out.
fn write_tag(column: &Column, array: &ArrayRef, row: usize, json: &mut Vec<u8>) -> Result<()> {
    /// The number of no class.
    const NO_CLASS: i128 = -1;
    let number = column.classes.as_ref().and_then(|_| integer(array, row));
    if array.is_null(row) || *array.data_type() == DataType::Null || number == Some(NO_CLASS) {
        return Ok(());
    }
    json.extend_from_slice(if json.is_empty() { b"{" } else { b", " });
    write_text(&column.stands_for, json);
    json.extend_from_slice(b": ");
    match (&column.classes, number, column.role) {
        (Some(classes), Some(number), _) => write_text(class_of(classes, number)?, json),
        (_, _, Role::Json) => match bytes(array, row) {
            Some(text) => json.extend_from_slice(text),
            None => return Err(Error::malformed("expected JSON as text")),
        },
        _ => write_json(array, row, json)?,
    }
    Ok(())
}

/// Reads columns without a field, where `written` has some of them as they were written.
fn read_tags(json: &mut Vec<u8>, written: Option<&[u8]>, utt: &mut Utterance) -> Result<()> {
    if json.is_empty() && written.is_none() {
        return Ok(());
    }
    json.extend_from_slice(if json.is_empty() { b"{}" } else { b"}" });
    let read = Object::of_line(json)?;
    let Some(written) = written else {
        columns::read(read, &mut utt.meta);
        return Ok(());
    };
    let exact = Object::of_line(written)?;
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    // All of them, if their order is another.
    let is_whole = read.iter().all(|(name, _)| exact.has(name));
    let in_order = read.iter().filter(|_| !is_whole);
    for (name, value) in in_order {
        let own = exact.iter().find(|(own, _)| *own == name);
        fields.raw(name, own.map_or(value, |(_, value)| value).get());
    }
    for (name, value) in exact.iter().filter(|(name, _)| is_whole || !read.has(name)) {
        fields.raw(name, value.get());
    }
    fields.close();
    columns::read(Object::of_line(&line)?, &mut utt.meta);
    Ok(())
}

/// Returns the key of a row, if a column has it.
///
/// # Errors
/// It is null, or neither text nor a number.
pub(crate) fn key_of(cells: &[Filled<'_>], row: usize) -> Result<Option<Vec<u8>>> {
    let find = |role: Role| cells.iter().find(|(column, _)| column.role == role);
    if let Some((column, array)) = find(Role::Key) {
        let context = |e: Error| e.context(format!("the column '{}'", column.name));
        if array.is_null(row) {
            return Err(context(Error::malformed("is null, expected a key")));
        }
        return name_of(column, array, row).map(Some).map_err(context);
    }
    let sound = find(Role::Audio).or_else(|| find(Role::Name));
    let path = sound.and_then(|(_, array)| {
        let paths = array.as_struct_opt()?.column_by_name(SOUND_PATH)?;
        bytes(paths, row)
    });
    let name = path.and_then(|path| path.rsplit(|b| *b == b'/').next());
    let stem = name.map(|name| match name.iter().rposition(|b| *b == b'.') {
        Some(dot) if dot > 0 => &name[..dot],
        _ => name,
    });
    Ok(stem.filter(|stem| !stem.is_empty()).map(<[u8]>::to_vec))
}

/// The columns of a batch with what they become.
pub(crate) fn cells<'a>(columns: &'a [Arc<Column>], batch: &'a [ArrayRef]) -> Vec<Filled<'a>> {
    columns.iter().map(AsRef::as_ref).zip(batch).collect()
}
