//! Which transcript belongs to which sound file.

use spr_core::bytes::{Env, Location};
use spr_core::model::{Key, Span};
use spr_core::{Error, Result};

use crate::files::{FolderFiles, stem};
use crate::layouts::Layout;
use crate::names::SoundNames;
use crate::table::{Table, TableOptions};

/// A sound file, or a part of it, with its transcripts.
pub(crate) struct Sound {
    pub(crate) key: Key,
    pub(crate) file: Location,
    pub(crate) span: Span,
    /// The rows of tables, by the numbers of both.
    pub(crate) rows: Vec<(usize, usize)>,
    /// The files beside it, the first of which counts.
    pub(crate) beside: Vec<Location>,
}

/// The sound files of a folder with what is said of each.
pub(crate) struct Joined {
    pub(crate) sounds: Vec<Sound>,
    pub(crate) tables: Vec<Table>,
    /// What is wrong with the tables.
    pub(crate) faults: Vec<Error>,
    /// How transcripts were found.
    pub(crate) told: String,
    /// The corpus whose layout tells speakers.
    pub(crate) layout: Option<&'static Layout>,
}

impl Joined {
    /// Joins by name, and reports what has no counterpart.
    ///
    /// # Errors
    /// A table cannot be read, or leaves open what a column means.
    pub(crate) fn of(mut files: FolderFiles, options: &TableOptions, env: &Env) -> Result<Self> {
        let (mut tables, mut faults) = (Vec::new(), std::mem::take(&mut files.faults));
        let stems = files.sounds.iter().map(|(_, file)| stem(file)).collect();
        let names = SoundNames::new(stems, env);
        for at in &files.tables {
            match Table::read(at, options, &names, env)? {
                Some(mut table) => {
                    faults.append(&mut table.faults);
                    tables.push(table);
                }
                None if files.by_table => {
                    let message = "is no table of transcripts: no line names sound files and text";
                    let hint = "name the columns, such as --columns-of file=1,text=2";
                    return Err(Error::malformed(message).file(at.to_string()).hint(hint));
                }
                None => {
                    let message = "left out, a table without columns of sound files and text";
                    let hint = "if it is one, name them, such as --columns-of file=1,text=2";
                    let warning = Error::unfit(message).file(at.to_string());
                    env.warn_left_out(&warning.hint(hint));
                }
            }
        }
        let mut owners: Vec<Vec<Option<Location>>> = tables
            .iter()
            .map(|table: &Table| vec![None; table.rows.len()])
            .collect();
        let mut sounds = Vec::<Sound>::new();
        for (key, file) in files.sounds {
            let stem = stem(&file);
            let mut rows = Vec::new();
            for (t, table) in tables.iter().enumerate() {
                for row in table.find(&stem) {
                    let owner = owners.get_mut(t).and_then(|rows| rows.get_mut(row));
                    let before = owner.and_then(|owner| owner.replace(file.clone()));
                    if let Some(other) = before
                        && let Some(line) = table.rows.get(row)
                    {
                        let message = format!("means {other} as well as {file}");
                        faults.push(table.placed(line, Error::malformed(message)));
                    }
                    rows.push((t, row));
                }
            }
            if files.by_table && rows.is_empty() {
                continue;
            }
            let beside = files.beside.remove(&stem).unwrap_or_default();
            let span = |(t, row): &(usize, usize)| {
                let table: Option<&Table> = tables.get(*t);
                table.and_then(|table| table.rows.get(*row))
            };
            let (parts, whole): (Vec<_>, Vec<_>) = rows
                .into_iter()
                .partition(|at| span(at).is_some_and(|row| row.span != Span::Whole));
            for at in &parts {
                let Some(row) = span(at) else { continue };
                sounds.push(Sound {
                    key: row.key_of_part(&key).unwrap_or_else(|| key.clone()),
                    file: file.clone(),
                    span: row.span,
                    rows: vec![*at],
                    beside: Vec::new(),
                });
            }
            if let Some(first) = beside.first().filter(|_| !parts.is_empty()) {
                let message = "left out, as a table gives the text of parts of the sound";
                env.warn_left_out(&Error::unfit(message).file(first.to_string()));
            }
            if parts.is_empty() || !whole.is_empty() {
                sounds.push(Sound {
                    key,
                    file,
                    span: Span::Whole,
                    rows: whole,
                    beside: if parts.is_empty() { beside } else { Vec::new() },
                });
            }
        }
        let mut joined = Self {
            told: told(&sounds, &tables, files.layout),
            layout: files.layout,
            sounds,
            tables,
            faults,
        };
        joined.tell_silent(&owners, files.by_table, env);
        joined.tell_untold(env);
        Ok(joined)
    }

    /// Reports lines of tables without a sound file. Those of a table that was named are faults.
    fn tell_silent(&mut self, owners: &[Vec<Option<Location>>], by_table: bool, env: &Env) {
        for (table, owners) in self.tables.iter().zip(owners) {
            let rows = table.rows.iter().zip(owners);
            let silent: Vec<_> = rows.filter(|(_, owner)| owner.is_none()).collect();
            let fault = |row, text: String| table.placed(row, Error::unfit(text));
            if by_table {
                let faults = silent.iter().map(|(row, _)| {
                    fault(
                        row,
                        format!("there is no sound file {} below its folder", row.name),
                    )
                });
                self.faults.extend(faults);
            } else if let Some((first, _)) = silent.first() {
                let all = match silent.len() {
                    1 => "1 line has".to_owned(),
                    n => format!("{n} lines have"),
                };
                let message = format!("{all} no sound file, the first is of {}", first.name);
                env.warn_left_out(&fault(first, message));
            }
        }
    }

    /// Reports sound files without a transcript, if others have one.
    fn tell_untold(&self, env: &Env) {
        let is_untold = |sound: &&Sound| sound.rows.is_empty() && sound.beside.is_empty();
        let untold: Vec<_> = self.sounds.iter().filter(is_untold).collect();
        if let Some(first) = untold.first()
            && untold.len() < self.sounds.len()
        {
            let (n, all) = (untold.len(), self.sounds.len());
            let message = format!("has no transcript, as {n} of {all} sound files have none");
            env.warn(&Error::unfit(message).file(first.file.to_string()));
        }
    }
}

/// Says where transcripts are from.
fn told(sounds: &[Sound], tables: &[Table], layout: Option<&Layout>) -> String {
    let files = |is_one: fn(&Sound) -> bool| {
        let mut files: Vec<_> = sounds
            .iter()
            .filter(|s| is_one(s))
            .map(|s| &s.file)
            .collect();
        files.dedup();
        files.len()
    };
    let by_table = files(|sound| !sound.rows.is_empty());
    let beside = files(|sound| !sound.beside.is_empty());
    let mut parts = vec![format!("{} sound files", files(|_| true))];
    if by_table > 0 {
        let of = match tables {
            [table] => table.at.to_string(),
            tables => format!("{} tables", tables.len()),
        };
        let mut columns: Vec<_> = tables
            .iter()
            .filter_map(|table| Some(table.columns.as_ref()?.told()))
            .collect();
        columns.dedup();
        let columns = match columns.as_slice() {
            [told] => format!(" ({told})"),
            _ => String::new(),
        };
        parts.push(format!("{by_table} with a line in {of}{columns}"));
    }
    if beside > 0 {
        parts.push(format!("{beside} with a transcript beside them"));
    }
    let of = layout.map_or(String::new(), |layout| format!("{}: ", layout.name));
    of + &parts.join(", ")
}
