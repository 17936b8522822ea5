//! Folders as the Hub lays them out, and as `datasets` saves them.

use std::collections::BTreeMap;
use std::ops::Range;

use spr_core::bytes::{Env, Location};
use spr_core::format::{OpenedDataset, Options, Reader, Request, Subset, WholeFolder};
use spr_core::stage::Chain;
use spr_core::{Error, Result, nearest};
use spr_syntax::shards;

use crate::card;
use crate::guard::check_machine;
use crate::options::SPLIT;
use crate::reader::{self, Place, TableReader};
use crate::split;

/// The format of folders.
pub(crate) struct Folder;

/// The folder with the files of all splits.
const DATA: &str = "data";
/// The card.
pub(crate) const CARD: &str = "README.md";
/// The file by which a folder that `datasets` saved is known, with the names of its files.
const STATE: &str = "state.json";
/// That of a folder with such folders, one for each split.
const SPLITS: &str = "dataset_dict.json";

/// Returns `true` for files of rows.
fn is_table(name: &str) -> bool {
    let hidden = name.starts_with(['.', '_']) || name.starts_with("cache-");
    let extension = Location::from(name).extension().map(str::to_owned);
    !hidden && matches!(extension.as_deref(), Some("parquet" | "arrow"))
}

fn name_of(at: &Location) -> String {
    let name = at.name().and_then(|name| name.to_str());
    name.unwrap_or_default().to_owned()
}

/// The files of a folder by split, in order.
type Splits = Vec<(String, Vec<Location>)>;

/// Returns the files of a folder by split.
///
/// # Errors
/// A folder can't be listed, or a split has files in two folders.
fn find(folder: &Location, env: &Env) -> Result<Splits> {
    let mut found: BTreeMap<String, Vec<Location>> = BTreeMap::new();
    let entries = env.entries(folder)?;
    let names: Vec<_> = entries.iter().map(name_of).collect();
    let is_saved = names.iter().any(|name| name == SPLITS);
    let mut add = |files: Vec<Location>, usual: Option<&str>| -> Result<()> {
        for (file, split) in with_splits(files, usual) {
            let others = found.entry(split.clone()).or_default();
            let parent = file.parent();
            if let Some(other) = others.iter().find(|other| other.parent() != parent) {
                let message =
                    format!("has files of the split {split} in two folders, {other} and {file}");
                let error = Error::usage(message).file(folder.to_string());
                return Err(error.hint("name the folder of one of them"));
            }
            others.push(file);
        }
        Ok(())
    };
    add(tables(&entries), None)?;
    for (at, name) in entries.iter().zip(&names) {
        let word = match is_saved {
            true => Some(name.as_str()),
            false => split::of_word(name),
        };
        let is_data = name == DATA && !is_saved;
        let has_dot = name.contains('.') && !is_saved;
        if (is_data || word.is_some() && !has_dot) && env.is_folder(at) {
            add(tables(&env.entries(at)?), word)?;
        }
    }
    let mut splits: Vec<_> = found.into_iter().collect();
    splits.sort_by_key(|(split, _)| split::rank(split));
    for (_, files) in &mut splits {
        files.sort_by(|a, b| shards::compare(&name_of(a), &name_of(b)));
    }
    Ok(splits)
}

/// Returns the files of rows among the entries of a folder.
fn tables(entries: &[Location]) -> Vec<Location> {
    let tables = entries.iter().filter(|at| is_table(&name_of(at)));
    tables.cloned().collect()
}

/// Returns files with the split of each, which their folder may tell.
fn with_splits(files: Vec<Location>, folder: Option<&str>) -> Vec<(Location, String)> {
    let of = |file: &Location| {
        let own = || split::of_file(file);
        let word = || split::of_word(&name_of(file)).map(str::to_owned);
        let told = folder.map(str::to_owned).or_else(own).or_else(word);
        told.unwrap_or_else(|| split::USUAL.to_owned())
    };
    let splits = files.iter().map(of).collect::<Vec<_>>();
    files.into_iter().zip(splits).collect()
}

/// Returns `true` if a folder has files of rows where they are looked for.
pub(crate) fn is_one(folder: &Location, env: &Env) -> bool {
    find(folder, env).map_or(true, |splits| !splits.is_empty())
}

impl WholeFolder for Folder {
    fn fits(&self, names: &[&str]) -> bool {
        let is_saved = names.contains(&SPLITS) || names.contains(&STATE);
        let is_place =
            |name: &&str| *name == DATA || split::of_word(name).is_some() && !name.contains('.');
        is_saved || names.iter().any(|name| is_table(name) || is_place(name))
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let here = |e: Error| e.file(folder.to_string());
        check_machine(&folder.to_string())?;
        let mut splits = find(folder, env)?;
        if splits.is_empty() {
            let message = "holds no .parquet files, nor does a folder data or train in it";
            return Err(here(Error::usage(message)));
        }
        if let Some(wanted) = options.get(SPLIT.name) {
            let names: Vec<_> = splits.iter().map(|(split, _)| split.clone()).collect();
            splits.retain(|(split, _)| split == wanted);
            if splits.is_empty() {
                let message = format!("has no split '{wanted}'");
                let all = format!("the splits are {}", names.join(", "));
                return Err(here(Error::usage(message).hint(
                    match nearest(wanted, &names) {
                        Some(near) => format!("did you mean '{near}'? {all}"),
                        None => all,
                    },
                )));
            }
        }
        let missing = splits.iter().filter_map(|(split, files)| {
            let names: Vec<_> = files.iter().map(name_of).collect();
            let error = shards::check_missing(names.iter().map(|name| &**name), folder, env)?;
            Some(error.context(format!("split {split}")))
        });
        let missing = missing.collect();
        open(folder, (splits, missing), options, request, env)
    }
}

/// A file with its split, if there are several.
type SplitFile = (Option<String>, Location);

/// Returns the rows of each file that a run has, if their numbers are known without reading them.
fn runs(run: Subset, files: &[SplitFile], options: &Options, env: &Env) -> Option<Vec<Range<u64>>> {
    let Subset::Run { first, end } = run else {
        return None;
    };
    let mut at = 0;
    let within = |(_, file): &SplitFile| {
        let all = at..at + reader::rows(file, options, env)?;
        at = all.end;
        let inside = |n: u64| n.clamp(all.start, all.end) - all.start;
        Some(inside(first)..inside(end))
    };
    files.iter().map(within).collect()
}

/// Opens the files of splits in order.
fn open(
    folder: &Location,
    (splits, missing): (Splits, Vec<Error>),
    options: &Options,
    request: &mut Request,
    env: &Env,
) -> Result<OpenedDataset> {
    let only = match splits.as_slice() {
        [(split, _)] => Some(split.clone()),
        _ => None,
    };
    let column = |split: &String| only.is_none().then(|| split.clone());
    let files: Vec<_> = splits
        .iter()
        .flat_map(|(split, files)| files.iter().map(move |file| (column(split), file.clone())))
        .collect();
    let run = request.take_run();
    let runs = run.and_then(|run| runs(run, &files, options, env));
    let mut each = request.clone().split_share().0;
    if let (Some(run), None) = (run, &runs) {
        // It comes before the selection of keys.
        drop(each.take_keys());
        *request = request.clone().share(run);
    }
    let files: Vec<_> = match runs {
        Some(runs) => files.into_iter().zip(runs.into_iter().map(Some)).collect(),
        None => files.into_iter().map(|file| (file, None)).collect(),
    };
    let is_empty = |run: &Option<Range<u64>>| run.as_ref().is_some_and(Range::is_empty);
    let first = files
        .iter()
        .position(|(_, run)| !is_empty(run))
        .unwrap_or(0);
    let files = files.into_iter().enumerate();
    let files = files.filter(|(n, (_, run))| *n == first || !is_empty(run));
    let files: Vec<_> = files.map(|(_, file)| file).collect();
    let names = files
        .iter()
        .map(|((_, file), _)| file.to_string())
        .collect();
    let card = card::read(&folder.join(CARD), env)?;
    let (distinct, limits) = (request.distinct, env.limits);
    let (options, env, place) = (options.clone(), env.clone(), Place::default());
    let mut is_told = false;
    let open =
        move |((column, file), run): (SplitFile, Option<Range<u64>>)| -> Result<Box<dyn Reader>> {
            let place = Place {
                column,
                run,
                is_told,
                ..place.clone()
            };
            is_told = true;
            let source = env.open_file(&file)?;
            let mut reader = TableReader::new(source, &options, &mut each.clone(), place, &env)?;
            reader.say(|about| {
                card.add_to(about);
                about.split.clone_from(&only);
            });
            Ok(Box::new(reader))
        };
    let openers = files
        .into_iter()
        .map(open)
        .chain(missing.into_iter().map(Err));
    let chain = Chain::new(openers)?.named(names);
    Ok(OpenedDataset::stream(match distinct {
        true => chain.distinct(limits),
        false => chain,
    }))
}
