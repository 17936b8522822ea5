//! Objects, sound, segments, text and arrays: held ones come back, others are refused, alone and
//! beside what is held.

use spr_core::Limits;
use spr_core::bytes::Source;
use spr_core::format::{Caps, Keys};
use spr_core::model::{
    Array, Audio, Decimal, Dtype, NamedArray, Object, Rank, Segment, Tier, Utterance, Waveform,
};

use super::refusals::refused;
use super::trips::trip;
use super::{Bench, named, request_for};
use crate::faults;
use crate::generate;

pub(super) fn run(bench: &Bench<'_>) {
    let caps = &bench.caps;
    for &kind in Object::KINDS {
        let object = |n| Utterance {
            object: Some(generate::object(kind, n + 1)),
            ..named(n)
        };
        held_or_refused(bench, kind, caps.objects.hold(kind), object);
    }
    sound(bench);
    segments(bench);
    arrays(bench);
    let said = |n| Utterance {
        text: Some(format!("word {n}").into_bytes()),
        ..named(n)
    };
    held_or_refused(bench, "text", caps.text, said);
}

fn sound(bench: &Bench<'_>) {
    let caps = &bench.caps.audio;
    let audio = |n, audio| Utterance {
        audio: Some(audio),
        ..named(n)
    };
    for &dtype in Dtype::ALL {
        let samples = |n| {
            let channels = generate::channels(caps, 2);
            let samples = generate::plain(dtype, Rank::Matrix, 4 + n, channels);
            let samples = generate::held_bits(samples, caps);
            let rate = generate::rate(caps, 0);
            audio(n, Audio::Samples(Waveform { rate, samples }))
        };
        let held = caps.dtypes.contains(&dtype);
        held_or_refused(bench, &format!("audio of {dtype}"), held, samples);
    }
    let others = ["wav", "flac", "unknown"];
    let others = others.iter().filter(|other| !caps.encoded.contains(other));
    for &format in caps.encoded.iter().chain(others) {
        let file = |n| audio(n, Audio::Encoded(generate::encoded(format, n)));
        let held = caps.encoded.contains(&format);
        held_or_refused(bench, &format!("a {format} file"), held, file);
    }
    let elsewhere = |n| audio(n, Audio::Reference(generate::reference(n)));
    held_or_refused(bench, "sound elsewhere", caps.references, elsewhere);
}

fn segments(bench: &Bench<'_>) {
    let caps = bench.caps.segments;
    let tiers = |n, tiers| Utterance { tiers, ..named(n) };
    let some = |n| generate::segments(n, caps.unwrap_or_default());
    let plain = |n| tiers(n, vec![Tier::only(some(n))]);
    held_or_refused(bench, "segments", caps.is_some(), plain);
    let changed = |n, change: fn(&mut Segment)| {
        let mut segments = some(n);
        segments.iter_mut().step_by(2).for_each(change);
        tiers(n, vec![Tier::only(segments)])
    };
    let scores = |n| changed(n, |s| s.score = Some(Decimal::new(-125, -2)));
    held_or_refused(bench, "scores", caps.is_some_and(|c| c.scores), scores);
    let speakers = |n| changed(n, |s| s.speaker = Some(b"ann".as_slice().into()));
    held_or_refused(
        bench,
        "speakers",
        caps.is_some_and(|c| c.speakers),
        speakers,
    );
    let tier = |name: &str, points, segments: Vec<Segment>| Tier {
        name: name.as_bytes().into(),
        segments,
        points,
    };
    let held = caps.is_some_and(|caps| caps.tiers);
    let one = |n| tiers(n, vec![tier("words", false, some(n))]);
    held_or_refused(bench, "a tier with a name", held, one);
    let several = |n| {
        let phones = tier("phones", false, some(n + 2));
        tiers(n, vec![tier("words", false, some(n)), phones])
    };
    held_or_refused(bench, "several tiers", held, several);
    let points = |n| {
        let mut points = some(n);
        points
            .iter_mut()
            .for_each(|point| point.end = Some(point.start));
        tiers(n, vec![tier("bells", true, points)])
    };
    held_or_refused(bench, "a tier of points", held, points);
    let mut backwards = some(1);
    backwards[1].end = Some(Decimal::ZERO);
    refused_anywhere(bench, "a segment that ends before it starts", |n| {
        tiers(n, vec![Tier::only(backwards.clone())])
    });
    let Some(caps) = caps else { return };
    if caps.closed {
        refused_anywhere(bench, "a segment without an end", |n| {
            let mut open = some(n);
            open.iter_mut().for_each(|segment| segment.end = None);
            tiers(n, vec![Tier::only(open)])
        });
    }
    if caps.needs_some {
        refused_anywhere(bench, "no segments", |n| {
            tiers(n, vec![Tier::only(Vec::new())])
        });
    }
}

fn arrays(bench: &Bench<'_>) {
    let caps = bench.caps.arrays;
    let of_shape = |dtype, shape: &[usize]| NamedArray {
        name: match caps.and_then(|caps| caps.name) {
            Some(only) => only.to_owned(),
            None => format!("rank {}", shape.len()),
        },
        array: generate::array(dtype, shape, None),
    };
    let shape = |n, rank| -> Vec<usize> { (0..rank).map(|d| 1 + (n + d) % 3).collect() };
    for &dtype in Dtype::ALL {
        let held = caps.is_some_and(|caps| caps.dtypes.contains(&dtype));
        let least = caps.map_or(0, |caps| caps.min_rank);
        let most = caps.map_or(2, |caps| caps.max_rank);
        let count = caps.map_or(usize::MAX, |caps| caps.max_count);
        let arrays = |n: usize| Utterance {
            arrays: (least..=most)
                .take(count)
                .map(|rank| of_shape(dtype, &shape(n, rank)))
                .collect(),
            ..named(n)
        };
        held_or_refused(bench, &format!("arrays of {dtype}"), held, arrays);
    }
    let Some(caps) = caps else { return };
    if caps.max_count < usize::MAX {
        let array = |_| of_shape(caps.dtypes[0], &shape(0, caps.min_rank));
        refused_anywhere(bench, "too many arrays", |n| Utterance {
            arrays: (0..=caps.max_count).map(array).collect(),
            ..named(n)
        });
    }
    for rank in 0..=Array::MOST {
        let mut shape = shape(0, rank);
        let array = |n| Utterance {
            arrays: vec![of_shape(caps.dtypes[0], &shape)],
            ..named(n)
        };
        let held = (caps.min_rank..=caps.max_rank).contains(&rank);
        held_or_refused(
            bench,
            &format!("an array of {rank} dimensions"),
            held,
            array,
        );
        if let (true, Some(last)) = (held, shape.last_mut()) {
            *last = 0;
            check(bench, "an array without elements", |n| Utterance {
                arrays: vec![of_shape(caps.dtypes[0], &shape)],
                ..named(n)
            });
        }
    }
}

fn held_or_refused(bench: &Bench<'_>, what: &str, held: bool, make: impl Fn(usize) -> Utterance) {
    match held {
        true => self::held(bench, what, make),
        false => refused_anywhere(bench, what, make),
    }
}

/// Refused by itself, and beside everything that is held.
fn refused_anywhere(bench: &Bench<'_>, what: &str, make: impl Fn(usize) -> Utterance) {
    refused(bench, what, &bench.prepared(vec![make(0)]));
    for plan in generate::plans(&bench.caps) {
        let mut utts = bench.sample(plan, bench.most(2));
        let last = utts.len() - 1;
        let odd = make(last);
        let utt = &mut utts[last];
        utt.audio = odd.audio.or(utt.audio.take());
        utt.object = odd.object;
        utt.text = odd.text.or(utt.text.take());
        if !odd.tiers.is_empty() {
            utt.tiers = odd.tiers;
        }
        if !odd.arrays.is_empty() {
            utt.arrays = odd.arrays;
        }
        refused(bench, &format!("{what} beside {plan:?}"), &utts);
    }
}

fn check(bench: &Bench<'_>, what: &str, make: impl Fn(usize) -> Utterance) -> Vec<Utterance> {
    let utts = bench.prepared((0..bench.most(3)).map(make).collect());
    match trip(bench, &utts) {
        Ok(()) => utts,
        Err(e) => bench.fail(format_args!("round trip of {what}"), e),
    }
}

fn held(bench: &Bench<'_>, what: &str, make: impl Fn(usize) -> Utterance) {
    let utts = check(bench, what, make);
    let utts = if bench.folder { &utts[..1] } else { &utts };
    let bytes = match bench.memory(utts) {
        Ok(bytes) => bytes,
        Err(e) => bench.fail(format_args!("writing {what} to memory"), e),
    };
    let keys = keys_in_stream(&bench.caps);
    let slow = bench.read_asked(
        faults::one_byte(&bytes),
        request_for(utts),
        Limits::default(),
    );
    match slow
        .whole()
        .map(|slow| crate::compare_all(utts, &slow, keys, bench.suite.text))
    {
        Ok(Ok(())) => {}
        Ok(Err(e)) => bench.fail(format_args!("reading {what} a byte at a time"), e),
        Err(e) => bench.fail(format_args!("reading {what} a byte at a time"), e),
    }
    for n in 0..bytes.len() {
        let source = Source::from_bytes(crate::MEMORY, bytes[..n].to_vec());
        let drained = bench.read_asked(source, request_for(utts), Limits::default());
        for error in &drained.errors {
            if error.file_name().is_none() {
                bench.fail(format_args!("{what} cut to {n}"), error);
            }
        }
        // Behind a whole entry, damage is an error and not data.
        if drained.utterances.len() > 1
            && let Err(e) = bench.compare_cut(utts, &drained, false, bench.suite.text)
            && !(bench.suite.warns_of_missing_end && bench.warns(&bytes[..n]))
        {
            bench.fail(format_args!("{what} cut to {n}"), e);
        }
    }
    let mut random = faults::Random::new(2);
    for _ in 0..500 {
        bench.read_bytes(&faults::flip(&bytes, &mut random), Limits::default());
    }
}

/// Whether a stream without a file beside it holds the names.
fn keys_in_stream(caps: &Caps) -> bool {
    matches!(caps.keys, Keys::Words | Keys::Any)
}
