//! The cuts of a shard with the entries of each field, joined by the names of the cuts.

use std::collections::{HashSet, VecDeque};

use spr_core::bytes::{Env, MemoryCounter};
use spr_core::model::{Key, Origin, Position};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::lines::Lines;

use super::layout::Shard;
use super::stream::{Entry, FieldStream};

/// The line of a cut.
pub(super) struct CutLine {
    number: u64,
    pub(super) text: Vec<u8>,
    /// The name of the cut, unless the line is damaged.
    id: Result<String, Option<Error>>,
}

/// The lines of cuts, of which those ahead are looked at where a field has another cut next.
struct CutLines {
    lines: Lines,
    name: String,
    number: u64,
    ahead: VecDeque<CutLine>,
    /// The names of the cuts in `ahead`.
    ids: HashSet<String>,
    held: MemoryCounter,
    /// The fault behind the lines in `ahead`.
    failure: Option<Error>,
    has_ended: bool,
}

impl CutLines {
    fn next(&mut self) -> Result<Option<CutLine>> {
        if let Some(line) = self.ahead.pop_front() {
            if let Ok(id) = &line.id {
                self.ids.remove(id);
            }
            return Ok(Some(line));
        }
        self.held = MemoryCounter::new("cuts that were looked at ahead");
        self.read()
    }

    fn read(&mut self) -> Result<Option<CutLine>> {
        if let Some(error) = self.failure.take() {
            self.has_ended = true;
            return Err(error);
        }
        if self.has_ended || !self.lines.advance()? {
            self.has_ended = true;
            return Ok(None);
        }
        self.number = match self.lines.origin().at {
            Some(Position::Line(number)) => number,
            _ => self.number + 1,
        };
        let text = self.lines.line().to_vec();
        let id = id_of(&text).map_err(Some);
        Ok(Some(CutLine {
            number: self.number,
            text,
            id,
        }))
    }

    /// Returns `true` if a cut comes later.
    fn is_ahead(&mut self, id: &str) -> Result<bool> {
        while !self.ids.contains(id) {
            let line = match self.read() {
                Ok(Some(line)) => line,
                Ok(None) => return Ok(false),
                Err(error) => {
                    (self.failure, self.has_ended) = (Some(error), false);
                    return Ok(false);
                }
            };
            self.lines.hold(&mut self.held, 2 * line.text.len())?;
            if let Ok(id) = &line.id {
                self.ids.insert(id.clone());
            }
            self.ahead.push_back(line);
        }
        Ok(true)
    }
}

fn id_of(line: &[u8]) -> Result<String> {
    let mut object = Object::of_line(line)?;
    Ok(json::text(object.require("id")?, "id")?.into_owned())
}

/// The open files of a shard.
pub(super) struct OpenShard {
    cuts: CutLines,
    pub(super) streams: Vec<FieldStream>,
    /// The cut that is joined, and its name.
    current: Option<(CutLine, String)>,
    /// For each stream that was looked at, whether its next entry is the cut's.
    found: Vec<bool>,
    /// Whether a line was damaged, so that there are entries without a cut.
    lost: bool,
    /// The streams whose end was reached.
    closed: usize,
}

impl OpenShard {
    /// Opens the files of a shard.
    ///
    /// # Errors
    /// One of them cannot be opened.
    pub(super) fn open(shard: &Shard, env: &Env) -> Result<Self> {
        let source = env.open_file(&shard.cuts)?;
        let streams = shard.fields.iter().map(|file| FieldStream::open(file, env));
        Ok(Self {
            cuts: CutLines {
                name: source.name().to_owned(),
                lines: Lines::of_json(source, env),
                number: 0,
                ahead: VecDeque::new(),
                ids: HashSet::new(),
                held: MemoryCounter::new("cuts that were looked at ahead"),
                failure: None,
                has_ended: false,
            },
            streams: streams.collect::<Result<_>>()?,
            current: None,
            found: Vec::new(),
            lost: false,
            closed: 0,
        })
    }

    /// The compression of the cuts.
    pub(super) fn compression(&self) -> Option<String> {
        self.cuts.lines.compression()
    }

    /// Goes to the next cut of which each field has the entry. Returns `false` at the end.
    ///
    /// # Errors
    /// A line or a file is damaged, a cut lacks an entry, or an entry its cut. The next call goes on
    /// behind that, unless a file cannot be read at all.
    pub(super) fn advance(&mut self, env: &Env) -> Result<bool> {
        if self.current.is_none() {
            self.found.clear();
            let Some(mut line) = self.cuts.next()? else {
                return self.close(env);
            };
            match &mut line.id {
                Ok(id) => {
                    let id = std::mem::take(id);
                    self.current = Some((line, id));
                }
                Err(error) => {
                    self.lost = true;
                    let error = error.take();
                    let error = error.unwrap_or_else(|| Error::malformed("a damaged line"));
                    return Err(self.placed(error, line.number).continuable());
                }
            }
        }
        let Some((_, id)) = &self.current else {
            return Ok(false);
        };
        while let Some(stream) = self.streams.get_mut(self.found.len()) {
            let next = match stream.peek() {
                None => None,
                Some((next, _)) if next == id => {
                    // It cost no cut of those that are known.
                    if let Some(damage) = stream.damage.take() {
                        return Err(damage.continuable());
                    }
                    self.found.push(true);
                    continue;
                }
                Some((next, _)) => Some(next.to_owned()),
            };
            match next {
                Some(next) if !self.cuts.is_ahead(&next)? => {
                    let surplus = surplus(stream, &next, &self.cuts.name);
                    // What follows the entry is told when it is looked at.
                    let _ = stream.take(false);
                    if !self.lost {
                        return Err(surplus);
                    }
                }
                _ => self.found.push(false),
            }
        }
        match self.found.iter().position(|found| !found) {
            None => Ok(true),
            Some(lacking) => Err(self.lacking(lacking)),
        }
    }

    /// Passes over the current cut, of which a field has no entry.
    fn lacking(&mut self, lacking: usize) -> Error {
        let found = std::mem::take(&mut self.found);
        for (stream, _) in self.streams.iter_mut().zip(&found).filter(|(_, own)| **own) {
            let _ = stream.take(false);
        }
        let stream = &mut self.streams[lacking];
        let why = match stream.has_ended {
            true => "ends before this cut, which is not in it",
            false => "has no entry of this cut",
        };
        let damage = stream.damage.take();
        let mut error = damage.unwrap_or_else(|| Error::malformed(why).file(&stream.name));
        if let Some((_, id)) = self.current.take() {
            error = error.utterance(&Key::from(id.as_str()));
        }
        error.continuable()
    }

    /// Looks for entries behind the last cut. Returns `false` when there are no more.
    fn close(&mut self, env: &Env) -> Result<bool> {
        while let Some(stream) = self.streams.get_mut(self.closed) {
            let Some((next, _)) = stream.peek() else {
                if let Some(damage) = stream.damage.take() {
                    return Err(damage.continuable());
                }
                stream.check_end(env);
                self.closed += 1;
                continue;
            };
            let next = next.to_owned();
            let surplus = surplus(stream, &next, &self.cuts.name);
            let _ = stream.take(false);
            if !self.lost {
                return Err(surplus);
            }
        }
        Ok(false)
    }

    /// Takes the cut, its place, and for each stream its entry, with the data that `wanted` says.
    ///
    /// # Errors
    /// An entry is damaged. The others are passed over.
    pub(super) fn take(
        &mut self,
        mut wanted: impl FnMut(&FieldStream, bool) -> bool,
    ) -> (Option<CutLine>, Result<Vec<Entry>>) {
        let mut entries = Ok(Vec::with_capacity(self.streams.len()));
        for stream in &mut self.streams {
            let has_data = matches!(stream.peek(), Some((_, true)));
            let data = entries.is_ok() && wanted(stream, has_data);
            match (stream.take(data), &mut entries) {
                (Ok(entry), Ok(all)) => all.push(entry),
                (Err(error), Ok(_)) => entries = Err(error),
                (_, Err(_)) => {}
            }
        }
        (self.current.take().map(|(line, _)| line), entries)
    }

    /// The name and the text of the current cut.
    pub(super) fn current(&self) -> Option<(&str, &[u8])> {
        let (line, id) = self.current.as_ref()?;
        Some((id, &line.text))
    }

    /// Returns `true` if a field has data of the current cut.
    pub(super) fn has(&mut self, field: &str) -> bool {
        let mut streams = self.streams.iter_mut();
        let stream = streams.find(|stream| stream.field == field);
        stream.is_some_and(|stream| matches!(stream.peek(), Some((_, true))))
    }

    fn placed(&self, error: Error, line: u64) -> Error {
        match error.file_name() {
            Some(_) => error,
            None => error.file(&self.cuts.name).line(line),
        }
    }

    /// An error with the place of a cut, unless it is about another file.
    pub(super) fn about(&self, error: Error, cut: &CutLine) -> Error {
        self.placed(error, cut.number)
    }

    /// The place of a cut.
    pub(super) fn origin(&self, cut: &CutLine) -> Origin {
        Origin {
            file: Some(self.cuts.name.as_str().into()),
            at: Some(Position::Line(cut.number)),
            ..Origin::default()
        }
    }
}

/// The error about an entry whose cut is not there.
fn surplus(stream: &FieldStream, id: &str, cuts: &str) -> Error {
    let error = Error::malformed(format!("{cuts} has no such cut at this place"));
    let error = error.file(&stream.name).utterance(&Key::from(id));
    error.continuable()
}
