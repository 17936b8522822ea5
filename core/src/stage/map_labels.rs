//! Replacement of labels.

use super::frame_cursor::check_single;
use super::labels::{LabelMap, change_labels};
use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// Replaces all labels simultaneously: `1:2` and `2:1` swap two labels. Labels that are not in the
/// map, and the type of the labels, do not change.
pub(crate) struct MapLabels {
    inner: Box<dyn Reader>,
    map: LabelMap,
}

impl MapLabels {
    /// Replaces the labels of `inner` by `map`.
    pub(crate) fn new(inner: Box<dyn Reader>, map: LabelMap) -> Self {
        Self { inner, map }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for MapLabels {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    /// # Errors
    /// An utterance has no labels or several per frame, or a new label is out of range; the next
    /// one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        let changed = check_single(utt).and_then(|()| match &mut utt.labels {
            Some(labels) => change_labels(labels, |label| self.map.get(label)),
            None => Err(Error::unfit("has no labels to map").suggest(Remedy::JoinLabels)),
        });
        changed.map_err(|e| e.utterance(&utt.key).continuable())?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, labelled, utterance};

    #[test]
    fn all_at_the_same_time() {
        let list = List::of([
            labelled("a", &[0.0; 5], &[1, 2, 3, 4, 9]),
            utterance("b", &[0.0], 1),
        ]);
        let mut map = LabelMap::default();
        for (first, last, to) in [(1, 1, 2), (2, 2, 1), (3, 5, -1)] {
            map.insert(first, last, to);
        }
        let mut stage = MapLabels::new(list, map);
        let mut utt = Utterance::default();
        assert!(stage.read(&mut utt).unwrap());
        let labels = utt.labels.as_ref().unwrap();
        assert_eq!(labels.as_slice::<i32>(), Some(&[2, 1, -1, -1, 9][..]));
        let error = stage.read(&mut utt).unwrap_err();
        let place = "utterance b".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Unfit, place));
        assert_eq!(error.remedy(), Some(&Remedy::JoinLabels));
        assert!(error.can_continue() && !stage.read(&mut utt).unwrap());
    }
}
