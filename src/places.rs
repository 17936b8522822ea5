//! Where outputs go and inputs come from: no output may be among the inputs, or twice.

use spr_core::bytes::{Env, Location};
use spr_core::{Error, Result};

/// Refuses outputs inside input folders, inputs inside output folders, and outputs of one name.
/// A file that is both is refused by the output itself, which knows all that is opened.
///
/// # Errors
/// The first that is refused, by name.
pub(crate) fn check(inputs: &[Location], outputs: &[Location], env: &Env) -> Result<()> {
    let inputs: Vec<_> = inputs
        .iter()
        .filter(|input| env.exists(input))
        .map(|input| (input, env.resolve(input), env.is_folder(input)))
        .collect();
    let places: Vec<_> = outputs.iter().map(|output| env.resolve(output)).collect();
    for (n, (output, place)) in outputs.iter().zip(&places).enumerate() {
        if places.iter().take(n).any(|other| other == place) {
            return Err(Error::usage("would be written twice").file(output.to_string()));
        }
        let mut around = outputs.iter().zip(&places);
        let around = around.find(|(_, folder)| *folder != place && place.is_within(folder));
        let within = around.map(|(folder, _)| format!("is inside the output folder {folder}"));
        let beside = |(input, from, is_folder): &(&Location, Location, bool)| {
            if *is_folder && from == place {
                Some("is read and can't be written in the same run".to_owned())
            } else if *is_folder && place.is_within(from) {
                Some(format!("is inside the input folder {input}"))
            } else if from != place && from.is_within(place) {
                Some(format!("is a folder that holds the input {input}"))
            } else {
                None
            }
        };
        if let Some(message) = within.or_else(|| inputs.iter().find_map(beside)) {
            return Err(Error::usage(message)
                .file(output.to_string())
                .hint("write to another folder"));
        }
    }
    Ok(())
}
