//! The format `trn`: transcripts followed by names.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, FileVariants, Format, FormatInfo, Keys, Medium, OpenedDataset, OptionSpec,
    Options, Probe, Request, Rule, Score, Variant, Writer,
};
use spr_core::model::{About, Key, KeySource, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{self, Lines, word};

use crate::many::{Grammar, ManyReader, ManyWriter};
use crate::recordings::COMMENT;
use crate::{probe, write};

/// Transcripts followed by names: trn.
pub static TRN: Trn = Trn;

/// The format `trn`.
#[derive(Clone, Copy, Debug)]
pub struct Trn;

static INFO: FormatInfo = FormatInfo::new(
    "trn",
    "NIST transcripts, each with the utterance's name in brackets",
    &["trn", "transcription"],
)
.options(&[MARKS])
.variants(FileVariants::by_extension(&[Variant {
    extension: "transcription",
    option: ("marks", "true"),
}]));

const MARKS: OptionSpec = OptionSpec {
    name: "marks",
    value: "true|false",
    help: "write <s> and </s> around the words, as Sphinx has them (false, in .transcription true)",
};

/// Sphinx's marks before and after the words.
const AROUND: [&[u8]; 2] = [b"<s>", b"</s>"];

/// Returns the text between Sphinx's marks, if they are present.
fn between(text: &[u8]) -> Option<&[u8]> {
    let words = text.strip_prefix(AROUND[0])?.strip_suffix(AROUND[1])?;
    let apart = |end: Option<&u8>| end.is_none_or(lines::is_blank);
    (apart(words.first()) && apart(words.last())).then(|| words.trim_ascii())
}

/// A name that stands in brackets.
const NO_BRACKETS: Rule<Key> = Rule::new("without brackets", |key| {
    match key.as_bytes().iter().any(|b| matches!(b, b'(' | b')')) {
        true => Err(Error::unfit("a name with brackets can't stand in brackets")),
        false => Ok(()),
    }
});

/// Text that is a line, and neither a comment nor between marks.
const LINE: Rule<[u8]> = Rule::new(
    "of one line that neither starts with ;; nor has <s> </s> around",
    |text| {
        write::text(text)?;
        if text.starts_with(COMMENT) {
            return Err(Error::unfit("text that starts with ;; would be a comment"));
        }
        match between(text) {
            Some(_) => Err(Error::unfit(
                "text between <s> and </s>, which would be taken for marks of Sphinx",
            )),
            None => Ok(()),
        }
    },
);

impl Format for Trn {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let is_line = |line: &[u8]| parse(line).is_ok();
        probe::by_lines(&INFO, head, Some(COMMENT), 60, is_line)
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.text = true;
        (caps.key_rule, caps.text_rule) = (NO_BRACKETS, LINE);
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let lines = Lines::new(source, Some(COMMENT), env);
        let lines = lines.closed_by(|line| parse(line).is_ok());
        let reader = ManyReader::new(Transcripts, lines, KeySource::Stored, request);
        Ok(OpenedDataset::stream(reader))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        _: &Env,
    ) -> Result<Box<dyn Writer>> {
        let caps = self.caps(options, output.medium())?;
        let marks = options.flag(MARKS.name)?;
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| encode(utt, marks, out);
        Ok(Box::new(ManyWriter::new(
            &TRN, &output, caps, b"", false, encode,
        )?))
    }
}

/// Splits a line `WORDS (NAME)` into text and name.
fn parse(line: &[u8]) -> Result<(&[u8], &[u8]), String> {
    let line = line.trim_ascii();
    let name = line.strip_suffix(b")");
    let name = name.and_then(|line| {
        let open = line.iter().rposition(|b| *b == b'(')?;
        Some((line.get(..open)?, line.get(open + 1..)?))
    });
    let (text, name) = name.ok_or("a line ends with the name of the utterance in brackets")?;
    let text = lines::text(text.trim_ascii())?;
    Ok((between(text).unwrap_or(text), word(name)?))
}

struct Transcripts;

impl Grammar for Transcripts {
    fn next(&mut self, lines: &mut Lines, utt: &mut Utterance) -> Result<bool> {
        if !lines.advance()? {
            return Ok(false);
        }
        let (text, name) = parse(lines.line()).map_err(|why| lines.error(why).continuable())?;
        utt.start();
        utt.key.set(name);
        utt.text = Some(text.to_vec());
        utt.origin = lines.origin();
        Ok(true)
    }
}

fn encode(utt: &Utterance, marks: bool, out: &mut Vec<u8>) -> Result<()> {
    let (name, text) = (utt.key.as_bytes(), utt.text.as_deref().unwrap_or_default());
    let words: &[&[u8]] = match (marks, text) {
        (false, b"") => &[],
        (false, text) => &[text],
        (true, b"") => &AROUND,
        (true, text) => &[AROUND[0], text, AROUND[1]],
    };
    for word in words {
        out.extend_from_slice(word);
        out.push(b' ');
    }
    out.push(b'(');
    out.extend_from_slice(name);
    out.extend_from_slice(b")\n");
    Ok(())
}
