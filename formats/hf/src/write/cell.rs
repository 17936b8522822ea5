//! The values of a row before they have their columns.

use serde::{Deserialize, Serialize};
use spr_core::bytes::Env;
use spr_core::model::{Array, Decimal, Matrix, Rank, Tag, Tier, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{Fields, Object};
use spr_syntax::manifest::columns::{self, COLUMN};
use spr_syntax::manifest::source::utf8;
use spr_syntax::sound::SoundCodec;

use crate::names::{SPLIT, has_meaning};
use crate::role::Role;
use crate::row::{FORMAT, PATH, usual_path};
use crate::split;

/// A value of a row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Cell {
    Text(String),
    /// A value as JSON.
    Json(String),
    /// A sound file with its name.
    Sound {
        #[serde(with = "serde_bytes")]
        bytes: Vec<u8>,
        path: Option<String>,
    },
    Numbers(Array),
    Tiers(Vec<Tier>),
    Number(Decimal),
}

impl Cell {
    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Json(text) => text.len(),
            Self::Sound { bytes, .. } => bytes.len(),
            Self::Numbers(array) => array.values().as_bytes().len(),
            Self::Tiers(tiers) => tiers.iter().map(|tier| tier.segments.len() * 64).sum(),
            Self::Number(_) => size_of::<Decimal>(),
        }
    }
}

/// A value with the role of its column and the name that the column stands for.
pub(crate) type Named = (Role, String, Cell);

/// The values of an utterance.
pub(crate) struct Row {
    pub(crate) cells: Vec<Named>,
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
    pub(crate) fn make(&self, utt: &Utterance) -> Result<Row> {
        let mut row = Row {
            cells: Vec::new(),
            split: None,
            rate: None,
        };
        let mut add = |role: Role, cell: Cell| row.cells.push((role, String::new(), cell));
        let key = utf8(utt.key.as_bytes(), "the key")?;
        add(Role::Key, Cell::Text(key.to_owned()));
        let mut tags: Vec<_> = utt.meta.tags.clone();
        if let Some(audio) = &utt.audio {
            let (bytes, extension) = self.codec.encode(audio, &self.env)?;
            let usual = usual_path(&utt.key, extension);
            let path = take_tag(&mut tags, FORMAT, PATH)?;
            let bytes = bytes.into_owned();
            let path = path.map_or(Some(usual), |path| (!path.is_empty()).then_some(path));
            add(Role::Audio, Cell::Sound { bytes, path });
            row.rate = Some(audio.facts().rate);
        }
        let mut add = |role: Role, cell: Cell| row.cells.push((role, String::new(), cell));
        if let Some(text) = &utt.text {
            add(Role::Text, Cell::Text(utf8(text, "the text")?.to_owned()));
        }
        if let Some(features) = &utt.features {
            add(Role::Features, Cell::Numbers(numbers(features)?));
        }
        if let Some(labels) = &utt.labels {
            add(Role::Labels, Cell::Numbers(of_labels(labels)?));
        }
        match utt.tiers.as_slice() {
            [] => {}
            [only] if only.is_plain() => add(Role::Segments, Cell::Tiers(utt.tiers.clone())),
            _ => add(Role::Tiers, Cell::Tiers(utt.tiers.clone())),
        }
        add_meta(utt, &mut add)?;
        for named in &utt.arrays {
            let cell = Cell::Numbers(named.array.clone());
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
fn numbers(matrix: &Matrix) -> Result<Array> {
    let shape = match matrix.rank() {
        Rank::Scalar => Vec::new(),
        Rank::Vector => vec![matrix.rows()],
        Rank::Matrix => vec![matrix.rows(), matrix.cols()],
    };
    Array::of(matrix.clone(), &shape)
}

/// Returns labels as an array: one list if there is one for each frame.
fn of_labels(labels: &Matrix) -> Result<Array> {
    match labels.cols() {
        1 => Array::of(labels.clone(), &[labels.rows()]),
        _ => numbers(labels),
    }
}

fn add_meta(utt: &Utterance, add: &mut dyn FnMut(Role, Cell)) -> Result<()> {
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
            add(role, Cell::Text(utf8(name.as_bytes(), word)?.to_owned()));
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
fn add_tags(tags: &[Tag], cells: &mut Vec<Named>) -> Result<()> {
    let mut line = Vec::new();
    let mut fields = Fields::open(&mut line);
    columns::write(tags, |name, _| has_meaning(name), &mut fields)?;
    fields.close();
    for (name, value) in Object::of_line(&line)?.rest() {
        let cell = Cell::Json(value.get().to_owned());
        cells.push((Role::Tag, name.into_owned(), cell));
    }
    Ok(())
}
