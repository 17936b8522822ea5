//! From an input to its utterances.

use std::path::Path;

use spr_core::bytes::{Codec, Env, Source};
use spr_core::format::{Count, Format, Lookup, Place as Kind, Reader, Registry, Score};
use spr_core::stage::{Chain, FolderReader, FrameShift, JoinLabels};
use spr_core::{Error, ErrorKind, KeyMap, Result};

use super::{Input, Place};

/// A data set that is open.
pub struct Opened {
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
        registry: &Registry,
    ) -> Result<(&'static dyn Format, &'static str)> {
        match self.format {
            Some(format) => Ok((format, "as named")),
            None => detect(source, registry).or_else(|error| self.by_name(source, registry, error)),
        }
    }

    /// The format that the extension of damaged data asks for.
    fn by_name(
        &self,
        source: &Source,
        registry: &Registry,
        error: Error,
    ) -> Result<(&'static dyn Format, &'static str)> {
        let path = source.path().map(Codec::strip_extension);
        let extension = path.and_then(|path| path.extension()?.to_str());
        match extension
            .map(|extension| registry.by_extension(extension))
            .as_deref()
        {
            Some([format]) if self.damaged && error.kind() == ErrorKind::Unrecognised => {
                Ok((*format, "by its extension"))
            }
            _ => Err(error),
        }
    }

    /// Opens the data set with everything that is to become of it; finds the format by content if
    /// the argument doesn't say it.
    ///
    /// # Errors
    /// It can't be opened, no format or several fit, or an option is unknown.
    pub fn open(&self, registry: &Registry, env: &Env) -> Result<Opened> {
        let mut opened = self.open_stored(registry, env)?;
        if let Some(shift) = &self.data.frame_shift {
            opened.reader = Box::new(FrameShift::new(opened.reader, shift.clone()));
        }
        if let Some((labels, speakers)) = &self.labels {
            opened.reader = labels.join_to(opened.reader, speakers.as_deref(), registry, env)?;
        }
        let name = opened.format.info().name;
        let partitions = self.partitions.as_ref();
        opened.reader = self.data.apply(opened.reader, name, partitions, env)?;
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
        speakers: Option<&Path>,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let table = self.open_keyed(registry, env)?;
        let mut joined = JoinLabels::new(reader, table, self.text()).limits(env.limits);
        if let Some(path) = speakers {
            joined = joined.mapped(KeyMap::read(env.open_file(path)?, &env.limits)?);
        }
        Ok(Box::new(joined))
    }

    /// As [`open`](Self::open), but damaged data are read past each damaged stretch, an error that
    /// can continue, as far as their format lets the rest be found again.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn salvage(&self, registry: &Registry, env: &Env) -> Result<Opened> {
        let mut input = self.clone();
        input.salvaged();
        input.open(registry, env)
    }

    /// Opens the data set as it is stored.
    fn open_stored(&self, registry: &Registry, env: &Env) -> Result<Opened> {
        match &self.place {
            Place::Folder(folder) => self.open_folder(folder, registry, env),
            Place::At(locator) => {
                let mut source = env.open(locator)?;
                let (format, why) = self.format_of(&mut source, registry)?;
                let options = self.options(format)?;
                let reader = match self.damaged {
                    true => format.salvage(source, &options, env)?,
                    false => format.open(source, &options, env)?,
                };
                Ok(Opened {
                    reader,
                    format,
                    why,
                })
            }
        }
    }

    /// Opens the data set to look up utterances by their keys.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_keyed(&self, registry: &Registry, env: &Env) -> Result<Lookup> {
        match &self.place {
            _ if self.has_stages() => Ok(Lookup::Ordered(self.open(registry, env)?.reader)),
            Place::Folder(_) => Ok(Lookup::Ordered(self.open(registry, env)?.reader)),
            Place::At(locator) => {
                let mut source = env.open(locator)?;
                let (format, _) = self.format_of(&mut source, registry)?;
                let lookup = format.open_keyed(source, &self.options(format)?, env)?;
                let Some(shift) = self.data.frame_shift.clone() else {
                    return Ok(lookup);
                };
                Ok(match lookup {
                    Lookup::Keyed(table) => {
                        Lookup::Keyed(Box::new(FrameShift::keyed(table, shift)))
                    }
                    Lookup::Ordered(reader) => {
                        Lookup::Ordered(Box::new(FrameShift::new(reader, shift)))
                    }
                })
            }
        }
    }

    /// Opens several data sets as one; each after the first when its turn comes.
    ///
    /// # Errors
    /// There is none, or the first can't be opened.
    pub fn open_all(inputs: &[Self], registry: &Registry, env: &Env) -> Result<Opened> {
        let Some((first, rest)) = inputs.split_first() else {
            return Err(Error::usage("no input"));
        };
        let mut opened = first.open(registry, env)?;
        if !rest.is_empty() {
            let (rest, registry, env) = (rest.to_vec(), registry.clone(), env.clone());
            let later = rest
                .into_iter()
                .map(move |i| Ok(i.open(&registry, &env)?.reader));
            opened.reader = Box::new(Chain::new(std::iter::once(Ok(opened.reader)).chain(later))?);
        }
        Ok(opened)
    }

    fn open_folder(&self, folder: &Path, registry: &Registry, env: &Env) -> Result<Opened> {
        let (format, kin, why) = match self.format {
            Some(format) => (format, None, "as named"),
            None => {
                let (format, extension) = FolderReader::detect(folder, registry)?;
                (format, Some(extension), "by what its files are")
            }
        };
        let options = self.options(format)?;
        if format.caps(&options, Kind::Folder)?.count != Count::One {
            return Err(
                Error::usage(format!("is a folder of {} files", format.info().name))
                    .file(folder.display().to_string())
                    .hint("name the files, for instance with a glob"),
            );
        }
        let reader = FolderReader::open(
            folder,
            format,
            kin.as_deref().as_slice(),
            options,
            env.clone(),
        )?;
        Ok(Opened {
            reader: Box::new(reader),
            format,
            why,
        })
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
