//! What is known of a column while its rows wait, and the type that comes of it.

use std::collections::BTreeSet;

use arrow_schema::{DataType, Field, Fields};
use spr_core::bytes::MemoryCounter;
use spr_core::model::{Decimal, Tier};
use spr_core::{Error, Limits, Result};

use super::cell::Cell;
use super::shapes::Shapes;
use super::values::{quoted, round_trip};
use crate::cells::digits;
use crate::feature::{self, field, list};
use crate::generic;
use crate::json::Json;
use crate::role::Role;

/// How the values of a column are stored.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Form {
    /// JSON as values of this type.
    Values(DataType),
    /// JSON as text.
    Json,
    /// Numbers of classes with these names.
    Classes(Vec<String>),
    Sound,
    /// Nested lists of numbers.
    Lists(DataType),
    Generic,
    /// Numbers in digits, as text where a float would change them.
    Digits {
        exact: bool,
    },
    Tiers(TierForm),
}

/// The form of segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TierForm {
    /// Whether there are tiers, and not the segments of one alone.
    pub(crate) tiers: bool,
    /// Whether a float would change a number.
    pub(crate) text: bool,
    pub(crate) scores: bool,
    pub(crate) speakers: bool,
}

impl TierForm {
    /// Returns the fields of a segment.
    pub(crate) fn fields(self) -> Fields {
        let number = Form::number(!self.text);
        let mut fields = vec![
            field("start", number.clone()),
            field("end", number.clone()),
            field("text", DataType::Utf8),
        ];
        fields.extend(self.scores.then(|| field("score", number)));
        fields.extend(self.speakers.then(|| field("speaker", DataType::Utf8)));
        fields.into()
    }

    /// Returns the fields of a tier.
    pub(crate) fn tier_fields(self) -> Fields {
        Fields::from(vec![
            field("name", DataType::Utf8),
            field("points", DataType::Boolean),
            field("segments", list(DataType::Struct(self.fields()))),
        ])
    }
}

impl Form {
    /// Returns the type of numbers in digits.
    pub(crate) fn number(exact: bool) -> DataType {
        match exact {
            true => DataType::Float64,
            false => DataType::Utf8,
        }
    }

    /// Returns the Arrow type.
    pub(crate) fn dtype(&self) -> DataType {
        match self {
            Self::Values(dtype) | Self::Lists(dtype) => dtype.clone(),
            Self::Json => DataType::Utf8,
            Self::Classes(_) => DataType::Int64,
            Self::Sound => feature::audio(),
            Self::Generic => generic::dtype(),
            Self::Digits { exact } => Self::number(*exact),
            Self::Tiers(form) => list(DataType::Struct(match form.tiers {
                true => form.tier_fields(),
                false => form.fields(),
            })),
        }
    }
}

/// Returns `true` if a float has all digits of a number.
pub(crate) fn is_exact(number: Decimal) -> bool {
    Decimal::of(number.value()) == Some(number)
}

/// The kinds of JSON values that a column has, each with whether all are written as they would be.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds {
    bools: bool,
    integers: bool,
    floats: bool,
    texts: bool,
    others: bool,
    /// Whether integers are within 64 bits.
    large: bool,
    /// Whether a value is written in other digits or letters, of whatever kind.
    is_other: bool,
}

/// What is known of a column.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    role: Role,
    kinds: Kinds,
    shapes: Shapes,
    tiers: TierForm,
    is_inexact: bool,
    /// The description and type that the data set wants, as long as all values fit.
    wanted: Option<(Json, DataType)>,
    /// Whether the wanted type shows a value in other digits or letters.
    wanted_is_other: bool,
    /// The names of classes that values must be, or that are collected.
    classes: Option<Classes>,
}

#[derive(Clone, Debug)]
enum Classes {
    /// These, as long as all values are among them.
    Told(Vec<String>),
    /// All values.
    Collected(BTreeSet<String>),
}

impl Facts {
    /// Knows nothing but what is wanted: the description of a type, the names of classes, or that
    /// values are made classes.
    pub(crate) fn new(
        role: Role,
        wanted: Option<&Json>,
        classes: Option<&Vec<String>>,
        collect: bool,
    ) -> Self {
        let typed = |told: &Json| Some((told.clone(), feature::type_of(told)?));
        let classes = match collect {
            true => Some(Classes::Collected(BTreeSet::new())),
            false => classes.cloned().map(Classes::Told),
        };
        Self {
            role,
            kinds: Kinds::default(),
            shapes: Shapes::default(),
            tiers: TierForm::default(),
            is_inexact: false,
            wanted: wanted.and_then(typed),
            wanted_is_other: false,
            classes,
        }
    }

    /// Adds a value.
    ///
    /// # Errors
    /// It is no text, where values are made classes, or there are too many of them.
    pub(crate) fn add(
        &mut self,
        cell: &Cell<'_>,
        held: &mut MemoryCounter,
        limits: &Limits,
    ) -> Result<()> {
        match cell {
            Cell::Text(text) => {
                let value = Json::text(&**text);
                self.add_class(&value, held, limits)?;
                self.add_wanted(&value, &quoted(text));
            }
            Cell::Json(text) => {
                let value = Json::parse(text);
                if let Some(value) = &value {
                    self.add_class(value, held, limits)?;
                    self.add_wanted(value, text);
                }
                self.kinds.add(value.as_ref(), text);
            }
            Cell::Numbers(numbers) => self.shapes.add(numbers.dtype, &numbers.shape),
            Cell::Tiers(tiers) => self.add_tiers(tiers),
            Cell::Number(number) => self.is_inexact |= !is_exact(*number),
            Cell::Sound { .. } => {}
        }
        Ok(())
    }

    fn add_class(&mut self, value: &Json, held: &mut MemoryCounter, limits: &Limits) -> Result<()> {
        match (&mut self.classes, value.as_str()) {
            (None, _) => {}
            (Some(Classes::Told(names)), Some(name)) if names.iter().any(|own| own == name) => {}
            (Some(Classes::Told(_)), _) => self.classes = None,
            (Some(Classes::Collected(names)), Some(name)) => {
                if !names.contains(name) {
                    held.keep(name.len(), limits)?;
                    names.insert(name.to_owned());
                }
            }
            (Some(Classes::Collected(_)), None) => {
                let message = format!("option classes: {value} is no text");
                return Err(Error::unfit(message));
            }
        }
        Ok(())
    }

    fn add_wanted(&mut self, value: &Json, text: &str) {
        let Some((_, dtype)) = &self.wanted else {
            return;
        };
        // Names that were numbers are numbers again.
        let number = value
            .as_str()
            .filter(|_| dtype.is_integer() && self.role != Role::Tag);
        let number = number.map(|digits| Json::Other(digits.to_owned()));
        match (round_trip(dtype, number.as_ref().unwrap_or(value)), number) {
            (None, _) => self.wanted = None,
            (Some(again), Some(digits)) if again != digits.to_string() => self.wanted = None,
            (Some(again), None) if again != text || text == "null" => match self.role {
                Role::Tag => self.wanted_is_other = true,
                _ => self.wanted = None,
            },
            _ => {}
        }
    }

    fn add_tiers(&mut self, tiers: &[Tier]) {
        let form = &mut self.tiers;
        form.tiers |= self.role == Role::Tiers;
        for segment in tiers.iter().flat_map(|tier| &tier.segments) {
            let numbers = [Some(segment.start), segment.end, segment.score];
            form.text |= numbers
                .into_iter()
                .flatten()
                .any(|number| !is_exact(number));
            form.scores |= segment.score.is_some();
            form.speakers |= segment.speaker.is_some();
        }
    }

    /// Returns the form of the column, and the description of its type if it is the wanted one.
    pub(crate) fn form(&self) -> (Form, Option<Json>) {
        match &self.classes {
            Some(Classes::Told(names)) => return (Form::Classes(names.clone()), None),
            Some(Classes::Collected(names)) => {
                let names = names.iter().cloned().collect();
                return (Form::Classes(names), None);
            }
            None => {}
        }
        match self.role {
            Role::Features | Role::Labels | Role::Array => self.form_of_numbers(),
            Role::Audio => (Form::Sound, None),
            Role::Segments | Role::Tiers => (Form::Tiers(self.tiers), None),
            Role::Start | Role::End | Role::Shift | Role::Offset => {
                let exact = !self.is_inexact;
                (Form::Digits { exact }, None)
            }
            _ => match &self.wanted {
                Some((told, dtype)) => (Form::Values(dtype.clone()), Some(told.clone())),
                None if self.role == Role::Tag => (self.kinds.form(), None),
                None => (Form::Values(DataType::Utf8), None),
            },
        }
    }

    fn form_of_numbers(&self) -> (Form, Option<Json>) {
        if let Some((told, dtype)) = &self.wanted {
            let shape = feature::array_2d(told);
            let agrees = shape.is_none_or(|shape| self.shapes.are(&shape));
            if agrees && self.shapes.fits(dtype) {
                return (Form::Lists(dtype.clone()), Some(told.clone()));
            }
        }
        let lists = self.shapes.lists().map(Form::Lists);
        (lists.unwrap_or(Form::Generic), None)
    }

    /// Returns `true` if the column may show a value in other digits or letters.
    pub(crate) fn is_other(&self) -> bool {
        match (&self.wanted, self.role) {
            (_, role) if role != Role::Tag => false,
            (Some(_), _) => self.wanted_is_other,
            (None, _) if self.kinds.form() == Form::Json => false,
            (None, _) => self.kinds.is_other || self.kinds.integers && self.kinds.floats,
        }
    }
}

impl Kinds {
    fn add(&mut self, value: Option<&Json>, text: &str) {
        match value {
            Some(Json::Text(inside)) => {
                self.texts = true;
                self.is_other |= quoted(inside) != text;
            }
            Some(Json::Other(word)) if word == "null" => self.is_other = true,
            Some(Json::Other(word)) if word == "true" || word == "false" => self.bools = true,
            Some(Json::Other(digits)) if !digits.contains(['.', 'e', 'E']) => {
                self.integers = true;
                let number = digits.parse::<i64>().ok();
                self.large |= number.is_none();
                self.is_other |= number.is_some_and(|number| number.to_string() != *digits);
            }
            Some(Json::Other(text)) => {
                let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
                match value {
                    Some(value) => {
                        self.floats = true;
                        self.is_other |= digits(value) != *text;
                    }
                    None => self.others = true,
                }
            }
            _ => self.others = true,
        }
    }

    /// Returns the form of values of one kind; others are JSON.
    fn form(self) -> Form {
        match (self.bools, self.integers, self.floats, self.texts) {
            _ if self.others || self.large => Form::Json,
            (true, false, false, false) => Form::Values(DataType::Boolean),
            (false, true, false, false) => Form::Values(DataType::Int64),
            (false, _, true, false) => Form::Values(DataType::Float64),
            (false, false, false, true) => Form::Values(DataType::Utf8),
            _ => Form::Json,
        }
    }
}

/// Returns the field of a column of the schema, with what makes `datasets` take it for an array.
pub(crate) fn field_of(name: &str, form: &Form, told: Option<&Json>) -> Field {
    let field = field(name, form.dtype());
    let Some(told) = told.filter(|told| feature::array_2d(told).is_some()) else {
        return field;
    };
    let part = |name: &str| told.get(name).map(ToString::to_string).unwrap_or_default();
    let shape = format!("[{}, {}]", part("shape"), part("dtype"));
    let class = "datasets.features.features.Array2DExtensionType";
    let mut field = field;
    field.metadata_mut().insert("ARROW:extension:name", class);
    field
        .metadata_mut()
        .insert("ARROW:extension:metadata", shape);
    field
}
