//! Selection of a tier by name.

use crate::error::{Error, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Tier, Utterance};

/// Keeps one tier of segments of each utterance, which then needs no name.
pub struct PickTier {
    inner: Box<dyn Reader>,
    name: Vec<u8>,
}

impl PickTier {
    /// Keeps the tier called `name` of `inner`.
    pub fn new(inner: Box<dyn Reader>, name: impl Into<Vec<u8>>) -> Self {
        Self {
            inner,
            name: name.into(),
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for PickTier {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    /// # Errors
    /// An utterance has no such tier, or two; the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        let mut tiers = std::mem::take(&mut utt.tiers);
        let names: Vec<_> = tiers.iter().map(|tier| tier.name.clone()).collect();
        tiers.retain(|tier| *tier.name == *self.name);
        let picked = tiers.pop().filter(|_| tiers.is_empty());
        let Some(picked) = picked else {
            let name = Key::from(&*self.name);
            let names: Vec<_> = names
                .iter()
                .map(|name| format!("'{}'", Key::from(&**name)))
                .collect();
            let error = match tiers.is_empty() {
                true => Error::unfit(format!("has no tier '{name}'")),
                false => Error::unfit(format!("has several tiers '{name}'")),
            };
            let error = match names.is_empty() {
                true => error.hint("it has no segments at all"),
                false => error.hint(format!("it has {}", names.join(", "))),
            };
            return Err(error.utterance(&utt.key).continuable());
        };
        utt.tiers.push(Tier::only(picked.segments));
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::List;

    #[test]
    fn a_tier_is_picked_by_its_name() {
        let with = |key: &str, names: &[&str]| Utterance {
            key: key.into(),
            tiers: names
                .iter()
                .map(|name| Tier {
                    name: name.as_bytes().into(),
                    ..Tier::default()
                })
                .collect(),
            ..Utterance::default()
        };
        let list = List::of([
            with("a", &["words", "phones"]),
            with("b", &["phones"]),
            with("c", &["words", "words"]),
            with("d", &[]),
        ]);
        let mut stage = PickTier::new(list, "words");
        let mut utt = Utterance::default();
        assert!(stage.read(&mut utt).unwrap());
        assert_eq!(utt.tiers, [Tier::default()]);
        for place in ["utterance b", "utterance c", "utterance d"] {
            let error = stage.read(&mut utt).unwrap_err();
            assert_eq!(error.kind_and_place(), (ErrorKind::Unfit, place.to_owned()));
            assert!(error.remedy().is_some() && error.can_continue());
        }
        assert!(!stage.read(&mut utt).unwrap());
    }
}
