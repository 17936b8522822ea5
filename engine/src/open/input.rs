//! One input: opened as it is stored, with the work on it, and to be looked up in.

use spr_core::bytes::{Env, FileKind, Locator};
use spr_core::format::{Format, IndexKind, OpenedDataset, Reader, Registry, Request, Subset};
use spr_core::model::KeySource;
use spr_core::stage::{FrameShift, SkipErrors};
use spr_core::tables::side;
use spr_core::{Error, Result};

use super::place::AtPlace;
use super::{OpenedInput, read_twice, work};
use crate::plan::{Input, Work, of_input};
use crate::step::{Extent, ListCache, Step, stream_ignored};

impl Input {
    /// Opens the requested part of the data set with all stages; detects the format by content
    /// unless it is given.
    ///
    /// # Errors
    /// It cannot be opened, no format or several match, or an option is unknown.
    pub fn open(&self, request: Request, registry: &Registry, env: &Env) -> Result<OpenedInput> {
        let (work, files) = (of_input(self, false), ListCache::default());
        self.open_with(&work, request, &files, (registry, env))
    }

    /// Opens it with this work.
    pub(crate) fn open_with(
        &self,
        work: &[Work],
        request: Request,
        files: &ListCache,
        (registry, env): (&Registry, &Env),
    ) -> Result<OpenedInput> {
        let changed = work.iter().any(|work| !work.passes_requests());
        let of_stored = match changed {
            true => request.before_stages(),
            false => request.clone(),
        };
        let mut opened = self.open_stored(of_stored.clone(), registry, env)?;
        let partitioning = opened.format.info().pdnn;
        let ignored = self
            .stream
            .and_then(|asked| stream_ignored(asked, partitioning));
        if let Some(ignored) = ignored {
            env.warn(&ignored.file(self.text()));
        }
        let again = |extent| {
            self.check_lasting(env)?;
            let request = of_stored.clone();
            let request = match extent {
                Extent::Share => request,
                Extent::All => request.split_share().0,
            };
            self.stored(request, registry, env)
        };
        let at = (registry, env);
        opened.reader = work::over(opened.reader, work, (0, partitioning), &again, files, at)?;
        if changed {
            opened.reader = request.rest(opened.reader, env)?;
        }
        opened.reader = self.skipping(opened.reader, env);
        Ok(opened)
    }

    /// Without the utterances that are skipped, if any are.
    fn skipping(&self, reader: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
        match self.skips {
            true => skipping(reader, env),
            false => reader,
        }
    }

    /// Returns `true` if an error affects an utterance that is skipped, and reports it.
    pub fn skips(&self, error: &Error, env: &Env) -> bool {
        let skips = self.skips && error.can_continue();
        if skips {
            env.tell_skipped(error);
        }
        skips
    }

    /// Returns `true` if faulty utterances are skipped.
    fn is_lenient(&self, request: &Request) -> bool {
        request.lenient || self.permissive || self.skips
    }

    /// Opens the stored data set.
    fn open_stored(
        &self,
        mut request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedInput> {
        if let Some([first, end]) = self.entries {
            let share = request.share(Subset::Run { first, end });
            request = share.starting_at(self.start);
        }
        request = request.within(self.within);
        if let Locator::Folder(folder) = &self.place {
            return self.open_folder(folder, request, registry, env);
        }
        let env = &self.naming(env);
        let mut source = env.open(&self.place)?;
        let (format, why) = self.format_of(&mut source, request.damaged, registry, env)?;
        let lenient = self.is_lenient(&request);
        let request = request.lenient(lenient);
        let (options, names_only) = (self.format_options(format)?, !request.parts.features);
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
        let reader = match &self.place {
            Locator::FileAt(file, _) => Box::new(AtPlace::new(reader, file)),
            _ => reader,
        };
        Ok(OpenedInput {
            reader,
            format,
            why,
        })
    }

    /// Opens the stored entries without any stages.
    pub(crate) fn stored(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        Ok(self.open_stored(request, registry, env)?.reader)
    }

    /// Opens the data set for lookup of utterances by key.
    ///
    /// # Errors
    /// As for [`open`](Self::open). Entries that a table cannot read are always errors.
    pub fn open_lookup(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let opened = self.open_lookup_as(request, registry, env);
        opened.map(|(opened, _)| opened)
    }

    /// Does the same, and returns the format, too.
    ///
    /// # Errors
    /// As above.
    pub fn open_lookup_as(
        &self,
        request: Request,
        registry: &Registry,
        env: &Env,
    ) -> Result<(OpenedDataset, &'static dyn Format)> {
        let lenient = self.is_lenient(&request);
        let request = request.lookup().lenient(lenient);
        let (work, files) = (of_input(self, false), ListCache::default());
        let changed = work.iter().any(|work| !work.passes_requests());
        if changed || self.folder().is_some() {
            let opened = self.open_with(&work, request, &files, (registry, env))?;
            return Ok((OpenedDataset::Stream(opened.reader), opened.format));
        }
        let env = &self.naming(env);
        let mut source = env.open(&self.place)?;
        let (format, _) = self.format_of(&mut source, false, registry, env)?;
        let partitioning = format.info().pdnn;
        let opened = request.open(format, source, &self.format_options(format)?, env)?;
        let opened = match opened {
            OpenedDataset::Table(table) => match self.frame_shift() {
                Some(shift) => OpenedDataset::Table(Box::new(FrameShift::keyed(table, shift))),
                None => OpenedDataset::Table(table),
            },
            OpenedDataset::Stream(reader) => {
                let again = |_| Err(Error::unsupported("what is looked up is read once"));
                let at = (registry, env);
                let reader = work::over(reader, &work, (0, partitioning), &again, &files, at)?;
                OpenedDataset::Stream(self.skipping(reader, env))
            }
        };
        Ok((opened, format))
    }

    /// Returns `true` for standard input and other pipes, which can be read only once.
    pub fn is_read_once(&self, env: &Env) -> bool {
        self.check_lasting(env).is_err()
    }

    /// Checks that it can be read a second time.
    ///
    /// # Errors
    /// It is a pipe.
    pub(super) fn check_lasting(&self, env: &Env) -> Result<()> {
        let file = match &self.place {
            Locator::Standard => return Err(read_twice()),
            Locator::File(file) | Locator::FileAt(file, _) => file,
            _ => return Ok(()),
        };
        match env.look(file)? {
            Some(look) if look.kind == FileKind::Stream => {
                let error = Error::usage("is a pipe, and has to be read twice");
                Err(error.file(self.text()).hint("write it to a file first"))
            }
            _ => Ok(()),
        }
    }

    /// The frame shift that its options set.
    fn frame_shift(&self) -> Option<spr_core::model::Decimal> {
        self.steps.iter().find_map(Step::frame_shift)
    }

    /// Returns an environment in which files of a pattern have unique keys.
    fn naming(&self, env: &Env) -> Env {
        let below = self.below.clone();
        below.map_or_else(|| env.clone(), |folder| env.below(folder))
    }
}

/// Without the utterances that are skipped, which are told.
pub(super) fn skipping(reader: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
    let env = env.clone();
    let tell = move |error: &Error| env.tell_skipped(error);
    Box::new(SkipErrors::new(reader, std::sync::Arc::new(tell)))
}
