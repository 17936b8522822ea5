//! A hash of each field, to compare what was written with what is read back.

use std::collections::HashMap;

use spr_core::bytes::{Env, Location, Locator};
use spr_core::format::{Caps, WriteSummary};
use spr_core::loss::LossKind;
use spr_core::model::{Audio, AudioReference, Dtype, Key, Object, Rank, SourceField, Utterance};
use spr_core::recording;
use twox_hash::XxHash3_128;

use super::canonical::Canonical;
use super::{Layout, Rows, decode};

/// A field of utterances, or several that are compared together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    /// Features, labels, audio, segments, objects and arrays.
    Data,
    Text,
    /// The times of frames.
    Frames,
    Speaker,
    Gender,
    Language,
    Recording,
    Channel,
    Place,
    Tags,
}

impl Field {
    const ALL: [Self; 10] = [
        Self::Data,
        Self::Text,
        Self::Frames,
        Self::Speaker,
        Self::Gender,
        Self::Language,
        Self::Recording,
        Self::Channel,
        Self::Place,
        Self::Tags,
    ];

    /// Returns the field of the model, if it is about the speaker or the recording.
    fn source(self) -> Option<SourceField> {
        Some(match self {
            Self::Speaker => SourceField::Speaker,
            Self::Gender => SourceField::Gender,
            Self::Language => SourceField::Language,
            Self::Recording => SourceField::Recording,
            Self::Channel => SourceField::Channel,
            Self::Place => SourceField::Place,
            Self::Data | Self::Text | Self::Frames | Self::Tags => return None,
        })
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }

    /// Returns `true` if an utterance has the field.
    fn is_in(self, utt: &Utterance) -> bool {
        match self {
            Self::Data => true,
            Self::Text => utt.text.is_some(),
            Self::Frames => utt.meta.frame_shift.or(utt.meta.frame_offset).is_some(),
            Self::Tags => !utt.meta.tags.is_empty(),
            // A recording of one utterance has its name.
            Self::Recording => utt
                .meta
                .recording
                .as_ref()
                .is_some_and(|own| *own != utt.key),
            other => other.source().is_some_and(|field| utt.meta.has(field)),
        }
    }

    /// Returns `true` if a reader may derive the field where nothing was written.
    fn may_be_derived(self, utt: &Utterance) -> bool {
        match self {
            Self::Data | Self::Frames => false,
            Self::Text => utt.text.as_ref().is_some_and(Vec::is_empty),
            _ => true,
        }
    }

    /// Returns `true` if the writer reported that it dropped the field.
    fn was_dropped(self, written: &WriteSummary) -> bool {
        let names = written
            .rounded
            .lines()
            .filter(|(kind, _)| *kind == LossKind::Metadata)
            .flat_map(|(_, line)| &line.what);
        let sources = || SourceField::ALL.iter().map(|field| field.name());
        let mut names = names.map(String::as_str);
        match (self, self.source()) {
            (_, Some(field)) => names.any(|name| name == field.name()),
            (Self::Tags, _) => names.any(|name| sources().all(|source| source != name)),
            _ => false,
        }
    }
}

/// The bit of an utterance whose sound is a reference.
const REFERENCE: u16 = 1 << 15;

/// The hashes of all fields of a data set in a form that does not depend on how a format states
/// them: locations are absolute, genders letters.
pub(crate) struct FieldDigest {
    layout: Layout,
    sums: [u128; Field::ALL.len()],
    rows: Rows,
    /// The hash of each utterance, to find the first that differs.
    steps: Vec<u64>,
    present: Present,
    /// The kind of all utterances, as the name of a Kaldi holder, if bytes alone are ambiguous.
    kind: Option<Kind>,
    /// The folder of the last reference, and its absolute name.
    folder: Option<(Location, Location)>,
    scratch: Vec<u8>,
}

/// The kind of all utterances.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Of(String),
    Several,
}

impl FieldDigest {
    /// Creates a digest of the data that an output with `caps` stores.
    pub(crate) fn new(caps: &Caps, folder: bool) -> Self {
        Self::with(Layout::of(caps, folder))
    }

    fn with(layout: Layout) -> Self {
        Self {
            layout,
            sums: Default::default(),
            rows: Rows::default(),
            steps: Vec::new(),
            present: Present::new(layout),
            kind: None,
            folder: None,
            scratch: Vec::new(),
        }
    }

    /// Creates an empty digest with the same settings.
    pub(crate) fn like(other: &Self) -> Self {
        Self::with(other.layout)
    }

    /// Adds an utterance that is written.
    pub(crate) fn add(&mut self, utt: &mut Utterance, env: &Env) {
        self.count(utt, u16::MAX, env);
    }

    /// Adds an utterance that is read back. Fields that were not written, and that the reader
    /// derives, are left out.
    pub(crate) fn add_read(&mut self, utt: &mut Utterance, written: &Self, env: &Env) {
        let known = written.present.of(self.steps.len(), &utt.key);
        let derived = Field::ALL
            .iter()
            .filter(|field| known & field.bit() == 0 && field.may_be_derived(utt));
        let derived = derived.fold(0, |all, field| all | field.bit());
        self.count(utt, !derived, env);
    }

    fn count(&mut self, utt: &mut Utterance, mask: u16, env: &Env) {
        decode(utt, env);
        self.see(utt);
        if !self.layout.apart {
            self.rows.add(utt, &mut self.scratch);
            return;
        }
        let number = self.steps.len();
        let (mut step, mut present) = (0u128, 0);
        for field in Field::ALL {
            if mask & field.bit() == 0 || !field.is_in(utt) {
                continue;
            }
            let mut hash = self.layout.start(number as u64, &utt.key);
            hash.number(field as u64);
            self.field(field, utt, &mut hash, env);
            let hash = hash.finish();
            let sum = &mut self.sums[field as usize];
            *sum = sum.wrapping_add(hash);
            step = step.wrapping_add(hash);
            present |= field.bit();
        }
        if matches!(utt.audio, Some(Audio::Reference(_))) {
            present |= REFERENCE;
        }
        self.present.add(&utt.key, present);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "64 bits tell two runs apart"
        )]
        self.steps.push(step as u64);
    }

    fn field(&mut self, field: Field, utt: &Utterance, hash: &mut Canonical, env: &Env) {
        let meta = &utt.meta;
        match field {
            Field::Data => {
                let reference = match &utt.audio {
                    Some(Audio::Reference(reference)) => Some(reference),
                    _ => None,
                };
                hash.data(utt, &mut self.scratch, reference.is_none());
                hash.more(utt, &mut self.scratch);
                if let Some(reference) = reference {
                    let bounds = reference.span.bounds();
                    let (start, end) = (bounds.map(|(start, _)| start), reference.span.end());
                    hash.field(self.location(&reference.at, env).as_bytes());
                    hash.times(&[start, end]);
                    let channel = channel(utt, reference, env);
                    hash.number(channel.map_or(u64::MAX, u64::from));
                }
            }
            Field::Text => hash.field(utt.text.as_deref().unwrap_or_default()),
            Field::Frames => hash.times(&[meta.frame_shift, meta.frame_offset]),
            Field::Place => hash.times(&[meta.start, meta.end]),
            Field::Tags => hash.tags(&meta.tags),
            Field::Gender if meta.gender_letter().is_some() => {
                hash.field(meta.gender_letter().unwrap_or_default());
            }
            Field::Speaker
            | Field::Gender
            | Field::Language
            | Field::Recording
            | Field::Channel => {
                let mut names = meta.names();
                let own = names.find(|(of, _)| Some(*of) == field.source());
                hash.field(own.map_or(&[], |(_, name)| name.as_bytes()));
            }
        }
    }

    /// Returns a location by its absolute name.
    fn location(&mut self, at: &Locator, env: &Env) -> String {
        let mut absolute = |file: &Location| {
            let Some(name) = file.name().filter(|_| !file.is_url()) else {
                return file.clone();
            };
            let parent = file.parent().unwrap_or_else(|| ".".into());
            let folder = match &self.folder {
                Some((last, folder)) if *last == parent => folder.clone(),
                _ => env.resolve(&parent),
            };
            self.folder = Some((parent, folder.clone()));
            folder.join(name)
        };
        let at = match at {
            Locator::File(file) => Locator::File(absolute(file)),
            Locator::FileAt(file, byte) => Locator::FileAt(absolute(file), *byte),
            Locator::Command(line) => Locator::Command(line.trim().to_owned()),
            other => other.clone(),
        };
        at.to_string()
    }

    fn see(&mut self, utt: &Utterance) {
        let own = kind(utt);
        let same = match (&self.kind, own) {
            (None, Some(own)) => Some(Kind::Of(own.to_owned())),
            (Some(Kind::Of(kind)), Some(own)) if kind == own => return,
            (Some(Kind::Several), _) => return,
            _ => Some(Kind::Several),
        };
        self.kind = same;
    }

    /// Returns `true` if an output has the same data as were written, except for the metadata that
    /// its writer reported to have dropped.
    pub(crate) fn is_same(&self, written: &Self, summary: &WriteSummary) -> bool {
        let same = |field: Field| {
            self.sums[field as usize] == written.sums[field as usize] || field.was_dropped(summary)
        };
        self.steps.len() == written.steps.len()
            && self.rows.hashes() == written.rows.hashes()
            && Field::ALL.iter().all(|field| same(*field))
    }

    /// Returns `true` if the last utterance is the one that was written at its number, as far as
    /// the order counts.
    pub(crate) fn is_in_step(&self, written: &Self) -> bool {
        let n = self.steps.len();
        !self.layout.ordered || n == 0 || written.steps.get(n - 1) == self.steps.last()
    }

    /// Returns `true` if no utterance was added.
    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the number of utterances so far.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the kind of all utterances, as the name of a Kaldi holder, if bytes alone are
    /// ambiguous.
    pub(crate) fn kind(&self) -> Option<&str> {
        match &self.kind {
            Some(Kind::Of(kind)) => Some(kind),
            Some(Kind::Several) | None => None,
        }
    }

    /// Returns `true` if the sound of this utterance was added as a reference.
    pub(crate) fn has_reference(&self, number: usize, key: &Key) -> bool {
        self.present.of(number, key) & REFERENCE != 0
    }
}

/// The fields that each utterance has.
enum Present {
    InOrder(Vec<u16>),
    /// By the hash of the key.
    Named(HashMap<u128, u16>),
}

impl Present {
    fn new(layout: Layout) -> Self {
        match layout.ordered {
            true => Self::InOrder(Vec::new()),
            false => Self::Named(HashMap::new()),
        }
    }

    fn add(&mut self, key: &Key, fields: u16) {
        match self {
            Self::InOrder(all) => all.push(fields),
            Self::Named(all) => {
                all.insert(XxHash3_128::oneshot(key.as_bytes()), fields);
            }
        }
    }

    /// Returns the fields of the utterance with this number and key, or none.
    fn of(&self, number: usize, key: &Key) -> u16 {
        let known = match self {
            Self::InOrder(all) => all.get(number),
            Self::Named(all) => all.get(&XxHash3_128::oneshot(key.as_bytes())),
        };
        known.copied().unwrap_or_default()
    }
}

/// Returns the channel of a reference, unless it is the only one.
fn channel(utt: &Utterance, reference: &AudioReference, env: &Env) -> Option<u32> {
    let known = reference.recording.channels;
    let of_file = || recording::facts(reference, &utt.origin, env).ok()?.channels;
    let is_only = || known.or_else(of_file) == Some(1);
    reference.channel.filter(|n| *n != 0 || !is_only())
}

/// Returns the Kaldi holder for an utterance, if its bytes alone are ambiguous.
fn kind(utt: &Utterance) -> Option<&str> {
    match (&utt.object, &utt.features, &utt.labels) {
        (Some(Object::Opaque { .. }), ..) => None,
        (Some(object), ..) => Some(object.kind()),
        (None, Some(number), _) if number.rank() == Rank::Scalar => match number.dtype() {
            Dtype::F32 => Some("float"),
            Dtype::F64 => Some("double"),
            _ => None,
        },
        (None, None, Some(_)) => Some("int32-vector"),
        (None, ..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::format::{Format, Medium, Options};
    use spr_core::model::Waveform;

    fn caps() -> Caps {
        spr_format_jsonl::FORMAT
            .caps(&Options::default(), Medium::File)
            .unwrap()
    }

    fn utterance(change: impl Fn(&mut Utterance)) -> Utterance {
        let mut utt = Utterance {
            key: "a".into(),
            ..Utterance::default()
        };
        change(&mut utt);
        utt
    }

    fn dropped(what: &str) -> WriteSummary {
        let mut summary = WriteSummary::default();
        let key = Key::from("a");
        summary.rounded.add(LossKind::Metadata, &key, Some(what));
        summary
    }

    /// Returns `true` if `read` is taken for what was `written`.
    fn same(written: &Utterance, read: &Utterance, summary: &WriteSummary) -> bool {
        let mut digests = [true, false].map(|folder| FieldDigest::new(&caps(), folder));
        let env = Env::default();
        let mut same = digests.iter_mut().map(|want| {
            want.add(&mut written.clone(), &env);
            let mut got = FieldDigest::like(want);
            got.add_read(&mut read.clone(), want, &env);
            got.is_same(want, summary)
        });
        let first = same.next().unwrap();
        assert_eq!(Some(first), same.next());
        first
    }

    #[test]
    fn what_formats_state_in_other_words_is_the_same() {
        let env = Env::default();
        let whole = env.resolve(&"x.wav".into());
        let reference = |at: Location, change: fn(&mut AudioReference)| {
            let mut reference = AudioReference::new(Locator::File(at));
            change(&mut reference);
            utterance(|utt| utt.audio = Some(Audio::Reference(reference.clone())))
        };
        let of = |gender: &str| utterance(|utt| utt.meta.gender = Some(gender.into()));
        let none = WriteSummary::default();
        for (written, read, expected) in [
            (of("female"), of("f"), true),
            (of("female"), of("m"), false),
            (of("x"), of("X"), false),
            (
                reference("x.wav".into(), |_| {}),
                reference(whole.clone(), |_| {}),
                true,
            ),
            (
                reference("x.wav".into(), |_| {}),
                reference("y.wav".into(), |_| {}),
                false,
            ),
            (
                reference("x.wav".into(), |r| {
                    r.span = Span::new(None, Decimal::parse("2"))
                }),
                reference("x.wav".into(), |r| {
                    r.span = Span::new(Decimal::parse("0"), Decimal::parse("2.0"));
                }),
                true,
            ),
            (
                reference("x.wav".into(), |r| {
                    r.span = Span::new(None, Decimal::parse("2"))
                }),
                reference("x.wav".into(), |r| {
                    r.span = Span::new(None, Decimal::parse("3"))
                }),
                false,
            ),
        ] {
            assert_eq!(
                same(&written, &read, &none),
                expected,
                "{written:?} {read:?}"
            );
        }
    }

    #[test]
    fn readers_may_derive_and_writers_may_drop_what_they_report() {
        let none = WriteSummary::default();
        let bare = utterance(|utt| utt.audio = Some(Audio::Samples(Waveform::default())));
        let placed = utterance(|utt| {
            utt.audio = Some(Audio::Samples(Waveform::default()));
            utt.meta.recording = Some("r".into());
        });
        assert!(same(&bare, &placed, &none));
        assert!(!same(&placed, &bare, &none));
        assert!(same(&placed, &bare, &dropped("recording")));
        assert!(!same(&placed, &bare, &dropped("language")));
        let said = |text: &str| utterance(|utt| utt.text = Some(text.into()));
        let silent = utterance(|_| {});
        assert!(same(&silent, &said(""), &none));
        assert!(!same(&silent, &said("x"), &none));
        assert!(!same(&said("x"), &silent, &dropped("utt2dur")));
        let timed = utterance(|utt| utt.meta.frame_shift = Decimal::parse("0.01"));
        assert!(!same(&silent, &timed, &none));
    }
}
