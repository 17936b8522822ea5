//! From the files of a tree to candidates: what is one data set by the names, the formats and the
//! places of files.

use std::collections::BTreeMap;

use spr_core::bytes::{Env, Location};
use spr_core::format::{Basis, Format, IndexKind, Registry};
use spr_core::tables::side;
use spr_core::{Error, ErrorKind, Result};

use crate::candidate::{Candidate, Form, holds_one, holds_sound, pattern};
use crate::inventory::Part;
use crate::walk::{File, Folder};

/// Unknown files of a folder with one extension that are looked at before the others are held for
/// the same, where only little is to be read.
const SAMPLE: usize = 16;

/// Files of no known format with one extension, in a folder and those below it.
#[derive(Debug)]
pub(crate) struct Unknown {
    pub(crate) folder: Location,
    pub(crate) extension: String,
    pub(crate) files: Vec<File>,
    pub(crate) why: String,
}

/// What is in a folder and those below it.
#[derive(Default)]
pub(crate) struct Gathered {
    /// Candidates of files with one utterance each, which may be merged with those beside them.
    pub(crate) open: Vec<Candidate>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) unknown: Vec<Unknown>,
    pub(crate) empty: Vec<File>,
}

/// What a file is.
enum Known {
    Format(&'static dyn Format, Basis),
    /// No data, with the reason.
    Nothing(String),
}

/// Gathers the files of folders.
pub(crate) struct Gatherer<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) env: &'a Env,
    /// Whether as few files as possible are opened.
    pub(crate) quick: bool,
}

impl Gatherer<'_> {
    /// Gathers the files of a folder and of those below it.
    pub(crate) fn folder(&self, folder: Folder) -> Gathered {
        let Some(at) = folder.at else {
            return Gathered::default();
        };
        let mut names: Vec<_> = folder.files.iter().map(File::name).collect();
        let inner = folder
            .folders
            .iter()
            .filter_map(|inner| inner.at.as_ref()?.name());
        names.extend(inner.map(|name| name.to_string_lossy().into_owned()));
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let fits = |format: &&'static dyn Format| {
            let whole = format.whole_folder();
            whole.is_some_and(|whole| whole.fits(&names)) && format.owns_folder(&at, self.env)
        };
        let whole: Vec<_> = self.registry.formats().filter(fits).collect();
        let mut found = match *whole.as_slice() {
            [format] => whole_folder(&at, format, folder.files),
            _ => self.files(&at, folder.files),
        };
        let below: Vec<_> = folder
            .folders
            .into_iter()
            .map(|inner| self.folder(inner))
            .collect();
        merge(&at, &mut found, below);
        found
    }

    /// Gathers the files that lie directly in a folder.
    fn files(&self, at: &Location, files: Vec<File>) -> Gathered {
        let mut found = Gathered::default();
        let (empty, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|f| f.bytes == 0);
        let mut sides = BTreeMap::new();
        let mut groups: BTreeMap<String, Vec<File>> = BTreeMap::new();
        let names: std::collections::HashSet<_> = files.iter().map(File::name).collect();
        for file in files {
            let name = file.name();
            match name
                .strip_suffix(side::SUFFIX)
                .filter(|of| names.contains(*of))
            {
                Some(of) => drop(sides.insert(of.to_owned(), file)),
                None => groups.entry(file.extension()).or_default().push(file),
            }
        }
        for (extension, files) in groups {
            self.group(at, &extension, files, &mut found);
        }
        for candidate in &mut found.candidates {
            take_sides(candidate, &mut sides);
        }
        found
            .unknown
            .extend(sides.into_values().map(|file| Unknown {
                folder: at.clone(),
                extension: file.extension(),
                why: "a table of names whose data are of no known format".to_owned(),
                files: vec![file],
            }));
        // A file without a byte is a fault where others of its name are data.
        for file in empty {
            let of = found.open.iter_mut().find(|candidate| {
                candidate
                    .files
                    .iter()
                    .any(|own| own.extension() == file.extension())
            });
            if let Some(of) = of {
                of.fault(&Error::malformed("the file is empty").file(file.at.to_string()));
            }
            found.empty.push(file);
        }
        found
    }

    /// Gathers files of one extension.
    fn group(&self, at: &Location, extension: &str, files: Vec<File>, found: &mut Gathered) {
        let mut files = files.into_iter();
        let Some(first) = files.next() else { return };
        let known = self.recognise(&first);
        if let Known::Format(format, basis) = known
            && holds_one(format)
            && format.info().extensions.contains(&extension)
        {
            // The name settles the others.
            let mut candidate = Candidate::new(at, Form::Each, format);
            candidate.guessed = basis == Basis::Guess;
            candidate.files = std::iter::once(first).chain(files).collect();
            found.add_open(candidate);
            return;
        }
        let mut failed = usize::from(matches!(known, Known::Nothing(_)));
        found.put(at, first, known);
        for file in files {
            let known = match self.quick && failed >= SAMPLE {
                true => Known::Nothing(format!("as the first {SAMPLE} like it, no known format")),
                false => self.recognise(&file),
            };
            match known {
                Known::Nothing(_) => failed += 1,
                Known::Format(..) => failed = 0,
            }
            found.put(at, file, known);
        }
    }

    fn recognise(&self, file: &File) -> Known {
        /// The bytes by which a model is recognised.
        const HEAD: usize = 64;
        let open = || -> Result<Known> {
            let mut source = self.env.open_file(&file.at)?;
            let head = source.peek(HEAD)?.to_vec();
            let models = self
                .registry
                .formats()
                .filter_map(|format| format.label_models());
            if models.into_iter().any(|models| models.is_model(&head)) {
                return Ok(Known::Nothing(
                    "a model that says what labels stand for".to_owned(),
                ));
            }
            let (format, basis) = self.registry.recognise(&mut source)?;
            Ok(Known::Format(format, basis))
        };
        open().unwrap_or_else(|error| {
            let doubt = matches!(error.kind(), ErrorKind::Unrecognised | ErrorKind::Ambiguous);
            Known::Nothing(match doubt {
                true => error.message().to_owned(),
                false => format!("can't be read: {}", error.message()),
            })
        })
    }
}

impl Gathered {
    fn is_empty(&self) -> bool {
        let candidates = self.open.is_empty() && self.candidates.is_empty();
        candidates && self.unknown.is_empty() && self.empty.is_empty()
    }

    /// Adds files with one utterance each to those of their group.
    fn add_open(&mut self, candidate: Candidate) {
        let group = candidate.group();
        let own = self.open.iter_mut().find(|own| own.group() == group);
        match own {
            Some(own) => join(own, candidate),
            None => self.open.push(candidate),
        }
    }

    /// Puts a file where it belongs.
    fn put(&mut self, at: &Location, file: File, known: Known) {
        match known {
            Known::Format(format, basis) => {
                let one = holds_one(format);
                let form = if one { Form::Each } else { Form::Files };
                let mut candidate = Candidate::new(at, form, format);
                candidate.guessed = basis == Basis::Guess;
                candidate.files.push(file);
                match one {
                    true => self.add_open(candidate),
                    false => self.add_numbered(candidate),
                }
            }
            Known::Nothing(why) => {
                let extension = file.extension();
                let same = |own: &&mut Unknown| own.extension == extension && own.why == why;
                match self.unknown.iter_mut().find(same) {
                    Some(own) => own.files.push(file),
                    None => self.unknown.push(Unknown {
                        folder: at.clone(),
                        extension,
                        files: vec![file],
                        why,
                    }),
                }
            }
        }
    }

    /// Adds a file with many utterances to those that differ from it in numbers alone.
    fn add_numbered(&mut self, candidate: Candidate) {
        let key = |of: &Candidate| {
            let name = of.files.first().map(File::name).unwrap_or_default();
            (pattern(&name), of.formats.first().map(|f| f.info().name))
        };
        let own = key(&candidate);
        let mut all = self.candidates.iter_mut();
        let same = all.find(|other| own.0.contains('*') && key(other) == own);
        match same {
            Some(same) => join(same, candidate),
            None => self.candidates.push(candidate),
        }
    }
}

/// A folder that as a whole is one data set, with all files that lie directly in it.
fn whole_folder(at: &Location, format: &'static dyn Format, files: Vec<File>) -> Gathered {
    let mut candidate = Candidate::new(at, Form::Whole, format);
    candidate.files = files;
    Gathered {
        candidates: vec![candidate],
        ..Gathered::default()
    }
}

/// Adds the files of a candidate to another.
fn join(own: &mut Candidate, more: Candidate) {
    own.files.extend(more.files);
    own.parts.extend(more.parts);
    own.guessed |= more.guessed;
    own.faults += more.faults;
    own.damage.extend(more.damage);
    for format in more.formats {
        let name = format.info().name;
        if own.formats.iter().all(|known| known.info().name != name) {
            own.formats.push(format);
        }
    }
}

/// Gives a candidate the side files of its files.
fn take_sides(candidate: &mut Candidate, sides: &mut BTreeMap<String, File>) {
    let has_side = |format: &&dyn Format| format.info().index == IndexKind::SideFile;
    if !candidate.formats.iter().any(|format| has_side(&&**format)) {
        return;
    }
    for file in &candidate.files {
        if let Some(side) = sides.remove(&file.name()) {
            candidate.parts.push(Part {
                role: "names",
                path: side.at.to_string(),
                files: 1,
                bytes: side.bytes,
            });
        }
    }
}

/// Returns `true` for a folder that holds a split of a corpus, which stays a data set by itself.
fn is_split(folder: &Location) -> bool {
    const SPLITS: [&str; 8] = [
        "train", "dev", "valid", "test", "eval", "cv", "heldout", "val",
    ];
    let name = folder.name().unwrap_or_default().to_string_lossy();
    let name = name.to_ascii_lowercase();
    let word = name.split(|c: char| !c.is_ascii_alphabetic()).next();
    word.is_some_and(|word| SPLITS.contains(&word))
}

/// Adds what was found below a folder. Files with one utterance each, of one format or of sound, are
/// one data set if they lie in most of the folders beside each other, unless these are splits.
fn merge(at: &Location, found: &mut Gathered, below: Vec<Gathered>) {
    let mut groups: BTreeMap<&'static str, Vec<Candidate>> = BTreeMap::new();
    let folders = below.iter().filter(|inner| !inner.is_empty()).count();
    for inner in below {
        found.candidates.extend(inner.candidates);
        found.empty.extend(inner.empty);
        for unknown in inner.unknown {
            let same =
                |own: &&mut Unknown| own.extension == unknown.extension && own.why == unknown.why;
            match found.unknown.iter_mut().find(same) {
                Some(own) => {
                    own.folder = at.clone();
                    own.files.extend(unknown.files);
                }
                None => found.unknown.push(unknown),
            }
        }
        for candidate in inner.open {
            match is_split(&candidate.folder) {
                true => found.candidates.push(candidate),
                false => groups.entry(candidate.group()).or_default().push(candidate),
            }
        }
    }
    for (group, mut inner) in groups {
        let own = found.open.iter().any(|own| own.group() == group);
        // Speakers lie beside each other, and not among much else.
        if inner.len() * 2 < folders || (inner.len() == 1 && !own) {
            match own || inner.len() > 1 {
                true => found.candidates.append(&mut inner),
                false => found.open.append(&mut inner),
            }
            continue;
        }
        for mut candidate in inner {
            candidate.folder = at.clone();
            found.add_open(candidate);
        }
    }
}

/// Returns `true` for candidates that are sound.
pub(crate) fn is_sound(candidate: &Candidate) -> bool {
    candidate.formats.iter().all(|format| holds_sound(*format))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_told_by_the_first_word() {
        for name in ["c/train", "c/dev-clean", "Test_1", "valid"] {
            assert!(is_split(&name.into()), "{name}");
        }
        for name in ["c/trained", "speaker1", "devices", "c"] {
            assert!(!is_split(&name.into()), "{name}");
        }
    }
}
