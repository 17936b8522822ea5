//! Formats, readers and writers.

use super::{
    Caps, FormatInfo, Medium, Nested, Notation, Opened, Options, Probe, Request, Score, WholeFolder,
};
use crate::Result;
use crate::bytes::{Env, Output, Source};
use crate::loss::LossReport;
use crate::model::{Audio, DatasetInfo, Key, Utterance};

/// A file format: recognises, reads and writes it.
///
/// None of the traits here has default methods, so a wrapper can't lose a call in silence.
pub trait Format: Send + Sync {
    /// What it is called, takes and means.
    fn info(&self) -> &'static FormatInfo;

    /// How well the start of a file fits. A pure function of its input.
    fn probe(&self, head: &Probe<'_>) -> Score;

    /// What an output of this format with these options, at this sort of place, can hold.
    ///
    /// # Errors
    /// An option's value is wrong.
    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps>;

    /// Opens a data set. Of the `request` it takes what it does by itself; callers go through
    /// [`Request::open`], which does the rest. Only where [`Request::lookup`] asks for it, and the
    /// data can be gone back in, it may be a [`Table`](Opened::Table).
    ///
    /// # Errors
    /// The header is broken, or an option's value is wrong.
    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened>;

    /// Starts a data set in `output`, which the caller commits once the writer is finished.
    /// Formats that hold one utterance a file ask for [`Part::Utterance`](crate::bytes::Part).
    ///
    /// # Errors
    /// The output can't be made, or an option's value is wrong.
    fn create(&self, output: Output, options: &Options, env: &Env) -> Result<Box<dyn Writer>>;

    /// Its folders that are one data set as a whole, if it has such.
    fn folder(&self) -> Option<&dyn WholeFolder>;

    /// Its single objects inside containers, if it has any that can stand there.
    fn nested(&self) -> Option<&dyn Nested>;

    /// Its own notation for inputs and outputs on a command line, if it has one.
    fn notation(&self) -> Option<&dyn Notation>;
}

/// A stream of utterances.
pub trait Reader: Send {
    /// What is known of the data set since it was opened.
    fn info(&self) -> &DatasetInfo;

    /// Reads the next utterance into `utt`, overwriting every field and keeping allocations.
    /// `false` at the end, and ever after.
    ///
    /// # Errors
    /// With [`can_continue`](crate::Error::can_continue) the next call reads the utterance after;
    /// otherwise the stream is over.
    fn read(&mut self, utt: &mut Utterance) -> Result<bool>;
}

/// A data set whose utterances are found by their keys, in any order.
pub trait RandomAccess: Send {
    /// Reads the utterance `key` into `utt`, overwriting every field; `false` if there is none.
    ///
    /// # Errors
    /// With [`can_continue`](crate::Error::can_continue) only this utterance is lost.
    fn find(&mut self, key: &Key, utt: &mut Utterance) -> Result<bool>;

    /// All keys in the order in which they stand, where that is known without a look at the data.
    fn keys(&self) -> Option<Vec<Key>>;

    /// Looks at the entries that nobody asked for yet, and gives the first key that appears twice
    /// with other data.
    ///
    /// # Errors
    /// The rest can't be read.
    fn find_twice(&mut self) -> Result<Option<Key>>;
}

/// Takes utterances and stores all of each, or fails. What a format can't hold is refused:
/// narrowing and dropping is the [adapter](crate::adapt)'s work.
pub trait Writer: Send {
    /// What it can hold.
    fn caps(&self) -> &Caps;

    /// Whether [`write`](Self::write) would store this utterance if it came next, for utterances
    /// that go to several outputs or to none. Nothing is stored or remembered of it.
    ///
    /// # Errors
    /// As those of [`write`](Self::write) that [can continue](crate::Error::can_continue).
    fn accept(&mut self, utt: &Utterance) -> Result<()>;

    /// Stores one utterance, or the next portion of one where its [`Caps::portioned`] allows them.
    ///
    /// # Errors
    /// After one that [can continue](crate::Error::can_continue) all is as before; after any other
    /// the output is lost.
    fn write(&mut self, utt: &Utterance) -> Result<()>;

    /// Completes all streams. Dropping a writer instead abandons them.
    ///
    /// # Errors
    /// The system refuses.
    fn finish(self: Box<Self>) -> Result<Written>;
}

/// What a writer wrote.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// Utterances.
    pub utterances: u64,
    /// Frames.
    pub frames: u64,
    /// Seconds of sound, as far as they are known.
    pub seconds: f64,
    /// Bytes in all streams, before any compression.
    pub bytes: u64,
    /// What the encoding changed in values, beyond what [`Caps`] say: compression, codes of
    /// samples, digits left out.
    pub rounded: LossReport,
}

impl Written {
    /// Counts one more utterance, or a portion of one.
    pub fn count(&mut self, utt: &Utterance) {
        self.utterances += u64::from(utt.ends());
        self.frames += utt.frames();
        let sound = utt.audio.as_ref().map(Audio::facts);
        let seconds = sound.and_then(|facts| facts.seconds());
        self.seconds += seconds.unwrap_or_default();
    }
}

impl<R: Reader + ?Sized> Reader for &mut R {
    fn info(&self) -> &DatasetInfo {
        (**self).info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        (**self).read(utt)
    }
}

impl Reader for Box<dyn Reader> {
    fn info(&self) -> &DatasetInfo {
        (**self).info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        (**self).read(utt)
    }
}
