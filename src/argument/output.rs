//! Outputs.

mod names;

use spr_core::bytes::{Env, Location, Locator, Output};
use spr_core::format::{Caps, Format, IndexKind, Keys, Medium, Options, Registry, Variant};
use spr_core::loss::{LossKind, LossPolicy};
use spr_core::model::Utterance;
use spr_core::side;
use spr_core::{Error, ErrorKind, Remedy, Result};

use super::{Pair, PartName, named, numbered, path_and_pairs, prefix_meant};
use crate::capabilities;
use names::by_extension;

/// One data set to write, as understood from an argument.
#[derive(Clone)]
pub struct Target {
    text: String,
    /// What was typed, with the secrets of URLs.
    typed: String,
    form: &'static str,
    format: &'static dyn Format,
    locator: Locator,
    /// Files beside it that have places of their own.
    companions: Vec<(&'static str, Locator)>,
    pairs: Vec<Pair>,
    /// Whether the place is a list of files, which is read.
    listed: bool,
    /// Whether entries that have no place are passed over, as Kaldi's option `p` asks.
    permissive: bool,
    /// The options that were not part of the argument.
    added: Vec<Pair>,
    /// How hard its files are compressed.
    level: Option<u32>,
}

/// The option that says how hard files are compressed, which all formats have.
const LEVEL: &str = "level";

impl Target {
    /// Understands an argument. `to` forces the format, `pairs` adds options.
    ///
    /// # Errors
    /// It is malformed, nothing says which format it is to be, or only some of its files are
    /// numbered.
    pub fn parse(
        text: &str,
        to: Option<&'static dyn Format>,
        pairs: &[Pair],
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let mut target = if let Some(target) = Self::in_notation(text, registry)? {
            target
        } else if let Some((format, rest)) = named(text, registry) {
            let format = Some(to.unwrap_or(format));
            Self::at_path(text, "a named format", rest, format, registry, env)?
        } else if let Some(near) = prefix_meant(text, registry).filter(|_| to.is_none()) {
            let hint = format!("did you mean {near}:? A file of that name is written ./{text}");
            let (word, _) = text.split_once(':').unwrap_or_default();
            return Err(Error::usage(format!("'{word}' is no format"))
                .file(text)
                .hint(hint));
        } else {
            Self::at_path(text, "a path", text, to, registry, env)?
        };
        target.format = to.unwrap_or(target.format);
        target.pairs.extend_from_slice(pairs);
        target.added = pairs.to_vec();
        target.take_level()?;
        target.check_numbers()?;
        target.check_folder()?;
        target.check_names(registry)?;
        Ok(target)
    }

    /// Whether every partition is to have an output of its own.
    pub fn is_numbered(&self) -> bool {
        numbered::is_numbered(&self.locator.to_string())
    }

    /// The output for a partition.
    ///
    /// # Errors
    /// The name with the number means something else.
    pub fn part(&self, part: PartName, registry: &Registry, env: &Env) -> Result<Self> {
        let number = |(key, value): &Pair| (key.clone(), numbered::number(value, part));
        let added: Vec<_> = self.added.iter().map(number).collect();
        let text = numbered::number(&self.typed, part);
        Self::parse(&text, Some(self.format), &added, registry, env)
    }

    /// The folders with the name of a part in theirs that its output stands in, the outermost first.
    pub fn parents(&self, part: PartName) -> Vec<Location> {
        let mut folders = Vec::new();
        for file in self.locations() {
            let above = std::iter::successors(file.parent(), Location::parent);
            let mut above: Vec<_> = above.map(|folder| folder.to_string()).collect();
            above.retain(|folder| numbered::is_numbered(folder));
            let above = above.iter().rev();
            folders.extend(above.map(|folder| numbered::number(folder, part).into()));
        }
        folders
    }

    /// What an output in the notation of a format means; `None` if it is in none.
    fn in_notation(text: &str, registry: &Registry) -> Result<Option<Self>> {
        let meant = |format: &'static dyn Format| {
            let meant = format.notation()?.output(text)?;
            Some(meant.map(|meant| (format, meant)))
        };
        let Some((format, meant)) = registry.formats().find_map(meant).transpose()? else {
            return Ok(None);
        };
        let info = format.info();
        let companions = meant.companions.iter().map(|(_, at)| at.to_string());
        let files: Vec<_> = companions.chain([meant.locator.to_string()]).collect();
        let key = |word: &str| Some(word.split_once('=')?.0.to_owned());
        let known = |key: &String| {
            let mut options = info.options.iter().map(|option| option.name);
            key == LEVEL || options.any(|option| option == key)
        };
        let words = files.iter().flat_map(|file| file.split(',').skip(1));
        if let Some(key) = words.filter_map(key).find(known) {
            let message = format!("{key}= is an option, but would be part of the file's name");
            let hint = format!("say --co {key}=…, or leave out what stands before the colon");
            return Err(Error::usage(message).file(text).hint(hint));
        }
        Ok(Some(Self {
            text: Location::from(text).told(),
            typed: text.to_owned(),
            form: meant.form,
            format,
            locator: meant.locator,
            companions: meant.companions,
            pairs: meant.options,
            listed: meant.listed,
            permissive: meant.permissive,
            added: Vec::new(),
            level: None,
        }))
    }

    fn at_path(
        text: &str,
        form: &'static str,
        rest: &str,
        format: Option<&'static dyn Format>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Self> {
        let literal = format.is_some() && !rest.contains('=');
        let (path, mut pairs) = if literal {
            (rest, Vec::new())
        } else {
            path_and_pairs(rest)?
        };
        if path.is_empty() {
            return Err(Error::usage(format!("'{text}' does not name a file")));
        }
        let format = match format {
            Some(format) => format,
            None => {
                let is_folder = path.ends_with('/') || env.is_folder(&path.into());
                by_extension(path, is_folder, registry)?
            }
        };
        let locator = if path == "-" {
            Locator::Standard
        } else if let Some(command) = path.strip_prefix('|') {
            Locator::Command(command.to_owned())
        } else if path.ends_with('/') || env.is_folder(&path.into()) || is_folder(format, path) {
            Locator::folder(match path.trim_end_matches('/') {
                "" => path,
                plain => plain,
            })
        } else {
            Locator::file(path)
        };
        if let Locator::File(file) = &locator {
            let plain = file.plain();
            let variant = plain.extension().and_then(|e| format.info().variant(e));
            if let Some((key, value)) = variant.map(|variant| variant.option) {
                pairs.insert(0, (key.to_owned(), value.to_owned()));
            }
        }
        Ok(Self {
            text: Location::from(text).told(),
            typed: text.to_owned(),
            form,
            format,
            locator,
            companions: Vec::new(),
            pairs,
            listed: false,
            permissive: false,
            added: Vec::new(),
            level: None,
        })
    }

    /// Takes the level out of the options, where there is a file to compress.
    fn take_level(&mut self) -> Result<()> {
        let Some(level) = self.option(LEVEL) else {
            return Ok(());
        };
        let wrong = |message| Error::usage(format!("option {LEVEL}: {message}"));
        let number = level.parse();
        let number = number.map_err(|_| wrong(format!("'{level}' is not a valid value")))?;
        let mut codecs = self.locations().into_iter().filter_map(|at| at.codec());
        if self.is_folder() || codecs.next().is_none() {
            let error = wrong("nothing is compressed".to_owned());
            return Err(error.hint("end the file's name with .gz, .bz2 or .zst"));
        }
        self.pairs.retain(|(key, _)| key != LEVEL);
        self.level = Some(number);
        Ok(())
    }

    /// The value of an option, if it is given.
    fn option(&self, key: &str) -> Option<&str> {
        let last = self.pairs.iter().rfind(|(k, _)| k == key);
        last.map(|(_, value)| value.as_str())
    }

    /// Whether the data have a say in what sort of file it becomes.
    pub(crate) fn follows_data(&self) -> bool {
        let free = |key: &str| self.pairs.iter().all(|(own, _)| own != key);
        let mut suited = self.format.info().suited.iter();
        suited.any(|suited| free(suited.option.0))
    }

    /// The same, made what data such as `utt` ask for where the user does not.
    pub(crate) fn suited_to(&self, utt: &Utterance) -> Self {
        let mut target = self.clone();
        let free = |key: &str| self.pairs.iter().all(|(own, _)| own != key);
        let mut suited = self.format.info().suited.iter();
        if let Some(suited) = suited.find(|suited| free(suited.option.0) && (suited.is)(utt)) {
            let (key, value) = suited.option;
            for pairs in [&mut target.pairs, &mut target.added] {
                pairs.push((key.to_owned(), value.to_owned()));
            }
        }
        target
    }

    fn medium(&self) -> Medium {
        match &self.locator {
            Locator::Folder(_) => Medium::Folder,
            Locator::File(_) | Locator::Nowhere => Medium::File,
            _ => Medium::Stream,
        }
    }

    /// The argument as typed, but for the secrets of URLs.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The format to write.
    pub fn format(&self) -> &'static dyn Format {
        self.format
    }

    /// Whether Kaldi's option `p` asks to pass over entries that have no place.
    pub fn is_permissive(&self) -> bool {
        self.permissive
    }

    /// Whether objects are to be written as they were stored, where the format is the same.
    pub fn keeps_stored(&self) -> bool {
        self.option("compress") == Some("keep")
    }

    /// Whether names of utterances are to be left out, and with them where they begin.
    pub fn leaves_out_keys(&self) -> bool {
        self.format.info().index == IndexKind::SideFile
            && self.option(side::OPTION.name) == Some("none")
    }

    /// The losses that it may have: those of `policy`, and what its own options give up by name.
    /// Without names nothing says where utterances begin.
    pub(crate) fn policy(&self, policy: &LossPolicy) -> LossPolicy {
        let mut policy = policy.clone();
        if self.leaves_out_keys() {
            policy.allow(LossKind::Keys);
            policy.allow(LossKind::Boundaries);
        }
        // One who asks for the times of recordings asks for their names.
        if self.option("times") == Some("recording") {
            policy.allow(LossKind::Keys);
        }
        policy
    }

    /// The files and folders that are written, as far as the argument names them.
    pub fn locations(&self) -> Vec<Location> {
        let beside = self.companions.iter().map(|(_, at)| at);
        let main = (!self.listed).then_some(&self.locator);
        let all = main.into_iter().chain(beside);
        all.filter_map(Locator::location).cloned().collect()
    }

    /// Whether something of it goes to standard output.
    pub fn takes_stdout(&self) -> bool {
        let beside = self.companions.iter().map(|(_, at)| at);
        let mut all = std::iter::once(&self.locator).chain(beside);
        all.any(|at| *at == Locator::Standard)
    }

    /// Its options.
    ///
    /// # Errors
    /// One is unknown.
    pub fn options(&self) -> Result<Options> {
        Options::new(self.format.info(), self.pairs.iter().cloned())
    }

    /// Its options, and one more.
    ///
    /// # Errors
    /// One is unknown.
    pub(crate) fn options_and(&self, (key, value): (&str, &str)) -> Result<Options> {
        let more = (key.to_owned(), value.to_owned());
        Options::new(self.format.info(), self.pairs.iter().cloned().chain([more]))
    }

    /// What it can hold.
    ///
    /// # Errors
    /// An option is unknown or its value wrong.
    pub fn caps(&self) -> Result<Caps> {
        self.format.caps(&self.options()?, self.medium())
    }

    /// An error about an utterance that it should hold, with its own name and its format's, and with the
    /// sort of file that holds what this one can't, if there is one.
    pub(crate) fn about(&self, error: Error) -> Error {
        if error.kind() != ErrorKind::Unfit {
            return error;
        }
        let info = self.format.info();
        let error = error.file(self.text()).naming(info.name);
        let Some(Remedy::ListFormats(what)) = error.remedy() else {
            return error;
        };
        let holds = |variant: &&Variant| {
            let options = self.options_and(variant.option);
            let caps = options.and_then(|options| self.format.caps(&options, self.medium()));
            caps.is_ok_and(|caps| capabilities::holds(&caps, what))
        };
        match info.variants.iter().find(holds) {
            Some(variant) => error.suggest_instead(Remedy::WriteVariant(*variant)),
            None => error,
        }
    }

    /// Whether it is a folder of files.
    pub fn is_folder(&self) -> bool {
        self.medium() == Medium::Folder
    }

    /// The place to write to, which is kept for this.
    ///
    /// # Errors
    /// It is written to by something else, is an input, or may not be replaced.
    pub fn output(&self, overwrite: bool, add: bool, env: &Env) -> Result<Output> {
        let mut env = env.clone();
        env.level = self.level;
        let output = env.output(&self.locator).overwrite(overwrite).adding(add);
        let beside = self.companions.iter();
        let output = beside.fold(output, |output, (name, at)| {
            output.with_named(name, at.clone())
        });
        if !self.listed {
            output.reserve()?;
        }
        if let Some(at) = self.beside()? {
            output.claim(&at.into())?;
        }
        Ok(output)
    }

    /// The file that the format writes beside the data, by its own rules or where an option says.
    pub(crate) fn beside(&self) -> Result<Option<Location>> {
        let Locator::File(file) = &self.locator else {
            return Ok(None);
        };
        let (info, plain) = (self.format.info(), file.plain());
        let is_script = |extension| plain.extension() == Some(extension);
        Ok(match (info.index, self.option(side::OPTION.name)) {
            (IndexKind::SideFile, Some("none")) => None,
            (IndexKind::SideFile, Some(path)) => Some(path.into()),
            (IndexKind::SideFile, None) if self.caps()?.keys == Keys::SideFile => {
                Some(file.with_suffix(side::SUFFIX))
            }
            (IndexKind::Script(extension), _) if !self.listed && is_script(extension) => {
                let archive = info.extensions.first().copied().unwrap_or_default();
                Some(plain.with_extension(archive))
            }
            _ => None,
        })
    }

    /// How the argument is understood, in words for people.
    ///
    /// # Errors
    /// An option is unknown or its value wrong.
    pub fn explain(&self) -> Result<String> {
        let caps = self.caps()?;
        let place = match &self.locator {
            Locator::Folder(folder) if self.format.folder().is_some() => format!("folder {folder}"),
            Locator::Folder(folder) => format!("folder {folder}, one file an utterance"),
            Locator::Standard => "standard output".to_owned(),
            Locator::Command(line) => format!("command {line}"),
            Locator::File(file) => format!("file {}", file.told()),
            other => format!("file {other}"),
        };
        let info = self.format.info();
        let mut text = format!(
            "{}: {}; format {}; writes {place}",
            self.text, self.form, info.name
        );
        for (name, at) in &self.companions {
            let name = match info.index {
                IndexKind::Script(extension) if extension == *name => "index",
                _ => name,
            };
            text.push_str(&format!(" and its {name} {at}"));
        }
        if caps.keys == Keys::SideFile {
            text.push_str(&format!(", names to {}{}", self.locator, side::SUFFIX));
        }
        for (key, value) in &self.pairs {
            text.push_str(&format!("; {key}={value}"));
        }
        if let Some(level) = self.level {
            text.push_str(&format!("; {LEVEL}={level}"));
        }
        if self.is_numbered() {
            text.push_str("; one for each partition");
        }
        Ok(text)
    }
}

/// Whether data sets of a format are never files.
pub(super) fn is_only_folder(format: &dyn Format) -> bool {
    let info = format.info();
    format.folder().is_some() && info.extensions.is_empty() && info.also.is_empty()
}

/// Whether a name is that of a folder, for a format whose data sets are folders and files: if it does
/// not have the extension of such a file.
fn is_folder(format: &dyn Format, path: &str) -> bool {
    let file = Location::from(path).plain();
    let is_file = file
        .extension()
        .is_some_and(|extension| format.info().goes_by(extension));
    format.folder().is_some() && !is_file
}
