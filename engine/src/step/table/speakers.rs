//! Steps about speakers.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use spr_core::bytes::{Env, Location, MemoryCounter};
use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Key, Utterance};
use spr_core::stage::{Filter, KeyFilter, SpeakerPattern, SpeakersByName, speaker_of};
use spr_core::{Error, Result};

use super::super::kind::{DataOption, Kind, Level, Phase, Subject};
use super::super::operation::{Reach, Stage};
use super::super::parse::{NUMBER, number};
use super::super::values::Parameters;
use super::keys::unknown;

pub(super) static SPEAKERS: Kind = Kind {
    name: "speakers",
    aliases: &[],
    usage: "speakers(NAME,...) or speakers(file=FILE)",
    what: "utterances of these speakers",
    parameters: Parameters {
        positional: &["name"],
        many: true,
        named: &["file"],
        files: &["file"],
        ..Parameters::NONE
    },
    options: &[],
    flags: &["speakers"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| {
        let names: HashSet<_> = values.all("name").map(Key::from).collect();
        let list = values.file("file");
        if names.is_empty() == list.is_none() {
            return Err(values.refused("expected names or a file of names"));
        }
        let names = Arc::new(names);
        let stage = Stage::new(Reach::Utterance, ["speaker"], move |inner, at| {
            let read = |file| KeyFilter::keys(at.env.open_file(file)?, &at.env.limits);
            let speakers = match &list {
                Some(file) => at.files.keys(file, || read(file))?,
                None => names.clone(),
            };
            Ok(Box::new(SpeakersReader {
                info: inner.info().without_totals(),
                inner,
                missing: Some(speakers.iter().cloned().collect()),
                speakers,
                list: list.clone(),
                env: at.env.clone(),
            }))
        });
        stage.parsed()
    },
};

pub(super) static PER_SPEAKER: Kind = Kind {
    name: "per-speaker",
    aliases: &[],
    usage: "per-speaker(N)",
    what: "the first N utterances of each speaker",
    parameters: Parameters::of(&["n"]),
    options: &[],
    flags: &["per-speaker"],
    phase: Phase::Choice,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: true,
    parse: |values| {
        let n = values.need("n", number, NUMBER)?;
        let stage = Stage::new(Reach::Others, ["speaker"], move |reader, at| {
            Ok(per_speaker(reader, n, at.env))
        });
        stage.parsed()
    },
};

pub(super) static SPEAKER: Kind = Kind {
    name: "speaker",
    aliases: &[],
    usage: "speaker('{speaker}/{name}')",
    what: "the speaker that stands in the name, which must be like the pattern",
    parameters: Parameters::of(&["pattern"]),
    options: &[DataOption {
        key: "speaker-from",
        flag: Some("speaker-from"),
        expected: "a pattern such as {speaker}/{name}",
        set: |asked, text| {
            SpeakerPattern::parse(text).map_err(|e| e.context("speaker-from"))?;
            asked.set("speaker", "pattern", text);
            Ok(true)
        },
    }],
    flags: &[],
    phase: Phase::Speaker,
    subject: Subject::Utterances,
    takes: Level::Utterances,
    gives: None,
    leaves_out: false,
    parse: |values| {
        let text = values.text("pattern").unwrap_or_default();
        let pattern = values.made("pattern", SpeakerPattern::parse(text))?;
        let stage = Stage::new(Reach::Utterance, [], move |reader, _| {
            Ok(Box::new(SpeakersByName::new(reader, pattern.clone())))
        });
        stage.parsed()
    },
};

/// The utterances of chosen speakers.
struct SpeakersReader {
    inner: Box<dyn Reader>,
    speakers: Arc<HashSet<Key>>,
    list: Option<Location>,
    /// Speakers who have not come yet.
    missing: Option<HashSet<Key>>,
    env: Env,
    info: DatasetInfo,
}

impl SpeakersReader {
    /// Warns of speakers who never came, once.
    fn warn(&mut self) {
        let missing = self.missing.take().unwrap_or_default();
        if let Some(name) = missing.iter().min() {
            let message = format!("the data have no speaker '{name}'");
            let warning = Error::unfit(unknown(&message, missing.len()));
            self.env.warn_left_out(&match &self.list {
                Some(list) => warning.file(list.to_string()),
                None => warning,
            });
        }
    }
}

impl Reader for SpeakersReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.inner.read(utt)? {
            let speaker = speaker_of(utt)?;
            if let Some(missing) = &mut self.missing {
                missing.remove(speaker);
            }
            if self.speakers.contains(speaker) {
                return Ok(true);
            }
        }
        self.warn();
        Ok(false)
    }
}

/// The first `n` utterances of each speaker.
fn per_speaker(inner: Box<dyn Reader>, n: u64, env: &Env) -> Box<dyn Reader> {
    let (mut counts, mut held) = (HashMap::<Key, u64>::new(), MemoryCounter::new("speakers"));
    let limits = env.limits;
    Box::new(Filter::new(inner, move |utt: &Utterance| {
        let speaker = speaker_of(utt)?;
        if let Some(count) = counts.get_mut(speaker) {
            *count += 1;
            return Ok(*count <= n);
        }
        held.keep(speaker.as_bytes().len(), &limits)?;
        counts.insert(speaker.clone(), 1);
        Ok(n > 0)
    }))
}
