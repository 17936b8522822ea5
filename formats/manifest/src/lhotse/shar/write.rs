//! The writer.

use std::collections::BTreeMap;

use spr_core::bytes::{Env, Location, Output, Part, Sink};
use spr_core::format::{Caps, WriteSummary, Writer};
use spr_core::model::{Key, Utterance};
use spr_core::threads::Ordered;
use spr_core::{Error, Result};
use spr_syntax::json::{self, Fields, Object};
use spr_syntax::lines::Lines;
use spr_syntax::tar::TarWriter;

use super::encode::{CutEncoder, NewCut, NewData, NewEntry};
use super::layout::{CUTS, LINES, TAR};
use super::settings::Settings;
use super::stream::{META, NO_DATA, NO_META};

/// Threads that encode cuts, in their order.
type Encoders = Ordered<(Key, NewCut), (Key, Result<NewCut>)>;

pub(super) struct SharWriter {
    caps: Caps,
    output: Output,
    env: Env,
    encoder: CutEncoder,
    /// Encodes several cuts at a time, if there are threads for it.
    pool: Option<Encoders>,
    /// The cuts of the open shard.
    cuts: Option<Sink>,
    fields: BTreeMap<String, FieldSink>,
    /// The names of the cuts of the open shard.
    ids: Vec<String>,
    /// The number of the next shard.
    next: u64,
    written: WriteSummary,
}

/// The file of a field in the open shard.
enum FieldSink {
    /// None before the shard is opened.
    Closed {
        is_lines: bool,
    },
    Tar(TarWriter),
    Lines(Sink),
}

impl FieldSink {
    fn create(output: &Output, field: &str, shard: u64, is_lines: bool) -> Result<Self> {
        let end = if is_lines { LINES } else { TAR };
        let sink = output.create(Part::Member(&file(field, shard, end)), false)?;
        Ok(match is_lines {
            true => Self::Lines(sink),
            false => Self::Tar(TarWriter::new(sink)),
        })
    }

    /// Writes that a cut does not have the field.
    fn put_missing(&mut self, id: &str) -> Result<()> {
        match self {
            Self::Closed { .. } => Ok(()),
            Self::Tar(tar) => {
                tar.append(format!("{id}.{NO_DATA}").as_bytes(), &[])?;
                tar.append(format!("{id}.{NO_META}").as_bytes(), &[])?;
                Ok(())
            }
            Self::Lines(sink) => {
                let mut line = Vec::new();
                let mut fields = Fields::open(&mut line);
                fields.text("cut_id", id);
                fields.close();
                line.push(b'\n');
                sink.put(&line)
            }
        }
    }

    fn put(&mut self, id: &str, entry: &NewEntry) -> Result<()> {
        match (self, entry) {
            (Self::Tar(tar), NewEntry::Data(extension, NewData::Bytes(data), meta)) => {
                tar.append(format!("{id}.{extension}").as_bytes(), data)?;
                tar.append(format!("{id}.{META}").as_bytes(), meta)?;
                Ok(())
            }
            (Self::Lines(sink), NewEntry::Value(line)) => sink.put(line),
            _ => Err(Error::unfit("has a field in another form than before")),
        }
    }

    fn finish(self) -> Result<u64> {
        match self {
            Self::Closed { .. } => Ok(0),
            Self::Tar(tar) => tar.finish(),
            Self::Lines(sink) => sink.finish(),
        }
    }
}

/// Returns the name of a file.
fn file(field: &str, shard: u64, end: &str) -> String {
    format!("{field}.{shard:06}{end}")
}

impl SharWriter {
    pub(super) fn new(output: Output, settings: Settings, caps: Caps, env: &Env) -> Self {
        let encoder = CutEncoder::new(settings, env);
        let of_lines = encoder.values_fields().iter().cloned();
        let fields = of_lines.map(|name| (name, FieldSink::Closed { is_lines: true }));
        let pool = (env.threads > 1).then(|| {
            let encoder = encoder.clone();
            let pack = move |(key, cut)| (key, encoder.pack(cut));
            Ordered::new(env.threads, pack)
        });
        Self {
            caps,
            pool,
            next: encoder.settings.first,
            fields: fields.collect(),
            encoder,
            output,
            env: env.clone(),
            cuts: None,
            ids: Vec::new(),
            written: WriteSummary::default(),
        }
    }

    fn make(&self, utt: &Utterance) -> Result<NewCut> {
        let made = self.caps.check(utt).and_then(|()| self.encoder.encode(utt));
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    /// Opens the next shard, with a file for each field so far.
    fn open_shard(&mut self) -> Result<()> {
        let shard = self.next;
        self.next += 1;
        let member = file(CUTS, shard, LINES);
        self.cuts = Some(self.output.create(Part::Member(&member), false)?);
        for (field, sink) in &mut self.fields {
            let is_lines = matches!(sink, FieldSink::Closed { is_lines: true });
            *sink = FieldSink::create(&self.output, field, shard, is_lines)?;
        }
        Ok(())
    }

    /// Completes the files of the open shard.
    fn close_shard(&mut self) -> Result<()> {
        let Some(cuts) = self.cuts.take() else {
            return Ok(());
        };
        for sink in self.fields.values_mut() {
            let is_lines = matches!(sink, FieldSink::Lines(_));
            let open = std::mem::replace(sink, FieldSink::Closed { is_lines });
            self.written.bytes += open.finish()?;
        }
        self.written.bytes += cuts.finish()?;
        self.ids.clear();
        Ok(())
    }

    /// Adds a field that no cut had before. Every shard has a file of every field, so that those
    /// before get one in which all cuts lack it.
    fn add_field(&mut self, field: &str) -> Result<()> {
        let is_lines = self.encoder.is_lines(field);
        for shard in self.encoder.settings.first..self.next - 1 {
            let ids = self.ids_of(shard)?;
            let mut sink = FieldSink::create(&self.output, field, shard, is_lines)?;
            ids.iter().try_for_each(|id| sink.put_missing(id))?;
            self.written.bytes += sink.finish()?;
        }
        let mut sink = FieldSink::create(&self.output, field, self.next - 1, is_lines)?;
        self.ids.iter().try_for_each(|id| sink.put_missing(id))?;
        self.fields.insert(field.to_owned(), sink);
        Ok(())
    }

    /// Reads the names of the cuts of a shard that is complete; none if the output is not kept.
    fn ids_of(&self, shard: u64) -> Result<Vec<String>> {
        let name = file(CUTS, shard, LINES);
        let at = match self.output.locator().location() {
            Some(folder) => folder.join(name),
            None => Location::from(name),
        };
        let env = self.env.seeing(&self.output);
        if !env.exists(&at) {
            return Ok(Vec::new());
        }
        let mut lines = Lines::of_json(env.open_file(&at)?, &env);
        let mut ids = Vec::new();
        while lines.advance()? {
            let mut object = Object::of_line(lines.line())?;
            ids.push(json::text(object.require("id")?, "id")?.into_owned());
        }
        Ok(ids)
    }
}

impl SharWriter {
    /// Writes a cut.
    fn store(&mut self, (key, cut): (Key, Result<NewCut>)) -> Result<()> {
        let cut = cut.map_err(|e| e.utterance(&key).file(self.output.name()).fatal())?;
        if self.ids.len() == self.encoder.settings.size {
            self.close_shard()?;
        }
        if self.cuts.is_none() {
            self.open_shard()?;
        }
        for (field, _) in &cut.entries {
            if !self.fields.contains_key(field) {
                self.add_field(field)?;
            }
        }
        for (field, sink) in &mut self.fields {
            match cut.entries.iter().find(|(name, _)| name == field) {
                Some((_, entry)) => sink.put(&cut.id, entry)?,
                None => sink.put_missing(&cut.id)?,
            }
        }
        if let Some(cuts) = &mut self.cuts {
            cuts.put(&cut.line)?;
        }
        self.written
            .rounded
            .add_rounding(&key, &cut.rounded, "lilcom");
        self.ids.push(cut.id);
        Ok(())
    }
}

impl Writer for SharWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let cut = self.make(utt)?;
        self.written.count(utt);
        let packed = match &mut self.pool {
            Some(pool) => pool.push((utt.key.clone(), cut))?,
            None => Some((utt.key.clone(), self.encoder.pack(cut))),
        };
        packed.map_or(Ok(()), |packed| self.store(packed))
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
        while let Some(packed) = self.pool.as_mut().map_or(Ok(None), Ordered::pop)? {
            self.store(packed)?;
        }
        if self.cuts.is_none() && self.next == self.encoder.settings.first {
            self.open_shard()?;
        }
        self.close_shard()?;
        let rounded = std::mem::take(&mut self.written.rounded);
        self.written.add_rounding(rounded);
        Ok(self.written)
    }
}
