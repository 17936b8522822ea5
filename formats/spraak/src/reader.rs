//! The reader of files with one utterance.

use std::sync::Arc;

use spr_core::bytes::{Env, Source};
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, FrameGrid, Key, Matrix, Utterance};
use spr_core::{Error, Result};

use crate::contents::{Contents, RowKind, fields, unsigned};
use crate::data::{self, Layout};
use crate::header::Header;
use crate::header::layers::HeaderPlace;
use crate::options::Reading;
use crate::select::Selection;
use crate::vocabulary::{Dialect, Encoding};

/// The number of bytes skipped at a time.
const BLOCK: usize = 64 << 10;

/// Interprets the header, and detects what it leaves open. Selections of features are applied by
/// stages after the reader. Without `values` those of features are undefined.
///
/// # Errors
/// The header is invalid, or the options contradict it.
pub(crate) fn open(
    source: Source,
    header: &Header,
    options: Reading,
    values: bool,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    let name = source.name().to_owned();
    let reader = SpraakReader::of(source, header, options, values, env)?;
    match reader.contents.sort {
        RowKind::Features => {
            let select = reader.select.clone();
            let channels = fields::channels(header).map(Some);
            let channels = match select.channels {
                Some(_) => channels?,
                None => None,
            };
            let reader = select.of_features(Box::new(reader), channels, env);
            reader.map_err(|e| e.file(name))
        }
        RowKind::Sound { .. } => Ok(Box::new(reader)),
    }
}

/// A reader of the rows of a file.
struct SpraakReader {
    source: Source,
    file: Arc<str>,
    contents: Contents,
    layout: Layout,
    select: Selection,
    /// Whether data beyond the number in the header are left out.
    cut: bool,
    key: Key,
    info: DatasetInfo,
    env: Env,
    done: bool,
}

impl SpraakReader {
    fn of(
        source: Source,
        header: &Header,
        options: Reading,
        values: bool,
        env: &Env,
    ) -> Result<Self> {
        let mut contents = Contents::of(header, env)?;
        if options.all == Some(true) {
            contents.rows = None;
        }
        let unsigned = options.unsigned.unwrap_or(unsigned(header).is_some());
        if unsigned && header.dialect == Dialect::Key {
            contents.stored = contents.stored.unsigned();
        }
        let mut source = match contents.coder {
            Some(codec) => data::unpacked(source, codec)?,
            None => source,
        };
        let encoding = match contents.encoding {
            Some(encoding) => encoding,
            None if options.given.header == HeaderPlace::Absent => {
                return Err(source
                    .malformed("nothing says how the numbers are stored")
                    .hint("say it with format=BIN01, BIN10 or ASCII"));
            }
            None => guessed(&mut source, &contents, header, env)?,
        };
        let layout = Layout {
            stored: contents.stored,
            encoding,
            rows: contents.rows,
            cols: contents.cols,
            values: values || contents.sort != RowKind::Features,
        };
        let (key, keys) = env.key_of(&source)?;
        let mut info = DatasetInfo::new(keys);
        info.utterances = Some(1);
        info.byte_order = match encoding {
            Encoding::Binary(order) => Some(order),
            Encoding::Text => None,
        };
        info.compression = source.compression();
        info.frame_shift = contents.meta.frame_shift;
        match contents.sort {
            RowKind::Features => {
                if contents.track && info.frame_shift.is_none() {
                    info.frame_shift = Some(FrameGrid::USUAL_SHIFT);
                    info.decision = Some("FSHIFT is not said: 0.01 s, the default".into());
                }
                info.frames = contents.rows;
                info.dim = Some(contents.cols);
                info.dtype = Some(contents.stored.dtype());
            }
            RowKind::Sound { rate } => info.sample_rate = Some(rate),
        }
        Ok(Self {
            file: source.name().into(),
            source,
            contents,
            layout,
            select: options.select,
            cut: options.all == Some(false),
            key,
            info,
            env: env.clone(),
            done: false,
        })
    }

    fn fill(&mut self, into: &mut Matrix) -> Result<()> {
        let Self {
            source,
            env,
            contents,
            cut,
            ..
        } = self;
        if data::read(source, into, self.layout, &env.limits)? {
            let rows = match contents.sort {
                RowKind::Features => "vectors",
                RowKind::Sound { .. } => "samples a channel",
            };
            if !*cut {
                let what = format!("the file goes on after {} {rows}", into.rows());
                let error = source.malformed(what);
                return Err(error.hint("all=true reads all of it, all=false leaves out the rest"));
            }
            // The checksum of compressed data is at their end.
            while !source.layers().is_empty() && !source.at_end()? {
                let there = source.peek(BLOCK)?.len() as u64;
                source.skip(there)?;
            }
        }
        if let Some(view) = &contents.view {
            let found = into.rows() as u64 * contents.cols;
            let checked = view.check(found, contents.rows.is_some());
            let place = |e: Error| e.file(source.name()).byte(source.offset());
            if let Some(odd) = checked.map_err(place)? {
                env.warn(&source.malformed(odd));
            }
        }
        Ok(())
    }
}

/// Guesses the encoding from the data.
fn guessed(
    source: &mut Source,
    contents: &Contents,
    header: &Header,
    env: &Env,
) -> Result<Encoding> {
    let (encoding, unsure) = data::guess(source, contents.data_length())?;
    // The length does not distinguish the byte orders.
    if unsure || contents.stored.size() > 1 {
        let what = format!("no FORMAT is given; taken to be {}", encoding.format());
        let hint = "if that is wrong, say byteorder=little, byteorder=big or text=true";
        env.warn(&header.error(header.end, what).hint(hint));
    }
    Ok(encoding)
}

impl Reader for SpraakReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(false);
        }
        let mut sound = utt.take_waveform();
        utt.start();
        utt.key.set(self.key.as_bytes());
        utt.origin.file = Some(self.file.clone());
        utt.meta = std::mem::take(&mut self.contents.meta);
        match self.contents.sort {
            RowKind::Features => self.fill(utt.features_mut())?,
            RowKind::Sound { rate } => {
                sound.rate = rate;
                self.fill(&mut sound.samples)?;
                let limits = self.env.limits;
                let selected = self.select.of_sound(&mut sound, &mut utt.meta, &limits);
                selected.map_err(|e| e.file(self.source.name()))?;
                utt.audio = Some(sound.into());
            }
        }
        Ok(true)
    }
}
