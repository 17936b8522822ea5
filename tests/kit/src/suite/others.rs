//! Objects that are neither features nor labels, audio, segments and text: held ones come back,
//! others are refused.

use spr_core::Limits;
use spr_core::model::{Audio, Dtype, Object, Rank, Utterance};

use super::Bench;
use super::trips::trip;
use crate::faults;
use crate::generate;

pub(super) fn run(bench: &Bench<'_>) {
    for kind in Object::KINDS {
        let utts = bench.prepared(objects(kind, bench.most()));
        match bench.caps.objects.hold(kind) {
            true => held(bench, kind, &utts),
            false => refused(bench, kind, &utts[..1]),
        }
    }
    for &dtype in Dtype::ALL {
        let sound = |n| Utterance {
            audio: Some(sound(n, dtype)),
            ..named(n)
        };
        let held = bench.caps.audio.contains(&dtype);
        held_or_refused(bench, &format!("audio of {dtype}"), held, sound);
    }
    let segmented = |n| Utterance {
        segments: Some(generate::segments(n)),
        ..named(n)
    };
    held_or_refused(bench, "segments", bench.caps.segments, segmented);
    let said = |n| Utterance {
        text: Some(format!("word {n}").into_bytes()),
        ..named(n)
    };
    held_or_refused(bench, "text", bench.caps.text, said);
}

fn held_or_refused(bench: &Bench<'_>, what: &str, caps: bool, make: impl Fn(usize) -> Utterance) {
    let utts = bench.prepared((0..bench.most()).map(make).collect());
    match caps {
        true => held(bench, what, &utts),
        false => refused(bench, what, &utts[..1]),
    }
}

fn named(n: usize) -> Utterance {
    Utterance {
        key: format!("utt-{n}").as_str().into(),
        ..Utterance::default()
    }
}

/// Several objects of a kind, none of them empty.
fn objects(kind: &str, count: usize) -> Vec<Utterance> {
    let utterance = |n: usize| Utterance {
        object: Some(generate::object(kind, n + 1)),
        ..named(n)
    };
    (0..count).map(utterance).collect()
}

fn sound(n: usize, dtype: Dtype) -> Audio {
    Audio {
        rate: 16000,
        samples: generate::plain(dtype, Rank::Matrix, 4 + n, 2),
    }
}

fn held(bench: &Bench<'_>, kind: &str, utts: &[Utterance]) {
    if let Err(e) = trip(bench, utts) {
        bench.fail(format_args!("round trip of {kind}"), e);
    }
    let utts = if bench.folder { &utts[..1] } else { utts };
    let bytes = match crate::write_memory(bench.suite.format, bench.pairs, utts) {
        Ok(bytes) => bytes,
        Err(e) => bench.fail(format_args!("writing {kind} to memory"), e),
    };
    let source = faults::one_byte(&bytes).expect("a source");
    let slow = bench.read_source(source, Limits::default()).whole();
    match slow.map(|slow| crate::compare_all(utts, &slow, false, bench.suite.text)) {
        Ok(Ok(())) => {}
        Ok(Err(e)) => bench.fail(format_args!("reading {kind} a byte at a time"), e),
        Err(e) => bench.fail(format_args!("reading {kind} a byte at a time"), e),
    }
    for n in 0..bytes.len() {
        let drained = bench.read_bytes(&bytes[..n], Limits::default());
        for error in &drained.errors {
            if error.file_name().is_none() {
                bench.fail(format_args!("{kind} cut to {n}"), error);
            }
        }
        // Behind a whole entry, damage is an error and not data.
        let got = &drained.utterances;
        if got.len() > 1 {
            let want = &utts[..got.len().min(utts.len())];
            if let Err(e) = crate::compare_all(want, got, false, bench.suite.text) {
                bench.fail(format_args!("{kind} cut to {n}"), e);
            }
        }
    }
    let mut random = faults::Random::new(2);
    for _ in 0..500 {
        bench.read_bytes(&faults::flip(&bytes, &mut random), Limits::default());
    }
}

fn refused(bench: &Bench<'_>, kind: &str, utts: &[Utterance]) {
    let (_parent, path) = bench.place();
    match crate::write(bench.suite.format, bench.pairs, utts, &path) {
        Ok(_) => bench.fail("undeclared and yet taken", kind),
        Err(e) if e.key().is_none() && e.file_name().is_none() => {
            bench.fail(format_args!("refusing {kind}: the error names no place"), e);
        }
        Err(_) => {}
    }
}
