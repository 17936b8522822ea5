//! One file, one utterance.

use spr_core::bytes::{Env, Source, key_of_file};
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Key, KeySource, Utterance};
use spr_core::{Error, Result};

use crate::contents::Contents;
use crate::data::{binary, guess, text};
use crate::header::Header;
use crate::vocabulary::{Dialect, Encoding};

/// Reads the matrix of a file.
pub(crate) struct SpraakReader {
    source: Source,
    contents: Contents,
    encoding: Encoding,
    key: Key,
    info: DatasetInfo,
    env: Env,
    done: bool,
}

impl SpraakReader {
    /// Reads the header; `encoding` is the user's word against it.
    pub(crate) fn open(
        mut source: Source,
        expected: Dialect,
        encoding: Option<Encoding>,
        env: &Env,
    ) -> Result<Self> {
        let header = Header::read(&mut source, expected, env)?;
        let contents = Contents::of(&header, env)?;
        let encoding = match encoding.or(contents.encoding) {
            Some(encoding) => encoding,
            None => guessed(&mut source, &contents, &header, env)?,
        };
        let named = source.path().filter(|path| path.is_file());
        let (key, keys) = match named.map(key_of_file) {
            Some(key) => (key, KeySource::Stored),
            None => (Key::generated(0), KeySource::Generated),
        };
        let info = DatasetInfo {
            utterances: Some(1),
            frames: contents.rows,
            dim: Some(contents.cols),
            dtype: Some(contents.dtype),
            byte_order: match encoding {
                Encoding::Binary(order) => Some(order),
                Encoding::Text => None,
            },
            compression: source.compression(),
            frame_shift: contents.meta.frame_shift.clone(),
            keys,
            ..DatasetInfo::default()
        };
        Ok(Self {
            source,
            contents,
            encoding,
            key,
            info,
            env: env.clone(),
            done: false,
        })
    }
}

/// The encoding that the data themselves suggest.
fn guessed(
    source: &mut Source,
    contents: &Contents,
    header: &Header,
    env: &Env,
) -> Result<Encoding> {
    let size = contents.dtype.size() as u64;
    let values = contents.rows.and_then(|n| n.checked_mul(contents.cols));
    let (encoding, unsure) = guess(source, values.and_then(|n| n.checked_mul(size)))?;
    if unsure {
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
        let Self {
            source,
            contents,
            env,
            ..
        } = self;
        utt.key.set(self.key.as_bytes());
        utt.labels = None;
        utt.clear_others();
        utt.meta = std::mem::take(&mut contents.meta);
        let matrix = utt.features_mut();
        let shape = (contents.dtype, contents.rows, contents.cols);
        let more = match self.encoding {
            Encoding::Binary(order) => {
                binary::read(source, matrix, shape, order, &env.limits)?;
                !source.at_end()?
            }
            Encoding::Text => {
                text::read(source, matrix, shape, &env.limits)?;
                text::more(source)?
            }
        };
        if more {
            env.warn(
                &Error::malformed(format!(
                    "the file goes on after {} vectors; the rest is not read",
                    matrix.rows()
                ))
                .file(source.name())
                .byte(source.offset()),
            );
        }
        self.info.frames = Some(matrix.rows() as u64);
        Ok(true)
    }
}
