//! Folders with a file for each utterance.

use spr_core::format::{Format, Options, Reader, Registry, Request, Subset};
use spr_core::model::{Key, Utterance};
use spr_core::stage::FolderReader;
use spr_core::{Error, ErrorKind, Remedy, Result};

use crate::toy_samples::pcm;
use crate::toys::{LINES, NUM, PCM, VEC, WORDS, World, num, read_all};

fn files(
    world: &World,
    format: &'static dyn Format,
    kin: &[&str],
    header: Option<&str>,
) -> Result<String> {
    let header = header.map(|header| ("header", header));
    let options = Options::new(format.info(), header)?;
    let files = FolderReader::files(&"d".into(), format, kin, &options, &world.env)?;
    let files: Vec<_> = files
        .iter()
        .map(|(key, file)| format!("{key}={file}"))
        .collect();
    Ok(files.join(" "))
}

#[test]
fn files_are_those_of_the_extension() {
    let world = World::of([
        ("d/b.num", vec![]),
        ("d/s/a.NUM.gz", vec![]),
        ("d/x.dat", vec![]),
        ("d/y.txt", vec![]),
        ("d/z", vec![]),
        ("d/._b.num", vec![]),
        ("e/c.num", vec![]),
    ]);
    assert_eq!(
        files(&world, &NUM, &[], None).unwrap(),
        "b=d/b.num s/a=d/s/a.NUM.gz"
    );
    assert_eq!(
        world.warnings(),
        ["d/._b.num: skipped, with 3 more, as they are not num"]
    );
    // Those of kin as well.
    assert_eq!(
        files(&world, &NUM, &["dat", "txt"], None).unwrap(),
        "b=d/b.num s/a=d/s/a.NUM.gz x=d/x.dat y=d/y.txt"
    );
    assert_eq!(
        world.warnings(),
        ["d/._b.num: skipped, with 1 more, as they are not num"]
    );
    // With a header of their own all files count but that.
    let all = files(&world, &NUM, &[], Some("d/y.txt")).unwrap();
    assert_eq!(all, "b=d/b.num s/a=d/s/a.NUM.gz x=d/x.dat z=d/z");
    assert_eq!(world.warnings(), ["d/._b.num: skipped, as it is not num"]);
}

#[test]
fn a_folder_without_such_files_is_refused() {
    let world = World::of([("d/x.dat", vec![]), ("d/y.dat", vec![])]);
    let error = files(&world, &VEC, &[], None).unwrap_err();
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Unrecognised, "d: holds no vec files")
    );
    assert_eq!(
        error.hint_text().unwrap(),
        "they end in .vec; others are named by a pattern, such as 'vec:d/*'"
    );
    let error = files(&World::of([]), &VEC, &[], None).unwrap_err();
    assert_eq!(
        (error.kind(), error.file_name()),
        (ErrorKind::Io, Some("d"))
    );
}

#[test]
fn two_files_of_one_key_are_refused() {
    let world = World::of([("d/a.num", vec![]), ("d/a.num.gz", vec![])]);
    let error = files(&world, &NUM, &[], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "d/a.num.gz: utterance a: two files give the same key"
    );
}

fn open(world: &World, format: &'static dyn Format, request: Request) -> Result<Vec<String>> {
    let (options, env) = (Options::default(), world.env.clone());
    let reader = FolderReader::open(&"d".into(), format, &["lines"], options, request, env)?;
    Ok(read_all(reader))
}

#[test]
fn faults_are_of_the_file_and_its_utterance() {
    let world = World::of([
        ("d/a.num", num(&[1.0])),
        ("d/b.num", b"NUM1\0".to_vec()),
        ("d/s/c.num", num(&[2.0])),
    ]);
    let fault = "d/b.num@5: utterance b: half a number";
    let all = || Request::all();
    assert_eq!(open(&world, &NUM, all()).unwrap(), ["a 1", fault, "s/c 2"]);
    let but_b = all().keys(|key| *key != Key::from("b"));
    assert_eq!(open(&world, &NUM, but_b).unwrap(), ["a 1", "s/c 2"]);
    let odd = all().share(Subset::EveryNth { index: 1, count: 2 });
    assert_eq!(open(&world, &NUM, odd.lookup()).unwrap(), [fault]);
    let none = all().share(Subset::EveryNth { index: 2, count: 2 });
    assert_eq!(
        open(&world, &NUM, none).unwrap_err().kind(),
        ErrorKind::Usage
    );
}

#[test]
fn a_file_has_one_utterance() {
    let world = World::of([
        ("d/a.lines", b"LINES\n".to_vec()),
        ("d/b.lines", b"LINES\nx 1\n".to_vec()),
        ("d/c.lines", b"LINES\nx 1\ny 2\n".to_vec()),
        ("d/d.lines", b"LIN".to_vec()),
    ]);
    assert_eq!(
        open(&world, &LINES, Request::all()).unwrap(),
        [
            "d/a.lines: utterance a: the file holds no utterance",
            "b 1",
            "d/c.lines: utterance c: holds several utterances, and this is a folder of files with one",
            "d/d.lines@0: utterance d: the file ends here: expected 6 bytes, found 3",
        ]
    );
}

#[test]
fn an_utterance_tells_how_its_file_was_packed() {
    let world = World::of([("d/a.num", zstd(&num(&[1.0])))]);
    let (options, env) = (Options::default(), world.env.clone());
    let reader = FolderReader::open(&"d".into(), &NUM, &[], options, Request::all(), env);
    let mut utt = Utterance::default();
    assert!(reader.unwrap().read(&mut utt).unwrap());
    assert_eq!(utt.origin.coding.as_deref(), Some("zstd"));
}

/// A zstd frame of one raw block, by hand: RFC 8878.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let size = u8::try_from(bytes.len()).unwrap();
    // A single segment with a size of one byte, and the last block, stored as it is.
    [
        &[0x28, 0xb5, 0x2f, 0xfd, 0x20, size, size << 3 | 1, 0, 0],
        bytes,
    ]
    .concat()
}

/// The format, the extension, the file that decided, the kin and the rivals of the folder.
fn detect(files: &[(&str, &[u8])]) -> Result<String, Error> {
    let world = World::of(files.iter().map(|(name, bytes)| (*name, bytes.to_vec())));
    let registry = Registry::new([&NUM as &dyn Format, &VEC, &PCM, &WORDS]);
    let found = FolderReader::detect(&"d".into(), &registry, &world.env)?;
    let rivals = found
        .rivals
        .iter()
        .map(|(format, file)| format!("{}={file}", format.info().name));
    Ok(format!(
        "{} .{} by {}; kin {:?}; rivals {:?}",
        found.format.info().name,
        found.extension,
        found.decided_by,
        found.kin,
        rivals.collect::<Vec<_>>()
    ))
}

#[test]
fn a_folder_is_of_the_format_of_its_first_files() {
    let numbers = &*num(&[1.0]);
    let vectors = b"VEC1\0\0\0\0";
    let sound = &*pcm(b"PCM1", 8000, 1, &[1]);
    for (files, expected) in [
        // A file whose name says what it is decides alone.
        (
            &[
                ("d/a.num", numbers),
                ("d/b.vec", vectors),
                ("d/c.vec", vectors),
            ][..],
            r#"num .num by d/a.num; kin []; rivals ["vec=d/b.vec"]"#,
        ),
        // Features and sound go before text.
        (
            &[("d/a.words", b"one"), ("d/b.num", numbers)],
            "num .num by d/b.num; kin []; rivals []",
        ),
        (
            &[("d/a.words", b"one")],
            "words .words by d/a.words; kin []; rivals []",
        ),
        // Others are of the format by their content, or faulty sound files.
        (
            &[
                ("d/a.num", numbers),
                ("d/b.VEC", numbers),
                ("d/c.pcm", b"?"),
            ],
            r#"num .num by d/a.num; kin ["vec", "pcm"]; rivals []"#,
        ),
        // What is not what its name says is no rival.
        (
            &[
                ("d/a.pcm", sound),
                ("d/b.vec", b"?\0"),
                ("d/c.num", b"\0\0"),
            ],
            "pcm .pcm by d/a.pcm; kin []; rivals []",
        ),
        // If no name is right, most of the first five decide.
        (
            &[
                ("d/a.vec", sound),
                ("d/b.vec", numbers),
                ("d/c.vec", numbers),
            ],
            "num .vec by d/b.vec; kin []; rivals []",
        ),
        (
            &[
                ("d/a.vec", sound),
                ("d/b.vec", sound),
                ("d/c.vec", sound),
                ("d/d.vec", numbers),
                ("d/e.vec", numbers),
                ("d/f.vec", numbers),
                ("d/g.vec", numbers),
            ],
            "pcm .vec by d/a.vec; kin []; rivals []",
        ),
        // The first of them may be damaged.
        (
            &[("d/a.num", b"\0\0"), ("d/b.num", numbers)],
            "num .num by d/b.num; kin []; rivals []",
        ),
    ] {
        assert_eq!(detect(files).unwrap(), expected);
    }
}

#[test]
fn a_folder_of_nothing_that_is_known_is_refused() {
    let error = detect(&[("d/a.xyz", b"NUM1")]).unwrap_err();
    let message = "d: holds no files of a known format";
    assert_eq!(
        (error.kind(), &*error.to_string()),
        (ErrorKind::Unrecognised, message)
    );
    let names = vec!["num", "vec", "pcm", "words"];
    assert_eq!(error.remedy(), Some(&Remedy::ReadAs(names)));
    // What is wrong with the first file of those that could be is said.
    let error = detect(&[("d/a.num", b"\0\x01"), ("d/b.num", b"fLaC")]).unwrap_err();
    assert_eq!(error.to_string(), "d/a.num: no known format");
}
