//! The values of a row before they have their columns.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use spr_core::bytes::Env;
use spr_core::model::{Decimal, Dtype, Matrix, Rank, Tag, Tier, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{Fields, Object};
use spr_syntax::manifest::columns::{self, COLUMN};
use spr_syntax::manifest::source::utf8;
use spr_syntax::sound::SoundCodec;

use crate::names::{SPLIT, has_meaning};
use crate::role::Role;
use crate::row::{FORMAT, PATH, usual_path};
use crate::split;

/// A value of a row: of an utterance, or of the bytes in which it waited.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Cell<'a> {
    #[serde(borrow)]
    Text(Cow<'a, str>),
    /// A value as JSON.
    #[serde(borrow)]
    Json(Cow<'a, str>),
    /// A sound file with its name.
    Sound {
        #[serde(borrow, with = "serde_bytes")]
        bytes: Cow<'a, [u8]>,
        path: Option<String>,
    },
    #[serde(borrow)]
    Numbers(Numbers<'a>),
    Tiers(Cow<'a, [Tier]>),
    Number(Decimal),
}

/// An array of any rank.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Numbers<'a> {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Vec<usize>,
    /// All elements in row-major order, in the machine's byte order.
    #[serde(borrow, with = "serde_bytes")]
    pub(crate) bytes: Cow<'a, [u8]>,
}

impl<'a> Numbers<'a> {
    pub(crate) fn new(values: &'a Matrix, shape: &[usize]) -> Self {
        Self {
            dtype: values.dtype(),
            shape: shape.to_vec(),
            bytes: values.as_bytes().into(),
        }
    }
}

impl Cell<'_> {
    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Json(text) => text.len(),
            Self::Sound { bytes, .. } => bytes.len(),
            Self::Numbers(numbers) => numbers.bytes.len(),
            Self::Tiers(tiers) => tiers.iter().map(|tier| tier.segments.len() * 64).sum(),
            Self::Number(_) => size_of::<Decimal>(),
        }
    }
}

/// A value with the role of its column and the name that the column stands for.
pub(crate) type Named<'a> = (Role, String, Cell<'a>);

/// The values of an utterance.
pub(crate) struct Row<'a> {
    pub(crate) cells: Vec<Named<'a>>,
    /// The split that a column says, if files are divided by it.
    pub(crate) split: Option<String>,
    /// The sampling rate of sound: `None` without sound, `Some(None)` if it is unknown.
    pub(crate) rate: Option<Option<u32>>,
}

/// What rows are made for.
pub(crate) struct RowMaker {
    pub(crate) codec: SoundCodec,
    /// Whether files are divided by the column of the split.
    pub(crate) divides: bool,
    pub(crate) env: Env,
}

impl RowMaker {
    /// Makes the row of an utterance.
    ///
    /// # Errors
    /// Something can't be encoded, or two columns would have one name.
    pub(crate) fn make<'a>(&self, utt: &'a Utterance) -> Result<Row<'a>> {
        let mut row = Row {
            cells: Vec::new(),
            split: None,
            rate: None,
        };
        let mut add = |role: Role, cell: Cell<'a>| row.cells.push((role, String::new(), cell));
        let key = utf8(utt.key.as_bytes(), "the key")?;
        add(Role::Key, Cell::Text(key.into()));
        let mut tags: Vec<_> = utt.meta.tags.clone();
        if let Some(audio) = &utt.audio {
            let (bytes, extension) = self.codec.encode(audio, &self.env)?;
            let usual = usual_path(&utt.key, extension);
            let path = take_tag(&mut tags, FORMAT, PATH)?;
            let path = path.map_or(Some(usual), |path| (!path.is_empty()).then_some(path));
            add(Role::Audio, Cell::Sound { bytes, path });
            row.rate = Some(audio.facts().rate());
        }
        let mut add = |role: Role, cell: Cell<'a>| row.cells.push((role, String::new(), cell));
        if let Some(text) = &utt.text {
            add(Role::Text, Cell::Text(utf8(text, "the text")?.into()));
        }
        if let Some(features) = &utt.features {
            add(Role::Features, Cell::Numbers(numbers(features)));
        }
        if let Some(labels) = &utt.labels {
            add(Role::Labels, Cell::Numbers(of_labels(labels)));
        }
        match utt.tiers.as_slice() {
            [] => {}
            [only] if only.is_plain() => {
                add(Role::Segments, Cell::Tiers(Cow::Borrowed(&utt.tiers)))
            }
            _ => add(Role::Tiers, Cell::Tiers(Cow::Borrowed(&utt.tiers))),
        }
        add_meta(utt, &mut add)?;
        for named in &utt.arrays {
            let array = &named.array;
            let cell = Cell::Numbers(Numbers::new(array.values(), array.shape()));
            row.cells.push((Role::Array, named.name.clone(), cell));
        }
        if self.divides {
            row.split = take_split(&mut tags)?;
        }
        add_tags(&tags, &mut row.cells)?;
        Ok(row)
    }
}

/// Takes the value of a tag.
fn take_tag(tags: &mut Vec<Tag>, format: &str, key: &str) -> Result<Option<String>> {
    let at = tags
        .iter()
        .position(|tag| tag.format == format && tag.key == key.as_bytes());
    let Some(at) = at else {
        return Ok(None);
    };
    let tag = tags.remove(at);
    utf8(&tag.value, key).map(|value| Some(value.to_owned()))
}

/// Takes the split that a column says.
fn take_split(tags: &mut Vec<Tag>) -> Result<Option<String>> {
    let Some(value) = take_tag(tags, COLUMN, SPLIT)? else {
        return Ok(None);
    };
    let name: Option<String> = serde_json::from_str(&value).ok();
    let name = name.filter(|name| split::is_name(name));
    name.map(Some).ok_or_else(|| {
        let message = format!("the column split is {value}, which names no split");
        Error::unfit(message).hint("a file instead of a folder keeps it as a column")
    })
}

/// Returns a matrix as an array of its rank.
fn numbers(matrix: &Matrix) -> Numbers<'_> {
    let shape = [matrix.rows(), matrix.cols()];
    let rank = match matrix.rank() {
        Rank::Scalar => 0,
        Rank::Vector => 1,
        Rank::Matrix => 2,
    };
    Numbers::new(matrix, &shape[..rank])
}

/// Returns labels as an array: one list if there is one for each frame.
fn of_labels(labels: &Matrix) -> Numbers<'_> {
    match labels.cols() {
        1 => Numbers::new(labels, &[labels.rows()]),
        _ => numbers(labels),
    }
}

fn add_meta<'a>(utt: &'a Utterance, add: &mut dyn FnMut(Role, Cell<'a>)) -> Result<()> {
    let meta = &utt.meta;
    for (role, name) in [
        (Role::Speaker, &meta.speaker),
        (Role::Gender, &meta.gender),
        (Role::Language, &meta.language),
        (Role::Recording, &meta.recording),
        (Role::Channel, &meta.channel),
    ] {
        if let Some(name) = name {
            let word = role.names().first().copied().unwrap_or_default();
            add(role, Cell::Text(utf8(name.as_bytes(), word)?.into()));
        }
    }
    for (role, number) in [
        (Role::Start, meta.start),
        (Role::End, meta.end),
        (Role::Shift, meta.frame_shift),
        (Role::Offset, meta.frame_offset),
    ] {
        if let Some(number) = number {
            add(role, Cell::Number(number));
        }
    }
    Ok(())
}

/// Adds the columns without a field in the model.
fn add_tags(tags: &[Tag], cells: &mut Vec<Named<'_>>) -> Result<()> {
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    columns::write(tags, |name, _| has_meaning(name), &mut fields)?;
    fields.close();
    for (name, value) in Object::of_line(&line)?.rest() {
        let cell = Cell::Json(value.get().to_owned().into());
        cells.push((Role::Tag, name.into_owned(), cell));
    }
    Ok(())
}
