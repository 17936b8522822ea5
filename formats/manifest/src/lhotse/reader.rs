//! Reading line by line.

use std::collections::HashMap;

use spr_core::bytes::{Env, Location, Source};
use spr_core::format::{Options, Reader, Request, Wanted};
use spr_core::model::{Audio, DatasetInfo, KeySource, Utterance};
use spr_core::{Error, Limits, Result};

use super::features::{FeatureSet, Features};
use super::recording::{Recording, Stretch};
use super::stores::Stores;
use super::supervision::Supervision;
use super::{Kind, cut, files};
use crate::json::Object;
use crate::lines::Lines;
use crate::places::Places;
use crate::source::Place;

/// Which forms of an utterance are wanted.
pub(super) struct Parts {
    sound: bool,
    features: bool,
    stores: Stores,
    limits: Limits,
}

impl Parts {
    fn new(request: &Request, env: &Env) -> Self {
        let forms = request.forms;
        let either = forms.audio || forms.features;
        Self {
            sound: request.parts.audio && (forms.audio || !either),
            features: request.parts.features && (forms.features || !either),
            stores: Stores::new(env),
            limits: env.limits,
        }
    }

    /// Reads features.
    ///
    /// # Errors
    /// They can't be read.
    fn read(
        &mut self,
        features: &Features,
        stretch: &Stretch,
        places: &mut Places,
        utt: &mut Utterance,
    ) -> Result<()> {
        features.load(stretch, places, (&mut self.stores, &self.limits), utt)
    }

    /// Reads the features of an utterance, if there are some and they are wanted; where features
    /// alone are wanted, the sound goes.
    ///
    /// # Errors
    /// They can't be read.
    pub(super) fn choose(
        &mut self,
        features: Option<&Features>,
        stretch: &Stretch,
        places: &mut Places,
        utt: &mut Utterance,
    ) -> Result<()> {
        let Some(features) = features else {
            return Ok(());
        };
        if self.features || utt.audio.is_none() {
            self.read(features, stretch, places, utt)?;
        }
        if !self.sound {
            utt.audio = None;
        }
        Ok(())
    }
}

pub(super) struct LhotseReader {
    lines: Lines,
    /// Whether the line at hand was looked at, and not read yet.
    pending: bool,
    kind: Kind,
    tables: Tables,
    /// Utterances of a cut of which the first was given, the last one first.
    ready: Vec<Utterance>,
    wanted: Option<Wanted>,
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
        let mut lines = Lines::new(source, env.limits);
        let pending = lines.next()?;
        let kind = match pending {
            true => Kind::of(&Object::of_line(lines.line()).map_err(|e| lines.error(e).fatal())?)
                .map_err(|e| lines.error(e).fatal())?,
            false => Kind::Supervisions,
        };
        let mut tables = Tables {
            places,
            recordings: None,
            features: FeatureSet::default(),
            parts: Parts::new(request, env),
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
            ready: Vec::new(),
            wanted: request.take_keys(),
            info,
        })
    }

    /// Reads the line at hand.
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
                    key: features.name().into(),
                    ..Utterance::default()
                };
                utt.meta.recording = features.recording.as_deref().map(Into::into);
                let stretch = Stretch {
                    start: features.start,
                    duration: features.duration,
                    channels: Vec::new(),
                };
                utt.meta.start = utt.meta.recording.is_some().then_some(stretch.start);
                utt.meta.end = utt.meta.start.and_then(|_| stretch.end().ok());
                let read = tables
                    .parts
                    .read(&features, &stretch, &mut tables.places, &mut utt);
                read.map_err(|e| e.utterance(&utt.key))?;
                self.ready.push(utt);
            }
        }
        self.ready.reverse();
        Ok(())
    }
}

/// What the lines of a manifest are joined with.
struct Tables {
    places: Places,
    /// Recordings by their names, and the file that they are from.
    recordings: Option<(String, HashMap<String, Recording>)>,
    features: FeatureSet,
    parts: Parts,
}

impl Tables {
    /// Loads what goes with supervisions.
    fn load(&mut self, [recordings, features]: [Option<Location>; 2], env: &Env) -> Result<()> {
        if let Some(file) = recordings {
            let mut all = HashMap::new();
            each(&file, env, |object| {
                let (id, recording) = Recording::read(object, &mut self.places)?;
                match all.insert(id.clone(), recording) {
                    None => Ok(()),
                    Some(_) => Err(Error::malformed(format!("a second recording {id}"))),
                }
            })?;
            self.recordings = Some((file.to_string(), all));
        }
        if let Some(file) = features.filter(|_| self.parts.features) {
            each(&file, env, |object| {
                self.features.add(Features::read(object)?);
                Ok(())
            })?;
        }
        Ok(())
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
            if let Some((file, all)) = &self.recordings {
                let Some(recording) = all.get(&said.recording) else {
                    let message = format!("the recording {} is not in {file}", said.recording);
                    return Err(Error::malformed(message));
                };
                let reference = recording.reference(&stretch)?;
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

/// Hands over each object of a manifest.
fn each(file: &Location, env: &Env, mut take: impl FnMut(Object<'_>) -> Result<()>) -> Result<()> {
    let mut lines = Lines::new(env.open_file(file)?, env.limits);
    while lines.next()? {
        let taken = Object::of_line(lines.line()).and_then(&mut take);
        taken.map_err(|e| lines.error(e).fatal())?;
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
                    self.lines.origin(utt);
                    return Ok(true);
                }
            }
            if !std::mem::take(&mut self.pending) && !self.lines.next()? {
                return Ok(false);
            }
            if let Err(error) = self.entries() {
                self.ready.clear();
                return Err(self.lines.error(error));
            }
        }
    }
}
