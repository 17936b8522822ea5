//! The format `mlf`: master label files of HTK.

use spr_core::bytes::{Env, MemoryCounter, Output, Source};
use spr_core::format::{
    Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, Options, Probe, Request, Rule,
    Score, Writer,
};
use spr_core::model::{About, Key, KeySet, KeySource, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{Lines, shown, word};

use super::lab::segments;
use super::label::{END, Labels, WORDS, encode};
use super::words::{print, words};
use crate::many::{Grammar, ManyReader, ManyWriter};
use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::probe;

/// Master label files.
pub static MLF: Mlf = Mlf;

/// The format `mlf`.
#[derive(Clone, Copy, Debug)]
pub struct Mlf;

static INFO: FormatInfo = FormatInfo::new("mlf", "HTK master label files", &["mlf"])
    .options(&[SYMBOLS, GAPS])
    .needed(&[SYMBOLS.name]);

/// The first line.
const HEAD: &[u8] = b"#!MLF!#";
/// A prefix that stands for any folder.
const ANYWHERE: &[u8] = b"*/";

impl Format for Mlf {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        match head.head.strip_prefix(HEAD) {
            Some([b'\n' | b'\r', ..]) => Score::Certain,
            _ if probe::is_named(&INFO, head) && !head.head.is_empty() => Score::NameOnly,
            _ => Score::No,
        }
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.segments = Some(segments());
        caps.key_rule = NO_PATTERN;
        caps.text = true;
        caps.text_rule = WORDS;
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        // An entry ends with a line of a point alone.
        let mut lines = Lines::new(source, None, env).closed_by(|line| line == END);
        if !lines.advance()? || lines.line().trim_ascii() != HEAD {
            return Err(lines.error("the first line is not #!MLF!#"));
        }
        let grammar = Entries {
            naming: Naming::of(options, env)?,
            seen: KeySet::default(),
            names: MemoryCounter::new("the names of label files"),
        };
        let reader = ManyReader::new(grammar, lines, KeySource::Stored, request);
        Ok(OpenedDataset::stream(reader))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        let naming = Naming::of(options, env)?;
        let caps = self.caps(options, output.medium())?;
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| {
            let name = [ANYWHERE, utt.key.as_bytes(), b".lab"].concat();
            print(&name, true, out)?;
            out.push(b'\n');
            encode(utt, &naming, true, out)?;
            out.extend_from_slice(&[END, b"\n"].concat());
            Ok(())
        };
        let head = [HEAD, b"\n"].concat();
        Ok(Box::new(ManyWriter::new(
            &MLF, &output, caps, &head, true, encode,
        )?))
    }
}

/// Checks that a pattern can represent a name.
const NO_PATTERN: Rule<Key> = Rule::new("without *, ? and %, or slashes around", |key| {
    let wild = |b: &u8| matches!(b, b'*' | b'?' | b'%');
    match key.as_bytes() {
        name if name.iter().any(wild) => Err(Error::unfit("has a name that is a pattern to HTK")),
        [b'/', ..] | [.., b'/'] => Err(Error::unfit("has a name that starts or ends with a slash")),
        _ => Ok(()),
    }
});

/// The entries: a pattern in quotes, labels, a point.
struct Entries {
    naming: Naming,
    seen: KeySet,
    names: MemoryCounter,
}

/// Returns the key for a pattern such as `*/ann-001.lab`.
fn key(line: &[u8]) -> Result<Key, String> {
    let words = words(line)?;
    let pattern = match words.as_slice() {
        [pattern] if pattern.quoted => &pattern.bytes,
        [pattern, arrow, _] if pattern.quoted && (arrow.is(b"->") || arrow.is(b"=>")) => {
            let arrow = shown(&arrow.bytes);
            return Err(format!(
                "labels that are in other files ({arrow}) are not read"
            ));
        }
        _ => return Err("expected the name of a label file in quotes".to_owned()),
    };
    let name = match pattern.as_slice() {
        // The folder is irrelevant.
        [b'/', ..] => pattern.rsplit(|b| *b == b'/').next().unwrap_or_default(),
        other => other.strip_prefix(ANYWHERE).unwrap_or(other),
    };
    let file = name
        .iter()
        .rposition(|b| *b == b'/')
        .map_or(0, |slash| slash + 1);
    let point = name
        .iter()
        .rposition(|b| *b == b'.')
        .filter(|point| *point > file);
    let key = name.get(..point.unwrap_or(name.len())).unwrap_or_default();
    word(key).map(Key::from)
}

impl Grammar for Entries {
    fn next(&mut self, lines: &mut Lines, utt: &mut Utterance) -> Result<bool> {
        if !lines.advance()? {
            return Ok(false);
        }
        utt.start();
        let key = key(lines.line()).map_err(|why| lines.error(why))?;
        let origin = lines.origin();
        lines.hold(&mut self.names, size_of::<Key>() + key.as_bytes().len())?;
        let twice = !self.seen.insert(&key);
        let twice = twice.then(|| lines.error("a second entry of this name").utterance(&key));
        let mut labels = Labels::default();
        let mut fault = twice;
        loop {
            if !lines.advance()? {
                let error = Error::truncated("the file ends inside an entry, without a point");
                return Err(lines.placed(error).utterance(&key));
            }
            match labels.add(lines, &self.naming) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    fault.get_or_insert(error.utterance(&key));
                    if lines.line() == END {
                        break;
                    }
                }
            }
        }
        if let Some(fault) = fault {
            return Err(fault.continuable());
        }
        utt.key = key;
        utt.origin = origin;
        labels.finish(utt, &self.naming);
        Ok(true)
    }
}
