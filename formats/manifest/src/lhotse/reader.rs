//! The reader.

use std::collections::HashMap;

use spr_core::bytes::{Env, Location, Source};
use spr_core::format::{KeyPredicate, Options, Reader, Request};
use spr_core::model::{Audio, DatasetInfo, KeySource, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::Object;
use spr_syntax::lines::Lines;
use spr_syntax::manifest::Places;
use spr_syntax::manifest::source::Place;

use super::feature_names::FeatureNames;
use super::features::{FeatureSet, Features};
use super::kind::Kind;
use super::parts::RequestedFields;
use super::recording::{Recording, RecordingSegment};
use super::supervision::Supervision;
use super::{cut, files};

pub(super) struct LhotseReader {
    lines: Lines,
    /// Whether the current line was inspected but not read.
    pending: bool,
    kind: Kind,
    tables: Tables,
    /// The names of features.
    names: FeatureNames,
    /// The remaining utterances of a cut, in reverse order.
    ready: Vec<Utterance>,
    wanted: Option<KeyPredicate>,
    env: Env,
    info: DatasetInfo,
}

impl LhotseReader {
    pub(super) fn new(
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Self> {
        let mut info = DatasetInfo::new(KeySource::Stored);
        info.compression = source.compression();
        let places = Places::new(source.location(), env).working_folder_first();
        let find = |kind: Kind| match options.get(kind.name()) {
            Some(path) => Some(Location::from(path)),
            None => files::companion(&source, kind, env),
        };
        let beside = [find(Kind::Recordings), find(Kind::Features)];
        let (source, names) = FeatureNames::look_at(source, env)?;
        let mut lines = Lines::of_json(source, env);
        let pending = lines.advance()?;
        let kind = match pending {
            true => Kind::of(&Object::of_line(lines.line()).map_err(|e| lines.placed(e).fatal())?)
                .map_err(|e| lines.placed(e).fatal())?,
            false => Kind::Supervisions,
        };
        let mut tables = Tables {
            places,
            recordings: None,
            faulty: false,
            features: FeatureSet::default(),
            parts: RequestedFields::new(request, lines.file(), env),
        };
        if kind == Kind::Supervisions && pending {
            if beside[0].is_none() {
                let message = "no manifest of recordings is beside it to tell where the sound is";
                let warning = Error::unfit(message).file(lines.file());
                env.warn(&warning.hint("recordings=FILE names one"));
            }
            tables.load(beside, env)?;
        }
        Ok(Self {
            lines,
            pending,
            kind,
            tables,
            names,
            ready: Vec::new(),
            wanted: request.take_keys(),
            env: env.clone(),
            info,
        })
    }

    /// Reads the current line.
    fn entries(&mut self) -> Result<()> {
        let tables = &mut self.tables;
        let object = Object::of_line(self.lines.line())?;
        match self.kind {
            Kind::Cuts => cut::read(
                object,
                &mut tables.places,
                &mut tables.parts,
                &mut self.ready,
            )?,
            Kind::Supervisions => {
                let said = Supervision::read(object)?;
                let utt = tables.supervised(said)?;
                self.ready.push(utt);
            }
            Kind::Recordings => {
                let (id, recording) = Recording::read(object, &mut tables.places)?;
                self.ready.push(Utterance {
                    key: id.as_str().into(),
                    audio: Some(Audio::Reference(recording.all()?)),
                    ..Utterance::default()
                });
            }
            Kind::Features => {
                let features = Features::read(object)?;
                let mut utt = Utterance {
                    key: self.names.name(&features)?.as_str().into(),
                    ..Utterance::default()
                };
                let whole =
                    |name: &str| features.start.is_zero() && utt.key.as_bytes() == name.as_bytes();
                let recording = features.recording.as_deref().filter(|name| !whole(name));
                utt.meta.recording = recording.map(Into::into);
                let stretch = RecordingSegment {
                    start: features.start,
                    duration: features.duration,
                    channels: Vec::new(),
                };
                utt.meta.start = utt.meta.recording.is_some().then_some(stretch.start);
                utt.meta.end = utt.meta.start.and_then(|_| stretch.end().ok());
                let read = tables
                    .parts
                    .read(&features, None, &mut tables.places, &mut utt);
                read.map_err(|e| e.utterance(&utt.key))?;
                self.ready.push(utt);
            }
        }
        self.ready.reverse();
        Ok(())
    }
}

/// A recording of a table.
struct NamedRecording {
    recording: Recording,
    /// Whether an utterance is from it.
    used: bool,
}

/// Tables that are joined with the lines of a manifest.
struct Tables {
    places: Places,
    /// Recordings by name, and their file.
    recordings: Option<(String, HashMap<String, NamedRecording>)>,
    /// Whether a supervision could not be read, so that nobody knows which recordings are used.
    faulty: bool,
    features: FeatureSet,
    parts: RequestedFields,
}

impl Tables {
    /// Loads the tables that belong to supervisions.
    fn load(&mut self, [recordings, features]: [Option<Location>; 2], env: &Env) -> Result<()> {
        if let Some(file) = recordings {
            let mut all = HashMap::new();
            each(&file, env, |object| {
                let (id, recording) = Recording::read(object, &mut self.places)?;
                let named = NamedRecording {
                    recording,
                    used: false,
                };
                match all.insert(id.clone(), named) {
                    None => Ok(()),
                    Some(_) => Err(Error::malformed(format!("a second recording {id}"))),
                }
            })?;
            self.recordings = Some((file.to_string(), all));
        }
        let Some(file) = features else { return Ok(()) };
        if self.parts.features {
            each(&file, env, |object| {
                self.features.add(Features::read(object)?);
                Ok(())
            })?;
        } else {
            self.parts.tell_left_out(None);
        }
        Ok(())
    }

    /// Returns the warning about recordings of which there are no supervisions.
    fn unused(&mut self) -> Option<Error> {
        let (file, all) = self.recordings.take().filter(|_| !self.faulty)?;
        let unused = all.iter().filter(|(_, named)| !named.used);
        let first = unused.clone().map(|(id, _)| id).min()?;
        let message = match unused.count() {
            1 => format!("the recording {first} has no supervision, and is ignored"),
            count => format!("{count} recordings have no supervision, and are ignored: {first}, …"),
        };
        Some(Error::unfit(message).file(file))
    }

    fn supervised(&mut self, said: Supervision<'_>) -> Result<Utterance> {
        let mut utt = Utterance {
            key: said.id.as_str().into(),
            ..Utterance::default()
        };
        let key = utt.key.clone();
        let fill = || -> Result<()> {
            let stretch = said.stretch.clone();
            let named = (said.recording != said.id).then(|| said.recording.as_str().into());
            let mut place = Place {
                recording: named,
                ..Place::default()
            };
            let mut audio = None;
            if let Some((file, all)) = &mut self.recordings {
                let Some(named) = all.get_mut(&said.recording) else {
                    let message = format!("the recording {} is not in {file}", said.recording);
                    return Err(Error::malformed(message));
                };
                named.used = true;
                let reference = named.recording.reference(&stretch)?;
                place = Place::new(place.recording, &reference);
                audio = Some(Audio::Reference(reference));
            } else if place.recording.is_some() {
                (place.start, place.end) = (Some(stretch.start), Some(stretch.end()?));
            }
            place.read(&mut Object::default(), &mut utt.meta)?;
            utt.audio = audio;
            let features = self.features.find(&said.recording, &stretch).cloned();
            said.fill(stretch.start, None, &mut utt)?;
            self.parts
                .choose(features.as_ref(), &stretch, &mut self.places, &mut utt)
        };
        fill().map_err(|e| e.utterance(&key))?;
        Ok(utt)
    }
}

/// Passes each object of a manifest to `take`.
fn each(file: &Location, env: &Env, mut take: impl FnMut(Object<'_>) -> Result<()>) -> Result<()> {
    let mut lines = Lines::of_json(env.open_file(file)?, env);
    while lines.advance()? {
        let taken = Object::of_line(lines.line()).and_then(&mut take);
        taken.map_err(|e| lines.placed(e).fatal())?;
    }
    Ok(())
}

impl Reader for LhotseReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        loop {
            while let Some(next) = self.ready.pop() {
                if self.wanted.as_ref().is_none_or(|wanted| wanted(&next.key)) {
                    *utt = next;
                    utt.origin = self.lines.origin();
                    return Ok(true);
                }
            }
            if !std::mem::take(&mut self.pending) && !self.lines.advance()? {
                let unused = self.tables.unused();
                unused
                    .iter()
                    .for_each(|warning| self.env.warn_left_out(warning));
                return Ok(false);
            }
            if let Err(error) = self.entries() {
                self.ready.clear();
                self.tables.faulty = true;
                return Err(self.lines.placed(error).continuable());
            }
        }
    }
}
