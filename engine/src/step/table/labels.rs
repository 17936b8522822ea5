//! Steps that pick, translate and map labels.

use std::sync::Arc;

use spr_core::bytes::Location;
use spr_core::format::{LabelTable, Partitioning, Reader};
use spr_core::stage::{LabelMap, LabelSet, PickTier, ReaderExt, TranslateLabels};
use spr_core::{Error, Remedy, Result};

use super::super::kind::{DataOption, Kind, Level, Phase, Subject};
use super::super::operation::{Operation, Reach, Stage, Surroundings};
use super::super::parse::parsed;
use super::super::values::Parameters;

pub(super) static TIER: Kind = Kind {
    name: "tier",
    aliases: &[],
    usage: "tier(NAME)",
    what: "one tier of segments",
    parameters: Parameters::of(&["name"]),
    options: &[DataOption {
        key: "tier",
        flag: None,
        expected: "the name of a tier",
        set: |asked, text| {
            asked.set("tier", "name", text);
            Ok(true)
        },
    }],
    flags: &[],
    phase: Phase::Tier,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let name = values.need("name", |text| Some(text.to_owned()), "the name of a tier")?;
        let description = format!("the tier '{name}' of segments");
        let stage = Stage::new(Reach::Utterance, [], move |reader, _| {
            Ok(Box::new(PickTier::new(reader, name.as_str())))
        });
        stage.described(description).parsed()
    },
};

pub(super) static ALI_TO: Kind = Kind {
    name: "ali-to",
    aliases: &[],
    usage: "ali-to(phones,model=FILE) or ali-to(pdfs,model=FILE)",
    what: "what the labels of an alignment stand for, by its model",
    parameters: Parameters {
        positional: &["unit"],
        named: &["model"],
        files: &["model"],
        ..Parameters::NONE
    },
    options: &[
        DataOption {
            key: "ali-to",
            flag: Some("ali-to"),
            expected: "phones or pdfs",
            set: |asked, text| {
                asked.set("ali-to", "unit", text);
                Ok(!text.is_empty())
            },
        },
        DataOption {
            key: "model",
            flag: Some("model"),
            expected: "the name of a model, such as final.mdl",
            set: |asked, text| {
                asked.set("ali-to", "model", text);
                Ok(!text.is_empty())
            },
        },
    ],
    flags: &[],
    phase: Phase::Meaning,
    subject: Subject::Frames,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let unit = values.need("unit", |text| Some(text.to_owned()), "phones or pdfs")?;
        let model = values.file("model");
        Ok(Arc::new(Translation { unit, model }))
    },
};

/// The translation of labels to what they stand for.
#[derive(Clone)]
pub(in super::super) struct Translation {
    pub(in super::super) unit: String,
    /// The model that says it.
    pub(in super::super) model: Option<Location>,
}

impl Operation for Translation {
    fn reach(&self) -> Reach {
        Reach::Utterance
    }

    fn columns(&self) -> &[&'static str] {
        &[]
    }

    fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        let (Some(model), unit) = (&self.model, &self.unit) else {
            let error = Error::usage("ali-to: no model says what the labels stand for");
            return Err(error.suggest(Remedy::NameModel));
        };
        let table = at.files.labels(model, unit, || table(model, unit, at))?;
        Ok(Box::new(TranslateLabels::new(
            reader,
            table,
            model.to_string(),
        )))
    }

    fn describe(&self, _: Partitioning) -> Option<String> {
        let unit = &self.unit;
        Some(match &self.model {
            Some(model) => format!("labels as {unit}, by {model}"),
            None => format!("labels as {unit}"),
        })
    }
}

/// Reads what the labels of a model are in this unit.
fn table(model: &Location, unit: &str, at: &Surroundings<'_>) -> Result<LabelTable> {
    /// The bytes by which a model is recognised.
    const HEAD: usize = 64;
    let Some(registry) = at.registry else {
        return Err(Error::unsupported("ali-to: no formats are known here"));
    };
    let mut source = at.env.open_file(model)?;
    let head = source.peek(HEAD)?;
    let known = registry
        .formats()
        .filter_map(|format| format.label_models());
    let Some(models) = known.into_iter().find(|models| models.is_model(head)) else {
        let message = "is no model that says what labels stand for";
        return Err(Error::malformed(message)
            .file(model.to_string())
            .suggest(Remedy::NameModel));
    };
    if !models.units().contains(&unit) {
        let units = models.units().join(" or ");
        let error = Error::usage(format!("ali-to: expected {units}, found '{unit}'"));
        return Err(match models.missing_unit(unit) {
            Some(why) => error.hint(why),
            None => error,
        });
    }
    models.read(source, unit, at.env)
}

pub(super) static IGNORE_LABEL: Kind = Kind {
    name: "ignore-label",
    aliases: &[],
    usage: "ignore-label(LABELS), such as ignore-label(0:3-9)",
    what: "without the frames that have these labels",
    parameters: Parameters::of(&["labels"]),
    options: &[DataOption {
        key: "ignore-label",
        flag: Some("ignore-label"),
        expected: "labels and ascending ranges, such as 0:3-9",
        set: |asked, text| {
            asked.set("ignore-label", "labels", text);
            Ok(text.parse::<LabelSet>().is_ok())
        },
    }],
    flags: &[],
    phase: Phase::Ignore,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: None,
    leaves_out: true,
    parse: |values| {
        let labels: LabelSet = parsed(values, "labels", "labels")?;
        let ranges: Vec<_> = labels.ranges().map(range_text).collect();
        let stage = Stage::new(Reach::Utterance, [], move |reader, at| {
            Ok(reader.ignore_labels(labels.clone(), at.env))
        });
        let description = format!("without frames labelled {}", ranges.join(", "));
        stage.described(description).parsed()
    },
};

pub(super) static MAP_LABEL: Kind = Kind {
    name: "map-label",
    aliases: &[],
    usage: "map-label(FROM:TO/...), such as map-label(1:0/4-6:2)",
    what: "other labels for labels",
    parameters: Parameters::of(&["labels"]),
    options: &[DataOption {
        key: "map-label",
        flag: Some("map-label"),
        expected: "FROM:TO with labels or ascending ranges, such as 1:0/4-6:2",
        set: |asked, text| {
            asked.set("map-label", "labels", text);
            Ok(text.parse::<LabelMap>().is_ok())
        },
    }],
    flags: &[],
    phase: Phase::Map,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let labels: LabelMap = parsed(values, "labels", "labels")?;
        let change = |(first, last, to)| format!("{} to {to}", range_text((first, last)));
        let changes: Vec<_> = labels.ranges().map(change).collect();
        let stage = Stage::new(Reach::Utterance, [], move |reader, _| {
            Ok(reader.map_labels(labels.clone()))
        });
        stage
            .described(format!("labels {}", changes.join(", ")))
            .parsed()
    },
};

/// A range of labels as it is read: `3-9`, or `3` alone.
fn range_text((first, last): (i64, i64)) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}
