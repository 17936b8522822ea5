//! Reading of the files of a corpus.

use std::ops::Range;

use spr_core::bytes::{Env, Location};
use spr_core::format::{Format, Options, Reader, Request};
use spr_core::model::{Audio, DatasetInfo, Decimal, FrameGrid, Matrix, Utterance};
use spr_core::{Error, Result};

use super::corpus::{CorpusReader, Entry};
use super::time::{TO_THE_END, TimeBase, frames};

/// The tolerance, in frames, for entries in seconds that exceed their file, because frames longer
/// than their shift are missing at the end.
const SLACK: u64 = 2;

/// The files of a corpus.
pub(crate) struct Files {
    root: Option<Location>,
    suffix: String,
    format: &'static dyn Format,
    options: Options,
    /// The request for each file.
    request: Request,
    env: Env,
}

impl Files {
    /// Resolves files relative to the option `root`, otherwise to the `folder` of the corpus.
    pub(crate) fn new(
        folder: Option<Location>,
        format: &'static dyn Format,
        options: &Options,
        request: Request,
        env: &Env,
    ) -> Result<Self> {
        let own = format.info();
        let suffix = options.get("suffix").unwrap_or(own.extensions[0]);
        let root = options.get("root").map(Location::from);
        // The other options apply to the files.
        let of_files = own
            .options
            .iter()
            .filter(|o| !["root", "suffix"].contains(&o.name));
        let of_files = of_files.filter_map(|o| Some((o.name, options.get(o.name)?)));
        Ok(Self {
            root: root.or(folder),
            suffix: suffix.trim_start_matches('.').to_owned(),
            format,
            options: Options::new(own, of_files)?,
            request,
            env: env.clone(),
        })
    }

    fn location(&self, name: &[u8]) -> Result<Location> {
        let name = std::str::from_utf8(name)
            .map_err(|_| Error::unsupported("the name of the file is not UTF-8"))?;
        if name.contains('\0') || name.split(['/', '\\']).any(|part| part == "..") {
            return Err(Error::unfit("the name of the file leads out of the root"));
        }
        let name = format!("{}.{}", name.trim_start_matches('/'), self.suffix);
        let name = Location::from(name);
        let name = self.env.moved_file(&name).unwrap_or(name);
        Ok(match &self.root {
            Some(root) => root.join(name),
            None => name,
        })
    }

    /// Reads a whole file.
    fn read(&self, name: &[u8], utt: &mut Utterance) -> Result<()> {
        let file = self.location(name)?;
        self.env.check_found(self.root.as_ref(), &file)?;
        let source = self.env.open_file(&file)?;
        let request = self.request.clone();
        let opened = request.open(self.format, source, &self.options, &self.env)?;
        let mut reader = opened.into_stream()?;
        let one = reader.read(utt).and_then(|one| {
            let more = one && reader.read(&mut Utterance::default())?;
            Ok(one && !more)
        });
        match one {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(Error::malformed("the file does not hold one utterance").file(file.to_string()))
            }
            Err(e) => Err(e.file(file.to_string())),
        }
    }
}

/// A reader of the segment of each entry.
pub(crate) struct CorpusDriven {
    corpus: CorpusReader,
    files: Files,
    entry: Entry,
    /// The last file and its name.
    whole: Utterance,
    name: Option<Vec<u8>>,
    warned: bool,
}

impl CorpusDriven {
    pub(crate) fn new(corpus: CorpusReader, files: Files) -> Self {
        Self {
            corpus,
            files,
            entry: Entry::default(),
            whole: Utterance::default(),
            name: None,
            warned: false,
        }
    }

    /// Fills `utt` with the segment of the entry.
    fn fill(&mut self, utt: &mut Utterance) -> Result<()> {
        let entry = &mut self.entry;
        if self.name.as_ref() != Some(&entry.file) {
            self.name = None;
            self.files.read(&entry.file, &mut self.whole)?;
            self.name = Some(entry.file.clone());
        }
        utt.clone_from(&self.whole);
        utt.key.clone_from(&entry.key);
        if !entry.text.is_empty() {
            utt.text = Some(std::mem::take(&mut entry.text));
        }
        let fresh = |key: &[u8]| entry.extra.iter().all(|tag| tag.key != key);
        utt.meta.tags.retain(|tag| fresh(&tag.key));
        utt.meta.tags.append(&mut entry.extra);
        cut(utt, entry, &self.corpus.base)
    }
}

impl Reader for CorpusDriven {
    fn info(&self) -> &DatasetInfo {
        self.corpus.info()
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let tags = &self.corpus.head.meta.tags;
        if !std::mem::replace(&mut self.warned, true) && tags.iter().any(|t| t.key != b"TIMEBASE") {
            let message = "header lines of the corpus are not handed on to what it lists";
            self.files.env.warn(&Error::unfit(message));
        }
        if !self.corpus.next(&mut self.entry)? {
            return Ok(false);
        }
        let key = self.entry.key.clone();
        self.fill(utt)
            .map_err(|e| e.utterance(&key).continuable())?;
        Ok(true)
    }
}

/// Cuts an utterance to the segment of the entry.
fn cut(utt: &mut Utterance, entry: &Entry, base: &TimeBase) -> Result<()> {
    let wrong = |what: String| Error::malformed(what);
    let stretch = base.stretch(&entry.f1, &entry.f2).map_err(wrong)?;
    if stretch.start.is_zero() && entry.f2 == TO_THE_END {
        return Ok(());
    }
    if utt.object.is_some() || !utt.tiers.is_empty() {
        return Err(Error::unfit(
            "the file is not one of which a stretch can be taken",
        ));
    }
    let grid = FrameGrid::of(&utt.meta).unwrap_or_else(FrameGrid::usual);
    let rows = utt.frames();
    let nearest = |time| match grid.nearest(time) {
        Some(frame) => frame,
        None if time < grid.time(0) => 0,
        None => u64::MAX,
    };
    // If both use the same frames, no conversion is needed.
    let (first, end, slack) = match base {
        TimeBase::Discrete(own) if own.shift() == grid.shift() => {
            let (first, count) = frames(&entry.f1, &entry.f2).map_err(wrong)?;
            (first, count.map(|count| first.saturating_add(count)), 0)
        }
        _ => (nearest(stretch.start), stretch.end.map(nearest), SLACK),
    };
    for matrix in [&mut utt.features, &mut utt.labels].into_iter().flatten() {
        keep(matrix, within(first, end, rows, slack, "frames")?);
    }
    if let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) {
        let moment = |time: Decimal| time.sample(sound.rate).unwrap_or(u64::MAX);
        let there = sound.samples.rows() as u64;
        let (first, end) = (moment(stretch.start), stretch.end.map(moment));
        keep(&mut sound.samples, within(first, end, there, 1, "samples")?);
    }
    Ok(())
}

/// Returns the range from `first` to `end`, if it exists within a tolerance of `slack`.
fn within(
    first: u64,
    end: Option<u64>,
    there: u64,
    slack: u64,
    what: &str,
) -> Result<Range<usize>> {
    let end = end.unwrap_or(there);
    if first > there || end > there.saturating_add(slack) {
        return Err(Error::unfit(format!(
            "the corpus says {what} {first} to {end}, the file has {there}"
        )));
    }
    let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    Ok(size(first)..size(end.min(there)).max(size(first)))
}

/// Keeps only these rows of a matrix.
fn keep(matrix: &mut Matrix, rows: Range<usize>) {
    matrix.retain_rows(|row| rows.contains(&row));
}
