//! Kaldi's data folders: what each file holds, and that they agree.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use spr_core::bytes::{Env, Location};
use spr_core::format::Registry;
use spr_core::model::Key;
use spr_core::{Error, Result};

use super::findings::Findings;
use super::lines::{self, Line};
use super::stream::{self, Beside, Frames};
use super::{Options, Summary, about, is_file};
use crate::argument::Input;

/// What a file has a line for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Utterance,
    Speaker,
    Recording,
}

impl By {
    fn name(self) -> &'static str {
        match self {
            Self::Utterance => "utterance",
            Self::Speaker => "speaker",
            Self::Recording => "recording",
        }
    }
}

/// Whether a line's value is as it should be; else what is wrong.
type Rule = fn(&str) -> Option<&'static str>;

/// The files that are known beside `utt2spk`, `spk2utt` and `segments`.
const FILES: &[(&str, By, Rule)] = &[
    ("text", By::Utterance, transcript),
    ("feats.scp", By::Utterance, value),
    ("vad.scp", By::Utterance, value),
    ("utt2lang", By::Utterance, word),
    ("utt2uniq", By::Utterance, word),
    ("utt2dur", By::Utterance, positive),
    ("utt2num_frames", By::Utterance, count),
    ("utt2warp", By::Utterance, warp),
    ("cmvn.scp", By::Speaker, value),
    ("spk2gender", By::Speaker, gender),
    ("spk2warp", By::Speaker, warp),
    ("wav.scp", By::Recording, wave),
    ("reco2dur", By::Recording, positive),
    ("reco2file_and_channel", By::Recording, channel),
];

fn value(rest: &str) -> Option<&'static str> {
    rest.is_empty().then_some("nothing follows the key")
}

fn word(rest: &str) -> Option<&'static str> {
    (rest.split_whitespace().count() != 1).then_some("expected one word after the key")
}

fn transcript(rest: &str) -> Option<&'static str> {
    if rest.split_whitespace().any(is_reserved) {
        return Some("<s>, </s> and #0 may not stand in a text");
    }
    let odd = |c: char| c.is_whitespace() && !matches!(c, ' ' | '\t' | '\r');
    if rest.contains(odd) {
        return Some("a blank in the text that is neither a space nor a tab");
    }
    rest.chars()
        .any(|c| c.is_control() && !matches!(c, '\t' | '\r'))
        .then_some("a control character in the text")
}

/// Whether a word means something else to Kaldi.
fn is_reserved(word: &str) -> bool {
    matches!(word, "<s>" | "</s>" | "#0")
}

fn positive(rest: &str) -> Option<&'static str> {
    let number = rest.parse::<f64>().is_ok_and(|n| n > 0.0 && n.is_finite());
    (!number).then_some("expected a number of seconds above 0 after the key")
}

fn count(rest: &str) -> Option<&'static str> {
    let number = rest.parse::<u64>().is_ok_and(|n| n > 0);
    (!number).then_some("expected a number of frames above 0 after the key")
}

fn gender(rest: &str) -> Option<&'static str> {
    (!matches!(rest, "m" | "f")).then_some("expected m or f after the key")
}

fn warp(rest: &str) -> Option<&'static str> {
    let inside = rest.parse::<f64>().is_ok_and(|n| n > 0.5 && n < 1.5);
    (!inside).then_some("expected a number between 0.5 and 1.5 after the key")
}

fn wave(rest: &str) -> Option<&'static str> {
    match rest.contains('~') {
        true => Some("~ is not understood in the name of a file"),
        false => value(rest),
    }
}

fn channel(rest: &str) -> Option<&'static str> {
    let mut words = rest.split_whitespace();
    let right = matches!(
        (words.next(), words.next(), words.next()),
        (Some(_), Some("A" | "B" | "1"), None)
    );
    (!right).then_some("the name of a recording and A or B belong after the key")
}

/// Whether a folder has what only data folders have.
pub(super) fn is_data_folder(folder: &Location, env: &Env) -> bool {
    let names = ["utt2spk", "spk2utt", "feats.scp", "wav.scp"];
    names.iter().any(|name| is_file(&folder.join(*name), env))
}

/// Checks the files of a data folder, what they point to, and that they agree.
pub(super) fn check(
    folder: &Location,
    options: &Options,
    registry: &Registry,
    env: &Env,
    summary: &mut Summary,
    found: &mut Findings<'_>,
) -> Result<()> {
    let utt2spk = existing(folder, "utt2spk", env, found);
    let mut speakers: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
    let mut utts = None;
    if let Some(path) = &utt2spk {
        let mut last = String::new();
        let keys = lines::read(path, env, found, |line, found| {
            if let Some(message) = word(line.rest) {
                return found.fault("lines", line.error(message));
            }
            if line.rest < last.as_str() {
                let hint = "let the names of utterances start with those of their speakers";
                let message = format!("speaker {} comes after {last}", line.rest);
                found.fault("order", line.error(message).hint(hint));
            }
            line.rest.clone_into(&mut last);
            let own = speakers.entry(Key::from(line.rest)).or_default();
            own.insert(line.key.clone());
        })?;
        if let (Some((only, _)), 1) = (speakers.first_key_value(), speakers.len()) {
            let message = format!("all utterances have one speaker, {only}");
            found.note("speakers", about(path.to_string(), message));
        }
        utts = Some((path.clone(), keys.into_iter().collect::<BTreeSet<_>>()));
    }
    if let Some(path) = existing(folder, "spk2utt", env, found) {
        inverse(&path, &speakers, env, found)?;
    }
    let mut recordings = None;
    let segments = folder.join("segments");
    if is_file(&segments, env) {
        let mut named = BTreeSet::new();
        let keys = lines::read(&segments, env, found, |line, found| {
            segment(&line, &mut named, found);
        })?;
        agree(&segments, &keys, utts.as_ref(), By::Utterance, found);
        recordings = Some((segments.clone(), named));
        if !is_file(&folder.join("wav.scp"), env) {
            let message = "the recordings it names have no wav.scp";
            found.fault("missing", about(segments.to_string(), message));
        }
    }
    let speakers = utt2spk.map(|path| (path, speakers.into_keys().collect()));
    let mut frames = HashMap::new();
    for (name, by, rule) in FILES {
        let path = folder.join(*name);
        if !is_file(&path, env) {
            continue;
        }
        let counts = *name == "utt2num_frames";
        let keys = lines::read(&path, env, found, |line, found| {
            if let Some(message) = rule(line.rest) {
                found.fault("lines", line.error(message));
            }
            if *name == "text" && line.key.as_str().is_some_and(is_reserved) {
                let message = "<s>, </s> and #0 may not stand in a text, not even as names";
                found.fault("lines", line.error(message));
            }
            if let (true, Ok(n)) = (counts, line.rest.parse()) {
                frames.insert(line.key.clone(), n);
            }
        })?;
        let wanted = match by {
            By::Utterance => utts.as_ref(),
            By::Speaker => speakers.as_ref(),
            By::Recording => recordings.as_ref().or(utts.as_ref()),
        };
        agree(&path, &keys, wanted, *by, found);
    }
    frame_shift(folder, env, found)?;
    for name in ["text", "wav.scp", "feats.scp"] {
        if !is_file(&folder.join(name), env) {
            let message = "is not there, and validate_data_dir.sh has to be told so";
            found.note("missing", about(folder.join(name).to_string(), message));
        }
    }
    summary.utterances = utts.map_or(0, |(_, utts)| utts.len() as u64);
    let tables = ["feats.scp", "cmvn.scp", "vad.scp"];
    for (name, path) in tables.map(|name| (name, folder.join(name))) {
        if !is_file(&path, env) {
            continue;
        }
        let text = format!("kaldi:{path}");
        let mut beside = Beside::default();
        if name == "feats.scp" {
            let name = folder.join("utt2num_frames").to_string();
            let frames = std::mem::take(&mut frames);
            beside.frames = (!frames.is_empty()).then(|| Frames::new(name, frames));
            beside.labels.clone_from(&options.labels);
        }
        let mut own = Summary::default();
        for input in Input::parse(&text, None, &[], registry, env)? {
            stream::check(
                &input,
                options.quick,
                &beside,
                (registry, env),
                &mut own,
                found,
            )?;
        }
        if name == "feats.scp" {
            summary.frames = own.frames;
        }
        if name == "wav.scp" {
            summary.seconds = own.seconds;
        }
    }
    Ok(())
}

/// Checks the file of one number.
fn frame_shift(folder: &Location, env: &Env, found: &mut Findings<'_>) -> Result<()> {
    let path = folder.join("frame_shift");
    if !is_file(&path, env) {
        return Ok(());
    }
    let (mut source, mut line) = (env.open_file(&path)?, Vec::new());
    source.line(&mut line, &env.limits)?;
    let text = String::from_utf8_lossy(&line);
    if let Some(message) = positive(text.trim()) {
        let message = message.replace(" after the key", "");
        found.fault("lines", about(path.to_string(), message).line(1));
    }
    Ok(())
}

/// Where a file is that must be there.
fn existing(
    folder: &Location,
    name: &str,
    env: &Env,
    found: &mut Findings<'_>,
) -> Option<Location> {
    let path = folder.join(name);
    if is_file(&path, env) {
        return Some(path);
    }
    let error = about(path.to_string(), "is missing");
    found.fault(
        "missing",
        error.hint("Kaldi's data folders have utt2spk and spk2utt"),
    );
    None
}

/// Checks that `spk2utt` says what `utt2spk` says.
fn inverse(
    path: &Location,
    speakers: &BTreeMap<Key, BTreeSet<Key>>,
    env: &Env,
    found: &mut Findings<'_>,
) -> Result<()> {
    let mut seen = BTreeSet::new();
    lines::read(path, env, found, |line, found| {
        let own: BTreeSet<_> = line.rest.split_whitespace().map(Key::from).collect();
        seen.insert(line.key.clone());
        let empty = BTreeSet::new();
        let known = speakers.get(line.key).unwrap_or(&empty);
        let hint = "utt2spk_to_spk2utt.pl rebuilds it";
        for (one, other, what) in [
            (known, &own, "is not listed, but utt2spk has it"),
            (&own, known, "is listed, but not by utt2spk"),
        ] {
            for utt in one.difference(other) {
                let message = format!("{utt} {what}");
                found.fault("speakers", line.error(message).hint(hint));
            }
        }
    })?;
    for speaker in speakers.keys().filter(|speaker| !seen.contains(*speaker)) {
        let error = about(path.to_string(), "has no line for this speaker of utt2spk");
        found.fault("speakers", error.utterance(speaker));
    }
    Ok(())
}

/// Checks a line `utterance recording start end`.
fn segment(line: &Line<'_>, recordings: &mut BTreeSet<Key>, found: &mut Findings<'_>) {
    let words: Vec<_> = line.rest.split_whitespace().collect();
    let [recording, start, end] = words.as_slice() else {
        let message = "expected a recording, a start and an end after the key";
        return found.fault("lines", line.error(message));
    };
    recordings.insert(Key::from(*recording));
    let message = match (start.parse::<f64>(), end.parse::<f64>()) {
        (Ok(start), Ok(end)) if start >= 0.0 && end > start => return,
        (Ok(start), Ok(end)) if start >= 0.0 && end == -1.0 => {
            let message = "ends at -1, with its recording, which validate_data_dir.sh refuses";
            return found.note("segments", line.error(message));
        }
        (Ok(_), Ok(_)) => format!("starts at {start} and ends at {end}"),
        _ => format!("'{start}' and '{end}' are not times"),
    };
    found.fault("segments", line.error(message));
}

/// Checks that a file has the keys that another file gives.
fn agree(
    path: &Location,
    keys: &[Key],
    wanted: Option<&(Location, BTreeSet<Key>)>,
    by: By,
    found: &mut Findings<'_>,
) {
    let Some((other, wanted)) = wanted else {
        return;
    };
    let keys: BTreeSet<_> = keys.iter().cloned().collect();
    let name = other.name().unwrap_or(other.as_os_str());
    let (file, other) = (path.to_string(), name.to_string_lossy());
    let mut tell = |key: &Key, message: String| {
        let error = Error::unfit(message).file(&file).utterance(key);
        found.fault(
            "keys",
            error.hint("fix_data_dir.sh keeps what all files have"),
        );
    };
    for key in wanted.difference(&keys) {
        tell(key, format!("no line for this {} of {other}", by.name()));
    }
    for key in keys.difference(wanted) {
        tell(key, format!("{other} has no such {}", by.name()));
    }
}
