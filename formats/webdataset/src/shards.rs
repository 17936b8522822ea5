//! Folders of shards.

use spr_core::bytes::{Env, Location};
use spr_core::format::{OpenedDataset, Options, Reader, Request, WholeFolder};
use spr_core::stage::Chain;
use spr_core::{Error, Result};
use spr_syntax::shards;

use crate::read::ArchiveReader;

/// The format of folders.
pub(crate) struct Shards;

/// Returns `true` if a file is an archive by its name, compressed or not.
fn is_shard(name: &str) -> bool {
    let file = Location::from(name).plain();
    !name.starts_with('.') && file.extension() == Some("tar")
}

/// Returns `true` for files that tell of a data set beside its shards.
fn is_note(name: &str) -> bool {
    let hidden = name.starts_with(['.', '_']);
    let extension = Location::from(name).extension().map(str::to_owned);
    hidden
        || matches!(
            extension.as_deref(),
            None | Some("md" | "txt" | "json" | "yaml" | "yml")
        )
}

/// Returns `true` for files and folders of other formats whose folders have archives as well.
fn is_foreign(name: &str) -> bool {
    let starts = [
        "cuts.",
        "manifest",
        "sharded_manifests",
        "tarred_audio_manifest",
    ];
    starts.iter().any(|start| name.starts_with(start))
}

impl WholeFolder for Shards {
    fn fits(&self, names: &[&str]) -> bool {
        names.iter().any(|name| is_shard(name))
            && !names.iter().any(|name| is_foreign(name))
            && names.iter().all(|name| is_shard(name) || is_note(name))
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let (shards, missing) = list(folder, env)?;
        let names = shards.iter().map(ToString::to_string).collect();
        let distinct = request.distinct;
        let (options, request, env) = (options.clone(), request.clone(), env.clone());
        let limits = env.limits;
        let open = move |shard: Location| -> Result<Box<dyn Reader>> {
            let source = env.open_file(&shard)?;
            Ok(Box::new(ArchiveReader::new(
                source, &options, &request, &env,
            )?))
        };
        let openers = shards.into_iter().map(open).chain(missing.map(Err));
        let chain = Chain::new(openers)?.named(names);
        Ok(OpenedDataset::stream(match distinct {
            true => chain.distinct(limits),
            false => chain,
        }))
    }
}

/// Returns the shards of a folder in the order of their numbers, and the error about those that are
/// missing.
fn list(folder: &Location, env: &Env) -> Result<(Vec<Location>, Option<Error>)> {
    let mut shards: Vec<_> = env
        .entries(folder)?
        .into_iter()
        .filter_map(|at| {
            let name = at.name()?.to_str()?.to_owned();
            is_shard(&name).then_some((name, at))
        })
        .collect();
    shards.sort_by(|(a, _), (b, _)| shards::compare(a, b));
    if shards.is_empty() {
        let message = "holds no .tar files";
        return Err(Error::usage(message).file(folder.to_string()));
    }
    let names = shards.iter().map(|(name, _)| &**name);
    let missing = shards::check_missing(names, folder, env);
    Ok((shards.into_iter().map(|(_, at)| at).collect(), missing))
}
