//! Labels from a second data set.

use std::collections::HashMap;

use crate::format::{Lookup, RandomAccess, Reader};
use crate::model::{DatasetInfo, Key, Matrix, Utterance};
use crate::{Error, KeyMap, Result};

/// Gives each utterance of one data set the labels that another has under the same key, or under
/// the key that a table gives for it.
///
/// Labels that are [found by key](Lookup::Keyed) are read when their turn comes. Others are read
/// once, front to back: where their order agrees nothing is kept; labels that come before their
/// utterance wait in memory.
pub struct JoinLabels {
    main: Box<dyn Reader>,
    labels: Labels,
    name: String,
    map: Option<KeyMap>,
    next: Utterance,
}

enum Labels {
    Keyed(Box<dyn RandomAccess>),
    Ordered {
        reader: Box<dyn Reader>,
        waiting: HashMap<Key, Matrix>,
        ended: bool,
    },
}

impl JoinLabels {
    /// Joins the `labels` to `main`; `name` says where the labels come from.
    pub fn new(main: Box<dyn Reader>, labels: Lookup, name: impl Into<String>) -> Self {
        Self {
            main,
            labels: match labels {
                Lookup::Keyed(table) => Labels::Keyed(table),
                Lookup::Ordered(reader) => Labels::Ordered {
                    reader,
                    waiting: HashMap::new(),
                    ended: false,
                },
            },
            name: name.into(),
            map: None,
            next: Utterance::default(),
        }
    }

    /// Looks labels up under what `map` gives for the key of an utterance, such as its speaker.
    #[must_use]
    pub fn mapped(self, map: KeyMap) -> Self {
        Self {
            map: Some(map),
            ..self
        }
    }

    /// Moves the labels for `utt` into it.
    fn find(&mut self, utt: &mut Utterance) -> Result<()> {
        let key = match &self.map {
            Some(map) => map.get(&utt.key)?,
            None => &utt.key,
        };
        let name = &self.name;
        let no_labels = |key: &Key| Error::unfit("holds no labels").utterance(key).file(name);
        let found = match &mut self.labels {
            Labels::Keyed(table) => {
                let found = table.find(key, &mut self.next)?;
                if found {
                    let labels = self.next.labels.as_mut();
                    std::mem::swap(
                        utt.labels.get_or_insert_default(),
                        labels.ok_or_else(|| no_labels(key))?,
                    );
                }
                found
            }
            Labels::Ordered {
                waiting,
                reader,
                ended,
            } => {
                while !*ended && !waiting.contains_key(key) {
                    if !reader.read(&mut self.next)? {
                        *ended = true;
                        break;
                    }
                    let labels = self.next.labels.as_mut();
                    let labels = labels.ok_or_else(|| no_labels(&self.next.key))?;
                    if self.map.is_none() && self.next.key == *key {
                        std::mem::swap(utt.labels.get_or_insert_default(), labels);
                        return Ok(());
                    }
                    let labels = std::mem::take(labels);
                    if waiting.insert(self.next.key.clone(), labels).is_some() {
                        return Err(Error::malformed("has labels twice")
                            .utterance(&self.next.key)
                            .file(name));
                    }
                }
                let labels = match &self.map {
                    // Other utterances may stand for the same key.
                    Some(_) => waiting.get(key).cloned(),
                    None => waiting.remove(key),
                };
                let found = labels.is_some();
                if found {
                    utt.labels = labels;
                }
                found
            }
        };
        if found {
            return Ok(());
        }
        let missing = match &self.map {
            Some(_) => format!("no labels for {key} in {name}"),
            None => format!("no labels in {name}"),
        };
        utt.labels = None;
        Err(Error::unfit(missing).utterance(&utt.key).continuable())
    }
}

impl Reader for JoinLabels {
    fn info(&self) -> &DatasetInfo {
        self.main.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let spare = utt.labels.take();
        if !self.main.read(utt)? {
            return Ok(false);
        }
        if utt.labels.is_some() {
            return Err(Error::usage("has labels already; leave out --labels").utterance(&utt.key));
        }
        utt.labels = spare;
        self.find(utt)?;
        let frames = utt.labels.as_ref().map_or(0, Matrix::rows);
        if utt.features.as_ref().is_some_and(|f| f.rows() != frames) {
            return Err(Error::unfit(format!(
                "{} frames, but {frames} labels in {}",
                utt.frames(),
                self.name
            ))
            .utterance(&utt.key)
            .continuable());
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Rank;

    struct List(Vec<Utterance>, DatasetInfo);

    impl Reader for List {
        fn info(&self) -> &DatasetInfo {
            &self.1
        }

        fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
            let more = !self.0.is_empty();
            if more {
                *utt = self.0.remove(0);
            }
            Ok(more)
        }
    }

    fn utterance(key: &str, features: Option<&[f32]>, labels: Option<&[i32]>) -> Utterance {
        Utterance {
            key: key.into(),
            features: features.map(|v| Matrix::from_rows(v, 1, Rank::Matrix).unwrap()),
            labels: labels.map(|v| Matrix::from_rows(v, 1, Rank::Vector).unwrap()),
            ..Utterance::default()
        }
    }

    fn join(main: &[(&str, usize)], labels: &[(&str, usize)]) -> JoinLabels {
        let list = |u: Vec<_>| Box::new(List(u, DatasetInfo::default()));
        let main = main
            .iter()
            .map(|(k, n)| utterance(k, Some(&vec![0.0; *n]), None));
        let labels = labels
            .iter()
            .map(|(k, n)| utterance(k, None, Some(&vec![7; *n])));
        let labels = Lookup::Ordered(list(labels.collect()));
        JoinLabels::new(list(main.collect()), labels, "ali.txt")
    }

    #[test]
    fn finds_labels_in_any_order() {
        let mut joined = join(
            &[("a", 1), ("b", 2), ("c", 3)],
            &[("c", 3), ("a", 1), ("b", 2)],
        );
        let mut utt = Utterance::default();
        for (key, frames) in [("a", 1), ("b", 2), ("c", 3)] {
            assert!(joined.read(&mut utt).unwrap());
            assert_eq!(
                (utt.key.as_str(), utt.labels.as_ref().unwrap().rows()),
                (Some(key), frames)
            );
        }
        assert!(!joined.read(&mut utt).unwrap());
    }

    #[test]
    fn missing_and_misfitting_labels_are_failures_of_the_utterance() {
        let mut joined = join(&[("a", 1), ("b", 2), ("c", 3)], &[("b", 1), ("c", 3)]);
        let mut utt = Utterance::default();
        let error = joined.read(&mut utt).unwrap_err();
        assert_eq!(error.to_string(), "utterance a: no labels in ali.txt");
        assert!(error.can_continue());
        let error = joined.read(&mut utt).unwrap_err();
        assert_eq!(
            error.to_string(),
            "utterance b: 2 frames, but 1 labels in ali.txt"
        );
        assert!(joined.read(&mut utt).unwrap());
    }

    struct Table(Vec<Utterance>);

    impl RandomAccess for Table {
        fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
            let found = self.0.iter().find(|u| u.key == *key);
            found.inspect(|found| utt.clone_from(found));
            Ok(found.is_some())
        }
    }

    #[test]
    fn speakers_stand_for_utterances() {
        let map = || {
            let text = b"a x\nb y\nc x\nd z\n".to_vec();
            let source = crate::bytes::Source::from_bytes("utt2spk", text).unwrap();
            KeyMap::read(source, &crate::Limits::default()).unwrap()
        };
        let labels = || {
            ["y", "x"]
                .map(|key| utterance(key, None, Some(&[key.len().try_into().unwrap(), 7])))
                .to_vec()
        };
        let list = |u: Vec<_>| Box::new(List(u, DatasetInfo::default()));
        for labels in [
            Lookup::Keyed(Box::new(Table(labels()))),
            Lookup::Ordered(list(labels())),
        ] {
            let main = ["a", "b", "c", "d", "e"].map(|k| utterance(k, Some(&[0.0; 2]), None));
            let main = list(main.to_vec());
            let mut joined = JoinLabels::new(main, labels, "l.ark").mapped(map());
            let mut utt = Utterance::default();
            for _ in 0..3 {
                assert!(joined.read(&mut utt).unwrap());
                assert_eq!(utt.labels.as_ref().unwrap().rows(), 2);
            }
            let error = joined.read(&mut utt).unwrap_err();
            assert_eq!(error.to_string(), "utterance d: no labels for z in l.ark");
            let error = joined.read(&mut utt).unwrap_err();
            assert_eq!(error.to_string(), "utterance e: is not in utt2spk");
            assert!(!joined.read(&mut utt).unwrap());
        }
    }
}
