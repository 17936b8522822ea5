//! One utterance, one file.

use spr_core::bytes::{Output, Part};
use spr_core::format::{Writer, Written};
use spr_core::model::{Dtype, Matrix, Rank, Tag, Utterance};
use spr_core::{Error, ErrorKind, Result};

use crate::contents::TAGS;
use crate::data::{binary, text};
use crate::header::{print, shown};
use crate::vocabulary::{Dialect, Encoding, is_own, old_name, type_name};

/// Writes each utterance to a file of its own.
pub(crate) struct SpraakWriter {
    output: Output,
    dialect: Dialect,
    encoding: Encoding,
    /// The `DATA` that the user asked for.
    data: Option<&'static str>,
    written: Written,
    header: Vec<u8>,
    block: Vec<u8>,
}

impl SpraakWriter {
    pub(crate) fn new(
        output: Output,
        dialect: Dialect,
        encoding: Encoding,
        data: Option<&'static str>,
    ) -> Self {
        Self {
            output,
            dialect,
            encoding,
            data,
            written: Written::default(),
            header: Vec::new(),
            block: Vec::new(),
        }
    }

    /// Makes the header, or refuses what it can't hold.
    fn prepare(&mut self, utt: &Utterance, features: &Matrix) -> Result<()> {
        let (data, tags) = split_data(&utt.meta.tags)?;
        let kind = element_type(self.dialect, features.dtype(), self.encoding)?;
        let (rows, cols) = (features.rows().to_string(), features.cols().to_string());
        let lines = [
            (&b"DATA"[..], self.data.unwrap_or(data).as_bytes()),
            (b"LAYOUT", b"MATRIX"),
            (b"TYPE", &kind),
            (b"FORMAT", self.encoding.format().as_bytes()),
            (b"DIM1", rows.as_bytes()),
            (b"DIM2", cols.as_bytes()),
        ];
        let out = &mut self.header;
        out.clear();
        out.extend_from_slice(self.dialect.magic());
        out.push(b'\n');
        for (key, value) in lines {
            if self.dialect == Dialect::Spr || !matches!(key, b"LAYOUT" | b"FORMAT") {
                line(self.dialect, self.dialect.name_of(key), value, out)?;
            }
        }
        let times = [
            ("FSHIFT", &utt.meta.frame_shift),
            ("FOFFSET", &utt.meta.frame_offset),
        ];
        for (key, time) in times {
            if let Some(time) = time {
                line(self.dialect, key.as_bytes(), time.as_str().as_bytes(), out)?;
            }
        }
        for tag in tags {
            if is_own(self.dialect.canonical(&tag.key)) {
                return Err(Error::unfit(format!(
                    "the header line {} would contradict the format's own",
                    shown(&tag.key)
                )));
            }
            line(self.dialect, &tag.key, &tag.value, out)?;
        }
        out.extend_from_slice(b"#\n");
        Ok(())
    }
}

impl Writer for SpraakWriter {
    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let features = check(utt)
            .and_then(|features| self.prepare(utt, features).map(|()| features))
            .map_err(|e| e.utterance(&utt.key).continuable())?;
        let sink = self
            .output
            .create(Part::Utterance(&utt.key, self.dialect.extension()), false);
        let mut sink = sink.map_err(|e| match e.kind() {
            // In a folder a name that does not do leaves the others unharmed.
            ErrorKind::Unfit if self.output.is_folder() => e.continuable(),
            _ => e,
        })?;
        sink.put(&self.header)?;
        match self.encoding {
            Encoding::Binary(order) => {
                binary::write(features, order, &mut self.block, &mut sink)?;
            }
            Encoding::Text => text::write(features, &mut self.block, &mut sink)?,
        }
        self.written.bytes += sink.finish()?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        if self.written.utterances == 0 && !self.output.is_folder() {
            return Err(Error::unfit("no utterance to write").file(self.output.name()));
        }
        Ok(self.written)
    }
}

/// The features of an utterance that has nothing else.
fn check(utt: &Utterance) -> Result<&Matrix> {
    if let Some(other) = utt.other() {
        return Err(Error::unfit(format!(
            "has {other}, which the format can't hold"
        )));
    }
    if utt.labels.is_some() {
        return Err(Error::unfit("has labels, which the format can't hold"));
    }
    let Some(features) = &utt.features else {
        return Err(Error::unfit("has no features"));
    };
    if features.rank() != Rank::Matrix {
        return Err(Error::unfit("is no matrix, and the format holds no other"));
    }
    if features.cols() == 0 && features.rows() > 0 {
        return Err(Error::unfit("has vectors without values"));
    }
    if let Some(tag) = utt.meta.tags.iter().find(|tag| tag.format != TAGS) {
        return Err(Error::unfit(format!(
            "the header line {} is one of {}",
            shown(&tag.key),
            tag.format
        )));
    }
    let mut keys: Vec<_> = utt.meta.tags.iter().map(|tag| &tag.key).collect();
    keys.sort_unstable();
    if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::unfit(format!(
            "has the header line {} twice",
            shown(pair[0])
        )));
    }
    Ok(features)
}

/// The kind of data, and the tags that do not say it. The kind stands first among the tags, where
/// the reader puts it.
fn split_data(tags: &[Tag]) -> Result<(&'static str, &[Tag])> {
    match tags.split_first() {
        Some((tag, rest)) if tag.key == b"DATA" => match tag.value.as_slice() {
            b"PARAM" => Ok(("PARAM", rest)),
            b"TRACK" => Ok(("TRACK", rest)),
            other => Err(Error::unfit(format!(
                "features are no {} data",
                shown(other)
            ))),
        },
        _ => Ok(("TRACK", tags)),
    }
}

/// The name of the element type. In a key header, which has no `FORMAT`, a prefix says that the
/// numbers are text.
fn element_type(dialect: Dialect, dtype: Dtype, encoding: Encoding) -> Result<Vec<u8>> {
    let (name, text) = match dialect {
        Dialect::Spr => (type_name(dtype), false),
        Dialect::Key => (old_name(dtype), encoding == Encoding::Text),
    };
    let name = name
        .ok_or_else(|| Error::unfit(format!("holds {dtype}, which the header has no name for")))?;
    Ok([if text { b"A-" } else { &b""[..] }, name].concat())
}

fn line(dialect: Dialect, key: &[u8], value: &[u8], out: &mut Vec<u8>) -> Result<()> {
    print::pair(dialect, key, value, out).map_err(|why| {
        Error::unfit(format!(
            "the header line {} can't be stored: {why}",
            shown(key)
        ))
    })
}
