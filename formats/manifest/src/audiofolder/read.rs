//! The reader.

use std::collections::VecDeque;

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{KeyPredicate, Reader, Request};
use spr_core::model::{Audio, AudioReference, DatasetInfo, Key, KeySource, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::manifest::columns;
use spr_syntax::manifest::source::Place;

use super::columns::{FILE, LANGUAGE, SPEAKER, TABLES, TEXT};
use super::named::Named;
use super::table::{Table, has_column};

pub(super) struct FolderReader {
    root: Location,
    /// The remaining tables, sorted by name.
    tables: VecDeque<Location>,
    /// The current table and its folder.
    open: Option<(Table, Location)>,
    env: Env,
    wanted: Option<KeyPredicate>,
    /// The sound files that are named, unless a row could not be read.
    named: Option<Named>,
    info: DatasetInfo,
}

impl FolderReader {
    pub(super) fn new(folder: &Location, request: &mut Request, env: &Env) -> Result<Self> {
        let is_table = |at: &Location| {
            let name = at.name().and_then(|name| name.to_str());
            name.is_some_and(|name| TABLES.contains(&name))
        };
        let files = env.list(folder)?;
        let named = Named::among(&files);
        let mut tables: Vec<_> = files.into_iter().filter(is_table).collect();
        tables.sort();
        if tables.len() > 1 {
            tables.retain(|table| is_own(table, env));
        }
        let mut pairs = tables.iter().zip(tables.iter().skip(1));
        if let Some((one, other)) = pairs.find(|(one, other)| one.parent() == other.parent()) {
            let message = format!("{other} is there as well, and one folder has one table");
            return Err(Error::usage(message).file(one.to_string()));
        }
        if tables.is_empty() {
            let message = format!("has neither {} nor {} in it", TABLES[0], TABLES[1]);
            return Err(Error::usage(message).file(folder.to_string()));
        }
        Ok(Self {
            root: folder.clone(),
            tables: tables.into(),
            open: None,
            env: env.clone(),
            wanted: request.take_keys(),
            named: Some(named),
            info: DatasetInfo::new(KeySource::Stored),
        })
    }

    /// Warns about sound files that no row named.
    fn finish(&mut self) -> Result<()> {
        let named = self.named.take();
        let unnamed = named.map(|named| named.others(&self.root, &self.env));
        if let Some((first, count)) = unnamed.transpose()?.flatten() {
            let message = match count {
                1 => "is in no table, and is ignored".to_owned(),
                _ => format!("is in no table, and is ignored, the first of {count} sound files"),
            };
            self.env
                .warn_left_out(&Error::unfit(message).file(first.to_string()));
        }
        Ok(())
    }

    /// Fills the utterance of a row of a table in `folder`, and returns its sound file.
    fn entry(&self, row: &[u8], folder: &Location, utt: &mut Utterance) -> Result<Location> {
        let mut object = Object::of_line(row)?;
        utt.start();
        let name = json::text(object.require(FILE)?, FILE)?;
        if name.is_empty() {
            return Err(Error::malformed(format!("{FILE} is empty")));
        }
        let stored = Location::from(&*name);
        let moved = self.env.moved_file(&stored);
        let file = moved.unwrap_or_else(|| folder.join(stored));
        match object.take_if("utt_id", json::name) {
            Some(own) => utt.key.set(own.as_bytes()),
            None => {
                let inside = file
                    .relative_to(&self.root)
                    .unwrap_or_else(|| Location::from(name.trim_start_matches('/')));
                utt.key
                    .set(inside.with_extension("").as_os_str().as_encoded_bytes());
            }
        }
        if let Some(said) = TEXT.into_iter().find_map(|name| object.take(name)) {
            utt.text = Some(json::text(said, "text")?.into_owned().into_bytes());
        }
        let mut name = |names: &[&str]| {
            let name = names.iter().find_map(|own| object.take_if(own, json::name));
            name.map(|name| Key::from(name.as_ref()))
        };
        let meta = &mut utt.meta;
        (meta.speaker, meta.gender) = (name(&SPEAKER), name(&["gender"]));
        meta.language = name(&LANGUAGE);
        Place::default().read(&mut object, meta)?;
        let reference = AudioReference::new(Locator::File(file.clone()));
        utt.audio = Some(Audio::Reference(reference));
        columns::read(object, meta);
        Ok(file)
    }
}

/// Returns `true` for a table that names sound files. One of another program is reported.
fn is_own(table: &Location, env: &Env) -> bool {
    let own = table.extension() != Some("csv") || has_column(table, FILE, env);
    if !own {
        let message = format!("left out, a table without a column {FILE}");
        env.warn_left_out(&Error::unfit(message).file(table.to_string()));
    }
    own
}

impl Reader for FolderReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            let Some((table, _)) = &mut self.open else {
                let Some(next) = self.tables.pop_front() else {
                    return self.finish().map(|()| false);
                };
                let folder = next.parent().unwrap_or_else(|| Location::from("."));
                self.open = Some((Table::open(&next, &self.env)?, folder));
                continue;
            };
            if !table.next().inspect_err(|_| self.named = None)? {
                self.open = None;
                continue;
            }
            let Some((table, folder)) = &self.open else {
                continue;
            };
            let read = self.entry(table.row(), folder, utt);
            let read = read.map_err(|e| table.error(e));
            let file = read.inspect_err(|_| self.named = None)?;
            self.named.iter_mut().for_each(|named| named.add(&file));
            if self.wanted.as_ref().is_none_or(|wanted| wanted(&utt.key)) {
                table.origin(utt);
                return Ok(true);
            }
        }
    }
}
