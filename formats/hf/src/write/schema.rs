//! The columns of the files that are written.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Metadata, Schema, SchemaRef};
use spr_core::bytes::Env;
use spr_core::model::About;
use spr_core::{Error, Result};
use spr_syntax::json::Fields;

use super::build::build;
use super::cell::Cell;
use super::facts::{Form, field_of};
use super::order::ColumnOrder;
use super::spool::SpooledRow;
use super::values::{quoted, round_trip};
use crate::about::{OWN, OwnColumns};
use crate::feature::{self, HUGGINGFACE};
use crate::json::Json;
use crate::names::has_meaning;
use crate::role::Role;

/// A column of the files.
pub(crate) struct Stored {
    pub(crate) role: Role,
    pub(crate) name: String,
    pub(crate) stands_for: String,
    /// Whether it may show a value in other digits or letters.
    pub(crate) is_other: bool,
    pub(crate) form: Form,
    /// The description of its type, if it was told one.
    pub(crate) told: Option<Json>,
}

/// The columns of the files, in order.
pub(crate) struct Columns {
    columns: Vec<Stored>,
    /// The place of each column among those, by its number in the rows that wait.
    places: Vec<usize>,
    /// The place of the column of what is written otherwise.
    written: Option<usize>,
    pub(crate) schema: SchemaRef,
    rate: Option<u32>,
}

impl Columns {
    /// Orders columns and names them.
    ///
    /// # Errors
    /// What the data set says of itself can't be written.
    pub(crate) fn new(
        mut columns: Vec<Stored>,
        other: &ColumnOrder,
        rate: Option<u32>,
        about: &About,
    ) -> Result<Self> {
        if columns.iter().all(|column| column.role != Role::Key) {
            columns.push(Stored::plain(Role::Key));
        }
        let rank = |column: &Stored| {
            let mut named = Role::NAMED.iter();
            let own = named.position(|role| *role == column.role);
            own.unwrap_or(Role::NAMED.len() + usize::from(column.role == Role::Tag))
        };
        let mut order: Vec<usize> = (0..columns.len()).collect();
        let place = |at: usize| {
            u32::try_from(at)
                .ok()
                .and_then(|number| other.place(number))
        };
        order.sort_by_key(|at| (rank(&columns[*at]), place(*at)));
        let mut places = vec![0; columns.len()];
        for (place, at) in order.iter().enumerate() {
            places[*at] = place;
        }
        let mut ordered: Vec<_> = columns.into_iter().zip(places.clone()).collect();
        ordered.sort_by_key(|(_, place)| *place);
        let mut columns: Vec<_> = ordered.into_iter().map(|(column, _)| column).collect();
        let has_other = columns.iter().any(|column| column.is_other);
        let written = (has_other || other.is_broken()).then(|| {
            columns.push(Stored::plain(Role::Written));
            columns.len() - 1
        });
        name_all(&mut columns);
        let mut made = Self {
            columns,
            places,
            written,
            schema: Arc::new(Schema::empty()),
            rate,
        };
        made.schema = Arc::new(made.make_schema(about)?);
        Ok(made)
    }

    fn make_schema(&self, about: &About) -> Result<Schema> {
        let fields = self.columns.iter();
        let fields: Vec<_> = fields
            .map(|column| field_of(&column.name, &column.form, column.told.as_ref()))
            .collect();
        let mut metadata = Metadata::new();
        metadata.insert(HUGGINGFACE, self.description(about).to_string());
        let own: OwnColumns = self
            .columns
            .iter()
            .map(|column| {
                let role = match (column.role, &column.form) {
                    (Role::Tag, Form::Json) => Role::Json,
                    (role, _) => role,
                };
                (column.name.clone(), (role, column.stands_for.clone()))
            })
            .collect();
        let mut said = BTreeMap::new();
        let wrong = |e: serde_json::Error| Error::unfit(e.to_string());
        said.insert("columns", serde_json::to_value(own).map_err(wrong)?);
        if !about.is_empty() {
            said.insert("about", serde_json::to_value(about).map_err(wrong)?);
        }
        metadata.insert(OWN, serde_json::to_string(&said).map_err(wrong)?);
        Ok(Schema::new_with_metadata(fields, metadata))
    }

    /// Returns what `datasets` reads of a data set.
    pub(crate) fn description(&self, about: &About) -> Json {
        let mut info = vec![("features".to_owned(), Json::Map(self.features()))];
        for (name, said) in [
            ("description", &about.description),
            ("license", &about.license),
        ] {
            info.extend(
                said.as_ref()
                    .map(|said| (name.to_owned(), Json::text(said.as_str()))),
            );
        }
        Json::object([("info", Json::Map(info))])
    }

    /// Returns the description of each column that there are words for, which are all types that are
    /// written.
    pub(crate) fn features(&self) -> Vec<(String, Json)> {
        let told = self.columns.iter().filter_map(|column| {
            let told = match (&column.form, &column.told) {
                (Form::Classes(names), _) => Some(feature::class_label(names)),
                (Form::Sound, _) => Some(feature::sound(self.rate)),
                (_, Some(told)) => Some(told.clone()),
                (form, None) => feature::describe(&form.dtype()),
            };
            Some((column.name.clone(), told?))
        });
        told.collect()
    }

    /// Tells of columns of numbers that differ too much for lists.
    pub(crate) fn warn_of_generic(&self, env: &Env, file: &str) {
        for column in self
            .columns
            .iter()
            .filter(|column| column.form == Form::Generic)
        {
            let message = format!(
                "the column '{}' has numbers of different types or dimensions, and is written as \
                 structs of dtype, shape and data instead of lists",
                column.name
            );
            env.warn(&Error::unfit(message).file(file));
        }
    }

    /// Returns the column with a name.
    pub(crate) fn named(&self, name: &str) -> Option<&Stored> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Makes a batch of rows.
    ///
    /// # Errors
    /// A value is not of the form that its column was found to have.
    pub(crate) fn batch(&self, rows: &[SpooledRow<'_>]) -> Result<RecordBatch> {
        let mut cells = vec![vec![None; rows.len()]; self.columns.len()];
        let written: Vec<_> = match self.written {
            Some(_) => rows.iter().map(|row| self.written(row)).collect(),
            None => Vec::new(),
        };
        for (n, row) in rows.iter().enumerate() {
            for (number, cell) in row {
                if let Some(place) = self.places.get(*number as usize) {
                    cells[*place][n] = Some(cell);
                }
            }
        }
        if let Some(place) = self.written {
            cells[place] = written.iter().map(Option::as_ref).collect();
        }
        let columns = self.columns.iter().zip(&cells);
        let columns: Result<Vec<_>> = columns
            .map(|(column, cells)| {
                let built = build(&column.form, cells);
                built.map_err(|e| e.context(format!("the column '{}'", column.name)))
            })
            .collect();
        let batch = RecordBatch::try_new(self.schema.clone(), columns?);
        batch.map_err(|e| Error::malformed(e.to_string()))
    }

    /// Returns the values of columns without a field that are shown in other digits or letters, or
    /// all if their order is another.
    fn written(&self, row: &SpooledRow<'_>) -> Option<Cell<'static>> {
        let tags = row.iter().filter_map(|(number, cell)| {
            let place = *self.places.get(*number as usize)?;
            let column = &self.columns[place];
            match cell {
                Cell::Json(text) if column.role == Role::Tag => Some((place, column, text)),
                _ => None,
            }
        });
        let tags: Vec<_> = tags.collect();
        let is_ordered = tags.is_sorted_by_key(|(place, _, _)| *place);
        let shown = |column: &Stored, text: &str| match &column.form {
            // Read again, it would be missing.
            Form::Values(_) | Form::Classes(_) if text == "null" => None,
            Form::Values(dtype) => Json::parse(text).and_then(|value| round_trip(dtype, &value)),
            Form::Classes(_) => match Json::parse(text)? {
                Json::Text(name) => Some(quoted(&name)),
                _ => None,
            },
            _ => Some(text.to_owned()),
        };
        let others: Vec<_> = tags
            .iter()
            .filter(|(_, column, text)| shown(column, text).as_deref() != Some(text))
            .collect();
        let has_null = others.iter().any(|(_, _, text)| *text == "null");
        let all = match is_ordered && !has_null {
            true => others,
            false => tags.iter().collect(),
        };
        if all.is_empty() {
            return None;
        }
        let mut line = Vec::new();
        let mut fields = Fields::open(&mut line);
        for (_, column, text) in all {
            fields.raw(&column.stands_for, text);
        }
        fields.close();
        String::from_utf8(line)
            .ok()
            .map(|line| Cell::Text(line.into()))
    }
}

impl Stored {
    /// A column of text of its own.
    fn plain(role: Role) -> Self {
        let name = role.names().first().copied().unwrap_or_default();
        Self {
            role,
            name: name.to_owned(),
            stands_for: String::new(),
            is_other: false,
            form: Form::Values(arrow_schema::DataType::Utf8),
            told: None,
        }
    }
}

/// Makes the names of columns differ. Those with a meaning keep theirs.
fn name_all(columns: &mut [Stored]) {
    let mut taken = BTreeSet::new();
    for column in columns {
        let prefix = match column.role {
            Role::Array => "array:",
            _ => "column:",
        };
        let is_free = match column.role {
            Role::Array => !has_meaning(&column.name) && !column.name.contains(':'),
            _ => true,
        };
        if !is_free || column.name.is_empty() {
            column.name = format!("{prefix}{}", column.name);
        }
        while !taken.insert(column.name.clone()) {
            column.name = format!("{prefix}{}", column.name);
        }
    }
}
