//! The writer of files with one utterance.

use spr_core::bytes::{ByteOrder, Env, Output, Part};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Matrix, Tag, Utterance, Waveform};
use spr_core::{Error, Result};

use crate::data::{Body, Printer};
use crate::header::{print, shown};
use crate::list::{EntryLines, ListWriter, is_field, opaque_header};
use crate::options::Writing;
use crate::vocabulary::{
    Dialect, Encoding, UNSIGNED, UNSIGNED_VALUE, code_name, is_matrix, is_own, old_name, type_name,
};

/// A writer of each utterance to a separate file.
pub(crate) struct SpraakWriter {
    output: Output,
    options: Writing,
    caps: Caps,
    /// The list of the written files, if requested.
    corpus: Option<ListWriter>,
    written: WriteSummary,
    header: Vec<u8>,
    printer: Printer,
    env: Env,
    /// Whether the warning about keys without a name in key headers was given.
    told: bool,
    /// Whether the warning about integers that other programs read as negative was given.
    told_unsigned: bool,
}

/// The data after a header.
enum Contents<'a> {
    /// Numbers, and the line for the list of all files.
    Rows(Rows<'a>, Option<Box<EntryLines>>),
    List(&'a [u8]),
}

/// Numeric data of a file.
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

/// Keys without a name in key headers, where they are written unchanged.
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
            written: WriteSummary::default(),
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

    /// Formats the header, or fails if it cannot represent the data.
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
            // The corpus contains those.
            if self.corpus.is_some() && is_field(&tag.key) {
                continue;
            }
            let standard = Dialect::standard(kind, &tag.key).filter(|_| dialect == Dialect::Key);
            let key = standard.map_or(&tag.key[..], str::as_bytes);
            if is_own(key, samples) || dialect == Dialect::Key && key == UNSIGNED.as_bytes() {
                let message = format!("the header line {} would contradict ", shown(&tag.key));
                return Err(Error::unfit(message).the_format("'s own"));
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

    /// Formats the header. Fails if the file or the corpus cannot represent the data.
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

    /// Warns once about a key without a name in key headers.
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

    /// Warns once that a program without support for the line `UNSIGNED` reads some of these values
    /// as negative.
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

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        if self.written.utterances == 0 && !self.output.is_folder() {
            return Err(Error::unfit("no utterance to write").file(self.output.name()));
        }
        let corpus = self.corpus.map(ListWriter::end).transpose()?;
        let mut written = self.written;
        written.bytes += corpus.unwrap_or(0);
        Ok(written)
    }
}

/// Rejects repeated tags.
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

/// Returns the kind of data, and the tags without it. The kind is the first tag, where the reader
/// puts it.
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

/// Returns the name of the element type. In a key header, which has no `FORMAT`, a prefix marks
/// numbers in text form.
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

/// A header being written.
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

    /// Adds a line, with the spr name of its key.
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

    /// Adds a line that exists only in spr headers.
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
