//! Names of features whose store has no keys that are names.

use std::collections::HashMap;

use spr_core::bytes::{Env, MemoryCounter, Source};
use spr_core::model::Decimal;
use spr_core::{Error, Result};
use spr_syntax::json::Object;
use spr_syntax::lines::Lines;

use super::features::Features;
use super::kind::Kind;

/// The fields that distinguish features of one recording.
#[derive(Default)]
struct FeatureKey {
    first: Option<(Decimal, Decimal, Option<String>)>,
    times: bool,
    channels: bool,
}

/// The recordings of a manifest of features that has to be looked at before it is read.
#[derive(Default)]
pub(super) struct FeatureNames(HashMap<String, FeatureKey>);

/// The bytes in which the first line is looked for.
const HEAD: usize = 64 << 10;

impl FeatureNames {
    /// Looks at a manifest whose first features have no name in their store, so that several of one
    /// recording are told apart. Returns the manifest from its start.
    ///
    /// # Errors
    /// It cannot be read twice, or has more recordings than the limits allow.
    pub(super) fn look_at(mut source: Source, env: &Env) -> Result<(Source, Self)> {
        let (head, _) = source.ahead(HEAD, |head| head.trim_ascii_start().contains(&b'\n'))?;
        let first = head.trim_ascii_start().split(|byte| *byte == b'\n').next();
        let mut names = Self::default();
        if !first.is_some_and(is_nameless) {
            return Ok((source, names));
        }
        let mut source = source.into_seekable()?;
        let mut lines = Lines::of_json(&mut source, env);
        let mut held = MemoryCounter::new("the names of recordings");
        while lines.advance().unwrap_or(false) {
            // Faults are told when the line is read.
            let features = Object::of_line(lines.line()).and_then(Features::read);
            if let Some((recording, features)) = features.ok().and_then(Features::nameless) {
                if !names.0.contains_key(&recording) {
                    lines.hold(&mut held, recording.len() + size_of::<FeatureKey>())?;
                }
                names.0.entry(recording).or_default().add(&features);
            }
        }
        source.seek(0)?;
        Ok((source, names))
    }

    /// Returns the name of features: their key in the store if it is a name, else that of the
    /// recording, with start and end in milliseconds and the channel if it has several of them.
    ///
    /// # Errors
    /// There is neither.
    pub(super) fn name(&self, features: &Features) -> Result<String> {
        if features.is_named() {
            return Ok(features.name().to_owned());
        }
        let Some(recording) = features.recording.as_deref() else {
            return Err(Error::malformed(
                "features without a recording_id, by which they would be named",
            ));
        };
        let mut name = recording.to_owned();
        let Some(told) = self.0.get(recording) else {
            return Ok(name);
        };
        if told.times {
            let end = features.start.plus(features.duration).unwrap_or_default();
            let [start, end] = [features.start, end].map(|t| (t.value() * 1000.0).round());
            name = format!("{name}-{start:07}-{end:07}");
        }
        match &features.channels {
            Some(channels) if told.channels => Ok(format!("{name}-{channels}")),
            _ => Ok(name),
        }
    }
}

/// Returns `true` for a line with features that have no name in their store.
fn is_nameless(line: &[u8]) -> bool {
    let Ok(object) = Object::of_line(line) else {
        return false;
    };
    matches!(Kind::of(&object), Ok(Kind::Features))
        && Features::read(object).is_ok_and(|features| !features.is_named())
}

impl FeatureKey {
    fn add(&mut self, features: &Features) {
        let own = (features.start, features.duration, features.channels.clone());
        match &self.first {
            None => self.first = Some(own),
            Some((start, duration, channels)) => {
                self.times |= (*start, *duration) != (own.0, own.1);
                self.channels |= *channels != own.2;
            }
        }
    }
}
