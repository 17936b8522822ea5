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
use super::table::Table;

pub(super) struct FolderReader {
    root: Location,
    /// The remaining tables, sorted by name.
    tables: VecDeque<Location>,
    /// The current table and its folder.
    open: Option<(Table, Location)>,
    env: Env,
    wanted: Option<KeyPredicate>,
    info: DatasetInfo,
}

impl FolderReader {
    pub(super) fn new(folder: &Location, request: &mut Request, env: &Env) -> Result<Self> {
        let is_table = |at: &Location| {
            let name = at.name().and_then(|name| name.to_str());
            name.is_some_and(|name| TABLES.contains(&name))
        };
        let mut tables: Vec<_> = env.list(folder)?.into_iter().filter(is_table).collect();
        tables.sort();
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
            info: DatasetInfo::new(KeySource::Stored),
        })
    }

    /// Fills the utterance of a row of a table in `folder`.
    fn entry(&self, row: &[u8], folder: &Location, utt: &mut Utterance) -> Result<()> {
        let mut object = Object::of_line(row)?;
        utt.start();
        let name = json::text(object.require(FILE)?, FILE)?;
        let file = folder.join(&*name);
        match object.take_if("utt_id", json::name) {
            Some(own) => utt.key.set(own.as_bytes()),
            None => {
                let inside = file
                    .relative_to(&self.root)
                    .unwrap_or_else(|| Location::from(&*name));
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
        utt.audio = Some(Audio::Reference(AudioReference::new(Locator::File(file))));
        columns::read(object, meta);
        Ok(())
    }
}

impl Reader for FolderReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            let Some((table, _)) = &mut self.open else {
                let Some(next) = self.tables.pop_front() else {
                    return Ok(false);
                };
                let folder = next.parent().unwrap_or_else(|| Location::from("."));
                self.open = Some((Table::open(&next, &self.env)?, folder));
                continue;
            };
            if !table.next()? {
                self.open = None;
                continue;
            }
            let Some((table, folder)) = &self.open else {
                continue;
            };
            self.entry(table.row(), folder, utt)
                .map_err(|e| table.error(e))?;
            if self.wanted.as_ref().is_none_or(|wanted| wanted(&utt.key)) {
                table.origin(utt);
                return Ok(true);
            }
        }
    }
}
