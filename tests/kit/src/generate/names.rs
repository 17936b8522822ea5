//! Keys, times, header lines and what else a header says.

use std::borrow::Cow;
use std::collections::HashSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use spr_core::format::{Caps, Keys, Tags};
use spr_core::model::{Decimal, Key, Meta, SourceField, Tag};

/// Keys of the sort that an output keeps.
pub fn key(keys: Keys) -> BoxedStrategy<Key> {
    let word = (0x21..=0xfeu8).prop_filter("DEL", |b| *b != 0x7f);
    match keys {
        Keys::Words | Keys::SideFile => prop_oneof![
            "[a-z]{1,8}-[0-9]{1,3}".prop_map(|k| Key::from(&*k)),
            vec(word, 1..12).prop_map(Key::from),
            "[!-~]{80,120}".prop_map(|k| Key::from(&*k)),
        ]
        .boxed(),
        Keys::FileNames => prop_oneof![
            "[a-zA-Z0-9_-]{1,8}(\\.[0-9]{1,2})?",
            "[a-z]{1,3}/[a-z ]{1,8}[é_]",
        ]
        .prop_map(|k| Key::from(&*k))
        .boxed(),
        _ => prop_oneof![
            "[a-z]{1,8}-[0-9]{1,3}".prop_map(|k| Key::from(&*k)),
            "\\PC{0,8}".prop_map(|k| Key::from(&*k)),
            vec(any::<u8>(), 0..12).prop_map(Key::from),
        ]
        .boxed(),
    }
}

/// Keys that an output with `caps` keeps.
pub(super) fn held_key(caps: Caps) -> impl Strategy<Value = Key> {
    key(caps.keys).prop_map(move |key| fit(key, &caps))
}

/// The key, or a plain one in its stead where a rule is against it.
pub(super) fn fit(key: Key, caps: &Caps) -> Key {
    match caps.check_key(&key) {
        Ok(()) => key,
        Err(_) => {
            let letters = key.as_bytes().iter().map(|b| char::from(b'a' + b % 26));
            let plain: String = std::iter::once('k').chain(letters).collect();
            Key::from(&*plain)
        }
    }
}

/// A frame shift that `caps` have a place for.
fn held_shift(shift: Option<Decimal>, caps: &Caps) -> Option<Decimal> {
    let usual = Decimal::parse("0.01");
    let needed = caps.features.is_some_and(|features| features.needs_shift);
    let shift = shift.or(usual.filter(|_| needed));
    let fits = |shift: &Decimal| shift.is_positive() && caps.shift_rule.fits(shift);
    let fitting = shift.filter(fits);
    fitting
        .or(usual.filter(|_| shift.is_some()))
        .filter(|_| caps.frame_shift)
}

/// What a header says, as far as `caps` have a place for it.
pub(super) fn meta(caps: Caps) -> impl Strategy<Value = Meta> {
    let times = (option::of(decimal()), option::of(decimal()));
    let source = option::of(source()).prop_map(Option::unwrap_or_default);
    (times, source, tags(caps.tags)).prop_map(move |((shift, offset), mut meta, tags)| {
        for field in SourceField::ALL {
            if !caps.source.contains(field) {
                meta.clear_field(*field);
            }
        }
        if caps.utf8 {
            for name in [
                &mut meta.speaker,
                &mut meta.gender,
                &mut meta.language,
                &mut meta.recording,
                &mut meta.channel,
            ] {
                let text = |key: &mut Key| String::from_utf8_lossy(key.as_bytes()).as_ref().into();
                *name = name.as_mut().map(text);
            }
        }
        Meta {
            frame_shift: held_shift(shift, &caps),
            frame_offset: offset.filter(|_| caps.frame_offset),
            tags,
            ..meta
        }
    })
}

/// Who speaks, in which language, and where in which recording, each known or not.
pub(super) fn source() -> impl Strategy<Value = Meta> {
    let name = || option::of(key(Keys::Words));
    let names = (name(), name(), name(), name(), name());
    let times = (option::of(decimal()), option::of(decimal()));
    (names, times).prop_map(|(names, (start, length))| {
        let (speaker, gender, language, recording, channel) = names;
        // What formats that must name one call the only channel, so that it says nothing.
        let channel = channel.filter(|name| name.as_bytes() != b"1");
        let end = length.and_then(|length| start.unwrap_or_default().plus(length));
        Meta {
            speaker,
            gender,
            language,
            recording,
            channel,
            start,
            end,
            ..Meta::default()
        }
    })
}

const TIMES: [&str; 6] = [
    "0.01",
    "0.010",
    "0.0125",
    "1",
    "0.0050",
    "0.12345678901234567890",
];

/// Times in seconds above 0, some with digits that a float would not keep.
pub fn decimal() -> impl Strategy<Value = Decimal> {
    prop_oneof![
        select(&TIMES[..]).prop_map(|text| Decimal::parse(text).expect("a decimal")),
        (1..1_000_000_000_000_000i64, -15..=0i16)
            .prop_map(|(digits, power)| Decimal::new(digits, power)),
    ]
}

fn tags(held: Tags) -> BoxedStrategy<Vec<Tag>> {
    match held {
        // What others mean by their names can't be made up.
        Tags::None | Tags::Named(..) => Just(Vec::new()).boxed(),
        Tags::Of(format) => vec(("X[A-Z0-9_]{0,7}", "[!-~]([ -~]{0,10}[!-~])?"), 0..4)
            .prop_map(move |pairs| {
                let mut seen = HashSet::new();
                let fresh = pairs
                    .into_iter()
                    .filter(|(key, _)| seen.insert(key.clone()));
                fresh
                    .map(|(key, value)| Tag::new(format, key, value))
                    .collect()
            })
            .boxed(),
        _ => {
            let format = prop_oneof![Just("spraak".to_owned()), "[a-z][a-z0-9-]{0,9}"];
            vec(format.prop_flat_map(any_tag), 0..4).boxed()
        }
    }
}

/// Header lines of `format` with any bytes.
pub(super) fn any_tag(format: impl Into<Cow<'static, str>>) -> impl Strategy<Value = Tag> {
    let bytes = || {
        prop_oneof![
            "\\PC{0,8}".prop_map(String::into_bytes),
            vec(any::<u8>(), 0..8),
        ]
    };
    let format = format.into();
    (bytes(), bytes()).prop_map(move |(key, value)| Tag::new(format.clone(), key, value))
}
