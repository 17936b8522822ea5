//! Folders with one file per utterance.

use crate::bytes::{Env, Location, is_rubbish, key_in_folder};
use crate::error::{Error, ErrorKind, Remedy, Result};
use crate::format::{Format, Medium, Options, Reader, Registry, Request, Score};
use crate::model::{DatasetInfo, Key, Utterance};

/// Reads every file of a folder as an utterance, whose key is the relative path without its
/// extension, which is compared without case. Utterances are sorted by key.
pub struct FolderReader {
    files: std::vec::IntoIter<(Key, Location)>,
    /// The file of an unfinished utterance.
    open: Option<OpenFile>,
    format: &'static dyn Format,
    options: Options,
    /// The request for each file.
    request: Request,
    env: Env,
    info: DatasetInfo,
}

/// The content of a folder.
#[non_exhaustive]
pub struct FolderContent {
    /// The format of its files.
    pub format: &'static dyn Format,
    /// The extension of the file that determined the format.
    pub extension: String,
    /// Other extensions whose files are read: those of files that are of the format by their
    /// content, and of sound files that are of none.
    pub kin: Vec<String>,
    /// The file that determined the format.
    pub decided_by: Location,
    /// Other formats of features or audio in the folder, with their first files.
    pub rivals: Vec<(&'static dyn Format, Location)>,
}

/// The formats of the first files of a folder.
#[derive(Default)]
struct Votes {
    /// Each format with its first file, and the number of files.
    of: Vec<(&'static dyn Format, Location, usize)>,
    /// Whether the last file is of the format that its extension says.
    fits: bool,
}

impl Votes {
    /// The number of files that decide if their names do not.
    const FILES: usize = 5;

    fn add(&mut self, format: &'static dyn Format, file: &Location) {
        self.fits = format.info().goes_by(&extension_of(file));
        let name = format.info().name;
        let mut known = self.of.iter_mut();
        match known.find(|(own, ..)| own.info().name == name) {
            Some((.., count)) => *count += 1,
            None => self.of.push((format, file.clone(), 1)),
        }
        if self.fits {
            // It decides alone.
            self.of.retain(|(own, ..)| own.info().name == name);
        }
    }

    fn are_enough(&self) -> bool {
        let all = self.of.iter().map(|(.., count)| count);
        self.fits || all.sum::<usize>() >= Self::FILES
    }

    /// Returns the format of most files, the first one of several, with its first file.
    fn winner(self) -> Option<(&'static dyn Format, Location)> {
        let most = self.of.iter().map(|(.., count)| *count).max();
        let mut all = self.of.into_iter();
        let winner = all.find(|(.., count)| Some(*count) == most);
        winner.map(|(format, file, _)| (format, file))
    }
}

struct OpenFile {
    key: Key,
    file: Location,
    reader: Box<dyn Reader>,
}

impl OpenFile {
    fn place(&self, error: Error) -> Error {
        let error = error.file(self.file.to_string());
        error.utterance(&self.key).continuable()
    }

    /// Reads the utterance, or its next chunk.
    fn read(&mut self, utt: &mut Utterance) -> Result<()> {
        if !self.reader.read(utt)? {
            return Err(Error::malformed("the file holds no utterance"));
        }
        if utt.origin.coding.is_none() {
            let coding = self.reader.info().compression.clone();
            utt.origin.coding = coding.map(Into::into);
        }
        if utt.ends() && self.reader.read(&mut Utterance::default())? {
            let message = "holds several utterances, and this is a folder of files with one";
            return Err(Error::unfit(message).hint("move it elsewhere, and name it by itself"));
        }
        utt.key.set(self.key.as_bytes());
        Ok(())
    }
}

impl FolderReader {
    /// Returns the files of `folder` with their keys, in the order in which they are read: those that
    /// have an extension of `format` or of `kin`; others are skipped with a warning. With an option
    /// that replaces their headers, all files count.
    ///
    /// # Errors
    /// The folder cannot be read, or two files have the same key.
    pub fn files(
        folder: &Location,
        format: &'static dyn Format,
        kin: &[&str],
        options: &Options,
        env: &Env,
    ) -> Result<Vec<(Key, Location)>> {
        let own = match format.info() {
            info if info.extensions.is_empty() => info.also,
            info => info.extensions,
        };
        let header = format
            .info()
            .variants
            .headerless
            .and_then(|key| options.get(key));
        let FolderListing { mut files, others } = list(folder, env, |ext| {
            header.is_some() || own.contains(&ext) || kin.contains(&ext)
        })?;
        if let Some(header) = header.map(|header| env.resolve(&header.into())) {
            files.retain(|(_, file)| env.resolve(file) != header);
        }
        let name = format.info().name;
        if files.is_empty() {
            let endings: Vec<_> = own.iter().map(|ending| format!(".{ending}")).collect();
            let error = Error::new(ErrorKind::Unrecognised, format!("holds no {name} files"));
            let hint = format!(
                "they end in {}; others are named by a pattern, such as '{name}:{}'",
                endings.join(" "),
                folder.join("*")
            );
            return Err(error.file(folder.to_string()).hint(hint));
        }
        if let Some(first) = others.first() {
            let message = match others.len() {
                1 => format!("skipped, as it is not {name}"),
                n => format!("skipped, with {} more, as they are not {name}", n - 1),
            };
            env.warn_left_out(&Error::unfit(message).file(first.to_string()));
        }
        files.sort();
        if let Some(pair) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::unfit("two files give the same key")
                .utterance(&pair[0].0)
                .file(pair[1].1.to_string()));
        }
        Ok(files)
    }

    /// Opens the [files](Self::files) of `folder`. Those whose keys are not selected are not opened.
    ///
    /// # Errors
    /// The folder cannot be read, or two files have the same key.
    pub fn open(
        folder: &Location,
        format: &'static dyn Format,
        kin: &[&str],
        options: Options,
        mut request: Request,
        env: Env,
    ) -> Result<Self> {
        let mut files = Self::files(folder, format, kin, &options, &env)?;
        request.select(&mut files, |(key, _)| key)?;
        request.lookup = false;
        let info = DatasetInfo {
            utterances: Some(files.len() as u64),
            ..DatasetInfo::default()
        };
        Ok(Self {
            files: files.into_iter(),
            open: None,
            format,
            options,
            request,
            env,
            info,
        })
    }

    /// Determines the format of a folder's files, by the first one with a known extension that is
    /// recognised as what its extension says, preferably of features or audio. If they are something
    /// else, most of the first ones decide: one file may be damaged.
    ///
    /// # Errors
    /// There is none, or the formats of all are unknown or ambiguous.
    pub fn detect(folder: &Location, registry: &Registry, env: &Env) -> Result<FolderContent> {
        let listed = list(folder, env, |ext| !registry.by_extension(ext).is_empty())?;
        let mut files = listed.files;
        files.sort();
        // The first file of each extension.
        let mut kinds = Vec::<(String, Location)>::new();
        for (_, file) in &files {
            let extension = extension_of(file);
            if kinds.iter().all(|(known, _)| *known != extension) {
                kinds.push((extension, file.clone()));
            }
        }
        // Labels are often in the same folder as their audio.
        let (mut data, labels): (Vec<_>, Vec<_>) = kinds
            .into_iter()
            .partition(|(extension, _)| registry.by_extension(extension).iter().any(holds_data));
        if data.is_empty() {
            data = labels.into_iter().take(1).collect();
        }
        let is_data = |file: &Location| data.iter().any(|(known, _)| *known == extension_of(file));
        let mut failed = None;
        let mut candidates = files
            .iter()
            .map(|(_, file)| file)
            .filter(|file| is_data(file));
        let mut votes = Votes::default();
        while let Some(file) = candidates.next().filter(|_| !votes.are_enough()) {
            let format = env
                .open_file(file)
                .and_then(|mut it| registry.detect(&mut it));
            match format {
                Ok(format) => votes.add(format, file),
                Err(error) => {
                    failed.get_or_insert(error);
                }
            }
        }
        let Some((format, decided_by)) = votes.winner() else {
            return Err(failed.unwrap_or_else(|| {
                Error::new(ErrorKind::Unrecognised, "holds no files of a known format")
                    .file(folder.to_string())
                    .suggest(Remedy::ReadAs(registry.names()))
            }));
        };
        let extension = extension_of(&decided_by);
        data.retain(|(other, _)| *other != extension);
        let (mut kin, mut rivals) = (Vec::new(), Vec::<(&'static dyn Format, Location)>::new());
        for (extension, file) in data {
            if format.info().extensions.contains(&extension.as_str()) {
                continue;
            }
            let Some(other) = recognised(&file, registry, env) else {
                // Sound files that are none are faulty. Other files that are not data, whatever their
                // names, are skipped when reading.
                if registry.by_extension(&extension).iter().all(holds_sound) {
                    kin.push(extension);
                }
                continue;
            };
            if other.info().name == format.info().name {
                kin.push(extension);
            } else if rivals
                .iter()
                .all(|(rival, _)| rival.info().name != other.info().name)
            {
                rivals.push((other, file));
            }
        }
        Ok(FolderContent {
            format,
            extension,
            kin,
            decided_by,
            rivals,
        })
    }

    /// Opens the next file.
    fn next_file(&mut self) -> Result<Option<OpenFile>> {
        let Some((key, file)) = self.files.next() else {
            return Ok(None);
        };
        match self.open_file(&file) {
            Ok(reader) => Ok(Some(OpenFile { key, file, reader })),
            Err(e) => Err(e.file(file.to_string()).utterance(&key).continuable()),
        }
    }

    fn open_file(&self, file: &Location) -> Result<Box<dyn Reader>> {
        let source = self.env.open_file(file)?;
        let request = self.request.clone();
        let opened = request.open(self.format, source, &self.options, &self.env)?;
        opened.into_stream()
    }
}

#[warn(clippy::missing_trait_methods)]
impl Reader for FolderReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => match self.next_file()? {
                Some(open) => open,
                None => return Ok(false),
            },
        };
        open.read(utt).map_err(|e| open.place(e))?;
        self.open = (!utt.ends()).then_some(open);
        Ok(true)
    }
}

/// Returns the extension of a file in lower case, without that of its compression.
fn extension_of(file: &Location) -> String {
    let extension = file.plain().extension().map(str::to_ascii_lowercase);
    extension.unwrap_or_default()
}

/// Returns `true` if a format holds features or audio, rather than names of audio files.
fn holds_data(format: &&'static dyn Format) -> bool {
    let caps = format.caps(&Options::default(), Medium::Folder);
    caps.is_ok_and(|caps| {
        let audio = caps.audio;
        let holds_audio = !audio.dtypes.is_empty() || !audio.encoded.is_empty();
        caps.features.is_some() || holds_audio
    })
}

/// Returns `true` if a format holds audio and no features.
fn holds_sound(format: &&'static dyn Format) -> bool {
    let caps = format.caps(&Options::default(), Medium::Folder);
    caps.is_ok_and(|caps| caps.features.is_none() && caps.audio.hold_any())
}

/// Returns the format of features or audio by the content of a file.
fn recognised(file: &Location, registry: &Registry, env: &Env) -> Option<&'static dyn Format> {
    let ranked = registry.rank(&mut env.open_file(file).ok()?).ok()?;
    let (score, format) = ranked.first()?;
    (*score > Score::AnyText && holds_data(format)).then_some(*format)
}

/// The files of a folder.
struct FolderListing {
    /// The selected files, with their keys.
    files: Vec<(Key, Location)>,
    /// The others, sorted.
    others: Vec<Location>,
}

/// Lists the files below `folder` with an extension that is `wanted`, and the others, among them
/// what other programs leave behind.
fn list(folder: &Location, env: &Env, wanted: impl Fn(&str) -> bool) -> Result<FolderListing> {
    let mut files = Vec::new();
    let mut others = Vec::new();
    for file in env.list(folder)? {
        let plain = file.plain();
        let extension = plain.extension().map(str::to_ascii_lowercase);
        let is_rubbish = is_rubbish(file.name().unwrap_or_default());
        match !is_rubbish && wanted(extension.as_deref().unwrap_or_default()) {
            true => {
                let key = key_in_folder(&file, folder).ok_or_else(|| {
                    let message = format!("was listed in the folder {folder}, but is not in it");
                    Error::malformed(message).file(file.to_string())
                })?;
                files.push((key, file));
            }
            false => others.push(file),
        }
    }
    others.sort();
    Ok(FolderListing { files, others })
}
