//! What is not declared is refused, never dropped, and a refusal does no harm.

mod cases;

use proptest::test_runner::{Config, TestCaseError, TestRunner};
use spr_core::format::Tags;
use spr_core::model::{About, Audio, Rank, Utterance};
use spr_core::{Error, ErrorKind, Result};

use super::{Bench, Place, keeps_keys, request_for};
use crate::generate;
use cases::cases;

pub(super) fn run(bench: &Bench<'_>) {
    for (what, utts) in cases(bench) {
        refused(bench, what, &utts);
    }
    odd(bench);
}

/// What became of a data set, some of which may not fit.
struct Outcome {
    /// What the writer took.
    taken: Vec<Utterance>,
    /// The first error.
    error: Option<Error>,
    /// Whether an output was completed.
    complete: bool,
}

/// Writes what the writer takes, and goes on after errors that allow it.
fn attempt(bench: &Bench<'_>, utts: &[Utterance], place: &Place) -> Outcome {
    let mut outcome = Outcome {
        taken: Vec::new(),
        error: None,
        complete: false,
    };
    if let Err(error) = write(bench, utts, place, &mut outcome) {
        outcome.error.get_or_insert(error);
    }
    outcome
}

fn write(
    bench: &Bench<'_>,
    utts: &[Utterance],
    place: &Place,
    outcome: &mut Outcome,
) -> Result<()> {
    let (format, output) = (bench.suite.format, bench.output(place));
    let mut writer = format.create(
        output.clone(),
        &bench.options,
        &About::default(),
        &place.env,
    )?;
    for utt in utts {
        match writer.write(utt) {
            Ok(()) => outcome.taken.push(utt.clone()),
            Err(error) if error.can_continue() => {
                outcome.error.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
    }
    writer.finish()?;
    output.commit()?;
    outcome.complete = true;
    Ok(())
}

/// The last of `utts` does not fit.
pub(super) fn refused(bench: &Bench<'_>, what: &str, utts: &[Utterance]) {
    let place = bench.place();
    let mut all = utts.to_vec();
    // One more that fits shows what the refusal left behind.
    let mut good = all[0].clone();
    good.key = "good".into();
    if utts.len() > 1 && bench.caps.boundaries {
        all.push(good);
    }
    let outcome = attempt(bench, &all, &place);
    let Some(error) = &outcome.error else {
        bench.fail("undeclared and yet taken", what);
    };
    if error.file_name().is_none() && error.key().is_none() {
        bench.fail(
            format_args!("refusing {what}"),
            format_args!("the error names no place: {error}"),
        );
    }
    if !matches!(error.kind(), ErrorKind::Unfit | ErrorKind::Unsupported) {
        let kind = error.kind();
        bench.fail(
            format_args!("refusing {what}"),
            format_args!("the error is of the kind {kind:?}: {error}"),
        );
    }
    if outcome.complete {
        if let Err(e) = read_back(bench, &outcome.taken, &place) {
            bench.fail(format_args!("going on after refusing {what}"), e);
        }
    } else if !place.store.locations().is_empty() {
        bench.fail(format_args!("refusing {what}"), "files are left behind");
    }
}

fn read_back(bench: &Bench<'_>, taken: &[Utterance], place: &Place) -> Result<(), String> {
    let mut want = taken.to_vec();
    if bench.folder {
        want.sort_by(|a, b| a.key.cmp(&b.key));
    }
    if want.is_empty() && place.store.locations().is_empty() {
        return Ok(());
    }
    let back = bench.read(place, request_for(taken));
    let back = back.map_err(|e| format!("reading back failed: {e}"))?;
    let keys = keeps_keys(bench.caps.keys);
    crate::compare_all(&want, &back, keys, bench.suite.text)
}

/// Whatever an utterance holds: it comes back, or it was refused.
fn odd(bench: &Bench<'_>) {
    if generate::plans(&bench.caps).is_empty() {
        return;
    }
    let config = Config {
        cases: 200,
        failure_persistence: None,
        ..Config::default()
    };
    let format = match bench.caps.tags {
        Tags::Of(format) | Tags::Named(format, _) => format,
        _ => "spraak",
    };
    let data = (
        generate::dataset(bench.caps, bench.most(3)),
        0..3usize,
        generate::oddity(format),
    );
    let result = TestRunner::new(config).run(&data, |(utts, which, oddity)| {
        let mut utts = bench.prepared(utts);
        let which = which % utts.len();
        oddity.apply(&mut utts[which]);
        // What a single number is may hang on its value.
        let features = utts[which].features.as_ref();
        // So may what is rounded.
        if bench.caps.rounded || features.is_some_and(|m| m.rank() == Rank::Scalar) {
            (bench.suite.prepare)(&mut utts[which]);
        }
        let key = utts[which].key.clone();
        if utts.iter().filter(|u| u.key == key).count() > 1 {
            return Err(TestCaseError::reject("two utterances of one name"));
        }
        let is = |test: fn(&Audio) -> bool| utts.iter().flat_map(|u| &u.audio).any(test);
        let stored = is(|audio| matches!(audio, Audio::Encoded(_)));
        if stored && is(|audio| matches!(audio, Audio::Samples(_))) {
            // A file that is kept as it is can't be told from one that was encoded.
            return Ok(());
        }
        let place = bench.place();
        let outcome = attempt(bench, &utts, &place);
        if !outcome.complete {
            return Ok(());
        }
        read_back(bench, &outcome.taken, &place)
            .map_err(|e| TestCaseError::fail(format!("neither kept nor refused: {e}")))
    });
    if let Err(e) = result {
        bench.fail("an odd utterance", e);
    }
}
