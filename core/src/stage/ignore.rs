//! Removal of frames by label.

use super::frame_cursor::check_single;
use super::labels::{LabelSet, each_label};
use super::stale::Stale;
use crate::bytes::Env;
use crate::error::{Error, Remedy, Result};
use crate::format::Reader;
use crate::model::{DatasetInfo, Key, Matrix, TagSubject, Utterance};

/// Removes the frames with certain labels, features and labels alike.
///
/// An utterance without remaining frames is dropped; a warning at the end counts them. Other fields
/// are not changed, except tags about frames.
pub struct IgnoreLabels {
    inner: Box<dyn Reader>,
    ignored: LabelSet,
    env: Env,
    info: DatasetInfo,
    /// For each frame, whether it is kept.
    stays: Vec<bool>,
    stale: Stale,
    /// The number of dropped utterances, and the first of them.
    emptied: u64,
    first: Key,
}

impl IgnoreLabels {
    /// Keeps the frames of `inner` whose labels are not `ignored`. `env` receives the warning.
    pub fn new(inner: Box<dyn Reader>, ignored: LabelSet, env: &Env) -> Self {
        let mut stale = Stale::new(TagSubject::Frames);
        stale.tell(env);
        Self {
            info: inner.info().without_totals(),
            inner,
            ignored,
            env: env.clone(),
            stays: Vec::new(),
            stale,
            emptied: 0,
            first: Key::default(),
        }
    }

    fn ignore(&mut self, utt: &mut Utterance) -> Result<()> {
        check_single(utt)?;
        let Some(labels) = &mut utt.labels else {
            return Err(Error::unfit("has no labels, by which frames are left out")
                .suggest(Remedy::JoinLabels));
        };
        let frames = utt.features.as_ref().map(Matrix::rows);
        if let Some(frames) = frames.filter(|frames| *frames != labels.rows()) {
            return Err(Error::unfit(format!(
                "{frames} frames of features, but labels for {}",
                labels.rows()
            )));
        }
        self.stays.clear();
        each_label(labels, |label| {
            let ignored = label.is_some_and(|label| self.ignored.contains(label));
            self.stays.push(!ignored);
        })?;
        if self.stays.contains(&false) {
            let timed = [
                ("segments", !utt.tiers.is_empty()),
                ("sound", utt.audio.is_some()),
            ];
            if let Some((what, _)) = timed.into_iter().find(|(_, there)| *there) {
                let message = format!("has {what}, whose times would not be those of its frames");
                return Err(Error::unfit(message));
            }
        }
        let stays = |row: usize| self.stays.get(row).is_some_and(|stays| *stays);
        labels.retain_rows(stays);
        if let Some(features) = &mut utt.features {
            features.retain_rows(stays);
        }
        if self.stays.contains(&false) {
            self.stale.leave_out(utt);
        }
        Ok(())
    }

    fn warn(&mut self) {
        if self.emptied > 0 {
            let others = match std::mem::take(&mut self.emptied) {
                1 => String::new(),
                2 => ", like 1 more".to_owned(),
                n => format!(", like {} more", n - 1),
            };
            let message = format!("has only ignored labels and is left out{others}");
            self.env
                .warn_left_out(&Error::unfit(message).utterance(&self.first));
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for IgnoreLabels {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has no labels, or several per frame; the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            let before = utt.labels.as_ref().map_or(0, Matrix::rows);
            self.ignore(utt)
                .map_err(|e| e.utterance(&utt.key).continuable())?;
            let after = utt.labels.as_ref().map_or(0, Matrix::rows);
            if after > 0 || before == 0 {
                return Ok(true);
            }
            if self.emptied == 0 {
                self.first.clone_from(&utt.key);
            }
            self.emptied += 1;
        }
        self.warn();
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::bytes::Access;
    use crate::error::ErrorKind;
    use crate::model::Limits;
    use crate::stage::tests::{List, labelled, utterance};

    #[test]
    fn frames_go_and_emptied_utterances_with_them() {
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let copy = heard.clone();
        let env = Env::new(Limits::default(), Access::Typed, move |warning| {
            copy.lock().unwrap().push(warning.to_string());
        });
        let list = List::of([
            labelled("a", &[1.0, 2.0, 3.0], &[0, 7, 4]),
            labelled("b", &[4.0], &[4]),
            labelled("c", &[], &[]),
            labelled("d", &[5.0, 6.0], &[3, 5]),
            utterance("e", &[7.0], 1),
            labelled("f", &[8.0, 9.0], &[2, 2]),
        ]);
        let mut ignored = LabelSet::default();
        ignored.insert(0, 0);
        ignored.insert(3, 5);
        let mut stage = IgnoreLabels::new(list, ignored, &env);
        let mut utt = Utterance::default();
        let mut left = Vec::new();
        loop {
            match stage.read(&mut utt) {
                Ok(true) => left.push((
                    utt.key.to_string(),
                    utt.features
                        .as_ref()
                        .unwrap()
                        .as_slice::<f32>()
                        .unwrap()
                        .to_vec(),
                    utt.labels
                        .as_ref()
                        .unwrap()
                        .as_slice::<i32>()
                        .unwrap()
                        .to_vec(),
                )),
                Ok(false) => break,
                Err(e) => {
                    assert!(e.can_continue());
                    let place = "utterance e".to_owned();
                    assert_eq!(e.kind_and_place(), (ErrorKind::Unfit, place));
                    assert_eq!(e.remedy(), Some(&Remedy::JoinLabels));
                }
            }
        }
        let expected = [
            ("a".to_owned(), vec![2.0], vec![7]),
            ("c".to_owned(), vec![], vec![]),
            ("f".to_owned(), vec![8.0, 9.0], vec![2, 2]),
        ];
        assert_eq!(left, expected);
        assert!(!stage.read(&mut utt).unwrap());
        let text = "utterance b: has only ignored labels and is left out, like 1 more";
        assert_eq!(*heard.lock().unwrap(), [text]);
    }
}
