//! Steps that change what labels stand for.

use spr_core::bytes::Location;
use spr_core::format::LabelTable;
use spr_core::stage::TranslateLabels;
use spr_core::{Error, Remedy, Result};

use super::super::kind::{DataOption, Kind, Level, Phase, Subject, Surroundings};
use super::super::parse::built;
use super::super::values::Parameters;
use super::{never, nothing};

pub(super) static ALI_TO: Kind = Kind {
    name: "ali-to",
    aliases: &[],
    usage: "ali-to(phones,model=FILE) or ali-to(pdfs,model=FILE)",
    what: "what the labels of an alignment stand for, by its model",
    parameters: Parameters {
        positional: &["unit"],
        many: false,
        named: &["model"],
        words: &[],
    },
    reads: &["model"],
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
    across: never,
    needs_whole: true,
    leaves_out: false,
    by_keys: None,
    shares: false,
    uses: nothing,
    reads_twice: never,
    is_idle: never,
    describe: |values, _| {
        let unit = values.text("unit").unwrap_or_default();
        match values.text("model") {
            Some(model) => format!("labels as {unit}, by {model}"),
            None => format!("labels as {unit}"),
        }
    },
    build: |values| {
        let unit = values.need("unit", |text| Some(text.to_owned()), "phones or pdfs")?;
        let model = values.text("model").map(Location::from);
        built(move |reader, at| {
            let Some(model) = &model else {
                let error = Error::usage("ali-to: no model says what the labels stand for");
                return Err(error.suggest(Remedy::NameModel));
            };
            let table = at.files.labels(model, &unit, || table(model, &unit, at))?;
            Ok(Box::new(TranslateLabels::new(
                reader,
                table,
                model.to_string(),
            )))
        })
    },
};

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
