//! What files say of themselves, in the metadata of their schema.

use std::collections::BTreeMap;

use arrow_schema::{DataType, Schema};
use serde_json::Value;
use spr_core::model::About;

use crate::feature::{self, HUGGINGFACE};
use crate::json::Json;
use crate::role::Role;

/// The key of the metadata that only this program writes.
pub(crate) const OWN: &str = "spr-convert";
/// The fact of a data set that has types of columns, as they are described.
pub(crate) const TYPES: &str = "columns";
/// The fact of a data set that has the lines of its card that are not made anew.
pub(crate) const CARD: &str = "card";

/// The role of a column that this program wrote, and the name that it stands for.
pub(crate) type OwnColumns = BTreeMap<String, (Role, String)>;

/// What the metadata of a schema say.
#[derive(Default)]
pub(crate) struct Metadata {
    /// The descriptions of columns.
    pub(crate) features: BTreeMap<String, Json>,
    /// The columns as this program wrote them, if it did.
    pub(crate) own: Option<OwnColumns>,
    pub(crate) about: About,
}

impl Metadata {
    /// Reads the metadata of a schema. What is not understood counts as not there.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut read = Self::default();
        let said = |key: &str| schema.metadata.get(key);
        let own = said(OWN).and_then(|text| serde_json::from_str::<Value>(text).ok());
        if let Some(own) = own {
            let columns = own.get("columns").cloned().unwrap_or_default();
            read.own = serde_json::from_value(columns).ok();
            read.about = own.get("about").map(about_of).unwrap_or_default();
        }
        let told = said(HUGGINGFACE).and_then(|text| Json::parse(text));
        if let Some(info) = told.as_ref().and_then(|told| told.get("info")) {
            let text = |name: &str| {
                let text = info.get(name).and_then(Json::as_str)?;
                (!text.is_empty()).then(|| text.to_owned())
            };
            let about = &mut read.about;
            about.description = about.description.take().or_else(|| text("description"));
            about.license = about.license.take().or_else(|| text("license"));
            let features = info.get("features").and_then(Json::members);
            read.features = features.unwrap_or_default().iter().cloned().collect();
        }
        read
    }

    /// Returns the names of the classes that the numbers of a column stand for.
    pub(crate) fn classes(&self, column: &str) -> Option<Vec<String>> {
        feature::class_names(self.features.get(column)?)
    }

    /// Returns the description of a column: that of the file if it fits the type.
    pub(crate) fn description(&self, column: &str, dtype: &DataType) -> Option<Json> {
        let told = self
            .features
            .get(column)
            .filter(|told| feature::type_of(told).is_some_and(|own| feature::same(&own, dtype)));
        told.cloned().or_else(|| feature::describe(dtype))
    }
}

fn about_of(told: &Value) -> About {
    let text = |name: &str| told.get(name).and_then(Value::as_str).map(str::to_owned);
    let part = |name: &str| told.get(name).cloned().unwrap_or_default();
    let mut about = About::default();
    about.description = text("description");
    about.license = text("license");
    about.split = text("split");
    about.classes = serde_json::from_value(part("classes")).unwrap_or_default();
    about.other = serde_json::from_value(part("other")).unwrap_or_default();
    about
}

/// What a data set wants of a column that is written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Wanted {
    /// Its role, if it has another name than columns of that role usually have.
    pub(crate) role: Role,
    /// The description of its type.
    pub(crate) told: Option<Json>,
}

/// Returns what a data set wants of its columns, by its facts.
pub(crate) fn wanted(about: &About) -> BTreeMap<String, Wanted> {
    let told = about.other.get(TYPES).and_then(|text| Json::parse(text));
    let members = told.as_ref().and_then(Json::members).unwrap_or_default();
    let read = members.iter().filter_map(|(name, told)| {
        let role = Value::from(told.get("is")?.as_str()?);
        let role = serde_json::from_value(role).ok()?;
        let told = told.get("type").cloned();
        Some((name.clone(), Wanted { role, told }))
    });
    read.collect()
}

/// Keeps names and types of columns that would not be written by themselves.
pub(crate) fn keep(columns: &[(String, Wanted)], about: &mut About) {
    if columns.is_empty() || about.other.contains_key(TYPES) {
        return;
    }
    let column = |(name, wanted): &(String, Wanted)| {
        let role = serde_json::to_value(wanted.role).unwrap_or_default();
        let role = Json::text(role.as_str().unwrap_or_default());
        let told = wanted.told.clone().map(|told| ("type", told));
        let column = Json::object([("is", role)].into_iter().chain(told));
        (name.clone(), column)
    };
    let text = Json::Map(columns.iter().map(column).collect()).to_string();
    about.other.insert(TYPES.to_owned(), text);
}
