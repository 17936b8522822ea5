//! Comparison with a data set that should share no speakers, such as a validation set.

use std::collections::BTreeMap;

use spr_core::bytes::Env;
use spr_core::format::{Registry, Request};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, Result};

use super::about;
use super::findings::Findings;
use super::names::Names;
use crate::plan::Plan;

/// The names that are shown.
const SHOWN: usize = 3;

/// Speakers, and the number of utterances of each.
type Speakers = BTreeMap<Key, u64>;

/// The speakers and keys of a data set.
#[derive(Default)]
struct Members {
    speakers: Speakers,
    keys: Names,
}

/// Refuses data that can be read only once.
pub(super) fn check_readable(input: &Plan, other: &Plan, env: &Env) -> Result<()> {
    let Some(piped) = [input, other]
        .into_iter()
        .find(|input| input.is_read_once(env))
    else {
        return Ok(());
    };
    let what = match piped.only()?.is_stdin() {
        true => "standard input",
        false => "a pipe",
    };
    let message = format!("{what} can be read only once, and --against reads twice");
    Err(Error::usage(message).file(piped.text()))
}

/// Notes the speakers and keys that both data sets have, or that a comparison is impossible.
///
/// # Errors
/// The other data set cannot be read.
pub(super) fn compare(
    input: &Plan,
    other: &Plan,
    registry: &Registry,
    env: &Env,
    found: &mut Findings<'_>,
) -> Result<()> {
    let mut theirs = Members::default();
    read(other, registry, env, &mut |utt| {
        theirs.keys.add(&utt.key);
        theirs.count(utt);
    })?;
    // Faults of the input were reported already.
    let skipping = input.clone().skipping();
    let quiet = env.listening(|_| {}).telling_skipped(|_| {});
    let (mut ours, mut keys) = (Members::default(), Vec::new());
    let mut in_common = 0u64;
    read(&skipping, registry, &quiet, &mut |utt| {
        if theirs.keys.has(&utt.key) {
            in_common += 1;
            if keys.len() < SHOWN {
                keys.push(utt.key.clone());
            }
        }
        ours.count(utt);
    })?;
    let name = input.text();
    for (named, of) in [(&ours, input), (&theirs, other)] {
        if named.speakers.is_empty() {
            let message = "names no speakers, so that none are compared";
            found.note("speakers", about(of.text(), message));
        }
    }
    let both = |speaker: &&Key| theirs.speakers.contains_key(*speaker);
    let shared: Vec<_> = ours.speakers.keys().filter(both).collect();
    if !shared.is_empty() {
        let count = |speakers: &Speakers| -> u64 {
            let counts = shared.iter().filter_map(|speaker| speakers.get(*speaker));
            counts.sum()
        };
        let message = format!(
            "{} of {} speakers ({}) {} in {} as well ({}): {}",
            shared.len(),
            ours.speakers.len(),
            utterances(count(&ours.speakers)),
            if shared.len() == 1 { "is" } else { "are" },
            other.text(),
            utterances(count(&theirs.speakers)),
            names(shared.iter().copied(), shared.len() as u64)
        );
        found.note("speakers", about(name, message));
    }
    if in_common > 0 {
        let message = format!(
            "{} {} in {} as well: {}",
            if in_common == 1 {
                "1 key".to_owned()
            } else {
                format!("{in_common} keys")
            },
            if in_common == 1 { "is" } else { "are" },
            other.text(),
            names(&keys, in_common)
        );
        found.note("keys", about(name, message));
    }
    Ok(())
}

impl Members {
    fn count(&mut self, utt: &Utterance) {
        if let Some(speaker) = &utt.meta.speaker {
            match self.speakers.get_mut(speaker) {
                Some(count) => *count += 1,
                None => {
                    self.speakers.insert(speaker.clone(), 1);
                }
            }
        }
    }
}

fn read(
    input: &Plan,
    registry: &Registry,
    env: &Env,
    see: &mut dyn FnMut(&Utterance),
) -> Result<()> {
    let mut request = Request::all().shapes();
    request.references = true;
    let mut reader = input.open_whole(request, registry, env)?.reader;
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        see(&utt);
    }
    Ok(())
}

/// The first of `all` names.
fn names<'a>(some: impl IntoIterator<Item = &'a Key>, all: u64) -> String {
    let names = some.into_iter().take(SHOWN).map(ToString::to_string);
    let mut names = names.collect::<Vec<_>>().join(", ");
    if all > SHOWN as u64 {
        names.push_str(", …");
    }
    names
}

fn utterances(count: u64) -> String {
    match count {
        1 => "1 utterance".to_owned(),
        count => format!("{count} utterances"),
    }
}
