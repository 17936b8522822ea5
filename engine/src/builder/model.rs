//! The model that says what the labels of an input stand for.

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Error, Remedy, Result};

use crate::plan::{Input, Owner, Plan, PlanStep};
use crate::step::Step;

/// The meaning that labels are given.
#[derive(Clone)]
pub(super) struct Translation {
    pub(super) unit: String,
    pub(super) model: Option<Location>,
}

/// Translates the labels of all inputs to a unit such as `phones`, by the named model or the one next to
/// the data.
///
/// # Errors
/// No model is named, and none is next to the data.
pub(super) fn translate(
    plan: &mut Plan,
    unit: &str,
    model: Option<&Location>,
    at: (&Registry, &Env),
) -> Result<()> {
    let model = model.map(|model| ("model", model.to_string()));
    let step = Step::new(
        "ali-to",
        [("unit", unit.to_owned())].into_iter().chain(model),
    )?;
    plan.add_to_each(&step);
    settle_model(plan, at.0, at.1)
}

/// Gives the steps that translate labels the model next to the data, unless they name one.
///
/// # Errors
/// There is none.
pub(super) fn settle_model(plan: &mut Plan, registry: &Registry, env: &Env) -> Result<()> {
    for PlanStep { owner, step } in &mut plan.steps {
        if !step.lacks_model() {
            continue;
        }
        let of_step = |input: &&Input| *owner == Owner::Input(input.number);
        if let Some(input) = plan.inputs.iter().find(of_step) {
            *step = step.clone().with_model(model_beside(input, registry, env)?);
        }
    }
    Ok(())
}

/// Finds the model next to the labels that join an input, or next to its data.
fn model_beside(input: &Input, registry: &Registry, env: &Env) -> Result<Location> {
    let joined = input.joins.labels.iter();
    let joined = joined.flat_map(|labels| &labels.data.inputs);
    let folders: Vec<_> = joined.chain([input]).filter_map(folder_of_data).collect();
    let models = registry
        .formats()
        .filter_map(|format| format.label_models());
    let names: Vec<_> = models.flat_map(|models| models.names()).copied().collect();
    let places = folders.iter().flat_map(|folder| {
        let names = names.iter();
        names.map(|name| {
            folder
                .as_ref()
                .map_or_else(|| (*name).into(), |at| at.join(*name))
        })
    });
    let mut places: Vec<Location> = places.collect();
    places.dedup();
    if let Some(found) = places.iter().find(|place| env.exists(place)) {
        return Ok(found.clone());
    }
    let told: Vec<_> = places.iter().map(ToString::to_string).collect();
    let message = match told.is_empty() {
        true => "nothing says where the model of these labels is".to_owned(),
        false => format!(
            "there is no {}, the model of these labels",
            told.join(" or ")
        ),
    };
    Err(Error::usage(message)
        .file(input.text())
        .suggest(Remedy::NameModel))
}

/// Returns the folder in which the data are, `None` in it for the working folder.
fn folder_of_data(input: &Input) -> Option<Option<Location>> {
    match input.folder() {
        Some(folder) => Some(Some(folder.clone())),
        None => input.place.location().map(Location::parent),
    }
}
