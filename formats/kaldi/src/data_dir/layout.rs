//! The files of a data directory.

use spr_core::bytes::{Codec, Env, FileKind, Location};
use spr_core::format::{FieldSet, Options, Request};
use spr_core::{Error, Result};

use super::rules::{self, Rule};

/// The name of the format and of its tags.
pub(crate) const NAME: &str = "kaldi-data";

pub(crate) const UTT2SPK: &str = "utt2spk";
pub(crate) const SPK2UTT: &str = "spk2utt";
pub(crate) const TEXT: &str = "text";
pub(crate) const SEGMENTS: &str = "segments";
pub(crate) const WAVES: &str = "wav.scp";
pub(crate) const FEATURES: &str = "feats.scp";
pub(crate) const FRAME_SHIFT: &str = "frame_shift";
pub(crate) const CMVN: &str = "cmvn.scp";
pub(crate) const VAD: &str = "vad.scp";
pub(super) const SPK2GENDER: &str = "spk2gender";
pub(super) const UTT2GENDER: &str = "utt2gender";
pub(super) const UTT2LANG: &str = "utt2lang";
pub(crate) const UTT2DUR: &str = "utt2dur";
pub(crate) const RECO2DUR: &str = "reco2dur";
pub(crate) const UTT2FRAMES: &str = "utt2num_frames";

/// The subject of a table's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableSubject {
    Utterance,
    Speaker,
    Recording,
}

impl TableSubject {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utterance => "utterance",
            Self::Speaker => "speaker",
            Self::Recording => "recording",
        }
    }
}

/// The use of a table's lines when a directory is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// They fill fields of utterances.
    Fields,
    /// Tags of the format, because utterances have no field for them.
    Tags,
    /// Derived from the rest of the directory, and not read.
    Passed,
}

/// A table of a data directory beside `utt2spk`, `spk2utt` and `segments`.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) by: TableSubject,
    pub(crate) used: Use,
    /// Whether each subject needs a line.
    pub(crate) complete: bool,
    /// The rule for the values.
    pub(crate) rule: Rule,
}

const fn table(name: &'static str, by: TableSubject, used: Use, rule: Rule) -> Kind {
    Kind {
        name,
        by,
        used,
        complete: true,
        rule,
    }
}

/// Returns a table of words that only some utterances have.
const fn partial(name: &'static str, used: Use) -> Kind {
    Kind {
        complete: false,
        ..table(name, TableSubject::Utterance, used, rules::word)
    }
}

/// All tables with lines of a key and a value.
pub(crate) const TABLES: &[Kind] = &[
    table(
        TEXT,
        TableSubject::Utterance,
        Use::Fields,
        rules::transcript,
    ),
    table(
        FEATURES,
        TableSubject::Utterance,
        Use::Fields,
        rules::object,
    ),
    table(CMVN, TableSubject::Speaker, Use::Passed, rules::object),
    table(VAD, TableSubject::Utterance, Use::Passed, rules::object),
    table(UTT2LANG, TableSubject::Utterance, Use::Fields, rules::word),
    partial(UTT2GENDER, Use::Fields),
    table(UTT2DUR, TableSubject::Utterance, Use::Tags, rules::seconds),
    table(
        UTT2FRAMES,
        TableSubject::Utterance,
        Use::Tags,
        rules::frames,
    ),
    partial("utt2num_samples", Use::Tags),
    table("utt2uniq", TableSubject::Utterance, Use::Tags, rules::word),
    table("utt2warp", TableSubject::Utterance, Use::Tags, rules::warp),
    partial("utt2category", Use::Tags),
    partial("utt2sid", Use::Tags),
    partial("utt2lid", Use::Tags),
    table(
        SPK2GENDER,
        TableSubject::Speaker,
        Use::Fields,
        rules::gender,
    ),
    table("spk2warp", TableSubject::Speaker, Use::Tags, rules::warp),
    table("spk2sid", TableSubject::Speaker, Use::Tags, rules::word),
    table(WAVES, TableSubject::Recording, Use::Fields, rules::wave),
    table(RECO2DUR, TableSubject::Recording, Use::Tags, rules::seconds),
    table(
        "reco2file_and_channel",
        TableSubject::Recording,
        Use::Tags,
        rules::side,
    ),
];

/// Returns `true` if a table of a data directory has this name.
pub(crate) fn is_table(name: &str) -> bool {
    let others = [UTT2SPK, SPK2UTT, SEGMENTS];
    others.contains(&name) || TABLES.iter().any(|table| table.name == name)
}

/// Returns the tables whose lines are tags.
pub(super) fn tag_tables() -> impl Iterator<Item = &'static Kind> {
    TABLES.iter().filter(|table| table.used == Use::Tags)
}

/// Returns the subject of a table's lines.
pub(super) fn subject(name: &str) -> TableSubject {
    let table = TABLES.iter().find(|table| table.name == name);
    table.map_or(TableSubject::Utterance, |table| table.by)
}

/// Returns the rule for the values of a table.
pub(super) fn rule(name: &str) -> Option<Rule> {
    let table = TABLES.iter().find(|table| table.name == name);
    table.map(|table| table.rule)
}

/// Returns `true` if each subject of a table needs a line.
pub(super) fn is_complete(name: &str) -> bool {
    let table = TABLES.iter().find(|table| table.name == name);
    table.is_none_or(|table| table.complete)
}

const fn count_tags() -> usize {
    let (mut at, mut count) = (0, 0);
    while at < TABLES.len() {
        count += matches!(TABLES[at].used, Use::Tags) as usize;
        at += 1;
    }
    count
}

const fn tag_names() -> [&'static [u8]; count_tags()] {
    let mut names: [&'static [u8]; count_tags()] = [b""; count_tags()];
    let (mut at, mut count) = (0, 0);
    while at < TABLES.len() {
        if matches!(TABLES[at].used, Use::Tags) {
            names[count] = TABLES[at].name.as_bytes();
            count += 1;
        }
        at += 1;
    }
    names
}

/// The names of those tables, as names of tags.
pub(super) const TAGS: &[&[u8]] = &tag_names();

/// Returns `true` if a file of this name is read.
fn is_known(name: &str) -> bool {
    let others = [UTT2SPK, SPK2UTT, SEGMENTS, FRAME_SHIFT];
    let table = TABLES.iter().find(|table| table.name == name);
    others.contains(&name) || table.is_some_and(|table| table.used != Use::Passed)
}

/// Returns `true` if a file of this name may be a table. Tables have no extension or that of script
/// files, and copies of known ones any other. Markers such as `.done`, archives and logs are none.
fn may_be_table(name: &str) -> bool {
    let plain = plain(name);
    match plain.split_once('.') {
        None => plain != "README",
        Some(("", _)) => false,
        Some((_, "ark" | "log" | "bak")) => false,
        Some((stem, rest)) => matches!(rest, "scp" | "txt") || is_table(stem),
    }
}

/// Returns `true` if a folder has files that only data directories have, even if it is incomplete.
pub(crate) fn suits(names: &[&str]) -> bool {
    let only = [UTT2SPK, SPK2UTT, FEATURES, WAVES];
    names.iter().any(|name| only.contains(&plain(name)))
}

/// Returns `true` if a folder with these names is a data directory: it has the list of speakers, or
/// a table of audio or features and one that only data directories have.
pub(super) fn fits(names: &[&str]) -> bool {
    let has = |name: &&str| names.iter().any(|own| plain(own) == *name);
    let data = [WAVES, FEATURES, TEXT, SEGMENTS];
    let beside = [TEXT, SEGMENTS, SPK2UTT, UTT2DUR, RECO2DUR, UTT2LANG];
    match has(&UTT2SPK) {
        true => data.iter().any(has),
        false => [WAVES, FEATURES].iter().any(has) && beside.iter().any(has),
    }
}

/// Returns a name without the extension of a compression.
fn plain(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((plain, extension)) if Codec::FILES.iter().any(|c| c.extension() == extension) => {
            plain
        }
        _ => name,
    }
}

/// The names by which a table may go: its own, and those of its compressed forms.
pub(crate) fn forms(name: &str) -> impl Iterator<Item = String> {
    let coded = Codec::FILES.iter();
    let coded = coded.map(move |codec| format!("{name}.{}", codec.extension()));
    std::iter::once(name.to_owned()).chain(coded)
}

/// The files of a directory.
pub(super) struct Layout {
    folder: Location,
    names: Vec<String>,
}

impl Layout {
    pub(super) fn of(folder: &Location, env: &Env) -> Result<Self> {
        let entries = env.entries(folder)?;
        let names = entries.iter().filter_map(|at| at.name()?.to_str());
        Ok(Self {
            folder: folder.clone(),
            names: names.map(str::to_owned).collect(),
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| plain(own) == name)
    }

    /// Returns the location of a file, if it exists, or else of a compressed one.
    pub(super) fn file(&self, name: &str) -> Option<Location> {
        let mut there = forms(name).filter(|form| self.names.contains(form));
        there.next().map(|form| self.folder.join(form))
    }

    /// Returns the compressed files that are not read because there are plain ones.
    fn doubles(&self) -> impl Iterator<Item = &str> {
        let coded = self.names.iter().map(String::as_str);
        let coded = coded.filter(|name| plain(name).len() < name.len());
        coded.filter(|name| {
            let read = is_known(plain(name))
                .then(|| self.file(plain(name)))
                .flatten();
            read.is_some_and(|read| read != self.folder.join(*name))
        })
    }

    pub(super) fn folder(&self) -> &Location {
        &self.folder
    }

    /// Returns the tables that are not read. Empty files are none.
    pub(super) fn passed(&self, env: &Env) -> Vec<&str> {
        let is_filled = |name: &&str| {
            let status = env.look(&self.folder.join(*name)).ok().flatten();
            status.is_some_and(|status| status.kind == FileKind::File && status.length > 0)
        };
        let names = self.names.iter().map(String::as_str);
        let unknown = names.filter(|name| !is_known(plain(name)) && may_be_table(name));
        let mut passed: Vec<_> = unknown.filter(is_filled).chain(self.doubles()).collect();
        passed.sort_unstable();
        passed
    }
}

/// The fields that are read from a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldChoice {
    pub(super) features: bool,
    pub(super) sound: bool,
    pub(super) text: bool,
    /// The tables of fields that exist and are not read, because the target holds none of them or
    /// can hold the other one.
    pub(super) left: &'static [&'static str],
}

impl FieldChoice {
    /// Determines the fields to read, from the option `parts` and the request.
    ///
    /// # Errors
    /// The option names a field that does not exist.
    pub(super) fn of(layout: &Layout, options: &Options, request: &Request) -> Result<Self> {
        let mut taken = Self {
            features: layout.has(FEATURES),
            sound: layout.has(WAVES),
            text: layout.has(TEXT),
            left: &[],
        };
        let FieldSet {
            features,
            audio,
            text,
            segments,
            ..
        } = request.forms;
        let words = !features && (text || segments) && taken.text;
        match options.get("parts") {
            Some(parts) => taken.choose(parts, layout)?,
            None if words => {
                taken.left = match (taken.sound && !audio, taken.features) {
                    (true, true) => &[WAVES, FEATURES],
                    (true, false) => &[WAVES],
                    (false, true) => &[FEATURES],
                    (false, false) => &[],
                };
                (taken.sound, taken.features) = (taken.sound && audio, false);
            }
            // Samples would have to be loaded.
            None if request.samples && taken.features => taken.sound = false,
            None if !(taken.features && taken.sound) || features == audio => {}
            None if features => (taken.sound, taken.left) = (false, &[WAVES]),
            None => (taken.features, taken.left) = (false, &[FEATURES]),
        }
        taken.features &= request.parts.features;
        taken.sound &= request.parts.audio;
        taken.text &= request.parts.text;
        Ok(taken)
    }

    fn choose(&mut self, parts: &str, layout: &Layout) -> Result<()> {
        let there = std::mem::replace(
            self,
            Self {
                features: false,
                sound: false,
                text: false,
                left: &[],
            },
        );
        for part in parts.split('+') {
            let (name, is_there, chosen) = match part {
                "feats" => (FEATURES, there.features, &mut self.features),
                "wav" => (WAVES, there.sound, &mut self.sound),
                "text" => (TEXT, there.text, &mut self.text),
                _ => {
                    let message = format!("option parts: '{part}' is not a part");
                    return Err(Error::usage(message).hint("known: feats, wav, text; joined by +"));
                }
            };
            if !is_there {
                let message = format!("option parts: {part} is asked for, but there is no {name}");
                return Err(Error::usage(message).file(layout.folder().to_string()));
            }
            *chosen = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_directories_are_told_from_folders_of_tables() {
        for names in [
            &["utt2spk", "text"][..],
            &["wav.scp", "text", "utt2spk", "spk2utt"],
            &["feats.scp", "text"],
            &["wav.scp", "segments", "reco2dur"],
            &["utt2spk", "wav.scp", "data"],
        ] {
            assert!(fits(names), "{names:?}");
        }
        for names in [
            &[][..],
            &["utt2spk"],
            &["text"],
            &["feats.ark", "feats.scp"],
            &["feats.scp", "utt2num_frames", "vad.scp"],
            &["wav.scp", "a.wav", "b.wav"],
            &["manifest.json", "text"],
        ] {
            assert!(!fits(names), "{names:?}");
        }
    }
}
