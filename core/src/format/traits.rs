//! Formats and writers.

use super::{
    Audit, Caps, FormatInfo, LabelModels, Lists, Medium, Nested, Notation, OpenedDataset, Options,
    Probe, Request, Score, SoundFolder, Weight, WholeFolder,
};
use crate::bytes::{Env, Location, Output, Source};
use crate::error::Result;
use crate::format::loss::{LossKind, LossReport};
use crate::model::{About, Audio, Key, Utterance};

/// A file format: recognises, reads and writes it.
///
/// What most formats have no answer to, defaults to none. A wrapper of any of the traits here is
/// marked `#[warn(clippy::missing_trait_methods)]`, so that it can't lose a call in silence.
///
/// ```
/// use std::sync::Arc;
/// use spr_core::bytes::{Env, Locator, MemoryStore, Medium, Output, Source};
/// use spr_core::format::{
///     Caps, Count, Format, FormatInfo, Keys, LabelCaps, OneReader, OneWriter, OpenedDataset,
///     Options, Probe, Reader, Request, Score, Writer,
/// };
/// use spr_core::model::{About, DatasetInfo, Dtype, Matrix, Rank, Utterance};
/// use spr_core::Result;
///
/// /// Files of one utterance, in which each byte is the label of a frame.
/// struct Bytes;
///
/// static INFO: FormatInfo = FormatInfo::new("bytes", "a label a byte", &["bytes"]);
///
/// fn caps(medium: Medium) -> Caps {
///     let mut caps = Caps::new(Count::One, Keys::of_files(medium));
///     caps.labels = Some(LabelCaps::new(&[Dtype::U8]));
///     caps
/// }
///
/// impl Format for Bytes {
///     fn info(&self) -> &'static FormatInfo {
///         &INFO
///     }
///
///     // Any bytes are labels, so that the name of the file decides.
///     fn probe(&self, head: &Probe<'_>) -> Score {
///         match head.extension() {
///             Some("bytes") => Score::NameOnly,
///             _ => Score::No,
///         }
///     }
///
///     fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
///         Ok(caps(medium))
///     }
///
///     fn open(&self, source: Source, _: &Options, _: &mut Request, env: &Env) -> Result<OpenedDataset> {
///         let fill = |source: &mut Source, utt: &mut Utterance, env: &Env| {
///             let labels = source.rest("labels", &env.limits)?;
///             utt.start();
///             utt.labels = Some(Matrix::from_rows(&labels, 1, Rank::Vector)?);
///             Ok(())
///         };
///         let reader = OneReader::new(source, DatasetInfo::default(), env, fill)?;
///         Ok(OpenedDataset::stream(reader))
///     }
///
///     fn create(&self, output: Output, _: &Options, _: &About, _: &Env) -> Result<Box<dyn Writer>> {
///         let caps = caps(output.medium());
///         // `caps` were checked before.
///         let encode = |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| {
///             put(utt.labels.as_ref().and_then(Matrix::as_slice::<u8>).unwrap_or_default())
///         };
///         Ok(Box::new(OneWriter::new(output, caps, "bytes", encode)))
///     }
/// }
///
/// let store = MemoryStore::new();
/// store.insert("a.bytes", vec![3, 3, 7]);
/// let env = Env::default().with_store(Arc::new(store));
/// let source = env.open(&Locator::file("a.bytes"))?;
/// let opened = Request::all().open(&Bytes, source, &Options::default(), &env)?;
/// let mut reader = opened.into_stream()?;
/// let mut utt = Utterance::default();
/// assert!(reader.read(&mut utt)?);
/// assert_eq!(utt.key, "a".into());
/// assert_eq!(utt.labels.unwrap().as_slice::<u8>(), Some(&[3, 3, 7][..]));
/// # Ok::<(), spr_core::Error>(())
/// ```
pub trait Format: Send + Sync {
    /// Returns its description.
    fn info(&self) -> &'static FormatInfo;

    /// Scores the start of a file. A pure function of its input.
    fn probe(&self, head: &Probe<'_>) -> Score;

    /// Returns the capabilities of an output with these options on this medium.
    ///
    /// # Errors
    /// The value of an option is invalid.
    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps>;

    /// Opens a data set. It takes over the parts of `request` that it supports; callers use
    /// [`Request::open`], which does the rest. May return a [`Table`](OpenedDataset::Table) if
    /// [`Request::lookup`] is set and the source is seekable.
    ///
    /// # Errors
    /// The header is invalid, or the value of an option.
    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset>;

    /// Weighs the entries of a file in their order by what stands apart from them, such as a
    /// directory, without reading them. Returns `false` if there is nothing of the kind.
    ///
    /// # Errors
    /// It is damaged, or `each` fails.
    fn weigh(
        &self,
        source: Source,
        options: &Options,
        env: &Env,
        each: &mut dyn FnMut(&Key, Weight) -> Result<()>,
    ) -> Result<bool> {
        let _ = (source, options, env, each);
        Ok(false)
    }

    /// Returns `true` if [`open`](Self::open) takes [`Request::within`] for a file: where entries start is
    /// found from any byte on, without reading what is before it.
    ///
    /// # Errors
    /// Reading fails, or the value of an option is invalid.
    fn can_cut(&self, source: Source, options: &Options, env: &Env) -> Result<bool> {
        let _ = (source, options, env);
        Ok(false)
    }

    /// Starts a data set in `output`, which the caller commits once the writer is finished; `about`
    /// is what it says of itself. Callers go through [`create`](super::create), which refuses what
    /// [`Caps::about`] has no place for. Formats that hold one utterance a file ask for
    /// [`Part::Utterance`](crate::bytes::Part).
    ///
    /// # Errors
    /// The output can't be made, or an option's value is wrong.
    fn create(
        &self,
        output: Output,
        options: &Options,
        about: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>>;

    /// Returns the format of folders that as a whole are one data set, if there is one.
    fn folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    /// Returns the format of folders whose files are read as one data set although none is written
    /// like that, if there is one: the alignments of several jobs.
    fn job_folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    /// Returns `true` if a folder that [fits](WholeFolder::fits) by its names is of the format by
    /// what is in its files, of which a look at the first bytes is enough.
    fn owns_folder(&self, _folder: &Location, _env: &Env) -> bool {
        true
    }

    /// Returns the format of folders of sound files of any format, if it is one.
    fn sound_folder(&self) -> Option<&dyn SoundFolder> {
        None
    }

    /// Returns the format of objects inside containers, if there is one.
    fn nested(&self) -> Option<&dyn Nested> {
        None
    }

    /// Returns the notation for inputs and outputs on a command line, if there is one.
    fn notation(&self) -> Option<&dyn Notation> {
        None
    }

    /// Checks of its data sets that no reader makes, if it has any.
    fn audit(&self) -> Option<&dyn Audit> {
        None
    }

    /// Its lists of places in other files, if it has such.
    fn lists(&self) -> Option<&dyn Lists> {
        None
    }

    /// Its models that say what labels stand for, if it has such.
    fn label_models(&self) -> Option<&dyn LabelModels> {
        None
    }
}

impl dyn Format {
    /// Returns the format of folders that are read as one data set, whether such are written or not.
    pub fn whole_folder(&self) -> Option<&dyn WholeFolder> {
        self.folder().or_else(|| self.job_folder())
    }
}

/// Starts a data set of `format` in `output`, about which `about` is all stored or refused.
///
/// # Errors
/// As [`Format::create`], or the format has no place for something that the data set says of itself.
pub fn create(
    format: &dyn Format,
    output: Output,
    options: &Options,
    about: &About,
    env: &Env,
) -> Result<Box<dyn Writer>> {
    let caps = format.caps(options, output.medium())?;
    let checked = caps.check_about(about);
    checked.map_err(|e| e.file(output.name()))?;
    format.create(output, options, about, env)
}

/// A writer that stores utterances completely or fails. Data that a format cannot hold are
/// rejected; narrowing and dropping is the task of the [adapter](crate::adapt).
///
/// ```
/// use spr_core::format::{Caps, Count, FeatureCaps, Keys, WriteSummary, Writer};
/// use spr_core::model::{Dtype, Matrix, Rank, Utterance};
/// use spr_core::Result;
///
/// /// Adds up the rows of features, which it takes as 32-bit floats.
/// struct Rows(Caps, WriteSummary);
///
/// impl Writer for Rows {
///     fn caps(&self) -> &Caps {
///         &self.0
///     }
///
///     fn accept(&mut self, utt: &Utterance) -> Result<()> {
///         self.0.check(utt)
///     }
///
///     fn write(&mut self, utt: &Utterance) -> Result<()> {
///         self.accept(utt)?;
///         self.1.count(utt);
///         Ok(())
///     }
///
///     fn finish(self: Box<Self>) -> Result<WriteSummary> {
///         Ok(self.1)
///     }
/// }
///
/// let mut caps = Caps::new(Count::Many, Keys::Any);
/// caps.features = Some(FeatureCaps::new(&[Dtype::F32]));
/// let mut writer = Box::new(Rows(caps, WriteSummary::default()));
/// let mut utt = Utterance { key: "a".into(), ..Utterance::default() };
/// assert!(writer.write(&utt).is_err(), "it has no features");
/// utt.features = Some(Matrix::from_rows(&[1f32, 2.0, 3.0, 4.0], 2, Rank::Matrix)?);
/// writer.write(&utt)?;
/// assert_eq!(writer.finish()?.frames, 2);
/// # Ok::<(), spr_core::Error>(())
/// ```
pub trait Writer: Send {
    /// Returns its capabilities.
    fn caps(&self) -> &Caps;

    /// Checks that [`write`](Self::write) would store this utterance if it came next, for
    /// utterances that go to several outputs or to none. Nothing of it is stored or remembered.
    ///
    /// # Errors
    /// As those of [`write`](Self::write) that [can continue](crate::error::Error::can_continue).
    fn accept(&mut self, utt: &Utterance) -> Result<()>;

    /// Stores one utterance, or the next chunk of one where its [`Caps::chunked`] allows them.
    ///
    /// # Errors
    /// After one that [can continue](crate::error::Error::can_continue) all is as before; after any other
    /// the output is lost.
    fn write(&mut self, utt: &Utterance) -> Result<()>;

    /// Completes all streams. A writer that is dropped instead abandons them.
    ///
    /// # Errors
    /// The system refuses.
    fn finish(self: Box<Self>) -> Result<WriteSummary>;
}

/// A summary of the written data.
#[non_exhaustive]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteSummary {
    /// The number of utterances.
    pub utterances: u64,
    /// The number of frames.
    pub frames: u64,
    /// The duration of audio in seconds, as far as known.
    pub seconds: f64,
    /// The size of all streams in bytes, before compression.
    pub bytes: u64,
    /// The loss of values by the encoding, beyond that declared in [`Caps`]: compression, sample
    /// codes, omitted digits.
    pub rounded: LossReport,
    /// The losses by the encoding that need permission, such as values that it clips although it is meant
    /// for all of them.
    pub lost: LossReport,
}

impl WriteSummary {
    /// Adds the loss by an encoding that is meant for all values, so that it needs permission to clip any.
    pub fn add_rounding(&mut self, mut rounded: LossReport) {
        self.lost.append(&rounded.split_off(LossKind::Range));
        self.rounded.append(&rounded);
    }

    /// Counts an utterance, or a chunk of one.
    pub fn count(&mut self, utt: &Utterance) {
        self.utterances += u64::from(utt.ends());
        self.frames += utt.frames();
        let sound = utt.audio.as_ref().map(Audio::facts);
        let seconds = sound.and_then(|facts| facts.seconds());
        self.seconds += seconds.unwrap_or_default();
    }
}
