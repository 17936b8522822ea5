//! Folders of alignments by several jobs: `exp/tri/ali.1.gz`, `ali.2.gz`, …

use spr_core::bytes::{Codec, Env, Location};
use spr_core::format::{Format, OpenedDataset, Options, Reader, Request, WholeFolder};
use spr_core::stage::Chain;
use spr_core::{Error, ErrorKind, Result};

/// The name of the archives, before the number of the job.
const STEM: &str = "ali.";
/// The file with the number of jobs.
const JOBS: &str = "num_jobs";

/// Folders of alignments as data sets of a format.
pub(crate) struct JobFolder(pub(crate) &'static dyn Format);

/// Returns the number of the job whose alignments a file of this name holds.
fn job(name: &str) -> Option<u64> {
    let rest = name.strip_prefix(STEM)?;
    let number = match rest.split_once('.') {
        None => rest,
        Some((number, packing)) => {
            let mut codecs = Codec::FILES.iter();
            codecs
                .any(|codec| codec.extension() == packing)
                .then_some(number)?
        }
    };
    let plain = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    number.parse().ok().filter(|_| plain)
}

impl WholeFolder for JobFolder {
    fn fits(&self, names: &[&str]) -> bool {
        names.iter().any(|name| job(name).is_some())
    }

    /// Reads the archives in the order of their jobs. A job that `num_jobs` counts and that has no
    /// archive is an error in its place.
    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let mut jobs = Vec::new();
        for file in env.entries(folder)? {
            if let Some(job) = file.name().and_then(|name| job(name.to_str()?)) {
                jobs.push((job, file));
            }
        }
        jobs.sort();
        let mut pairs = jobs.iter().zip(jobs.iter().skip(1));
        if let Some((_, (job, file))) = pairs.find(|(one, other)| one.0 == other.0) {
            let message = format!("there is another file with the alignments of job {job}");
            return Err(Error::unfit(message).file(file.to_string()));
        }
        let Some((last, _)) = jobs.last() else {
            let message =
                format!("holds no alignments, which are called {STEM}1.gz, {STEM}2.gz, …");
            return Err(Error::new(ErrorKind::Unrecognised, message).file(folder.to_string()));
        };
        let count = counted(folder, env)?.unwrap_or(*last);
        let missing = missing(&jobs, count);
        let names = jobs.iter().map(|(_, file)| file.to_string()).collect();
        let (distinct, limits) = (request.distinct, env.limits);
        let (format, options) = (self.0, options.clone());
        let (each, env) = (of_each(request), env.clone());
        let open = move |(_, file): (u64, Location)| -> Result<Box<dyn Reader>> {
            let opened = env.open_file(&file).and_then(|source| {
                let opened = each.clone().open(format, source, &options, &env);
                opened?.into_stream()
            });
            opened.map_err(|e| e.file(file.to_string()))
        };
        let lacking = (!missing.is_empty()).then(|| Err(lacks(folder, &missing, count)));
        let chain = Chain::new(jobs.into_iter().map(open).chain(lacking))?.named(names);
        Ok(match distinct {
            true => OpenedDataset::stream(chain.distinct(limits)),
            false => OpenedDataset::stream(chain),
        })
    }
}

/// Returns the request for each archive, without what applies to all of them together.
fn of_each(request: &mut Request) -> Request {
    let keys = request.take_keys();
    let (mut each, _) = request.clone().split_share();
    // Those that are left are chosen after the share.
    each.take_keys();
    each.lookup = false;
    match keys {
        Some(wanted) => each.keys(move |key| wanted(key)),
        None => each,
    }
}

/// Returns the number of jobs in `num_jobs`, if there is such a file.
fn counted(folder: &Location, env: &Env) -> Result<Option<u64>> {
    let file = folder.join(JOBS);
    if !env.exists(&file) {
        return Ok(None);
    }
    let text = env
        .open_file(&file)?
        .rest("the number of jobs", &env.limits)?;
    let number = std::str::from_utf8(&text)
        .ok()
        .and_then(|t| t.trim().parse().ok());
    let wrong = || Error::malformed("expected the number of jobs").file(file.to_string());
    number.map(Some).ok_or_else(wrong)
}

/// Returns the ranges of jobs up to `count` that have no archive.
fn missing(jobs: &[(u64, Location)], count: u64) -> Vec<(u64, u64)> {
    let mut ranges = Vec::new();
    let mut next = 1;
    let end = count.saturating_add(1);
    for job in jobs.iter().map(|(job, _)| *job).chain([end]) {
        if next < job.min(end) {
            ranges.push((next, job.min(end) - 1));
        }
        next = job.saturating_add(1);
    }
    ranges
}

/// Returns the error about jobs without archives.
fn lacks(folder: &Location, missing: &[(u64, u64)], count: u64) -> Error {
    let told = missing.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    });
    let told = told.collect::<Vec<_>>().join(", ");
    let message = format!("lacks the alignments of job {told} of {count}");
    let error = Error::malformed(message).file(folder.to_string());
    error.hint(format!(
        "name those that are there: '{}'",
        folder.join("ali.*.gz")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_numbers_before_a_packing() {
        assert_eq!(job("ali.1.gz"), Some(1));
        assert_eq!(job("ali.12"), Some(12));
        for name in [
            "ali.gz",
            "ali.1.txt",
            "ali.x.gz",
            "ali..gz",
            "ali.-1.gz",
            "lat.1.gz",
            "ali.1.gz.gz",
        ] {
            assert_eq!(job(name), None, "{name}");
        }
    }

    #[test]
    fn gaps_are_ranges() {
        let jobs = |all: &[u64]| all.iter().map(|n| (*n, "x".into())).collect::<Vec<_>>();
        assert_eq!(missing(&jobs(&[1, 2, 3]), 3), []);
        assert_eq!(missing(&jobs(&[2, 5]), 7), [(1, 1), (3, 4), (6, 7)]);
        assert_eq!(missing(&jobs(&[1, 9]), 2), [(2, 2)]);
    }
}
