//! Labels from a second data set.

use std::collections::HashMap;

use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Matrix, Utterance};
use crate::{Error, Result};

/// Gives each utterance of one data set the labels that another has under the same key.
///
/// Both are read once, front to back. Where their order agrees nothing is kept; labels that come
/// before their utterance wait in memory.
pub struct JoinLabels {
    main: Box<dyn Reader>,
    labels: Box<dyn Reader>,
    name: String,
    waiting: HashMap<Key, Matrix>,
    next: Utterance,
    ended: bool,
}

impl JoinLabels {
    /// Joins the `labels` to `main`; `name` says where the labels come from.
    pub fn new(main: Box<dyn Reader>, labels: Box<dyn Reader>, name: impl Into<String>) -> Self {
        Self {
            main,
            labels,
            name: name.into(),
            waiting: HashMap::new(),
            next: Utterance::default(),
            ended: false,
        }
    }

    /// Moves the labels of `utt.key` into `utt`.
    fn find(&mut self, utt: &mut Utterance) -> Result<()> {
        if let Some(labels) = self.waiting.remove(&utt.key) {
            utt.labels = Some(labels);
            return Ok(());
        }
        while !self.ended {
            if !self.labels.read(&mut self.next)? {
                self.ended = true;
                break;
            }
            let Some(labels) = &mut self.next.labels else {
                return Err(Error::unfit("holds no labels")
                    .utterance(&self.next.key)
                    .file(&self.name));
            };
            if self.next.key == utt.key {
                std::mem::swap(utt.labels_mut(), labels);
                return Ok(());
            }
            let labels = std::mem::take(labels);
            if self.waiting.insert(self.next.key.clone(), labels).is_some() {
                return Err(Error::malformed("has labels twice")
                    .utterance(&self.next.key)
                    .file(&self.name));
            }
        }
        utt.labels = None;
        Err(Error::unfit(format!("no labels in {}", self.name))
            .utterance(&utt.key)
            .continuable())
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
        JoinLabels::new(list(main.collect()), list(labels.collect()), "ali.txt")
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
}
