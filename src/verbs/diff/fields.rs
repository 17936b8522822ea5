//! Comparison of what is known of an utterance besides its data: who speaks, where it starts, and the
//! fields of its line.

use std::borrow::Cow;
use std::collections::BTreeSet;

use spr_core::model::{Audio, AudioReference, Decimal, Key, Position, Tag, Utterance};

use super::utterance::{Difference, UtteranceDiff, shown};
use super::values::Tolerance;

/// The word for a field that one of two utterances lacks.
const NONE: &str = "none";

/// A field with a name as value.
type Name = (&'static str, fn(&Utterance) -> Option<&Key>);
/// A field with a number of seconds as value.
type Time = (&'static str, fn(&Utterance) -> Option<Decimal>);

const NAMES: &[Name] = &[
    ("speaker", |utt| utt.meta.speaker.as_ref()),
    ("gender", |utt| utt.meta.gender.as_ref()),
    ("language", |utt| utt.meta.language.as_ref()),
    ("recording", |utt| utt.meta.recording.as_ref()),
    ("channel", |utt| utt.meta.channel.as_ref()),
];

const TIMES: &[Time] = &[
    ("start", |utt| {
        utt.meta
            .start
            .or_else(|| Some(reference(utt)?.span.bounds()?.0))
    }),
    ("end", |utt| {
        utt.meta.end.or_else(|| reference(utt)?.span.end())
    }),
    // Sound that is here is compared by its samples.
    ("seconds", |utt| reference(utt)?.facts().time()),
];

fn reference(utt: &Utterance) -> Option<&AudioReference> {
    utt.audio.as_ref().and_then(Audio::reference)
}

impl Tolerance {
    /// Compares these fields. One that only one of them has is a difference if they are of the `same`
    /// format, and metadata if they are not, as another format may not hold it. Fields without a meaning
    /// here are compared if each utterance is a line.
    pub(super) fn fields(
        &self,
        a: &Utterance,
        b: &Utterance,
        same: bool,
        found: &mut UtteranceDiff,
    ) {
        for (name, value) in NAMES {
            let letters = || (a.meta.gender_letter(), b.meta.gender_letter());
            let is_same_gender =
                || *name == "gender" && letters().0.is_some() && letters().0 == letters().1;
            let (a, b) = (value(a), value(b));
            if a != b && !is_same_gender() {
                let [a, b] = [a, b].map(|name| name.map(|name| shown(name.as_bytes())));
                found.field(name, a, b, same);
            }
        }
        for (name, value) in TIMES {
            let (a, b) = (value(a), value(b));
            let first =
                |time: Option<Decimal>| time.or(Some(Decimal::ZERO).filter(|_| *name == "start"));
            let is_close = match (first(a), first(b)) {
                (Some(a), Some(b)) => self.is_close(a.value(), b.value()),
                (a, b) => a == b,
            };
            if !is_close {
                let [a, b] = [a, b].map(|time| time.map(|time| time.to_string()));
                found.field(name, a, b, same);
            }
        }
        let (mine, theirs) = (&a.meta, &b.meta);
        let is_line = |utt: &Utterance| matches!(utt.origin.at, Some(Position::Line(_)));
        if same && is_line(a) && is_line(b) {
            tags(&mine.tags, &theirs.tags, found);
        } else {
            found.metadata |= mine.tags != theirs.tags;
        }
        let frames = |utt: &Utterance| (utt.meta.frame_shift, utt.meta.frame_offset);
        found.metadata |= frames(a) != frames(b) || a.sequences != b.sequences;
    }
}

impl UtteranceDiff {
    fn field(&mut self, name: &'static str, a: Option<String>, b: Option<String>, same: bool) {
        if !same && (a.is_none() || b.is_none()) {
            self.metadata = true;
            return;
        }
        let [a, b] = [a, b].map(|value| value.unwrap_or_else(|| NONE.to_owned()));
        self.differences.push(Difference::Other(name.into(), a, b));
    }
}

/// Compares fields that have no meaning here, by name.
fn tags(a: &[Tag], b: &[Tag], found: &mut UtteranceDiff) {
    let names: BTreeSet<_> = a.iter().chain(b).map(|tag| &tag.key).collect();
    for name in names {
        let of = |tags: &[Tag]| -> Vec<_> {
            let own = tags.iter().filter(|tag| tag.key == *name);
            own.map(|tag| shown(&tag.value)).collect()
        };
        let values = |tags: &[Tag]| -> Vec<_> {
            let own = tags.iter().filter(|tag| tag.key == *name);
            own.map(|tag| tag.value.clone()).collect()
        };
        if values(a) == values(b) {
            continue;
        }
        let [a, b] = [of(a), of(b)].map(|values| match values.is_empty() {
            true => NONE.to_owned(),
            false => values.join(" "),
        });
        let name: Cow<'static, str> = format!("field {}", shown(name)).into();
        found.differences.push(Difference::Other(name, a, b));
    }
}

#[cfg(test)]
mod tests {
    use spr_core::bytes::Locator;

    use super::*;

    fn utterance(line: bool) -> Utterance {
        let mut utt = Utterance::default();
        let mut place = AudioReference::new(Locator::file("a.wav"));
        place.recording.duration = Decimal::parse("2");
        utt.audio = Some(Audio::Reference(place));
        utt.meta.speaker = Some(Key::from("ann"));
        utt.meta.gender = Some(Key::from("f"));
        utt.meta.start = Decimal::parse("0.10");
        utt.meta.tags.push(Tag::new("manifest", "mood", "sad"));
        utt.origin.at = line.then_some(Position::Line(1));
        utt
    }

    /// The names of what differs, and whether metadata does.
    fn compared(change: fn(&mut Utterance), line: bool, same: bool) -> (Vec<String>, bool) {
        let (a, mut b) = (utterance(line), utterance(line));
        change(&mut b);
        let names = |a, b| {
            let mut found = UtteranceDiff::default();
            Tolerance::default().fields(a, b, same, &mut found);
            let names = found.differences.iter().map(|difference| match difference {
                Difference::Other(name, a, b) => {
                    assert_ne!(a, b);
                    name.to_string()
                }
                other => format!("{other:?}"),
            });
            (names.collect(), found.metadata)
        };
        let both = [names(&a, &b), names(&b, &a)];
        assert_eq!(both[0], both[1]);
        both[0].clone()
    }

    #[test]
    fn fields_are_compared_by_what_they_mean() {
        let alike: [fn(&mut Utterance); 3] = [
            |_| {},
            |b| b.meta.start = Decimal::parse("0.1"),
            |b| b.meta.gender = Some(Key::from("Female")),
        ];
        for change in alike {
            assert_eq!(compared(change, true, true), (vec![], false));
        }
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let other: fn(&mut Utterance) = |b| b.meta.speaker = Some(Key::from("bob"));
        assert_eq!(compared(other, false, false), (names(&["speaker"]), false));
        let none: fn(&mut Utterance) = |b| b.meta.speaker = None;
        assert_eq!(compared(none, false, true), (names(&["speaker"]), false));
        assert_eq!(compared(none, false, false), (vec![], true));
        let mood: fn(&mut Utterance) = |b| b.meta.tags[0].value = b"glad".to_vec();
        assert_eq!(
            compared(mood, true, true),
            (names(&["field 'mood'"]), false)
        );
        assert_eq!(compared(mood, false, true), (vec![], true));
        assert_eq!(compared(mood, true, false), (vec![], true));
        let longer: fn(&mut Utterance) = |b| {
            if let Some(Audio::Reference(place)) = &mut b.audio {
                place.recording.duration = Decimal::parse("2.5");
            }
        };
        assert_eq!(compared(longer, true, true), (names(&["seconds"]), false));
    }
}
