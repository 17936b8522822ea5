//! From an input to its utterances.

use std::iter;

use spr_core::bytes::{Env, FileKind, FileStatus, Location, Locator, Source};
use spr_core::format::{
    self, Count, Format, IndexKind, Medium, Parts, Reader, Registry, Request, Score,
};
use spr_core::model::KeySource;
use spr_core::stage::{
    Chain, FolderContent, FolderReader, FrameShift, JoinLabels, JoinText, PickTier, Rename,
    SkipErrors, Speakers,
};
use spr_core::{Error, ErrorKind, KeyMap, Remedy, Result, side};

use super::Input;
use super::place::AtPlace;

/// How a format is found that an option says.
const BY_HEADER: &str = "by its header in another file";

/// A data set that is open.
pub struct OpenedInput {
    /// Its utterances.
    pub reader: Box<dyn Reader>,
    /// Its format.
    pub format: &'static dyn Format,
    /// How it was recognised.
    pub why: &'static str,
}

impl Input {
    /// The format, and how it was found.
    fn format_of(
        &self,
        source: &mut Source,
        damaged: bool,
        registry: &Registry,
        env: &Env,
    ) -> Result<(&'static dyn Format, &'static str)> {
        if let Some(format) = self.format {
            return Ok((format, "as named"));
        }
        if let Some(format) = self.by_header(registry, env)? {
            return match registry.rank(source)?.first() {
                // It may have a header of its own.
                Some((Score::Certain, own)) if own.info().headerless.is_some() => {
                    Ok((*own, "by its content"))
                }
                _ => Ok((format, BY_HEADER)),
            };
        }
        detect(source, registry).or_else(|error| match damaged {
            true => by_name(source, registry, error),
            false => Err(error),
        })
    }

    /// The format of a file whose header stands in another, which an option names: that of the
    /// header, else the first that knows such an option.
    fn by_header(&self, registry: &Registry, env: &Env) -> Result<Option<&'static dyn Format>> {
        let header = |format: &'static dyn Format| {
            let option = format.info().headerless?;
            let (_, file) = self.pairs.iter().rfind(|(key, _)| key == option)?;
            Some((format, file)).filter(|(_, file)| *file != "none")
        };
        let Some((first, file)) = registry.formats().find_map(header) else {
            return Ok(None);
        };
        let ranked = registry.rank(&mut env.open_file(&file.as_str().into())?)?;
        let mut known = ranked
            .into_iter()
            .filter(|(score, _)| *score > Score::NameOnly);
        let found = known.find(|(_, format)| header(*format).is_some());
        Ok(Some(found.map_or(first, |(_, format)| format)))
    }

    /// Opens what is requested of the data set, with everything that is to become of it; finds the
    /// format by content if the argument doesn't say it.
    ///
    /// # Errors
    /// It can't be opened, no format or several fit, or an option is unknown.
    pub fn open(&self, request: Request, registry: &Registry, env: &Env) -> Result<OpenedInput> {
        let mut opened = self.open_whole(request, registry, env)?;
        opened.reader = self.skipping(opened.reader);
        Ok(opened)
    }

    /// Without the entries that are passed over, if any are.
    fn skipping(&self, reader: Box<dyn Reader>) -> Box<dyn Reader> {
        match &self.skips {
            Some(tell) => Box::new(SkipErrors::new(reader, tell.clone())),
            None => reader,
        }
    }

    /// Whether entries at fault are passed over.
    fn is_lenient(&self, request: &Request) -> bool {
        request.lenient || self.permissive || self.skips.is_some()
    }

    /// Opens it with all entries, bad ones as well.
    fn open_whole(&self, request: Request, registry: &Registry, env: &Env) -> Result<OpenedInput> {
        let staged = self.has_stages() || self.partitioned;
        let of_stored = match staged {
            true => request.before_stages(),
            false => request.clone(),
        };
        let mut opened = self.open_stored(of_stored, registry, env)?;
        let partitioning = opened.format.info().partitioning;
        if let Some(ignored) = self.data.stream_ignored(partitioning) {
            env.warn(&ignored.file(self.text()));
        }
        if let Some(shift) = self.data.frame_shift {
            opened.reader = Box::new(FrameShift::new(opened.reader, shift));
        }
        if let Some(tier) = &self.data.tier {
            opened.reader = Box::new(PickTier::new(opened.reader, tier.as_str()));
        }
        if !staged {
            return Ok(opened);
        }
        if !self.changes.is_empty() {
            opened.reader = Box::new(Rename::new(opened.reader, self.changes.clone()));
        }
        if let Some((labels, speakers)) = &self.labels {
            opened.reader = labels.join_to(opened.reader, speakers.as_ref(), registry, env)?;
        }
        if let Some(text) = &self.text_from {
            opened.reader = text.join_text_to(opened.reader, registry, env)?;
        }
        if let Some(file) = &self.speakers {
            opened.reader = with_speakers(opened.reader, file, env)?;
        }
        opened.reader = self
            .data
            .apply(opened.reader, partitioning, self.partitioned, env);
        opened.reader = request.rest(opened.reader, env)?;
        Ok(opened)
    }

    /// Opens the data set to give its labels to `reader`, by key or by what the file `speakers`
    /// gives for it.
    ///
    /// # Errors
    /// It, or that file, can't be opened.
    pub(crate) fn join_to(
        &self,
        reader: Box<dyn Reader>,
        speakers: Option<&Location>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        // Labels at fault cost their utterance, not those of others.
        let parts = Parts {
            // The label of an utterance of one frame may be one integer.
            objects: true,
            ..Parts::LABELS
        };
        let request = Request::all().parts(parts).lookup().lenient(true);
        let table = self.open_lookup(request, registry, env)?;
        let joined = JoinLabels::new(reader, table, self.text(), env);
        let mut joined = joined.tolerant(self.tolerance);
        joined = joined.rounded(self.data.round);
        if let Some(file) = speakers {
            joined = joined.mapped(KeyMap::read(env.open_file(file)?, &env.limits)?);
        }
        Ok(Box::new(joined))
    }

    /// Opens the data set to give its text to `reader`, by key.
    ///
    /// # Errors
    /// It can't be opened.
    pub(crate) fn join_text_to(
        &self,
        reader: Box<dyn Reader>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let parts = Parts {
            // Words of a table of Kaldi's are an object.
            objects: true,
            labels: false,
            segments: false,
            ..Parts::LABELS
        };
        let request = Request::all().parts(parts).lookup().lenient(true);
        let table = self.open_lookup(request, registry, env)?;
        Ok(Box::new(JoinText::new(reader, table, self.text(), env)))
    }

    /// Surroundings in which files of a pattern have keys that tell them apart.
    fn naming(&self, env: &Env) -> Env {
        let below = self.below.clone();
        below.map_or_else(|| env.clone(), |folder| env.below(folder))
    }

    /// An error about a file of the format that was named, where its content is of another.
    fn misnamed(&self, error: Error, registry: &Registry, env: &Env) -> Error {
        let (Some(named), Some(file)) = (self.format, self.file()) else {
            return error;
        };
        // Streams can be read but once.
        let is_file = |look: FileStatus| look.kind == FileKind::File;
        if !env.look(file).is_ok_and(|look| look.is_some_and(is_file)) {
            return error;
        }
        let source = env.open_file(file);
        let ranked = source.and_then(|mut source| registry.rank(&mut source));
        let ranked = ranked.unwrap_or_default();
        let is_named =
            |(_, format): &&(Score, &dyn Format)| format.info().name == named.info().name;
        let own = ranked.iter().find(is_named).map(|(score, _)| *score);
        match ranked.first() {
            Some((score, found))
                if error.kind() == ErrorKind::Malformed
                    && *score > own.unwrap_or(Score::NameOnly) =>
            {
                error.suggest_instead(Remedy::ReadByContent(found.info().name))
            }
            _ => error,
        }
    }

    /// Opens the data set as it is stored.
    fn open_stored(
        &self,
        mut request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        if let Some(run) = self.run {
            request = request.share(run);
        }
        if let Locator::Folder(folder) = &self.locator {
            return self.open_folder(folder, request, registry, env);
        }
        let env = &self.naming(env);
        let mut source = env.open(&self.locator)?;
        let (format, why) = self.format_of(&mut source, request.damaged, registry, env)?;
        let lenient = self.is_lenient(&request);
        let request = request.lenient(lenient);
        let (options, names_only) = (self.options(format)?, !request.parts.features);
        let opened = request.open(format, source, &options, env);
        let reader = opened.map_err(|error| self.misnamed(error, registry, env));
        let reader = reader?.into_stream()?;
        if reader.info().keys == KeySource::Generated
            && !names_only
            && format.info().index == IndexKind::SideFile
            && options.get(side::OPTION.name).is_none()
        {
            let side = self.file().map(|file| file.with_suffix(side::SUFFIX));
            let message = match side {
                Some(side) => format!("there is no {side} with the names of its utterances"),
                None => "no side file has the names of its utterances".to_owned(),
            };
            let message = format!("{message}, so names are generated: utt000000, …");
            env.warn(&Error::unfit(message).file(self.text()));
        }
        let reader = match &self.locator {
            Locator::FileAt(..) => Box::new(AtPlace::new(reader, &self.text)),
            _ => reader,
        };
        Ok(OpenedInput {
            reader,
            format,
            why,
        })
    }

    /// The entries as they are stored, before anything becomes of them.
    pub(crate) fn stored(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        Ok(self.open_stored(request, registry, env)?.reader)
    }

    /// Opens the data set to look up utterances by their keys.
    ///
    /// # Errors
    /// As [`open`](Self::open). What a table can't read is an error in any case.
    pub fn open_lookup(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<format::Opened> {
        let lenient = self.is_lenient(&request);
        let request = request.lookup().lenient(lenient);
        if self.has_stages() || self.folder().is_some() {
            let opened = self.open(request, registry, env)?;
            return Ok(format::Opened::Stream(opened.reader));
        }
        let env = &self.naming(env);
        let mut source = env.open(&self.locator)?;
        let (format, _) = self.format_of(&mut source, false, registry, env)?;
        let opened = request.open(format, source, &self.options(format)?, env)?;
        Ok(match (opened, self.data.frame_shift) {
            (format::Opened::Table(table), Some(shift)) => {
                format::Opened::Table(Box::new(FrameShift::keyed(table, shift)))
            }
            (format::Opened::Stream(reader), Some(shift)) => {
                let reader = FrameShift::new(reader, shift);
                format::Opened::Stream(self.skipping(Box::new(reader)))
            }
            (format::Opened::Stream(reader), None) => format::Opened::Stream(self.skipping(reader)),
            (table, None) => table,
        })
    }

    /// Opens several data sets as one; each after the first when its turn comes.
    ///
    /// # Errors
    /// There is none, or the first can't be opened.
    pub fn open_all(
        inputs: &[Self],
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        let Some((first, rest)) = inputs.split_first() else {
            return Err(Error::usage("no input"));
        };
        if rest.is_empty() {
            return first.open(request, registry, env);
        }
        let distinct = request.distinct;
        let names = inputs.iter().map(|input| input.text.clone()).collect();
        let (each, share) = request.split_share();
        let mut opened = first.open(each.clone(), registry, env)?;
        let (rest, later_env) = (rest.to_vec(), env.clone());
        let registry = registry.clone();
        let later = rest
            .into_iter()
            .map(move |input| Ok(input.open(each.clone(), &registry, &later_env)?.reader));
        let chain = Chain::new(iter::once(Ok(opened.reader)).chain(later))?;
        opened.reader = match distinct {
            true => Box::new(chain.distinct(names, env.limits)),
            false => Box::new(chain),
        };
        if let Some(share) = share {
            opened.reader = Request::all().share(share).rest(opened.reader, env)?;
        }
        Ok(opened)
    }

    /// The format of which it is a data set as a whole folder, if it is one.
    pub fn whole_folder(&self, registry: &Registry, env: &Env) -> Option<&'static dyn Format> {
        let folder = self.folder()?;
        let found = match self.format {
            Some(format) => Some(format),
            None => registry.detect_folder(folder, env).ok()?,
        };
        found.filter(|format| format.folder().is_some())
    }

    fn open_folder(
        &self,
        folder: &Location,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        let mut found = None;
        let (format, kin, why) = match self.format {
            Some(format) => (format, None, "as named"),
            None => match self.by_header(registry, env)? {
                Some(format) => (format, None, BY_HEADER),
                None => match registry.detect_folder(folder, env)? {
                    Some(format) => (format, None, "by what is in it"),
                    None => {
                        let content = FolderReader::detect(folder, registry, env)?;
                        let content = found.insert(content);
                        let extension = content.extension.clone();
                        (content.format, Some(extension), "by what its files are")
                    }
                },
            },
        };
        let options = self.options(format)?;
        if format.folder().is_none() && format.caps(&options, Medium::Folder)?.count != Count::One {
            return Err(not_one_each(folder, format, found.as_ref()));
        }
        if let Some(content) = found.filter(|content| !content.rivals.is_empty()) {
            return Err(several(folder, &content));
        }
        let kin: Vec<_> = kin.as_deref().into_iter().collect();
        let opened = request.open_folder(format, folder, &kin, &options, env)?;
        let reader = opened.into_stream()?;
        Ok(OpenedInput {
            reader,
            format,
            why,
        })
    }
}

/// The utterances of `reader` with the speakers that a file of lines `utterance speaker` has.
///
/// # Errors
/// The file can't be read.
pub(crate) fn with_speakers(
    reader: Box<dyn Reader>,
    file: &Location,
    env: &Env,
) -> Result<Box<dyn Reader>> {
    let table = KeyMap::open(&file.clone().into(), env)?;
    Ok(Box::new(Speakers::new(reader, table)))
}

/// The error for a folder of files that hold many utterances each, as far as the file tells that decided
/// it.
fn not_one_each(
    folder: &Location,
    format: &'static dyn Format,
    content: Option<&FolderContent>,
) -> Error {
    let name = format.info().name;
    let message = format!("is a folder with {name} files of many utterances each");
    let mut hint = match content {
        Some(content) => format!(
            "name the file that you mean, such as {}",
            content.decided_by
        ),
        None => "name the file that you mean".to_owned(),
    };
    let rivals = content.map(|content| content.rivals.as_slice());
    if let Some((rival, _)) = rivals.unwrap_or_default().first() {
        let name = rival.info().name;
        hint.push_str(&format!("; --from {name} reads only the {name} files"));
    }
    Error::usage(message).file(folder.to_string()).hint(hint)
}

/// The error for a folder with files of several formats.
fn several(folder: &Location, content: &FolderContent) -> Error {
    let first = (content.format, content.decided_by.clone());
    let all = iter::once(&first).chain(&content.rivals);
    let told = all.clone().map(|(format, file)| {
        let name = format.info().name;
        match file.name() {
            Some(file) => format!("{name} ({})", file.display()),
            None => name.to_owned(),
        }
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let names = all.map(|(format, _)| format.info().name).collect();
    Error::new(
        ErrorKind::Ambiguous,
        format!("holds files of several formats: {told}"),
    )
    .file(folder.to_string())
    .suggest(Remedy::ReadAs(names))
}

/// The format that the extension of damaged data asks for.
fn by_name(
    source: &Source,
    registry: &Registry,
    error: Error,
) -> Result<(&'static dyn Format, &'static str)> {
    let plain = source.location().map(Location::plain);
    let extension = plain.as_ref().and_then(Location::extension);
    let claimed = extension.map(|extension| registry.by_extension(extension));
    match claimed.as_deref() {
        Some([format]) if error.kind() == ErrorKind::Unrecognised => {
            Ok((*format, "by its extension"))
        }
        _ => Err(error),
    }
}

fn detect(source: &mut Source, registry: &Registry) -> Result<(&'static dyn Format, &'static str)> {
    let format = registry.detect(source)?;
    let why = match registry.rank(source)?.first() {
        Some((Score::NameOnly, _)) => "by its extension",
        _ => "by its content",
    };
    Ok((format, why))
}
