//! Facts about a data set, as entries of the metadata.

use spr_core::model::About;
use spr_core::{Error, Result};

use super::header::{Metadata, json};
use super::{CLASSES, DESCRIPTION, KEYS, LICENSE, SPLIT};

/// Returns the facts in the metadata, without those about keys.
pub(super) fn read(metadata: Metadata) -> About {
    let mut about = About::default();
    for (word, text) in metadata {
        match word.as_str() {
            KEYS => {}
            DESCRIPTION => about.description = Some(text),
            LICENSE => about.license = Some(text),
            SPLIT => about.split = Some(text),
            CLASSES => match serde_json::from_str(&text) {
                Ok(classes) => about.classes = classes,
                Err(_) => drop(about.other.insert(word, text)),
            },
            _ => drop(about.other.insert(word, text)),
        }
    }
    about
}

/// The words that say it.
///
/// # Errors
/// Another fact has the name of one of these.
pub(super) fn write(about: &About) -> Result<Metadata> {
    let mut metadata = about.other.clone();
    for own in [KEYS, DESCRIPTION, LICENSE, SPLIT, CLASSES] {
        if metadata.contains_key(own) {
            let message = format!("the fact '{own}' of the data set has a meaning of its own here");
            return Err(Error::unfit(message));
        }
    }
    let mut add = |word: &str, text: Option<String>| {
        metadata.extend(text.map(|text| (word.to_owned(), text)));
    };
    add(DESCRIPTION, about.description.clone());
    add(LICENSE, about.license.clone());
    add(SPLIT, about.split.clone());
    if !about.classes.is_empty() {
        add(CLASSES, Some(json(&about.classes)?));
    }
    Ok(metadata)
}
