//! The format `htk-lab`: label files of HTK.

use std::cell::Cell;

use spr_core::bytes::{Env, Output, Source};
use spr_core::format::{
    Caps, Format, FormatInfo, Medium, OpenedDataset, Options, Probe, Request, Score, SegmentCaps,
    Writer,
};
use spr_core::model::{About, Utterance};
use spr_core::{Error, Result};
use spr_syntax::lines::Lines;

use super::label::{Labels, Line, UNITS, WORDS, encode};
use crate::naming::{GAPS, Naming, SYMBOLS};
use crate::{one, probe};

/// Label files of HTK.
pub static HTK_LAB: HtkLab = HtkLab;

/// The format `htk-lab`.
#[derive(Clone, Copy, Debug)]
pub struct HtkLab;

static INFO: FormatInfo = FormatInfo::new("htk-lab", "HTK label files", &["lab", "rec"])
    .options(&[SYMBOLS, GAPS])
    .needed(&[SYMBOLS.name]);

/// Returns the capabilities for segments.
pub(super) fn segments() -> SegmentCaps {
    let mut segments = SegmentCaps::PLAIN;
    segments.scores = true;
    segments.beside_text = false;
    segments.ticks = Some(UNITS);
    segments.needs_some = true;
    segments
}

/// The number of first bytes that tell other kinds of text.
const HEAD: usize = 64;

/// Returns `true` for JSON, XML and scripts, whose words are no labels.
fn is_foreign(head: &[u8]) -> bool {
    let (first, rest) = head
        .trim_ascii_start()
        .split_at_checked(1)
        .unwrap_or_default();
    match (first, rest.trim_ascii_start().first()) {
        (b"{", _) | (b"[", Some(b'{' | b'[' | b'"')) => true,
        (b"#", _) => rest.starts_with(b"!"),
        (b"<", Some(b'?' | b'!')) => true,
        _ => false,
    }
}

impl Format for HtkLab {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        if is_foreign(head.head) {
            return Score::No;
        }
        let is = |wanted: fn(&Line) -> bool| {
            let is_line = move |line: &[u8]| Line::parse(line).is_ok_and(|line| wanted(&line));
            probe::by_lines(&INFO, head, None, 65, is_line)
        };
        let bounded =
            is(|line| matches!(line, Line::Label(Some(_), Some(_), _) | Line::Alternative));
        // A number and a word, or words alone, may be anything. Starts rise.
        let before = Cell::new(None);
        let rises = |line: &[u8]| match Line::parse(line) {
            Ok(Line::Label(Some(start), ..)) => before.replace(Some(start)) < Some(start),
            Ok(Line::Alternative) => true,
            _ => false,
        };
        let started = probe::by_lines(&INFO, head, None, 65, rises);
        let words = is(|line| matches!(line, Line::Label(..)));
        match (bounded, started, words) {
            (Score::Possible(_), ..) => bounded,
            (_, Score::Possible(_), _) => Score::AnyText,
            (.., Score::Possible(_)) if probe::is_named(&INFO, head) => Score::Possible(20),
            _ => bounded,
        }
    }

    fn caps(&self, _: &Options, medium: Medium) -> Result<Caps> {
        let mut caps = one::caps(medium);
        caps.segments = Some(segments());
        caps.text = true;
        caps.text_rule = WORDS;
        Ok(caps)
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        _: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let naming = Naming::of(options, env)?;
        one::reader(source, env, move |source, utt, env| {
            if is_foreign(source.peek(HEAD)?) {
                return Err(
                    source.malformed("starts as JSON, XML or a script, and not with a label")
                );
            }
            let mut lines = Lines::new(&mut *source, None, env).with_optional_end();
            let mut labels = Labels::default();
            while lines.advance()? {
                if !labels.add(&lines, &naming)? {
                    return Err(lines.error("a line of a point alone ends nothing here"));
                }
            }
            if labels.is_empty() {
                return Err(Error::malformed(one::NO_LABELS).file(source.name()));
            }
            labels.finish(utt, &naming);
            Ok(())
        })
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
        let encode = move |utt: &Utterance, out: &mut Vec<u8>| encode(utt, &naming, false, out);
        Ok(one::writer(&HTK_LAB, output, caps, "lab", encode))
    }
}
