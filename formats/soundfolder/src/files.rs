//! What the files of a folder are, by their names.

use std::collections::{BTreeMap, BTreeSet};

use spr_core::bytes::{Env, Location, key_in_folder};
use spr_core::model::Key;
use spr_core::{Error, ErrorKind, Result};

use crate::layouts::Layout;
use crate::table;

/// What systems leave in folders.
const RUBBISH: [&str; 3] = ["Thumbs.db", "desktop.ini", "__MACOSX"];

/// The endings of transcripts of one sound file, after its name; of several, the first counts.
const BESIDE: [&str; 12] = [
    ".normalized.txt",
    ".txt",
    ".json",
    ".vtt",
    ".srt",
    ".trn",
    ".lab",
    ".textgrid",
    ".eaf",
    ".stm",
    ".ctm",
    ".rttm",
];

/// Those of them that are the same in different forms, of which the first counts: text, and the
/// outputs of Whisper.
const TWINS: [std::ops::Range<usize>; 2] = [0..2, 2..5];

/// The files of a folder.
#[derive(Default)]
pub(crate) struct FolderFiles {
    /// The sound files by key, sorted.
    pub(crate) sounds: Vec<(Key, Location)>,
    /// The transcripts of one sound file each, by their path without the ending.
    pub(crate) beside: BTreeMap<Location, Vec<Location>>,
    /// Files that may be tables of transcripts, sorted.
    pub(crate) tables: Vec<Location>,
    /// The sound files that have the key of another one.
    pub(crate) faults: Vec<Error>,
    /// Makes utterances of the sound files in the table alone.
    pub(crate) by_table: bool,
    /// The corpus whose layout the folder has.
    pub(crate) layout: Option<&'static Layout>,
    /// What systems leave in folders, and all other files.
    rubbish: Vec<Location>,
    others: Vec<Location>,
}

impl FolderFiles {
    /// Lists a folder.
    ///
    /// # Errors
    /// It cannot be listed, or has no sound files.
    pub(crate) fn list(folder: &Location, env: &Env) -> Result<Self> {
        let mut files = Self::sorted(folder, env.list(folder)?, env);
        if files.sounds.is_empty() {
            let error = Error::new(ErrorKind::Unrecognised, "holds no sound files");
            return Err(error.file(folder.to_string()));
        }
        files.leave_out_twins();
        files.tell(env);
        Ok(files)
    }

    /// Leaves out sound files that have the key of the one before, which is a fault of each.
    fn leave_out_twins(&mut self) {
        let faults = &mut self.faults;
        self.sounds.dedup_by(|(key, file), (other_key, other)| {
            let same = key == other_key;
            if same {
                let message = format!("two files give the same key, the other is {other}");
                let error = Error::unfit(message).utterance(key).file(file.to_string());
                faults
                    .push(error.hint("to read those of one format alone, name it: --from FORMAT"));
            }
            same
        });
    }

    /// Lists the sound files in the folder of a table.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub(crate) fn of_table(folder: &Location, at: &Location, env: &Env) -> Result<Self> {
        let all = Self::sorted(folder, env.list(folder)?, env);
        Ok(Self {
            sounds: all.sounds,
            tables: vec![at.clone()],
            by_table: true,
            layout: all.layout,
            ..Self::default()
        })
    }

    /// Sorts files into kinds by their names.
    pub(crate) fn sorted(folder: &Location, mut files: Vec<Location>, env: &Env) -> Self {
        files.sort();
        let mut all = Self::default();
        let mut texts = Vec::new();
        for file in files.iter().cloned() {
            let inside = file.relative_to(folder).unwrap_or_else(|| file.clone());
            if is_rubbish(&inside) {
                all.rubbish.push(file);
                continue;
            }
            let plain = file.plain();
            let extension = plain.extension().unwrap_or_default().to_ascii_lowercase();
            let key = key_in_folder(&file, folder);
            match key.filter(|_| env.sound_by_extension(&extension).is_some()) {
                Some(key) => all.sounds.push((key, file)),
                None => texts.push(file),
            }
        }
        all.sounds.sort();
        let stems: BTreeSet<_> = all.sounds.iter().map(|(_, file)| stem(file)).collect();
        let sorted: Vec<_> = stems.iter().cloned().collect();
        all.layout = Layout::of_folder(&files, &sorted);
        let apart = all.texts_apart(&stems);
        for file in texts {
            if let Some(stems) = apart.get(&file) {
                for stem in stems {
                    all.beside
                        .entry(stem.clone())
                        .or_default()
                        .push(file.clone());
                }
                continue;
            }
            if table::is_named_so(&file) {
                all.tables.push(file);
                continue;
            }
            match without_ending(&file).filter(|stem| stems.contains(stem)) {
                Some(stem) => all.beside.entry(stem).or_default().push(file),
                None => all.others.push(file),
            }
        }
        for files in all.beside.values_mut() {
            files.sort_by_key(ending);
            for forms in TWINS {
                let is_form = |file: &&Location| ending(file).is_some_and(|n| forms.contains(&n));
                let others: Vec<_> = files.iter().filter(is_form).skip(1).cloned().collect();
                files.retain(|file| !others.contains(file));
                all.others.extend(others);
            }
        }
        all
    }

    /// Returns the sound files of each text that the layout puts in another folder.
    fn texts_apart(&self, stems: &BTreeSet<Location>) -> BTreeMap<Location, Vec<Location>> {
        let mut apart = BTreeMap::<_, Vec<_>>::new();
        for stem in stems {
            if let Some(text) = self.layout.and_then(|layout| layout.text_of(stem)) {
                apart.entry(text).or_default().push(stem.clone());
            }
        }
        apart
    }

    /// Returns `true` if anything may be a transcript.
    pub(crate) fn tells_more(&self) -> bool {
        !self.beside.is_empty() || !self.tables.is_empty()
    }

    /// Reports what is left out.
    fn tell(&self, env: &Env) {
        let warning = |files: &[Location], what: &str| {
            let first = files.first()?;
            let message = match files.len() {
                1 => what.to_owned(),
                n => format!("{what}, with {} more", n - 1),
            };
            Some(Error::unfit(message).file(first.to_string()))
        };
        // Nothing is lost with these.
        let rubbish = warning(&self.rubbish, "left out, what systems leave in folders");
        rubbish.iter().for_each(|warning| env.warn(warning));
        let what = "left out, neither sound that is read nor a transcript";
        let others = warning(&self.others, what);
        others.iter().for_each(|warning| env.warn_left_out(warning));
    }
}

/// Returns `true` for hidden files, and for what is known to be no data.
fn is_rubbish(inside: &Location) -> bool {
    let parts = inside.as_os_str().as_encoded_bytes().split(|b| *b == b'/');
    let mut parts = parts.map(|part| (part.first(), part));
    parts.any(|(first, part)| {
        first == Some(&b'.') || RUBBISH.iter().any(|known| known.as_bytes() == part)
    })
}

/// Returns the path of a sound file without extension and compression.
pub(crate) fn stem(file: &Location) -> Location {
    file.plain().with_extension("")
}

/// Returns the rank of the ending of a transcript.
fn ending(file: &Location) -> Option<usize> {
    let text = file.as_os_str().as_encoded_bytes().to_ascii_lowercase();
    BESIDE
        .iter()
        .position(|ending| text.ends_with(ending.as_bytes()))
}

/// Returns the path of a transcript without its ending.
fn without_ending(file: &Location) -> Option<Location> {
    let text = file.as_os_str().as_encoded_bytes();
    let ending = BESIDE.get(ending(file)?)?;
    Location::of_bytes(text.get(..text.len() - ending.len())?)
}
