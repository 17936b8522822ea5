//! Folders of alignments by several jobs, read as one data set.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use spr_core::bytes::{Env, Locator, Part};
use spr_core::format::{Format, Options, Request, Subset};
use spr_core::model::{Dtype, Utterance};
use spr_core::{Error, ErrorKind, Result};
use spr_format_kaldi::FORMAT;

use super::common::holding;

const FILES: [(&str, &str); 4] = [
    ("tri/ali.10", "e 5 5\n"),
    ("tri/ali.2", "c 3 3\nd 4 0\n"),
    ("tri/ali.1", "a 1 1\nb 2 1 2\n"),
    ("tri/final.mdl", "not read"),
];

/// Returns the keys of all jobs with their labels, and the errors in their places.
fn read(env: &Env, request: Request) -> Result<Vec<String>> {
    let options = Options::default();
    let opened = request.open_folder(&FORMAT, &"tri".into(), &[], &options, env)?;
    let mut reader = opened.into_stream()?;
    let mut all = Vec::new();
    let mut utt = Utterance::default();
    loop {
        match reader.read(&mut utt) {
            Ok(false) => return Ok(all),
            Ok(true) => {
                let labels = utt.labels.as_ref().unwrap();
                assert_eq!(labels.dtype(), Dtype::I32);
                all.push(format!("{} {:?}", utt.key, labels.values::<i32>().unwrap()));
            }
            Err(error) => all.push(shown(&error)),
        }
    }
}

fn shown(error: &Error) -> String {
    match error.hint_text() {
        Some(hint) => format!("{error} ({hint})"),
        None => error.to_string(),
    }
}

#[test]
fn jobs_follow_one_another_by_number() {
    let mut env = holding(&FILES);
    let lacking =
        "tri: lacks the alignments of job 3 to 9 of 10 (name those that are there: 'tri/ali.*.gz')";
    let all = [
        "a [1, 1]",
        "b [2, 1, 2]",
        "c [3, 3]",
        "d [4, 0]",
        "e [5, 5]",
        lacking,
    ];
    assert_eq!(read(&env, Request::all()).unwrap(), all);
    // Packed files as well.
    let output = env.output(&Locator::file("tri/ali.3.gz"));
    let mut sink = output.create(Part::Main, false).unwrap();
    sink.put(b"x 7 7\n").unwrap();
    sink.finish().unwrap();
    output.commit().unwrap();
    let packed = env.store().clone();
    env = holding::<&str>(&[]).with_store(packed);
    let read = read(&env, Request::all()).unwrap();
    assert_eq!(read[3..5], ["d [4, 0]", "x [7, 7]"]);
    assert!(read[6].contains("job 4 to 9 of 10"), "{read:?}");
}

#[test]
fn jobs_are_counted() {
    let two = [FILES[1], FILES[2]];
    for (count, want) in [
        ("2", None),
        (" 2\n", None),
        ("3\n", Some("lacks the alignments of job 3 of 3")),
        ("5\n", Some("lacks the alignments of job 3 to 5 of 5")),
        // More are there than were counted.
        ("1\n", None),
    ] {
        let files = [two[0], two[1], ("tri/num_jobs", count)];
        let all = read(&holding(&files), Request::all()).unwrap();
        assert_eq!(
            all[..4],
            ["a [1, 1]", "b [2, 1, 2]", "c [3, 3]", "d [4, 0]"]
        );
        assert_eq!(all.len(), 4 + usize::from(want.is_some()), "{all:?}");
        assert!(want.is_none_or(|want| all[4].contains(want)), "{all:?}");
    }
    for count in ["", "x", "-1", "2 3"] {
        let files = [two[0], two[1], ("tri/num_jobs", count)];
        let error = read(&holding(&files), Request::all()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "tri/num_jobs: expected the number of jobs"
        );
    }
}

#[test]
fn folders_that_are_not_of_one_run() {
    let twice = [FILES[1], FILES[2], ("tri/ali.1.gz", "")];
    let error = read(&holding(&twice), Request::all()).unwrap_err();
    let told = "tri/ali.1.gz: there is another file with the alignments of job 1";
    assert_eq!(error.to_string(), told);
    let none = [
        ("tri/ali.gz", ""),
        ("tri/ali.1.txt", ""),
        ("tri/final.mdl", ""),
    ];
    let error = read(&holding(&none), Request::all()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unrecognised);
    let told = "tri: holds no alignments, which are called ali.1.gz, ali.2.gz, …";
    assert_eq!(error.to_string(), told);
    let jobs = FORMAT.job_folder().unwrap();
    assert!(jobs.fits(&["final.mdl", "ali.7.gz"]) && !jobs.fits(&["final.mdl", "ali.gz"]));
}

#[test]
fn requests_are_of_all_jobs_together() {
    let env = holding(&[FILES[1], FILES[2], ("tri/ali.3", "e 5 5\na 6 6\n")]);
    let share = |index| Request::all().share(Subset::EveryNth { index, count: 2 });
    assert_eq!(
        read(&env, share(0)).unwrap(),
        ["a [1, 1]", "c [3, 3]", "e [5, 5]"]
    );
    assert_eq!(
        read(&env, share(1)).unwrap(),
        ["b [2, 1, 2]", "d [4, 0]", "a [6, 6]"]
    );
    let some = |request: Request| request.keys(|key| key.as_bytes() > b"b");
    assert_eq!(
        read(&env, some(Request::all())).unwrap(),
        ["c [3, 3]", "d [4, 0]", "e [5, 5]"]
    );
    // A share is one of those that are chosen, wherever they are.
    assert_eq!(read(&env, some(share(1))).unwrap(), ["d [4, 0]"]);
    let run = Request::all().share(Subset::Run { first: 1, end: 3 });
    assert_eq!(read(&env, run).unwrap(), ["b [2, 1, 2]", "c [3, 3]"]);
    let again = read(&env, Request::all().distinct(true)).unwrap();
    assert!(
        again[5].starts_with("tri/ali.3: utterance a: "),
        "{again:?}"
    );
    assert!(again[5].contains("tri/ali.1"), "{again:?}");
    assert_eq!(read(&env, Request::all()).unwrap()[5], "a [6, 6]");
}

#[test]
fn a_job_at_fault_is_named() {
    let files = [
        FILES[2],
        ("tri/ali.2", "c 3 3\nd 4 4"),
        ("tri/ali.3", "e \0B\u{4}\u{2}\0\0\0\u{4}\u{5}\0"),
        ("tri/ali.4", "f 6 6\n"),
    ];
    let read = read(&holding(&files), Request::all()).unwrap();
    assert_eq!(
        [&read[..3], &read[5..]].concat(),
        ["a [1, 1]", "b [2, 1, 2]", "c [3, 3]", "f [6, 6]"]
    );
    assert!(
        read[3].starts_with("tri/ali.2@11: utterance d: the file ends inside a line"),
        "{read:?}"
    );
    assert!(
        read[4].starts_with("tri/ali.3@12: utterance e: the file ends in a run of tagged"),
        "{read:?}"
    );
}
