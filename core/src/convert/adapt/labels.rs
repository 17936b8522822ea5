//! Labels that fit a target.

use super::{Adapter, Cast, target_dtype};
use crate::error::{Error, Remedy, Result};
use crate::format::loss::LossKind;
use crate::model::Utterance;

impl Adapter {
    /// Casts the labels to a type that the target holds, the same for all if it has one for all.
    pub(super) fn fit_labels(&mut self, utt: &mut Utterance) -> Result<()> {
        let Some(labels) = &mut utt.labels else {
            return self.unlabelled(utt);
        };
        let caps = self.caps.labels.filter(|caps| {
            self.caps.holds_label_columns(labels)
                && if utt.features.is_some() {
                    caps.with_features
                } else {
                    caps.alone
                }
        });
        let Some(caps) = caps else {
            let what = format!("{} a frame", labels.cols());
            self.now.add(
                LossKind::Labels,
                &utt.key,
                (labels.cols() > 1).then_some(&*what),
            );
            utt.labels = None;
            return self.unlabelled(utt);
        };
        let first = self.next.label_dtype.filter(|_| caps.same_columns);
        let own = self.label_dtype.unwrap_or(labels.dtype());
        let held = target_dtype(own, caps.dtypes).unwrap_or(own);
        let target = match first {
            Some(first) if held == first || own.fits(first) => first,
            Some(first) => {
                let message = format!("labels of {own}, the utterances before it have {first}");
                return Err(Error::unfit(message).suggest(Remedy::LabelType));
            }
            None => held,
        };
        self.next.label_dtype.get_or_insert(target);
        let stats = labels.cast(target, &self.env.limits)?;
        self.count(Cast::Labels, &utt.key, &stats);
        let Some(labels) = &utt.labels else {
            return Ok(());
        };
        if caps.same_columns {
            let columns = *self.next.label_columns.get_or_insert(labels.cols());
            if columns != labels.cols() {
                return Err(Error::unfit(format!(
                    "{} labels per frame, the utterances before it have {columns}",
                    labels.cols()
                )));
            }
        }
        self.same_labelling(true)
    }

    /// Checks that the utterances before have no labels either. One without features lacks more than
    /// these, and is refused for that.
    fn unlabelled(&mut self, utt: &Utterance) -> Result<()> {
        match utt.features {
            Some(_) => self.same_labelling(false),
            None => Ok(()),
        }
    }

    /// Checks that either all utterances have labels or none, if they must share a shape.
    fn same_labelling(&mut self, labelled: bool) -> Result<()> {
        if !self.caps.features.is_some_and(|caps| caps.same_dim) {
            return Ok(());
        }
        match (*self.next.labelled.get_or_insert(labelled), labelled) {
            (true, false) => Err(Error::unfit(
                "has no labels, but the utterances before it have",
            )),
            (false, true) => Err(Error::unfit(
                "has labels, but the utterances before it have none",
            )
            .suggest(Remedy::JoinLabels)),
            _ => Ok(()),
        }
    }
}
