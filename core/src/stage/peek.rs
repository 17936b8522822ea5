//! Peeking at the next utterance.

use crate::error::Result;
use crate::format::Reader;
use crate::model::{DatasetInfo, Utterance};

/// A reader that can peek at the next utterance, which is read ahead only on request.
///
/// ```
/// # use spr_core::format::Reader;
/// # use spr_core::model::Utterance;
/// use spr_core::stage::Peek;
/// # fn work(reader: Box<dyn Reader>) -> spr_core::Result<u64> {
/// let mut reader = Peek::new(reader);
/// let (mut utt, mut frames) = (Utterance::default(), 0);
/// while reader.has_next() {
///     reader.read(&mut utt)?;
///     frames += utt.frames();
/// }
/// # Ok(frames)
/// # }
/// # struct None(spr_core::model::DatasetInfo);
/// # impl Reader for None {
/// #     fn info(&self) -> &spr_core::model::DatasetInfo { &self.0 }
/// #     fn read(&mut self, _: &mut Utterance) -> spr_core::Result<bool> { Ok(false) }
/// # }
/// # assert_eq!(work(Box::new(None(Default::default())))?, 0);
/// # Ok::<(), spr_core::Error>(())
/// ```
pub struct Peek {
    inner: Box<dyn Reader>,
    utt: Utterance,
    /// The result of the next read, if it was read ahead.
    ahead: Option<Result<bool>>,
}

impl Peek {
    /// Wraps `inner`.
    pub fn new(inner: Box<dyn Reader>) -> Self {
        Self {
            inner,
            utt: Utterance::default(),
            ahead: None,
        }
    }

    fn ahead(&mut self) -> &Result<bool> {
        let (inner, utt) = (&mut self.inner, &mut self.utt);
        self.ahead.get_or_insert_with(|| inner.read(utt))
    }

    /// Returns `true` if the next [`read`](Reader::read) returns an utterance or an error.
    pub fn has_next(&mut self) -> bool {
        !matches!(self.ahead(), Ok(false))
    }

    /// Returns the next utterance, if there is one. An error is kept for the next read.
    pub fn peek(&mut self) -> Option<&Utterance> {
        let there = matches!(self.ahead(), Ok(true));
        there.then_some(&self.utt)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for Peek {
    fn info(&self) -> &DatasetInfo {
        self.inner.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some(ahead) = self.ahead.take() else {
            return self.inner.read(utt);
        };
        if let Ok(true) = ahead {
            std::mem::swap(utt, &mut self.utt);
        }
        ahead
    }
}
