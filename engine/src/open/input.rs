//! One input: opened as it is stored, with the work on it, and to be looked up in.

use spr_core::bytes::{Env, FileKind, Locator};
use spr_core::format::{Format, IndexKind, OpenedDataset, Reader, Registry, Request, Subset};
use spr_core::model::{Decimal, KeySource};
use spr_core::stage::{FrameShift, SkipErrors};
use spr_core::tables::side;
use spr_core::{Error, Result};

use super::place::AtPlace;
use super::{OpenedInput, read_twice, work};
use crate::plan::{Input, Work};
use crate::step::{Extent, ListCache, stream_ignored};

impl Input {
    /// Opens the requested part of the data set with this work; detects the format by content unless
    /// it is given.
    ///
    /// # Errors
    /// It cannot be opened, no format or several match, or an option is unknown.
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
        Ok(opened)
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
        let on_error = request.on_error.or(self.on_error);
        request = request.within(self.within).on_error(on_error);
        if let Locator::Folder(folder) = &self.place {
            return self.open_folder(folder, request, registry, env);
        }
        let env = &self.naming(env);
        let mut source = env.open(&self.place)?;
        let (format, why) = self.format_of(&mut source, request.damaged, registry, env)?;
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

    /// Opens the data set with this work for lookup of utterances by key, with its format. Faulty
    /// utterances are `skipped`, or errors.
    ///
    /// # Errors
    /// As for [`open_with`](Self::open_with). Entries that a table cannot read are always errors.
    pub(super) fn open_lookup(
        &self,
        work: &[Work],
        request: Request,
        skipped: bool,
        (registry, env): (&Registry, &Env),
    ) -> Result<(OpenedDataset, &'static dyn Format)> {
        let on_error = request.on_error.or(self.on_error);
        let request = request.lookup().on_error(on_error);
        let skips = skipped && self.on_error.skips();
        let stream = |reader| match skips {
            true => OpenedDataset::Stream(skipping(reader, env)),
            false => OpenedDataset::Stream(reader),
        };
        let files = ListCache::default();
        let changed = work.iter().any(|work| !work.passes_requests());
        if changed || self.folder().is_some() {
            let opened = self.open_with(work, request, &files, (registry, env))?;
            return Ok((stream(opened.reader), opened.format));
        }
        let env = &self.naming(env);
        let mut source = env.open(&self.place)?;
        let (format, _) = self.format_of(&mut source, false, registry, env)?;
        let partitioning = format.info().pdnn;
        let opened = request.open(format, source, &self.format_options(format)?, env)?;
        let opened = match opened {
            OpenedDataset::Table(table) => match frame_shift(work) {
                Some(shift) => OpenedDataset::Table(Box::new(FrameShift::keyed(table, shift))),
                None => OpenedDataset::Table(table),
            },
            OpenedDataset::Stream(reader) => {
                let again = |_| Err(Error::unsupported("what is looked up is read once"));
                let at = (registry, env);
                stream(work::over(
                    reader,
                    work,
                    (0, partitioning),
                    &again,
                    &files,
                    at,
                )?)
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

    /// Returns an environment in which files of a pattern have unique keys.
    fn naming(&self, env: &Env) -> Env {
        let below = self.below.clone();
        below.map_or_else(|| env.clone(), |folder| env.below(folder))
    }
}

/// Returns the frame shift that the work on an input sets.
fn frame_shift(work: &[Work]) -> Option<Decimal> {
    let value = |work: &Work| match work {
        Work::Step(step) => step.frame_shift(),
        _ => None,
    };
    work.iter().find_map(value)
}

/// Without the utterances that are skipped, which are told.
pub(super) fn skipping(reader: Box<dyn Reader>, env: &Env) -> Box<dyn Reader> {
    let env = env.clone();
    let tell = move |error: &Error| env.tell_skipped(error);
    Box::new(SkipErrors::new(reader, std::sync::Arc::new(tell)))
}
