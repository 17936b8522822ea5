//! The model that says what the labels of an input stand for.

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::{Error, Remedy, Result};

use crate::plan::Input;
use crate::step::Step;

impl Input {
    /// Translates its labels to what they stand for, such as `phones`, by the model that is named or
    /// lies beside the data.
    ///
    /// # Errors
    /// No model is named, and none lies beside the data.
    pub fn translate_labels(
        &mut self,
        unit: &str,
        model: Option<&str>,
        registry: &Registry,
        env: &Env,
    ) -> Result<()> {
        let model = model.map(|model| ("model", model));
        let values = [("unit", unit)].into_iter().chain(model);
        self.add_step(Step::new("ali-to", values)?);
        self.settle_model(registry, env)
    }

    /// Gives the step that translates labels the model beside the data, unless one is named.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn settle_model(&mut self, registry: &Registry, env: &Env) -> Result<()> {
        let Some(at) = self.steps.iter().position(Step::lacks_model) else {
            return Ok(());
        };
        let model = self.model_beside(registry, env)?;
        let step = self.steps.remove(at).with_model(model);
        self.steps.insert(at, step);
        Ok(())
    }

    /// Finds the model beside the labels that join, or beside the data.
    fn model_beside(&self, registry: &Registry, env: &Env) -> Result<Location> {
        let joined = self.joins.labels.iter().flat_map(|labels| &labels.inputs);
        let folders: Vec<_> = joined
            .chain([self])
            .filter_map(Self::folder_of_data)
            .collect();
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
            .file(self.text())
            .suggest(Remedy::NameModel))
    }

    /// Returns the folder in which the data are, `None` in it for the working folder.
    fn folder_of_data(&self) -> Option<Option<Location>> {
        match self.folder() {
            Some(folder) => Some(Some(folder.clone())),
            None => self.place.location().map(Location::parent),
        }
    }
}
