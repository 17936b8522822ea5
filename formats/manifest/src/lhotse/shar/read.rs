//! The reader.

use std::collections::HashSet;

use serde_json::value::RawValue;
use spr_core::bytes::{Env, Location};
use spr_core::format::{FieldSet, KeyPredicate, Options, Reader, Request};
use spr_core::model::{DatasetInfo, KeySource, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::manifest::Places;

use super::super::cut::Cut;
use super::super::parts::RequestedFields;
use super::super::recording::Recording;
use super::data::is_placeholder;
use super::fill::{CutData, Wanted};
use super::join::{CutLine, OpenShard};
use super::layout::{Layout, Shard};
use super::options::{FEATURES, FIELDS, LABEL_FIELDS, LABELS, RECORDING};
use super::stream::Entry;

pub(super) struct SharReader {
    shards: std::vec::IntoIter<Shard>,
    open: Option<OpenShard>,
    /// The field with the labels, and whether the user named it.
    labels: Option<(String, bool)>,
    parts: RequestedFields,
    wanted_fields: FieldSet,
    places: Places,
    /// The remaining utterances of a cut, in reverse order.
    ready: Vec<Utterance>,
    wanted: Option<KeyPredicate>,
    /// The error about missing shards, which comes after the others.
    lacking: Option<Error>,
    /// What was told already of fields without files.
    told: HashSet<String>,
    folder: String,
    /// Whether the whole of damaged data is wanted.
    is_salvage: bool,
    env: Env,
    info: DatasetInfo,
}

impl SharReader {
    pub(super) fn open(
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let mut layout = Layout::of(folder, env)?;
        if let Some(wanted) = options.get(FIELDS.name) {
            layout.keep(&wanted.split('+').collect::<Vec<_>>())?;
        }
        let known = |name: &&str| layout.fields.contains(*name);
        let labels = match options.get(LABELS.name) {
            Some("none") => None,
            Some(name) if !known(&name) => {
                let message = format!("option labels: there is no field '{name}'");
                return Err(Error::usage(message).file(folder.to_string()));
            }
            Some(name) => Some((name.to_owned(), true)),
            None => LABEL_FIELDS
                .into_iter()
                .find(known)
                .map(|name| (name.to_owned(), false)),
        };
        let mut shards = layout.shards.into_iter();
        let first = shards.next().map(|shard| OpenShard::open(&shard, env));
        let first = first.transpose()?;
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = first.as_ref().and_then(OpenShard::compression);
        Ok(Self {
            shards,
            open: first,
            labels,
            parts: RequestedFields::new(request, &folder.to_string(), env),
            wanted_fields: request.parts,
            places: Places::new(Some(&folder.join("cuts")), env).working_folder_first(),
            ready: Vec::new(),
            wanted: request.take_keys(),
            lacking: layout.lacking,
            told: HashSet::new(),
            folder: folder.to_string(),
            is_salvage: request.damaged,
            env: env.clone(),
            info,
        })
    }

    /// Goes to the next cut, and reads its utterances. Returns `false` at the end.
    fn next_cut(&mut self) -> Result<bool> {
        loop {
            let Some(open) = &mut self.open else {
                let Some(shard) = self.shards.next() else {
                    return self.lacking.take().map_or(Ok(false), Err);
                };
                let opened = OpenShard::open(&shard, &self.env);
                self.open = Some(opened.map_err(Error::continuable)?);
                continue;
            };
            let (folder, is_salvage) = (&self.folder, self.is_salvage);
            let more = open.advance(&self.env).map_err(|e| match is_salvage {
                // A file of a Shar is no data set.
                true => e.hint(format!("repair {folder} as a whole to save what is intact")),
                false => e,
            });
            if more? {
                return self.read_cut().map(|()| true);
            }
            self.open = None;
        }
    }

    /// Reads the current cut.
    fn read_cut(&mut self) -> Result<()> {
        let Some(mut open) = self.open.take() else {
            return Ok(());
        };
        let is_wanted = open
            .current()
            .is_none_or(|(id, text)| self.is_wanted(id, text));
        let both = open.has(RECORDING) && open.has(FEATURES);
        if both && is_wanted {
            let id = open.current().map(|(id, _)| id.into());
            self.parts.tell_left_out(id.as_ref());
        }
        let want_sound = self.parts.sound || !both;
        let want_features = self.parts.features || !both;
        let wanted = self.wanted_fields;
        let (line, entries) = open.take(|stream, has_data| {
            is_wanted
                && has_data
                && match stream.field.as_str() {
                    RECORDING => stream.plain.is_none() && want_sound && wanted.audio,
                    FEATURES => want_features && wanted.features,
                    field => {
                        let labels = self.labels.as_ref();
                        let is_labels = labels.is_some_and(|(own, _)| own == field);
                        wanted.arrays || wanted.labels && is_labels
                    }
                }
        });
        let Some(line) = line else {
            self.open = Some(open);
            return Ok(());
        };
        let made = match (is_wanted, entries) {
            (true, Ok(entries)) => {
                let wants = (want_sound && wanted.audio, want_features);
                self.utterances(&line, entries, &open, wants)
            }
            (_, entries) => entries.map(drop),
        };
        self.ready.reverse();
        let made = made.map_err(|e| {
            self.ready.clear();
            open.about(e, &line).continuable()
        });
        for utt in &mut self.ready {
            utt.origin = open.origin(&line);
        }
        self.open = Some(open);
        made
    }

    /// Returns `false` for a cut of which no utterance is wanted, as far as its name says so.
    fn is_wanted(&self, id: &str, text: &[u8]) -> bool {
        let Some(wanted) = &self.wanted else {
            return true;
        };
        let is_divided = Object::of_line(text)
            .and_then(Cut::read)
            .is_ok_and(|cut| cut.is_divided());
        is_divided || wanted(&id.into())
    }

    /// Adds the utterances of a cut to those that are ready.
    fn utterances(
        &mut self,
        line: &CutLine,
        entries: Vec<Entry>,
        open: &OpenShard,
        (want_sound, want_features): (bool, bool),
    ) -> Result<()> {
        let mut cut = Cut::read(Object::of_line(&line.text)?)?;
        let (key, env) = (cut.id.as_str().into(), self.env.clone());
        cut.is_whole = true;
        let fill = || -> Result<()> {
            if !cut.stretch.start.is_zero() {
                let message = format!("starts at {}, in a Shar cuts start at 0", cut.stretch.start);
                return Err(Error::unsupported(message));
            }
            let how = Wanted {
                is_divided: cut.is_divided(),
                sound: want_sound,
                features: want_features,
                labels: self.labels.clone(),
            };
            let mut data = CutData::new(how);
            for (stream, entry) in open.streams.iter().zip(entries) {
                let told = match stream.field.as_str() {
                    RECORDING => cut.recording.take(),
                    FEATURES => cut.features.take(),
                    field => cut.custom.as_mut().and_then(|own| own.take(field)),
                };
                data.take(told, entry, stream, &cut.id, &env)?;
            }
            let elsewhere = self.elsewhere(&mut cut, &mut data)?;
            let sound = data.sound.take();
            let recording = sound.as_ref().map(|sound| &sound.recording);
            let recording = recording.or(elsewhere.as_ref());
            if !cut.is_divided() {
                data.custom = cut.custom.take();
            }
            cut.utterances(recording, &mut self.ready, |stretch, utt| {
                data.add(sound.as_ref(), stretch, utt, &env)
            })
        };
        fill().map_err(|e| e.utterance(&key))
    }

    /// Looks at what no file of the folder holds. Returns a recording that is a file elsewhere.
    fn elsewhere(
        &mut self,
        cut: &mut Cut<'_>,
        data: &mut CutData<'_>,
    ) -> Result<Option<(String, Recording)>> {
        let mut found = None;
        if let Some(raw) = cut.recording.take() {
            data.recording = Object::of(raw, "recording")?
                .take("id")
                .map(|id| json::text(id, "id").map(String::from))
                .transpose()?;
            if is_placeholder(raw) {
                self.tell(RECORDING, "has no file in the folder, and is left out");
            } else {
                let (id, recording) =
                    Recording::read(Object::of(raw, "recording")?, &mut self.places)?;
                // A part would start at 0, wherever it was cut out.
                match recording.reference(&cut.stretch)?.span.bounds().is_some() {
                    true => self.tell(
                        RECORDING,
                        "is outside the folder, which does not say where cuts start in it, and is left out",
                    ),
                    false => found = Some((id, recording)),
                }
            }
        }
        if cut.features.take().is_some() {
            self.tell(FEATURES, "has no file in the folder, and is left out");
        }
        let custom = cut.custom.as_ref();
        let unfilled =
            |(name, raw): (&str, &RawValue)| is_placeholder(raw).then(|| name.to_owned());
        let unfilled: Vec<_> = custom
            .into_iter()
            .flat_map(Object::iter)
            .filter_map(unfilled)
            .collect();
        for name in unfilled {
            self.tell(&name, "has no file in the folder, and is left out");
            if let Some(custom) = &mut cut.custom {
                custom.take(&name);
            }
        }
        Ok(found)
    }

    /// Tells of a field, once.
    fn tell(&mut self, field: &str, message: &str) {
        if self.told.insert(field.to_owned()) {
            let warning = Error::unfit(format!("the field {field} {message}"));
            self.env.warn_left_out(&warning.file(&self.folder));
        }
    }
}

impl Reader for SharReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            while let Some(next) = self.ready.pop() {
                if self.wanted.as_ref().is_none_or(|wanted| wanted(&next.key)) {
                    *utt = next;
                    return Ok(true);
                }
            }
            if !self.next_cut()? {
                return Ok(false);
            }
        }
    }
}
