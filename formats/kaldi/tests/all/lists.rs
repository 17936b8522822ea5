//! Script files as lists, and what is wrong with them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use spr_core::Result;
use spr_core::bytes::{Location, PathMap};
use spr_core::format::{Finding, Format, Weight};
use spr_core::model::{Key, Utterance};
use spr_format_kaldi::{DATA, FORMAT};

use super::common::holding;

#[test]
fn entries_weigh_what_is_between_their_places() {
    let list = "a x.ark:2\nb x.ark:10[0:3]\nc y.ark:1\n\nd cat z |\n";
    let env = holding(&[
        ("d/x.scp", list),
        ("d/x.ark", &"0".repeat(30)),
        ("d/y.ark", "00000"),
        ("d/utt2num_frames", "a 7\nb 9\nx 3\n"),
    ]);
    let lists = FORMAT.lists().unwrap();
    let mut all = Vec::new();
    let mut each = |key: &Key, weight: Weight| {
        all.push((key.to_string(), weight.frames, weight.bytes));
        Ok(())
    };
    lists.weigh(&"d/x.scp".into(), &env, &mut each).unwrap();
    let empty = holding(&[("x.scp", "")]);
    let mut none = |key: &Key, _| panic!("{key} is in an empty list");
    lists.weigh(&"x.scp".into(), &empty, &mut none).unwrap();
    let want = [
        ("a", Some(7), Some(8)),
        ("b", Some(9), Some(20)),
        ("c", None, Some(4)),
        ("", None, None),
        ("d", None, None),
    ];
    let want = want.map(|(key, frames, bytes)| (key.to_owned(), frames, bytes));
    assert_eq!(all, want);
}

/// Returns the files that the list `d/x.scp` names, as they are found.
fn named(list: &str, entries: Option<[u64; 2]>) -> Vec<String> {
    let env = holding(&[("d/x.scp", list), ("d/y.ark", ""), ("z.ark", "")]);
    let mut all = Vec::new();
    let lists = FORMAT.lists().unwrap();
    let mut each = |file: &Location| {
        all.push(file.to_string());
        Ok(())
    };
    lists
        .named(&"d/x.scp".into(), entries, &env, &mut each)
        .unwrap();
    all
}

#[test]
fn files_of_a_list_are_named_once_in_a_row() {
    let list = "a y.ark:2\nb y.ark:9[0:3]\nc z.ark\n\nd cat y.ark |\ne z.ark:7\nf y.ark\ng gone\n";
    assert_eq!(named(list, None), ["d/y.ark", "z.ark", "d/y.ark", "gone"]);
    assert_eq!(named(list, Some([1, 3])), ["d/y.ark", "z.ark"]);
    assert_eq!(named(list, Some([3, 6])), ["z.ark"]);
    assert_eq!(named(list, Some([7, 99])), ["gone"]);
    assert_eq!(named(list, Some([2, 2])), [""; 0]);
    assert_eq!(named("", None), [""; 0]);
}

/// Returns the lines of a list where its files are now, or the first error.
fn moved(list: &str) -> Result<String> {
    let mut map = PathMap::default();
    map.add("/old=/new place").unwrap();
    map.add("/tmp/old=/new").unwrap();
    let env = holding(&[("d/x.scp", list)]).with_path_map(map);
    let mut all = Vec::new();
    let lists = FORMAT.lists().unwrap();
    let mut each = |line: &[u8]| {
        all.extend_from_slice(line);
        Ok(())
    };
    lists.moved(&"d/x.scp".into(), &env, &mut each)?;
    Ok(String::from_utf8(all).unwrap())
}

#[test]
fn lists_name_files_where_they_are_now() {
    for (line, want) in [
        ("a /old/x.ark", "a /new place/x.ark"),
        ("a /old/x.ark:17", "a /new place/x.ark:17"),
        ("a /old/x.ark:17[0:3]", "a /new place/x.ark:17[0:3]"),
        ("a /old/x.ark[0:3,1:2]", "a /new place/x.ark[0:3,1:2]"),
        ("a /old/x.h5:b", "a /new place/x.h5:b"),
        ("a /old/x.h5:b[2:4]", "a /new place/x.h5:b[2:4]"),
        ("a  /older/x.ark:1 ", "a /older/x.ark:1"),
        ("a\tx.ark", "a x.ark"),
    ] {
        assert_eq!(moved(&format!("{line}\n")).unwrap(), format!("{want}\n"));
    }
    let two = moved("a /old/x.ark\nb cat /tmp/old/y.ark |\n").unwrap();
    assert_eq!(two, "a /new place/x.ark\nb cat /new/y.ark |\n");
    for (list, error) in [
        ("a x\n\n", "d/x.scp:2: a blank line"),
        (
            "a\n",
            "d/x.scp:1: utterance a: no file name follows the key",
        ),
        ("a x]\n", "d/x.scp:1: utterance a: ']' after a file name"),
        (
            "a |x\n",
            "d/x.scp:1: utterance a: '|x' is not a valid Kaldi file name",
        ),
    ] {
        let told = moved(list).unwrap_err().to_string();
        assert!(told.starts_with(error), "{list:?}: {told}");
    }
}

#[test]
fn lists_belong_to_the_one_file_that_they_point_into() {
    let of = |list: &str| {
        let env = holding(&[("x.ark", "x"), ("y.ark", "y"), ("x.scp", list)]);
        let lists = FORMAT.lists().unwrap();
        lists.pointing_into(&"x.ark".into(), &env)
    };
    let scp: Vec<Location> = vec!["x.scp".into()];
    assert_eq!(of("a x.ark:2\nb x.ark:9[0:5]\n").unwrap(), scp);
    assert!(of("a y.ark:2\n").unwrap().is_empty());
    assert!(of("no list\n\n").unwrap().is_empty());
    let error = of("a x.ark:2\nb y.ark:2\n").unwrap_err().to_string();
    assert!(error.contains("and into other files"), "{error}");
    let lists = FORMAT.lists().unwrap();
    let table = |value: &str| [("table".to_owned(), value.to_owned())];
    assert!(lists.is_list(&"x.scp".into(), &[]));
    assert!(lists.is_list(&"x".into(), &table("scp")));
    assert!(!lists.is_list(&"x.ark".into(), &table("ark")));
}

#[test]
fn an_index_is_compared_with_its_archive() {
    let env = holding(&[
        ("x.ark", "a  [ 1 ]\nb  [ 2 ]\n"),
        ("x.scp", "a x.ark:2\nc x.ark:5\n"),
    ]);
    let mut all = Vec::new();
    let audit = FORMAT.audit().unwrap();
    let at = "x.ark".into();
    let mut found = |finding: Finding| {
        all.push(format!("{}: {}", finding.sort, finding.error));
    };
    let mut auditor = audit.begin(Some(&at), &env, &mut found).unwrap();
    for key in ["b", "a"] {
        let utt = Utterance {
            key: key.into(),
            ..Utterance::default()
        };
        auditor.utterance(&utt, None, &mut found);
    }
    let was_read = |key: &Key| [b"a", b"b"].contains(&key.as_bytes().try_into().unwrap());
    auditor.finish(&was_read, &mut found).unwrap();
    let want = [
        "offsets: x.scp:2: utterance c: byte 5 of x.ark follows the key [",
        "index: x.scp: utterance b: is in the archive, but not in its script file",
        "order: utterance a: comes after b; the keys are not sorted",
        "index: x.scp:2: utterance c: is in the script file, but not in its archive",
    ];
    assert_eq!(all, want);
}

/// Returns what is found in the places of a script file.
fn places(lines: &str) -> Vec<String> {
    let env = holding(&[
        ("x.ark", "utt-a [ 1 ]\nutt-b [ 2 ]\nc  [ 3 ]\n"),
        ("x.scp", lines),
    ]);
    let mut all = Vec::new();
    let mut found = |finding: Finding| {
        assert_eq!(
            (finding.severity.name(), finding.sort),
            ("fault", "offsets")
        );
        all.push(finding.error.to_string());
    };
    let audit = FORMAT.audit().unwrap();
    let auditor = audit
        .begin(Some(&"x.scp".into()), &env, &mut found)
        .unwrap();
    // The keys of a script file are not compared with those of an archive.
    auditor.finish(&|_| false, &mut found).unwrap();
    all
}

#[test]
fn places_are_behind_keys() {
    for (line, told) in [
        ("utt-a x.ark:6", None),
        ("utt-b x.ark:18[0:0]", None),
        // Keys of copies and of segments.
        ("utt-b-0010-0020 x.ark:18", None),
        ("sp1.1-utt-b x.ark:18", None),
        ("b x.ark:18", None),
        (
            "utt-a x.ark:18",
            Some("byte 18 of x.ark follows the key utt-b"),
        ),
        (
            "b-utt x.ark:18",
            Some("byte 18 of x.ark follows the key utt-b"),
        ),
        (
            "utt-a x.ark:7",
            Some("byte 7 of x.ark does not follow a key"),
        ),
        (
            "utt-b x.ark:13",
            Some("byte 13 of x.ark does not follow a key"),
        ),
        ("c x.ark:27", Some("byte 27 of x.ark does not follow a key")),
        ("c x.ark:33", Some("byte 33 is past the end of x.ark")),
        ("c x.ark:99", Some("byte 99 is past the end of x.ark")),
        ("c x.ark", None),
        ("c x.ark:0", None),
        ("c gone.ark:5", None),
        ("c cat x.ark |", None),
        ("c", None),
    ] {
        let key = line.split(' ').next().unwrap();
        let told = told.map(|told| format!("x.scp:1: utterance {key}: {told}"));
        assert_eq!(places(&format!("{line}\n")), Vec::from_iter(told), "{line}");
    }
    let two = places("utt-a x.ark:6\nutt-a x.ark:18\nutt-b x.ark:19\n");
    assert_eq!(two.len(), 2, "{two:?}");
    assert!(
        two[1].starts_with("x.scp:3: utterance utt-b: byte 19"),
        "{two:?}"
    );
}

#[test]
fn keys_of_a_pipe_have_an_order_alone() {
    let env = holding::<&str>(&[]);
    let mut all = Vec::new();
    let mut found = |finding: Finding| {
        let (severity, sort) = (finding.severity.name(), finding.sort);
        all.push(format!("{severity} {sort}: {}", finding.error));
    };
    let audit = FORMAT.audit().unwrap();
    assert!(!audit.suits(&["x.ark", "x.scp"]));
    let mut auditor = audit.begin(None, &env, &mut found).unwrap();
    for key in ["a", "c", "b", "d", "a"] {
        let utt = Utterance {
            key: key.into(),
            ..Utterance::default()
        };
        auditor.utterance(&utt, None, &mut found);
    }
    assert!(auditor.members().is_empty());
    assert!(!auditor.repeats(&spr_core::Error::malformed("x").utterance(&"b".into())));
    auditor.finish(&|_| false, &mut found).unwrap();
    assert_eq!(
        all,
        ["note order: utterance b: comes after c; the keys are not sorted"]
    );
}

#[test]
fn a_directory_knows_what_its_reader_will_say() {
    let env = holding(&[
        ("d/utt2spk", "a a\nb b\n"),
        ("d/spk2utt", "a a\nb b\n"),
        ("d/text", "a A\n"),
        ("d/cmvn.scp", "a c.ark:2\nb c.ark:9\n"),
    ]);
    let mut all = Vec::new();
    let audit = DATA.audit().unwrap();
    assert!(audit.suits(&["spk2utt"]) && !audit.suits(&["text"]));
    let at = "d".into();
    let mut found = |finding: Finding| {
        all.push(format!("{}: {}", finding.severity.name(), finding.error));
    };
    let auditor = audit.begin(Some(&at), &env, &mut found).unwrap();
    let members: Vec<_> = auditor.members().into_iter().map(|(_, at)| at).collect();
    assert_eq!(members, ["d/cmvn.scp".into()]);
    let error = |file: &str, key: &str| {
        let error = spr_core::Error::unfit("has no line").file(file);
        error.utterance(&key.into())
    };
    assert!(auditor.repeats(&error("d/text", "b")));
    assert!(!auditor.repeats(&error("d/text", "a")) && !auditor.repeats(&error("x.wav", "b")));
    let first = "fault: d/text: utterance b: no line for this utterance of utt2spk";
    assert_eq!(all.first().map(String::as_str), Some(first));
}
