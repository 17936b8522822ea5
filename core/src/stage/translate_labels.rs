//! Translation of labels by a model.

use std::sync::Arc;

use super::frame_cursor::check_single;
use super::labels::change_labels;
use crate::error::{Error, Remedy, Result};
use crate::format::{LabelTable, Reader};
use crate::model::{DatasetInfo, Matrix, Object, Rank, Utterance};

/// Replaces each label by what a model says of it. In contrast to [`map_labels`](super::ReaderExt::map_labels),
/// a label that the model does not know is an error, as the alignment is then of another model.
pub struct TranslateLabels {
    inner: Box<dyn Reader>,
    table: Arc<LabelTable>,
    /// The name of the model, for messages.
    model: String,
}

impl TranslateLabels {
    /// Translates the labels of `inner` by the table of the file `model`.
    pub fn new(inner: Box<dyn Reader>, table: Arc<LabelTable>, model: impl Into<String>) -> Self {
        Self {
            inner,
            table,
            model: model.into(),
        }
    }

    /// Translates the labels of an utterance.
    fn translate(&self, utt: &mut Utterance) -> Result<()> {
        check_single(utt)?;
        // A single integer is the label of one frame.
        if let (None, Some(Object::Int(label))) = (&utt.labels, &utt.object) {
            utt.labels = Some(Matrix::from_rows(&[*label], 1, Rank::Vector)?);
            utt.object = None;
        }
        let Some(labels) = &mut utt.labels else {
            return Err(Error::unfit("has no labels to translate").suggest(Remedy::JoinLabels));
        };
        let mut unknown = None;
        change_labels(labels, |label| match self.table.get(label) {
            Some(value) => value.into(),
            None => {
                unknown.get_or_insert(label);
                label
            }
        })?;
        match unknown {
            None => Ok(()),
            Some(label) => Err(self.unknown(label)),
        }
    }

    fn unknown(&self, label: i64) -> Error {
        let known = match self.table.range() {
            Some((first, last)) => format!("it has {first} to {last}"),
            None => "it has none".to_owned(),
        };
        let message = format!("the label {label} is not in {}: {known}", self.model);
        Error::unfit(message).hint("name the model by which the data were aligned")
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for TranslateLabels {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    /// # Errors
    /// An utterance has no labels, several per frame, or one that is not in the model; the next one
    /// can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        let translated = self.translate(utt);
        translated.map_err(|e| e.utterance(&utt.key).continuable())?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, labelled, utterance};

    #[test]
    fn labels_of_another_model_are_refused() {
        let single = Utterance {
            key: "d".into(),
            object: Some(Object::Int(1)),
            ..Utterance::default()
        };
        let list = List::of([
            labelled("a", &[0.0; 4], &[1, 2, 3, 1]),
            labelled("b", &[0.0; 2], &[1, 4]),
            labelled("b", &[0.0; 2], &[0, 1]),
            utterance("c", &[0.0], 1),
            single,
        ]);
        let table = Arc::new(LabelTable::new(1, vec![7, 7, 9]));
        let mut stage = TranslateLabels::new(list, table, "final.mdl");
        let mut utt = Utterance::default();
        assert!(stage.read(&mut utt).unwrap());
        let labels = utt.labels.as_ref().unwrap();
        assert_eq!(labels.as_slice::<i32>(), Some(&[7, 7, 9, 7][..]));
        for text in [
            "utterance b: the label 4 is not in final.mdl: it has 1 to 3",
            "utterance b: the label 0 is not in final.mdl: it has 1 to 3",
            "utterance c: has no labels to translate",
        ] {
            let error = stage.read(&mut utt).unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string()),
                (ErrorKind::Unfit, text.to_owned())
            );
            assert!(error.can_continue());
        }
        assert!(stage.read(&mut utt).unwrap() && utt.object.is_none());
        assert_eq!(
            utt.labels.as_ref().unwrap().as_slice::<i32>(),
            Some(&[7][..])
        );
        assert!(!stage.read(&mut utt).unwrap());
    }
}
