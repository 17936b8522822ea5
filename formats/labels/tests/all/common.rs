//! Reading and writing with warnings, and utterances in a line of text.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::fmt::Write;
use std::sync::Arc;

use spr_core::bytes::{Env, Locator, MemoryStore, Source};
use spr_core::format::Format;
use spr_core::model::{Decimal, Segment, Tier, Utterance};
use spr_core::{Limits, Result};
use spr_testkit::{MEMORY, faults, options, write_within};

type Pairs<'a> = &'a [(&'a str, &'a str)];

/// What was read: utterances, then errors, and the warnings.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Read {
    pub(crate) utts: Vec<String>,
    pub(crate) errors: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// Returns an environment with a table of symbols in `words.txt`.
pub(crate) fn env() -> Env {
    let store = MemoryStore::new();
    store.insert("words.txt", b"sil 0\none 1\ntwo 2\n".to_vec());
    Env::default().with_store(Arc::new(store))
}

pub(crate) fn read(format: &'static dyn Format, pairs: Pairs<'_>, text: impl AsRef<[u8]>) -> Read {
    read_within(format, pairs, text, Limits::default())
}

pub(crate) fn read_within(
    format: &'static dyn Format,
    pairs: Pairs<'_>,
    text: impl AsRef<[u8]>,
    limits: Limits,
) -> Read {
    let mut env = env();
    env.limits = limits;
    let source = |_: &Env| Source::from_bytes(MEMORY, text.as_ref().to_vec()).unwrap();
    read_from(format, pairs, &env, source)
}

/// Reads the source that `open` opens.
pub(crate) fn read_from(
    format: &'static dyn Format,
    pairs: Pairs<'_>,
    env: &Env,
    open: impl Fn(&Env) -> Source,
) -> Read {
    let (env, warnings) = spr_testkit::listening(env);
    let read = faults::read_source(format, &options(format, pairs).unwrap(), open(&env), &env);
    Read {
        utts: read.utterances.iter().map(shown).collect(),
        errors: read.errors.iter().map(ToString::to_string).collect(),
        warnings: warnings.lock().unwrap().clone(),
    }
}

pub(crate) fn write(
    format: &'static dyn Format,
    pairs: Pairs<'_>,
    utts: &[Utterance],
) -> Result<String> {
    let env = env();
    let output = env.output(&Locator::file(MEMORY));
    write_within(format, &options(format, pairs)?, utts, output, &env)?;
    let mut source = env.open_file(&MEMORY.into())?;
    let bytes = source.rest("what was written", &env.limits)?;
    Ok(String::from_utf8(bytes).unwrap())
}

/// Shows the key, what is known of the recording, the text and the tiers.
fn shown(utt: &Utterance) -> String {
    let mut all = utt.key.to_string();
    let meta = &utt.meta;
    for (mark, name) in [
        ('/', &meta.recording),
        ('#', &meta.channel),
        ('@', &meta.speaker),
    ] {
        if let Some(name) = name {
            write!(all, " {mark}{name}").unwrap();
        }
    }
    if let Some(text) = &utt.text {
        write!(all, " '{}'", text.escape_ascii()).unwrap();
    }
    for Tier { name, segments, .. } in &utt.tiers {
        write!(all, " {}[", name.escape_ascii()).unwrap();
        let segments: Vec<_> = segments.iter().map(segment).collect();
        write!(all, "{}]", segments.join(", ")).unwrap();
    }
    all
}

fn segment(segment: &Segment) -> String {
    let end = segment.end.map_or_else(String::new, |end| end.to_string());
    let mut all = format!("{} {}-{end}", segment.label.escape_ascii(), segment.start);
    if let Some(speaker) = &segment.speaker {
        write!(all, " @{}", speaker.escape_ascii()).unwrap();
    }
    if let Some(score) = &segment.score {
        write!(all, " {score}").unwrap();
    }
    all
}

/// Returns a segment; without an end the last time is empty.
pub(crate) fn label(label: &str, start: &str, end: &str) -> Segment {
    let start = Decimal::parse(start).unwrap();
    Segment::new(start, Decimal::parse(end), label.as_bytes())
}

/// Returns an utterance with one tier.
pub(crate) fn labelled(key: &str, segments: Vec<Segment>) -> Utterance {
    Utterance {
        key: key.into(),
        tiers: vec![Tier::only(segments)],
        ..Utterance::default()
    }
}
