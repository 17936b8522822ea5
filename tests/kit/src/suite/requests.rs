//! A request gives what filtering everything gives, and writers say what they hold.

use std::sync::Arc;

use spr_core::Result;
use spr_core::bytes::{Locator, Output, Source};
use spr_core::format::{Caps, FieldSet, Medium, Objects, OpenedDataset, Request, Subset};
use spr_core::model::{About, Key, Utterance};

use super::{Bench, Place};
use crate::faults::{self, FailingSink};
use crate::generate;

pub(super) fn run(bench: &Bench<'_>) {
    declared(bench);
    for (plan, bytes) in bench.files() {
        let memory = || Source::from_bytes(crate::MEMORY, bytes.clone());
        let slow = || faults::one_byte(&bytes);
        let sources: [(&str, &dyn Fn() -> Result<Source>); 2] =
            [("memory", &memory), ("a pipe", &slow)];
        for (what, source) in sources {
            let read = |request: Request| {
                let (format, options) = (bench.suite.format, &bench.options);
                let opened = request.open(format, source()?, options, &bench.env)?;
                faults::drain(opened.into_stream()?).whole()
            };
            asked(bench, &format!("{plan:?} from {what}"), read);
            looked_up(bench, &format!("{plan:?} from {what}"), source);
        }
        let place = bench.place();
        if let Err(e) = bench.write(&bench.sample(plan, bench.most(3)), &place) {
            bench.fail(format_args!("writing {plan:?}"), e);
        }
        asked(bench, &format!("{plan:?} from a store"), |request| {
            bench.read(&place, request)
        });
        if !bench.folder {
            let source = || place.env.open_file(&place.at);
            looked_up(bench, &format!("{plan:?} from a store"), &source);
        }
    }
}

/// Every sort of request, which `read` answers.
fn asked(bench: &Bench<'_>, what: &str, read: impl Fn(Request) -> Result<Vec<Utterance>>) {
    let full = read(Request::all()).unwrap_or_else(|e| bench.fail(what, e));
    let ask = |asked: &str, request: Request, want: Vec<Utterance>, blank: bool| {
        let step = format!("{what}, {asked}");
        let mut got = read(request).unwrap_or_else(|e| bench.fail(&step, e));
        let mut want = want;
        if blank {
            want.iter_mut().chain(&mut got).for_each(without_values);
        }
        if let Err(e) = crate::compare_all(&want, &got, true, false) {
            bench.fail(step, e);
        }
    };
    ask(
        "damaged data",
        Request::all().damaged(),
        full.clone(),
        false,
    );
    ask("no values", Request::all().headers(), full.clone(), true);
    for mask in 0..1usize << full.len() {
        let of_mask = |n: usize| mask >> n & 1 == 1;
        let (keys, want) = picked(&full, of_mask);
        let wanted = keys.clone();
        let request = Request::all().keys(move |key| wanted.contains(key));
        ask(
            &format!("the keys {keys:?}"),
            request.clone(),
            want.clone(),
            false,
        );
        let request = request.parts(FieldSet::LABELS).headers();
        let mut parts = want.clone();
        parts.iter_mut().for_each(|utt| FieldSet::LABELS.keep(utt));
        ask(
            &format!("labels of the keys {keys:?}"),
            request,
            parts,
            true,
        );
        let share = Subset::EveryNth { index: 1, count: 2 };
        let shared = Arc::new(keys.clone());
        let request = Request::all()
            .keys(move |key| shared.contains(key))
            .share(share);
        let (_, want) = picked(&want, |n| n % 2 == 1);
        ask(
            &format!("{share:?} of the keys {keys:?}"),
            request,
            want,
            false,
        );
    }
    for (index, count) in [(0, 1), (0, 2), (1, 2), (0, 3), (2, 3), (5, 9)] {
        let share = Subset::EveryNth { index, count };
        let (_, want) = picked(&full, |n| n as u64 % count == index);
        ask(
            &format!("{share:?}"),
            Request::all().share(share),
            want,
            false,
        );
    }
    for (first, end) in [(0, 0), (0, 2), (1, 2), (1, 99), (2, u64::MAX), (99, 100)] {
        let run = Subset::Run { first, end };
        let inside = |n: &usize| (first..end).contains(&(*n as u64));
        let (keys, want) = picked(&full, |n| inside(&n));
        ask(
            &format!("{run:?}"),
            Request::all().share(run),
            want.clone(),
            false,
        );
        // Keys are looked at behind it.
        let one: Vec<_> = keys.into_iter().skip(1).take(1).collect();
        let (_, want) = picked(&want, |n| n == 1);
        ask(
            &format!("{one:?} of {run:?}"),
            Request::all().share(run).keys(move |key| one.contains(key)),
            want,
            false,
        );
    }
    for parts in parts() {
        let mut want = full.clone();
        want.iter_mut().for_each(|utt| parts.keep(utt));
        ask(
            &format!("{parts:?}"),
            Request::all().parts(parts),
            want,
            false,
        );
    }
}

/// The utterances with these numbers, and their keys.
fn picked(utts: &[Utterance], of: impl Fn(usize) -> bool) -> (Vec<Key>, Vec<Utterance>) {
    let picked = utts.iter().enumerate().filter(|(n, _)| of(*n));
    picked
        .map(|(_, utt)| (utt.key.clone(), utt.clone()))
        .unzip()
}

/// Every sort of part alone, every one left out, and none.
fn parts() -> Vec<FieldSet> {
    let none = FieldSet {
        labels: false,
        segments: false,
        text: false,
        ..FieldSet::LABELS
    };
    let fields: [fn(&mut FieldSet) -> &mut bool; 7] = [
        |parts| &mut parts.features,
        |parts| &mut parts.labels,
        |parts| &mut parts.audio,
        |parts| &mut parts.segments,
        |parts| &mut parts.text,
        |parts| &mut parts.objects,
        |parts| &mut parts.arrays,
    ];
    let mut all = vec![none, FieldSet::LABELS];
    for field in fields {
        let (mut only, mut without) = (none, FieldSet::ALL);
        (*field(&mut only), *field(&mut without)) = (true, false);
        all.extend([only, without]);
    }
    all
}

fn without_values(utt: &mut Utterance) {
    if let Some(features) = &mut utt.features {
        features.as_bytes_mut().fill(0);
    }
}

/// Utterances by their keys, last first and one twice; a key that is not there is not found.
fn looked_up(bench: &Bench<'_>, what: &str, source: &dyn Fn() -> Result<Source>) {
    let open = |request: Request| {
        let (format, options) = (bench.suite.format, &bench.options);
        request.open(format, source()?, options, &bench.env)
    };
    let full = open(Request::all()).and_then(|opened| {
        let reader = opened.into_stream()?;
        faults::drain(reader).whole()
    });
    let full = full.unwrap_or_else(|e| bench.fail(what, e));
    let mut table = match open(Request::all().lookup()) {
        Ok(OpenedDataset::Table(table)) => table,
        Ok(OpenedDataset::Stream(reader)) => {
            let got = faults::drain(reader).whole();
            let got = got.unwrap_or_else(|e| bench.fail(what, e));
            if let Err(e) = crate::compare_all(&full, &got, true, false) {
                bench.fail(format_args!("{what}, to look up in"), e);
            }
            return;
        }
        Err(e) => bench.fail(what, e),
    };
    let mut utt = faults::stale();
    for want in full.iter().rev().chain(full.first()) {
        let step = format!("{what}, looking up {:?}", want.key);
        match table.find(&want.key, &mut utt) {
            Ok(true) => {}
            other => bench.fail(step, format_args!("{other:?}")),
        }
        let (want, got) = (std::slice::from_ref(want), std::slice::from_ref(&utt));
        if let Err(e) = crate::compare_all(want, got, true, false) {
            bench.fail(step, e);
        }
        match table.find(&"not-there".into(), &mut utt) {
            Ok(false) => {}
            other => bench.fail(what, format_args!("a key that is not there: {other:?}")),
        }
    }
}

/// What a writer says that it holds is what its format says, wherever it goes.
fn declared(bench: &Bench<'_>) {
    let place = bench.place();
    let Place { env, at, .. } = &place;
    let outputs = [
        (Medium::File, env.output(&Locator::file(at))),
        (Medium::Folder, env.output(&Locator::folder("folder"))),
        (
            Medium::Stream,
            Output::stream("stream", Box::new(FailingSink::new(1 << 20))).within(env),
        ),
    ];
    let format = bench.suite.format;
    for (medium, output) in outputs {
        let says = |caps: &Caps| format!("{caps:?}");
        let Ok(declared) = format.caps(&bench.options, medium) else {
            continue;
        };
        let Ok(writer) = format.create(output, &bench.options, &About::default(), env) else {
            continue;
        };
        let (want, got) = (says(&declared), says(writer.caps()));
        if want != got {
            let step = format_args!("a writer's caps, {medium:?}");
            bench.fail(step, format_args!("want {want}, got {got}"));
        }
    }
    if generate::plans(&bench.caps).is_empty() && bench.caps.objects == Objects::None {
        bench.fail("caps", "nothing is held");
    }
}
