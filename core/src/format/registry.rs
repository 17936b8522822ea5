//! The formats a program knows.

use super::decide::{Basis, Look, TextLook};
use super::foreign::{self, foreign};
use super::{Caps, Format, Medium, OpenedDataset, Options, Probe, Request, Score};
use crate::bytes::{Claim, Env, Finder, Location, Nested, NestedFormats, Source};
use crate::error::{Error, ErrorKind, Remedy, Result};
use crate::text::{nearest, unmarked};

/// A list of formats, found by name or by content.
///
/// ```
/// use spr_core::format::{Format, Registry};
///
/// /// The format of a file that a user named, by its extension.
/// fn by_name(registry: &Registry, extension: &str) -> Option<&'static dyn Format> {
///     registry.by_extension(extension).first().copied()
/// }
/// assert!(by_name(&Registry::default(), "ark").is_none());
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    formats: Vec<&'static dyn Format>,
}

impl Registry {
    /// Creates a registry of `formats`.
    pub fn new(formats: impl IntoIterator<Item = &'static dyn Format>) -> Self {
        Self {
            formats: formats.into_iter().collect(),
        }
    }

    /// The same with one more format, in the place of that of its name if there is one.
    #[must_use]
    pub fn with_format(mut self, format: &'static dyn Format) -> Self {
        let name = format.info().name;
        match self.formats.iter_mut().find(|f| f.info().name == name) {
            Some(own) => *own = format,
            None => self.formats.push(format),
        }
        self
    }

    /// Returns all formats, in the order of their registration.
    pub fn formats(&self) -> impl Iterator<Item = &'static dyn Format> + '_ {
        self.formats.iter().copied()
    }

    /// Finds the format called `name`.
    pub fn find(&self, name: &str) -> Option<&'static dyn Format> {
        self.formats().find(|f| f.info().name == name)
    }

    /// Returns the format called `name`.
    ///
    /// # Errors
    /// There is none; the error lists the existing ones.
    pub fn get(&self, name: &str) -> Result<&'static dyn Format> {
        self.find(name).ok_or_else(|| {
            let error = Error::usage(format!("unknown format '{name}'"));
            let extension = name.trim_start_matches('.');
            let goes = |format: &&'static dyn Format| format.info().goes_by(extension);
            let usual = self.by_extension(extension).into_iter();
            match usual.chain(self.formats().filter(goes)).next() {
                Some(format) => {
                    let name = format.info().name;
                    error.hint(format!("files that end in .{extension} are of '{name}'"))
                }
                None => error.hint(nearest::hint(name, &self.names(), "known")),
            }
        })
    }

    /// Returns the names of all formats.
    pub fn names(&self) -> Vec<&'static str> {
        self.formats().map(|f| f.info().name).collect()
    }

    /// Returns `true` if a format or variant uses this extension.
    pub fn knows_extension(&self, extension: &str) -> bool {
        self.formats().any(|format| {
            let info = format.info();
            info.extensions.contains(&extension) || info.variant(extension).is_some()
        })
    }

    /// Returns the formats that use a file extension.
    pub fn by_extension(&self, extension: &str) -> Vec<&'static dyn Format> {
        self.formats()
            .filter(|f| f.info().extensions.contains(&extension))
            .collect()
    }

    /// Scores `source` for each format, best first, without those that do not match.
    ///
    /// # Errors
    /// Reading fails.
    pub fn rank(&self, source: &mut Source) -> Result<Vec<(Score, &'static dyn Format)>> {
        Ok(self.look(source)?.ranked)
    }

    /// Scores the start of `source`.
    fn look(&self, source: &mut Source) -> Result<Look> {
        let file = source.location().map(Location::plain);
        let len = source.len();
        let path = file.as_ref().and_then(Location::local_path);
        let extension = file.as_ref().and_then(Location::extension);
        // Further bytes are not needed after magic bytes.
        let certain = |head: &[u8]| {
            let probe = Probe {
                head: unmarked(head),
                whole: false,
                len,
                path,
            };
            self.formats().any(|f| f.probe(&probe) == Score::Certain)
        };
        let (head, whole) = source.ahead(Probe::HEAD + 1, certain)?;
        let probe = Probe {
            head: unmarked(&head[..head.len().min(Probe::HEAD)]),
            whole,
            len,
            path,
        };
        let mut ranked: Vec<_> = self.formats().map(|f| (f.probe(&probe), f)).collect();
        ranked.retain(|(score, _)| *score > Score::No);
        ranked.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        Ok(Look {
            ranked,
            text: (probe.is_text()).then(|| TextLook::of(probe.head, extension)),
        })
    }

    /// Returns the format that matches `source` best.
    ///
    /// # Errors
    /// None matches, or the content and the name leave several.
    pub fn detect(&self, source: &mut Source) -> Result<&'static dyn Format> {
        Ok(self.recognise(source)?.0)
    }

    /// Returns the format that matches `source` best, and the reason.
    ///
    /// # Errors
    /// As for [`detect`](Self::detect).
    pub fn recognise(&self, source: &mut Source) -> Result<(&'static dyn Format, Basis)> {
        match self.look(source)?.decide(&self.formats) {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(self.unrecognised(source)),
            Err(doubt) => Err(Error::new(ErrorKind::Ambiguous, doubt.message)
                .file(source.name())
                .suggest(Remedy::ReadAs(doubt.formats))),
        }
    }

    /// Returns the format of a folder that as a whole is one data set, or `None` if there is none.
    ///
    /// # Errors
    /// It matches several, or cannot be listed.
    pub fn detect_folder(
        &self,
        folder: &Location,
        env: &Env,
    ) -> Result<Option<&'static dyn Format>> {
        let entries = env.entries(folder)?;
        let names = entries.iter().filter_map(|at| at.name()?.to_str());
        let names: Vec<_> = names.collect();
        let fits = |format: &&'static dyn Format| {
            let whole = format.whole_folder();
            whole.is_some_and(|whole| whole.fits(&names)) && format.owns_folder(folder, env)
        };
        let fitting: Vec<_> = self.formats().filter(fits).collect();
        match *fitting.as_slice() {
            [] => Ok(None),
            [format] => Ok(Some(format)),
            _ => {
                let names: Vec<_> = fitting.iter().map(|format| format.info().name).collect();
                let message = format!("may be {}", names.join(" or "));
                Err(Error::new(ErrorKind::Ambiguous, message)
                    .file(folder.to_string())
                    .suggest(Remedy::ReadAs(names)))
            }
        }
    }

    fn unrecognised(&self, source: &mut Source) -> Error {
        let head = match source.peek(foreign::HEAD) {
            Ok(head) => head,
            Err(error) => return error,
        };
        let models = self.formats().filter_map(|format| format.label_models());
        let is_model = models.into_iter().any(|models| models.is_model(head));
        let message = match (foreign(head), foreign::opening(head)) {
            _ if head.is_empty() => "the file is empty".to_owned(),
            _ if is_model => "is a model that says what labels stand for, and no data".to_owned(),
            (Some(name), _) => format!("looks like {name}, which this version does not convert"),
            (None, Some((opening, kind))) => {
                format!("no known format, starts with {opening} as {kind} does")
            }
            (None, None) => "no known format".to_owned(),
        };
        let error = Error::new(ErrorKind::Unrecognised, message);
        let error = match foreign::hint(head) {
            Some(hint) => error.hint(hint),
            None => error.suggest(Remedy::ReadAs(self.names())),
        };
        error.file(source.name())
    }
}

impl NestedFormats for Registry {
    fn nested(&self, name: &str) -> Option<&'static dyn Nested> {
        self.find(name)?.nested()
    }

    fn finder(&self, name: &str, source: Source, env: &Env) -> Option<Result<Finder>> {
        let format = self.find(name)?;
        let opened = Request::all()
            .lookup()
            .open(format, source, &Options::default(), env);
        Some(opened.map(|opened| -> Finder {
            match opened {
                OpenedDataset::Table(mut table) => Box::new(move |key, utt| table.find(key, utt)),
                OpenedDataset::Stream(mut reader) => Box::new(move |_, utt| reader.read(utt)),
            }
        }))
    }

    fn sound_by_extension(&self, extension: &str) -> Option<&'static str> {
        let holds_sound = |format: &&'static dyn Format| {
            let caps = format.caps(&Options::default(), Medium::File);
            let holds = |caps: Caps| caps.audio.hold_any() && caps.features.is_none();
            format.nested().is_some() && caps.is_ok_and(holds)
        };
        let mut formats = self.by_extension(extension).into_iter();
        Some(formats.find(holds_sound)?.info().name)
    }

    fn claims(&self, head: &[u8]) -> Vec<(&'static str, Claim)> {
        let nested = self
            .formats()
            .filter_map(|f| Some((f.info().name, f.nested()?)));
        let claims = nested.map(|(name, nested)| (name, nested.claim(head)));
        claims.filter(|(_, claim)| *claim != Claim::No).collect()
    }
}
