//! Setting of the frame shift.

use crate::error::{Error, Remedy, Result};
use crate::format::{RandomAccess, Reader};
use crate::model::{DatasetInfo, Decimal, Key, Utterance};

/// Sets the frame shift of utterances with frames whose format does not store it. An utterance with
/// a different frame shift is rejected.
pub struct FrameShift<R: ?Sized> {
    shift: Decimal,
    info: DatasetInfo,
    inner: Box<R>,
}

impl FrameShift<dyn Reader> {
    /// Sets the frame shift of `inner` to `shift` seconds.
    pub fn new(inner: Box<dyn Reader>, shift: Decimal) -> Self {
        let mut info = inner.info().clone();
        info.frame_shift.get_or_insert(shift);
        Self { shift, info, inner }
    }
}

impl FrameShift<dyn RandomAccess> {
    /// Sets the frame shift of a table to `shift` seconds.
    pub fn keyed(inner: Box<dyn RandomAccess>, shift: Decimal) -> Self {
        Self {
            shift,
            info: DatasetInfo::default(),
            inner,
        }
    }
}

impl<R: ?Sized> FrameShift<R> {
    fn tell(&self, utt: &mut Utterance) -> Result<()> {
        match &utt.meta.frame_shift {
            Some(own) if *own != self.shift => Err(Error::unfit(format!(
                "has a frame shift of {own} s, not of {} s",
                self.shift
            ))
            .suggest(Remedy::LeaveOutFrameShift)
            .utterance(&utt.key)
            .continuable()),
            Some(_) => Ok(()),
            None => {
                let framed = utt.features.is_some() || utt.labels.is_some() || utt.frames() > 0;
                utt.meta.frame_shift = framed.then_some(self.shift);
                Ok(())
            }
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for FrameShift<dyn Reader> {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    /// # Errors
    /// An utterance has a different frame shift; the next one can be read.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.read(utt)? {
            return Ok(false);
        }
        self.tell(utt)?;
        Ok(true)
    }
}

#[warn(clippy::missing_trait_methods)]
impl RandomAccess for FrameShift<dyn RandomAccess> {
    /// # Errors
    /// The utterance has a different frame shift.
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool> {
        if !self.inner.find(key, utt)? {
            return Ok(false);
        }
        self.tell(utt)?;
        Ok(true)
    }

    fn keys(&self) -> Option<Vec<Key>> {
        self.inner.keys()
    }

    fn find_twice(&mut self) -> Result<Option<Key>> {
        self.inner.find_twice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::stage::tests::{List, utterance};

    #[test]
    fn what_is_known_must_agree() {
        let shift = |text| Decimal::parse(text);
        let with = |key, text| {
            let mut utt = utterance(key, &[0.0], 1);
            utt.meta.frame_shift = text;
            utt
        };
        let list = List::of([
            with("a", None),
            with("b", shift("0.010")),
            with("c", shift("0.016")),
            Utterance::default(),
        ]);
        let mut stage = FrameShift::new(list, shift("0.01").unwrap());
        let mut utt = Utterance::default();
        assert_eq!(stage.info().frame_shift, shift("0.01"));
        for digits in ["0.01", "0.010"] {
            assert!(stage.read(&mut utt).unwrap());
            assert_eq!(utt.meta.frame_shift, shift(digits));
        }
        let error = stage.read(&mut utt).unwrap_err();
        let place = "utterance c".to_owned();
        assert_eq!(error.kind_and_place(), (ErrorKind::Unfit, place));
        assert_eq!(error.remedy(), Some(&Remedy::LeaveOutFrameShift));
        assert!(error.can_continue() && stage.read(&mut utt).unwrap());
        assert_eq!(utt.meta.frame_shift, None, "nothing has no frames");
        assert!(!stage.read(&mut utt).unwrap());
    }
}
