//! One file, one utterance.

use spr_core::Result;
use spr_core::bytes::{Env, Source, key_of_file};
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Key, KeySource, Matrix, Utterance};

use crate::contents::{Contents, Sort};
use crate::data::{self, Layout};
use crate::header::Header;
use crate::header::layers::Where;
use crate::options::Reading;
use crate::select::Selection;
use crate::vocabulary::{Dialect, Encoding};

/// Bytes passed over at a time.
const BLOCK: usize = 64 << 10;

/// Reads the rows of a file.
pub(crate) struct SpraakReader {
    source: Source,
    contents: Contents,
    layout: Layout,
    select: Selection,
    key: Key,
    info: DatasetInfo,
    env: Env,
    done: bool,
}

impl SpraakReader {
    /// Understands the header, and finds out what it leaves open. What is to be taken of features is
    /// taken by stages behind the reader.
    pub(crate) fn open(
        source: Source,
        header: &Header,
        options: Reading,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let name = source.name().to_owned();
        let reader = Self::of(source, header, options, env)?;
        match reader.contents.sort {
            Sort::Features => {
                let select = reader.select.clone();
                let reader = select.of_features(Box::new(reader), env.limits);
                reader.map_err(|e| e.file(name))
            }
            Sort::Sound { .. } => Ok(Box::new(reader)),
        }
    }

    fn of(source: Source, header: &Header, options: Reading, env: &Env) -> Result<Self> {
        let mut contents = Contents::of(header, env)?;
        if options.unsigned && header.dialect == Dialect::Key {
            contents.stored = contents.stored.unsigned();
        }
        let mut source = match contents.coder {
            Some(codec) => data::unpacked(source, codec)?,
            None => source,
        };
        let encoding = match contents.encoding {
            Some(encoding) => encoding,
            None if options.given.header == Where::Absent => {
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
        };
        let named = source.path().filter(|path| path.is_file());
        let (key, keys) = match named.map(key_of_file) {
            Some(key) => (key, KeySource::Stored),
            None => (Key::generated(0), KeySource::Generated),
        };
        let mut info = DatasetInfo {
            utterances: Some(1),
            byte_order: match encoding {
                Encoding::Binary(order) => Some(order),
                Encoding::Text => None,
            },
            compression: source.compression(),
            frame_shift: contents.meta.frame_shift.clone(),
            keys,
            ..DatasetInfo::default()
        };
        match contents.sort {
            Sort::Features => {
                info.frames = contents.rows;
                info.dim = Some(contents.cols);
                info.dtype = Some(contents.stored.dtype());
            }
            Sort::Sound { rate } => info.sample_rate = Some(rate),
        }
        Ok(Self {
            source,
            contents,
            layout,
            select: options.select,
            key,
            info,
            env: env.clone(),
            done: false,
        })
    }

    fn fill(&mut self, into: &mut Matrix) -> Result<()> {
        let Self { source, env, .. } = self;
        if data::read(source, into, self.layout, &env.limits)? {
            let rows = match self.contents.sort {
                Sort::Features => "vectors",
                Sort::Sound { .. } => "samples a channel",
            };
            let what = format!(
                "the file goes on after {} {rows}; the rest is not read",
                into.rows()
            );
            env.warn(&source.malformed(what));
            // The checksum of compressed data stands at their end.
            while !source.layers().is_empty() && !source.at_end()? {
                let there = source.peek(BLOCK)?.len() as u64;
                source.skip(there)?;
            }
        }
        Ok(())
    }
}

/// The encoding that the data themselves suggest.
fn guessed(
    source: &mut Source,
    contents: &Contents,
    header: &Header,
    env: &Env,
) -> Result<Encoding> {
    let (encoding, unsure) = data::guess(source, contents.due())?;
    // The length does not tell one byte order from the other.
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
        utt.key.set(self.key.as_bytes());
        utt.labels = None;
        utt.meta = std::mem::take(&mut self.contents.meta);
        let limits = self.env.limits;
        match self.contents.sort {
            Sort::Features => {
                utt.clear_others();
                self.fill(utt.features_mut())?;
            }
            Sort::Sound { rate } => {
                let mut audio = utt.audio.take().unwrap_or_default();
                utt.clear_data();
                audio.rate = rate;
                self.fill(&mut audio.samples)?;
                let selected = self.select.of_sound(&mut audio, &mut utt.meta, &limits);
                selected.map_err(|e| e.file(self.source.name()))?;
                utt.audio = Some(audio);
            }
        }
        self.info.frames = Some(utt.frames());
        Ok(true)
    }
}
