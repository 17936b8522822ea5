//! The format `festvox`: prompts of Festvox, as in the ARCTIC corpora.

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, Options, Probe, Request, Rule,
    Score, Writer,
};
use spr_core::model::{About, Key, KeySource, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::{self, Lines, is_blank, word};

use crate::many::{Grammar, ManyReader, ManyWriter};
use crate::{probe, write};

/// Prompts of Festvox.
pub static FESTVOX: Festvox = Festvox;

/// The format `festvox`.
#[derive(Clone, Copy, Debug)]
pub struct Festvox;

static INFO: FormatInfo = FormatInfo::new(
    "festvox",
    "prompts of Festvox (txt.done.data), as in ARCTIC",
    &[],
);

/// A name that Lisp reads as one.
const SYMBOL: Rule<Key> = Rule::new("without brackets, quotes and semicolons", |key| {
    let odd = |b: &u8| matches!(b, b'(' | b')' | b'[' | b']' | b'"' | b'\'' | b';');
    match key.as_bytes().iter().any(odd) {
        true => Err(Error::unfit(
            "has a name with brackets, quotes or semicolons",
        )),
        false => Ok(()),
    }
});

impl Format for Festvox {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::by_lines(&INFO, head, None, 80, |line| parse(line).is_ok())
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.text = true;
        caps.key_rule = SYMBOL;
        caps.text_rule = Rule::new("of one line without blanks around", write::text);
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let lines = Lines::new(source, None, env);
        let lines = lines.closed_by(|line| parse(line).is_ok());
        let reader = ManyReader::new(Prompts, lines, KeySource::Stored, request);
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
        let writer = ManyWriter::new(&FESTVOX, &output, caps, b"", false, encode)?;
        Ok(Box::new(writer))
    }
}

/// Parses a line `( NAME "TEXT" )`, with `\` before quotes and backslashes in the text.
fn parse(line: &[u8]) -> Result<(&[u8], Vec<u8>), String> {
    let wrong = "expected ( NAME \"TEXT\" )";
    let inside = line.trim_ascii().strip_prefix(b"(");
    let inside = inside
        .and_then(|line| line.strip_suffix(b")"))
        .ok_or(wrong)?;
    let inside = inside.trim_ascii();
    let end = inside.iter().position(|b| is_blank(b) || *b == b'"');
    let (name, text) = inside.split_at(end.ok_or(wrong)?);
    let quoted = text.trim_ascii().strip_prefix(b"\"");
    let quoted = quoted
        .and_then(|text| text.strip_suffix(b"\""))
        .ok_or(wrong)?;
    let mut text = Vec::with_capacity(quoted.len());
    let mut bytes = quoted.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => text.push(*bytes.next().ok_or("the text ends with a backslash")?),
            b'"' => return Err("a quote inside the text has no \\ before it".to_owned()),
            other => text.push(*other),
        }
    }
    lines::text(&text)?;
    Ok((word(name)?, text.trim_ascii().to_vec()))
}

struct Prompts;

impl Grammar for Prompts {
    fn next(&mut self, lines: &mut Lines, utt: &mut Utterance) -> Result<bool> {
        if !lines.advance()? {
            return Ok(false);
        }
        let (name, text) = parse(lines.line()).map_err(|why| lines.error(why).continuable())?;
        utt.start();
        utt.key.set(name);
        utt.text = Some(text);
        utt.origin = lines.origin();
        Ok(true)
    }
}

fn encode(utt: &Utterance, out: &mut Vec<u8>) -> Result<()> {
    let text = utt.text.as_deref().unwrap_or_default();
    out.extend_from_slice(&[b"( ", utt.key.as_bytes(), b" \""].concat());
    for byte in text {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out.extend_from_slice(b"\" )\n");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_have_names_and_quoted_text() {
        for (line, name, text) in [
            (
                "( arctic_a0001 \"Author of the danger trail, Philip Steels, etc.\" )",
                "arctic_a0001",
                "Author of the danger trail, Philip Steels, etc.",
            ),
            ("(a \"say \\\"no\\\" \\\\\")", "a", "say \"no\" \\"),
            ("( a \"\" )", "a", ""),
        ] {
            let found = parse(line.as_bytes()).unwrap();
            assert_eq!(found, (name.as_bytes(), text.as_bytes().to_vec()), "{line}");
        }
        for line in [
            "( a )",
            "a \"b\"",
            "( a \"b\"c\" )",
            "( a \"b\\\" )",
            "( \"b\" )",
            "( a b )",
        ] {
            assert!(parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
