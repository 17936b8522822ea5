//! The roles of columns.

use arrow_schema::DataType;
use serde::{Deserialize, Serialize};
use spr_core::format::{FieldSet, OptionSpec};

use crate::cells::{is_binary, is_text};
use crate::numbers::nested;
use crate::{names, options};

/// The name of a sound file, in the struct of its column.
pub(crate) const SOUND_PATH: &str = "path";

/// What a column becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Role {
    Key,
    Audio,
    /// The names of sound files, which are not read themselves.
    Name,
    Text,
    Features,
    Labels,
    Segments,
    Tiers,
    Speaker,
    Gender,
    Language,
    Recording,
    Channel,
    Start,
    End,
    Shift,
    Offset,
    /// A named array.
    Array,
    /// A column without a field in the model.
    Tag,
    /// The same, as JSON.
    Json,
    /// What other columns without a field hold in other digits or letters.
    Written,
}

impl Role {
    /// The roles that one column has, found by name, in the order of the columns that are written.
    pub(crate) const NAMED: [Self; 16] = [
        Self::Key,
        Self::Audio,
        Self::Text,
        Self::Features,
        Self::Labels,
        Self::Segments,
        Self::Tiers,
        Self::Speaker,
        Self::Gender,
        Self::Language,
        Self::Recording,
        Self::Channel,
        Self::Start,
        Self::End,
        Self::Shift,
        Self::Offset,
    ];

    /// Returns the names by which its column is found, the first of which is written.
    pub(crate) fn names(self) -> &'static [&'static str] {
        use spr_syntax::manifest::source::FIELDS;
        match self {
            Self::Key => &names::KEY,
            Self::Audio => &names::AUDIO,
            Self::Text => &names::TEXT,
            Self::Features => &names::FEATURES,
            Self::Labels => &names::LABELS,
            Self::Segments => &[names::SEGMENTS],
            Self::Tiers => &[names::TIERS],
            Self::Speaker => &names::SPEAKER,
            Self::Gender => &[names::GENDER],
            Self::Language => &names::LANGUAGE,
            Self::Recording => &FIELDS[..1],
            Self::Channel => &FIELDS[1..2],
            Self::Start => &FIELDS[2..3],
            Self::End => &FIELDS[3..4],
            Self::Shift => &[names::SHIFT],
            Self::Offset => &[names::OFFSET],
            Self::Written => &[names::WRITTEN],
            Self::Name | Self::Array | Self::Tag | Self::Json => &[],
        }
    }

    /// Returns the option that names its column.
    pub(crate) fn option(self) -> Option<&'static OptionSpec> {
        Some(match self {
            Self::Key => &options::KEY,
            Self::Audio => &options::AUDIO,
            Self::Text => &options::TEXT,
            Self::Features => &options::FEATURES,
            Self::Labels => &options::LABELS,
            _ => return None,
        })
    }

    /// Returns `true` if a column of this type may have the role.
    pub(crate) fn fits(self, dtype: &DataType) -> bool {
        let is_float = |dtype: &DataType| *dtype == DataType::Float64;
        match self {
            Self::Key | Self::Speaker | Self::Gender | Self::Language => {
                is_text(dtype) || dtype.is_integer()
            }
            Self::Text | Self::Recording | Self::Channel => is_text(dtype),
            Self::Audio => is_sound(dtype) || is_binary(dtype),
            Self::Features => nested(dtype).is_some_and(|(_, depth)| depth == 1 || depth == 2),
            Self::Labels => nested(dtype)
                .is_some_and(|(number, depth)| !number.is_float() && (depth == 1 || depth == 2)),
            Self::Segments => is_segments(dtype),
            Self::Name | Self::Tiers => false,
            Self::Start | Self::End | Self::Shift | Self::Offset => {
                is_float(dtype) || is_text(dtype)
            }
            Self::Array | Self::Tag | Self::Json | Self::Written => true,
        }
    }

    /// Returns `true` if a column of this type can have the role alone, whatever it is called.
    pub(crate) fn is_plain(self, dtype: &DataType) -> bool {
        match self {
            Self::Audio => is_sound(dtype),
            Self::Features => {
                nested(dtype).is_some_and(|(number, depth)| number.is_float() && depth == 2)
            }
            Self::Labels => {
                nested(dtype).is_some_and(|(number, depth)| !number.is_float() && depth == 1)
            }
            _ => false,
        }
    }

    /// Returns `true` if its column is among the fields that are asked for.
    pub(crate) fn is_among(self, fields: &FieldSet) -> bool {
        match self {
            Self::Audio => fields.audio,
            Self::Text => fields.text,
            Self::Features => fields.features,
            Self::Labels => fields.labels,
            Self::Segments | Self::Tiers => fields.segments,
            Self::Array => fields.arrays,
            _ => true,
        }
    }

    /// Returns its name in messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Key => "the key",
            Self::Audio => "sound",
            Self::Text => "text",
            Self::Features => "features",
            Self::Labels => "labels",
            Self::Segments | Self::Tiers => "segments",
            _ => "what is known",
        }
    }
}

/// Returns `true` for a struct of the bytes of a file and its name.
pub(crate) fn is_sound(dtype: &DataType) -> bool {
    let DataType::Struct(fields) = dtype else {
        return false;
    };
    let of = |name: &str| fields.iter().find(|field| field.name() == name);
    // A file of which all are null may have no type for them.
    let is_or_null = |name: &str, is: fn(&DataType) -> bool| {
        of(name).is_some_and(|field| *field.data_type() == DataType::Null || is(field.data_type()))
    };
    let (bytes, path) = (
        is_or_null("bytes", is_binary),
        is_or_null(SOUND_PATH, is_text),
    );
    fields.len() == 2 && bytes && path
}

/// Returns `true` for lists of structs of start, end and text.
fn is_segments(dtype: &DataType) -> bool {
    let (DataType::List(item) | DataType::LargeList(item)) = dtype else {
        return false;
    };
    let DataType::Struct(fields) = item.data_type() else {
        return false;
    };
    let names: Vec<_> = fields.iter().map(|field| field.name().as_str()).collect();
    let times = fields.iter().take(2).map(|field| field.data_type());
    let mut times = times.map(|dtype| *dtype == DataType::Float64 || is_text(dtype));
    let text = fields
        .get(2)
        .is_some_and(|field| is_text(field.data_type()));
    let (own, more) = names.split_at(names.len().min(3));
    let is_known = more.iter().all(|name| ["score", "speaker"].contains(name));
    own == ["start", "end", "text"] && is_known && times.all(|fits| fits) && text
}
