//! Checks of data directories: the content of each table, and their consistency.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use spr_core::bytes::{Env, FileKind, Location};
use spr_core::format::{Audit, Auditor, Finding};
use spr_core::model::Key;
use spr_core::{Error, ErrorKind, Result};

use super::findings::{Findings, about, about_line};
use super::lines::{self, Keys, Line};
use super::utterances::DirectoryAuditor;
use crate::data_dir::extras::frame_shift;
use crate::data_dir::layout::{
    CMVN, FEATURES, FRAME_SHIFT, Kind, SEGMENTS, SPK2UTT, TABLES, TEXT, TableSubject, UTT2FRAMES,
    UTT2SPK, VAD, WAVES, forms, suits,
};
use crate::data_dir::rules::reserved;
use crate::data_dir::sound::Segment;

/// Checks data directories.
pub(crate) struct Directories;

impl Audit for Directories {
    fn suits(&self, names: &[&str]) -> bool {
        suits(names)
    }

    fn begin(
        &self,
        at: Option<&Location>,
        env: &Env,
        found: &mut dyn FnMut(Finding),
    ) -> Result<Box<dyn Auditor>> {
        let mut findings = Findings::new(found);
        let Some(folder) = at else {
            return Err(Error::usage("a data directory is a folder"));
        };
        let mut directory = Directory {
            folder,
            env,
            utterances: None,
            speakers: None,
            recordings: None,
            frames: HashMap::new(),
        };
        directory.check(&mut findings)?;
        let members = [CMVN, VAD].map(|name| folder.join(name));
        let members = members.into_iter().filter(|at| is_file(at, env)).collect();
        let (frames, told) = (directory.frames, findings.into_places());
        Ok(Box::new(DirectoryAuditor::new(
            folder, frames, told, members,
        )))
    }
}

/// The keys that a table gives, which others must have.
struct WantedKeys {
    table: Location,
    keys: BTreeSet<Key>,
}

/// The speakers of `utt2spk`.
#[derive(Default)]
struct Speakers {
    /// The utterances of each speaker.
    own: BTreeMap<Key, BTreeSet<Key>>,
    /// All utterances in the order of the file.
    order: Vec<Key>,
    /// Whether the file is sorted by speakers as well.
    is_sorted: bool,
}

/// The recordings of `segments`, each with the utterances that are cut from it and their lines.
struct Recordings {
    wanted: WantedKeys,
    utterances: BTreeMap<Key, Vec<(Key, u64)>>,
}

/// The state of a check of a directory.
struct Directory<'a> {
    folder: &'a Location,
    env: &'a Env,
    utterances: Option<WantedKeys>,
    speakers: Option<WantedKeys>,
    recordings: Option<Recordings>,
    /// Frames of utterances.
    frames: HashMap<Key, u64>,
}

impl Directory<'_> {
    fn check(&mut self, findings: &mut Findings<'_>) -> Result<()> {
        self.compressed(findings);
        let speakers = self.speakers(findings)?;
        match self.needed(SPK2UTT, findings) {
            Some(table) if self.utterances.is_some() => {
                self.inverse(&table, &speakers, findings)?;
            }
            Some(table) => {
                lines::read(&table, self.env, findings, |_, _| {})?;
            }
            None => {}
        }
        self.segments(findings)?;
        for kind in TABLES {
            self.table(kind, findings)?;
        }
        self.frame_shift(findings)?;
        for name in [TEXT, WAVES, FEATURES] {
            if self.file(name).is_none() {
                let message = "is not there, and validate_data_dir.sh has to be told so";
                findings.note("missing", about(&self.folder.join(name), message));
            }
        }
        Ok(())
    }

    /// Returns a file of the directory, if it is there.
    fn file(&self, name: &str) -> Option<Location> {
        let mut forms = forms(name).map(|form| self.folder.join(form));
        forms.find(|at| is_file(at, self.env))
    }

    /// Tells of tables that Kaldi's scripts do not find.
    fn compressed(&self, findings: &mut Findings<'_>) {
        let tables = TABLES.iter().map(|table| table.name);
        for name in [UTT2SPK, SPK2UTT, SEGMENTS, FRAME_SHIFT]
            .into_iter()
            .chain(tables)
        {
            let mut forms = forms(name).map(|form| self.folder.join(form));
            let mut there = forms.by_ref().filter(|at| is_file(at, self.env));
            let Some(read) = there.next() else {
                continue;
            };
            if read != self.folder.join(name) {
                let message = "is compressed, and Kaldi's scripts read plain tables only";
                let error = about(&read, message);
                findings.fault("missing", error.hint(format!("decompress it to {name}")));
            }
            for other in there {
                let message = format!("is not read, as {} is there", shown(&read));
                findings.note("missing", about(&other, message));
            }
        }
    }

    /// Returns a file that must be there.
    fn needed(&self, name: &str, findings: &mut Findings<'_>) -> Option<Location> {
        let file = self.file(name);
        if file.is_none() {
            let error = about(&self.folder.join(name), "is missing");
            let hint = "Kaldi's data directories have utt2spk and spk2utt";
            findings.fault("missing", error.hint(hint));
        }
        file
    }

    /// Checks `utt2spk`, and returns the utterances of each speaker.
    fn speakers(&mut self, findings: &mut Findings<'_>) -> Result<Speakers> {
        let mut speakers = Speakers {
            is_sorted: true,
            ..Speakers::default()
        };
        let Some(table) = self.needed(UTT2SPK, findings) else {
            return Ok(speakers);
        };
        let (mut last, mut last_after) = (String::new(), String::new());
        let keys = lines::read(&table, self.env, findings, |line, findings| {
            if line.rest.split_whitespace().count() != 1 {
                let error = line.error("expected one word after the key");
                return findings.fault("lines", error);
            }
            if line.rest < last.as_str() {
                speakers.is_sorted = false;
                let hint = "let the names of utterances start with those of their speakers";
                let message = format!("speaker {} comes after {last}", line.rest);
                findings.fault("order", line.error(message).hint(hint));
            } else if line.after < last_after.as_str() {
                // The script sorts by all that follows the key, with `sort -k2`.
                let message = "has other blanks around the speaker than the line before, and \
                               validate_data_dir.sh sorts by them";
                let hint = "write one blank before the speaker and none after it";
                findings.fault("order", line.error(message).hint(hint));
            }
            line.rest.clone_into(&mut last);
            line.after.clone_into(&mut last_after);
            speakers.order.push(line.key.clone());
            let own = speakers.own.entry(Key::from(line.rest)).or_default();
            own.insert(line.key.clone());
        })?;
        let own = &speakers.own;
        if let (Some((only, _)), 1) = (own.first_key_value(), own.len()) {
            let message = format!("all utterances have one speaker, {only}");
            findings.note("speakers", about(&table, message));
        }
        self.utterances = Some(WantedKeys {
            table: table.clone(),
            keys: keys.into_keys().collect(),
        });
        self.speakers = Some(WantedKeys {
            table,
            keys: own.keys().cloned().collect(),
        });
        Ok(speakers)
    }

    /// Checks that `spk2utt` says what `utt2spk` says.
    fn inverse(
        &self,
        table: &Location,
        speakers: &Speakers,
        findings: &mut Findings<'_>,
    ) -> Result<()> {
        let (mut listed, mut is_same) = (Vec::new(), true);
        let hint = "utt2spk_to_spk2utt.pl rebuilds it";
        let none = BTreeSet::new();
        let seen = lines::read(table, self.env, findings, |line, findings| {
            let mut own = BTreeSet::new();
            let mut wrong = |utt: &Key, what: &str| {
                is_same = false;
                let error = line.error(format!("{utt} {what}"));
                findings.fault("speakers", error.hint(hint));
            };
            for utt in line.rest.split_whitespace().map(Key::from) {
                if !own.insert(utt.clone()) {
                    wrong(&utt, "is listed twice");
                }
                listed.push((utt, line.number));
            }
            let known = speakers.own.get(line.key).unwrap_or(&none);
            for (one, other, what) in [
                (known, &own, "is not listed, but utt2spk has it"),
                (&own, known, "is listed, but not by utt2spk"),
            ] {
                one.difference(other).for_each(|utt| wrong(utt, what));
            }
        })?;
        let missing = speakers.own.keys().filter(|key| !seen.contains_key(*key));
        for speaker in missing {
            is_same = false;
            let error = about(table, "has no line for this speaker of utt2spk");
            findings.fault("speakers", error.utterance(speaker));
        }
        // Other faults change the order as well.
        if is_same && speakers.is_sorted && seen.values().all(|lines| lines.len() == 1) {
            let mut pairs = listed.iter().zip(&speakers.order);
            if let Some(((utt, line), other)) = pairs.find(|((utt, _), other)| utt != *other) {
                let message = format!(
                    "is listed where utt2spk has {other}, and validate_data_dir.sh compares the order"
                );
                let error = about_line(&table.to_string(), *line, utt, message);
                findings.fault("order", error.hint(hint));
            }
        }
        Ok(())
    }

    /// Checks `segments`.
    fn segments(&mut self, findings: &mut Findings<'_>) -> Result<()> {
        let Some(table) = self.file(SEGMENTS) else {
            return Ok(());
        };
        let mut utterances: BTreeMap<Key, Vec<(Key, u64)>> = BTreeMap::new();
        let keys = lines::read(&table, self.env, findings, |line, findings| {
            if let Some(recording) = line.rest.split_whitespace().next() {
                let own = utterances.entry(Key::from(recording)).or_default();
                own.push((line.key.clone(), line.number));
            }
            segment(&line, findings);
        })?;
        agree(
            &table,
            &keys,
            self.utterances.as_ref(),
            (TableSubject::Utterance, true),
            findings,
        );
        if self.file(WAVES).is_none() {
            let message = "the recordings it names have no wav.scp";
            findings.fault("missing", about(&table, message));
        }
        self.recordings = Some(Recordings {
            wanted: WantedKeys {
                table,
                keys: utterances.keys().cloned().collect(),
            },
            utterances,
        });
        Ok(())
    }

    /// Checks a table, if it is there.
    fn table(&mut self, kind: &Kind, findings: &mut Findings<'_>) -> Result<()> {
        let Some(table) = self.file(kind.name) else {
            return Ok(());
        };
        let frames = &mut self.frames;
        let keys = lines::read(&table, self.env, findings, |line, findings| {
            if let Some(message) = (kind.rule)(line.rest) {
                findings.fault("lines", line.error(message));
            }
            if kind.name == TEXT && line.key.as_str().and_then(reserved).is_some() {
                let message = "<s>, </s> and #0 may not stand in a text, not even as names";
                findings.fault("lines", line.error(message));
            }
            if let (UTT2FRAMES, Ok(count)) = (kind.name, line.rest.parse()) {
                frames.insert(line.key.clone(), count);
            }
        })?;
        let wanted = match kind.by {
            TableSubject::Utterance => self.utterances.as_ref(),
            TableSubject::Speaker => self.speakers.as_ref(),
            TableSubject::Recording => {
                let recordings = self.recordings.as_ref();
                let recordings = recordings.map(|recordings| &recordings.wanted);
                recordings.or(self.utterances.as_ref())
            }
        };
        let recordings = self.recordings.as_ref().filter(|_| kind.name == WAVES);
        if let Some(recordings) = recordings {
            unplaced(recordings, &keys, findings);
        }
        let complete = kind.complete && recordings.is_none();
        agree(&table, &keys, wanted, (kind.by, complete), findings);
        Ok(())
    }

    /// Checks the file of one number.
    fn frame_shift(&self, findings: &mut Findings<'_>) -> Result<()> {
        let Some(at) = self.file(FRAME_SHIFT) else {
            return Ok(());
        };
        match frame_shift(self.env.open_file(&at)?, self.env) {
            Err(error) if error.kind() == ErrorKind::Io => Err(error),
            Err(error) => {
                findings.fault("lines", error);
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }
}

/// Checks a line `utterance recording start end`.
fn segment(line: &Line<'_>, findings: &mut Findings<'_>) {
    match Segment::parse(line.rest.as_bytes()) {
        Ok(Segment {
            channel: Some(_), ..
        }) => {
            let message = "expected a recording, a start and an end after the key, found a channel";
            findings.fault("lines", line.error(message));
        }
        Ok(Segment { end: None, .. }) => {
            let message = "ends at -1, with its recording, which validate_data_dir.sh refuses";
            findings.fault("segments", line.error(message));
        }
        Ok(_) => {}
        Err(error) => findings.fault("segments", line.error(error.message())),
    }
}

/// Tells of the segments of recordings that `wav.scp` lacks.
fn unplaced(recordings: &Recordings, waves: &Keys, findings: &mut Findings<'_>) {
    let table = recordings.wanted.table.to_string();
    for (recording, utterances) in &recordings.utterances {
        if waves.contains_key(recording) {
            continue;
        }
        for (utterance, line) in utterances {
            let message = format!("wav.scp has no recording {recording}");
            findings.fault("keys", about_line(&table, *line, utterance, message));
        }
    }
}

/// Checks that a table has the keys that another gives, and all of them if it is complete.
fn agree(
    table: &Location,
    keys: &Keys,
    wanted: Option<&WantedKeys>,
    (by, complete): (TableSubject, bool),
    findings: &mut Findings<'_>,
) {
    let Some(wanted) = wanted else {
        return;
    };
    let (other, file) = (shown(&wanted.table), table.to_string());
    let hint = "fix_data_dir.sh keeps what all files have";
    let missing = wanted.keys.iter().filter(|key| !keys.contains_key(*key));
    for key in missing.filter(|_| complete) {
        let message = format!("no line for this {} of {other}", by.name());
        findings.fault("keys", about(table, message).utterance(key).hint(hint));
    }
    for (key, lines) in keys.iter().filter(|(key, _)| !wanted.keys.contains(*key)) {
        for line in lines {
            let message = format!("{other} has no such {}", by.name());
            findings.fault("keys", about_line(&file, *line, key, message).hint(hint));
        }
    }
}

/// Returns the name of a table without its folder.
fn shown(table: &Location) -> String {
    let name = table.name().unwrap_or(table.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Returns `true` if there is a file of this name.
fn is_file(at: &Location, env: &Env) -> bool {
    let look = env.look(at).ok().flatten();
    look.is_some_and(|look| look.kind == FileKind::File)
}
