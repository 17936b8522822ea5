//! One utterance, one file.

use spr_core::bytes::{ByteOrder, Env, Output, Part};
use spr_core::format::{Caps, Writer, Written};
use spr_core::model::{Matrix, Tag, Utterance, Waveform};
use spr_core::{Error, Result};

use crate::data::{Body, Printer};
use crate::header::{print, shown};
use crate::list::{ListWriter, Ready, is_field, opaque_header};
use crate::options::Writing;
use crate::vocabulary::{
    Dialect, Encoding, UNSIGNED, UNSIGNED_VALUE, code_name, is_matrix, is_own, old_name, type_name,
};

/// Writes each utterance to a file of its own.
pub(crate) struct SpraakWriter {
    output: Output,
    options: Writing,
    caps: Caps,
    /// A list of what is written.
    corpus: Option<ListWriter>,
    written: Written,
    header: Vec<u8>,
    printer: Printer,
    env: Env,
    /// Whether the user was told that keys have no name of their own in key headers.
    told: bool,
    /// Whether the user was told that others may take integers for negative ones.
    told_unsigned: bool,
}

/// What stands behind a header.
enum Contents<'a> {
    /// Numbers, and the line of a list of all files.
    Rows(Rows<'a>, Option<Box<Ready>>),
    List(&'a [u8]),
}

/// What goes into a file as numbers.
enum Rows<'a> {
    Features(&'a Matrix),
    Sound(&'a Waveform),
}

impl<'a> Rows<'a> {
    fn matrix(&self) -> &'a Matrix {
        match self {
            Self::Features(matrix) => matrix,
            Self::Sound(sound) => &sound.samples,
        }
    }
}

/// Keys that key headers have no name for; they stand there as they are.
const NAMELESS: [&[u8]; 4] = [b"FOFFSET", b"FLENGTH", b"TIMEBASE", b"OBJECT"];

impl SpraakWriter {
    pub(crate) fn new(
        output: Output,
        options: Writing,
        caps: Caps,
        corpus: Option<ListWriter>,
        env: &Env,
    ) -> Self {
        Self {
            printer: Printer::new(options.encoding, options.code),
            output,
            options,
            caps,
            corpus,
            written: Written::default(),
            header: Vec::new(),
            env: env.clone(),
            told: false,
            told_unsigned: false,
        }
    }

    fn extension(&self) -> &'static str {
        match self.options.header {
            true => self.options.dialect.extension(),
            false => "raw",
        }
    }

    /// Makes the header, or refuses what it can't hold.
    fn prepare(&mut self, utt: &Utterance, rows: &Rows<'_>) -> Result<()> {
        let Writing { dialect, .. } = self.options;
        let (kind, tags) = match rows {
            Rows::Features(_) => split_data(&utt.meta.tags)?,
            Rows::Sound(_) => (&b"SAMPLE"[..], &utt.meta.tags[..]),
        };
        let kind = match (rows, &self.options.data) {
            (Rows::Features(_), Some(asked)) => asked.as_bytes(),
            _ => kind,
        };
        let mut lines = Lines {
            dialect,
            kind,
            out: &mut self.header,
        };
        lines.start();
        lines.line(b"DATA", kind)?;
        lines.spr_only(b"LAYOUT", b"MATRIX")?;
        lines.line(b"TYPE", &element_type(rows.matrix(), &self.options)?)?;
        lines.spr_only(b"FORMAT", self.options.encoding.format().as_bytes())?;
        let matrix = rows.matrix();
        if let Rows::Features(_) = rows {
            lines.number(b"DIM1", matrix.rows() as u64)?;
            lines.number(b"DIM2", matrix.cols() as u64)?;
        }
        for (key, time) in [
            (&b"FSHIFT"[..], utt.meta.frame_shift),
            (b"FOFFSET", utt.meta.frame_offset),
        ] {
            if let Some(time) = time {
                lines.line(key, time.to_string().as_bytes())?;
            }
        }
        if let Rows::Sound(sound) = rows {
            lines.number(b"NCHAN", matrix.cols() as u64)?;
            lines.number(b"CHANLEN", matrix.rows() as u64)?;
            lines.number(b"SAMPLEFREQ", u64::from(sound.rate))?;
        }
        if let Some(coder) = self.options.packed {
            lines.line(b"COMPRESS", coder.as_bytes())?;
        }
        let recorded = self.options.code.is_none() && !matrix.dtype().is_signed();
        let recorded = recorded && dialect == Dialect::Key;
        if recorded {
            lines.line(UNSIGNED.as_bytes(), UNSIGNED_VALUE)?;
        }
        let samples = matches!(rows, Rows::Sound(_));
        for tag in tags {
            // The corpus has those.
            if self.corpus.is_some() && is_field(&tag.key) {
                continue;
            }
            let standard = Dialect::standard(kind, &tag.key).filter(|_| dialect == Dialect::Key);
            let key = standard.map_or(&tag.key[..], str::as_bytes);
            if is_own(key, samples) || dialect == Dialect::Key && key == UNSIGNED.as_bytes() {
                return Err(Error::unfit(format!(
                    "the header line {} would contradict the format's own",
                    shown(&tag.key)
                )));
            }
            lines.line(&tag.key, &tag.value)?;
        }
        lines.end();
        self.tell(utt, tags);
        if recorded {
            self.tell_unsigned(utt, matrix);
        }
        Ok(())
    }

    /// Makes the header; refuses what the file or the corpus can't hold.
    fn contents<'a>(&mut self, utt: &'a Utterance) -> Result<Contents<'a>> {
        self.header.clear();
        self.caps.check(utt)?;
        if utt.object.is_some() {
            let (header, body) = opaque_header(utt, &self.options, &self.env)?;
            self.header = header;
            return Ok(Contents::List(body));
        }
        check_tags(&utt.meta.tags)?;
        let rows = match (&utt.features, utt.waveform()) {
            (Some(features), None) => Rows::Features(features),
            (None, Some(sound)) => Rows::Sound(sound),
            (Some(_), Some(_)) => {
                let message = "has features and audio, and a file holds one of them";
                return Err(Error::unfit(message));
            }
            (None, None) => return Err(Error::unfit("has neither features nor audio")),
        };
        if self.options.header {
            self.prepare(utt, &rows)?;
        }
        let corpus = self.corpus.as_mut();
        let ready = corpus.map(|corpus| corpus.prepare_beside(utt));
        Ok(Contents::Rows(rows, ready.transpose()?.map(Box::new)))
    }

    /// Says once that a key has no name of its own in key headers.
    fn tell(&mut self, utt: &Utterance, tags: &[Tag]) {
        if self.told || self.options.dialect == Dialect::Spr {
            return;
        }
        let offset = utt.meta.frame_offset.is_some().then_some(&b"FOFFSET"[..]);
        let mut keys = offset
            .into_iter()
            .chain(tags.iter().map(|tag| &tag.key[..]));
        if let Some(key) = keys.find(|key| NAMELESS.contains(key)) {
            let what = format!("key headers have no {}, it is written as it is", shown(key));
            let warning = Error::unfit(what).utterance(&utt.key);
            self.env.warn(&warning.file(self.output.name()));
            self.told = true;
        }
    }

    /// Says once that a program which does not know the line `UNSIGNED` takes some of these values
    /// for negative ones.
    fn tell_unsigned(&mut self, utt: &Utterance, matrix: &Matrix) {
        let size = matrix.dtype().size();
        let top = match ByteOrder::NATIVE {
            ByteOrder::Little => size - 1,
            ByteOrder::Big => 0,
        };
        let mut large = matrix.as_bytes().iter().skip(top).step_by(size);
        if !self.told_unsigned && large.any(|byte| byte & 0x80 != 0) {
            let what = "key headers have no unsigned types: what does not know the line UNSIGNED \
                        reads large values as negative ones";
            let warning = Error::unfit(what).utterance(&utt.key);
            self.env.warn(&warning.file(self.output.name()));
            self.told_unsigned = true;
        }
    }
}

impl Writer for SpraakWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        let extension = self.extension();
        self.output.accept(&utt.key, extension)?;
        let contents = self.contents(utt);
        contents.map_err(|e| e.utterance(&utt.key).continuable())?;
        Ok(())
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let contents = self
            .contents(utt)
            .map_err(|e| e.utterance(&utt.key).continuable())?;
        let part = Part::Utterance(&utt.key, self.extension());
        let mut sink = self.output.create(part, false)?;
        sink.put(&self.header)?;
        match contents {
            Contents::List(bytes) => sink.put(bytes)?,
            Contents::Rows(rows, ready) => {
                let mut body = Body::new(&mut sink, self.options.packed);
                let stats = self.printer.write(rows.matrix(), &mut body)?;
                body.finish()?;
                if let Some(code) = self.options.code {
                    let name = shown(code_name(self.options.dialect, code));
                    let rounded = &mut self.written.rounded;
                    rounded.add_rounding(&utt.key, &stats, &name);
                }
                if let (Some(corpus), Some(ready)) = (&mut self.corpus, ready) {
                    corpus.add(*ready)?;
                }
            }
        }
        self.written.bytes += sink.finish()?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        if self.written.utterances == 0 && !self.output.is_folder() {
            return Err(Error::unfit("no utterance to write").file(self.output.name()));
        }
        let corpus = self.corpus.map(ListWriter::end).transpose()?;
        Ok(Written {
            bytes: self.written.bytes + corpus.unwrap_or(0),
            ..self.written
        })
    }
}

/// Refuses a header line that appears twice.
fn check_tags(tags: &[Tag]) -> Result<()> {
    let mut keys: Vec<_> = tags.iter().map(|tag| &tag.key).collect();
    keys.sort_unstable();
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::unfit(format!(
            "has the header line {} twice",
            shown(pair[0])
        )));
    }
    Ok(())
}

/// The kind of data, and the tags that do not say it. The kind stands first among the tags, where
/// the reader puts it.
fn split_data(tags: &[Tag]) -> Result<(&[u8], &[Tag])> {
    match tags.split_first() {
        Some((tag, rest)) if tag.key == b"DATA" => match tag.value.as_slice() {
            kind if is_matrix(kind) => Ok((kind, rest)),
            other => Err(Error::unfit(format!(
                "features are not {} data",
                shown(other)
            ))),
        },
        _ => Ok((b"TRACK", tags)),
    }
}

/// The name of the element type. In a key header, which has no `FORMAT`, a prefix says that the
/// numbers are text.
fn element_type(matrix: &Matrix, options: &Writing) -> Result<Vec<u8>> {
    if let Some(code) = options.code {
        return Ok(code_name(options.dialect, code).to_vec());
    }
    let dtype = matrix.dtype();
    let name = match options.dialect {
        Dialect::Spr => type_name(dtype),
        Dialect::Key => old_name(dtype, options.unsigned),
    };
    let text = options.dialect == Dialect::Key && options.encoding == Encoding::Text;
    let name = name
        .ok_or_else(|| Error::unfit(format!("holds {dtype}, which the header has no name for")))?;
    Ok([if text { b"A-" } else { &b""[..] }, name].concat())
}

/// A header in the making.
struct Lines<'a> {
    dialect: Dialect,
    kind: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Lines<'_> {
    fn start(&mut self) {
        self.out.extend_from_slice(self.dialect.magic());
        self.out.push(b'\n');
    }

    /// Adds a line, its key by the spr name.
    fn line(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let name = self.dialect.name_of(self.kind, key);
        print::pair(self.dialect, name, value, self.out).map_err(|why| {
            Error::unfit(format!(
                "the header line {} can't be stored: {why}",
                shown(key)
            ))
        })
    }

    fn number(&mut self, key: &[u8], n: u64) -> Result<()> {
        self.line(key, n.to_string().as_bytes())
    }

    /// Adds a line that only spr headers have.
    fn spr_only(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        match self.dialect {
            Dialect::Spr => self.line(key, value),
            Dialect::Key => Ok(()),
        }
    }

    fn end(&mut self) {
        self.out.extend_from_slice(b"#\n");
    }
}
