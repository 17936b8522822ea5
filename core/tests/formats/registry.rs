//! Formats are found by name, by content, and by the names of files.

use spr_core::bytes::{Env, Finders, Location, Source};
use spr_core::format::{Basis, Claim, Format, Registry, Score};
use spr_core::model::{Key, Utterance};
use spr_core::{Error, ErrorKind, Remedy};

use crate::toys::{BOX, CRATE, NUM, PAIRS, PCM, RAW, TAKE, TWINS, VEC, WORDS, World, all, num};

/// The kind, the message and the remedy of an error.
fn told(error: &Error) -> (ErrorKind, &str, Option<String>) {
    (error.kind(), error.message(), error.hint_text())
}

#[test]
fn a_name_that_is_unknown_is_explained() {
    let registry = all();
    for (name, hint) in [
        (
            "nmu",
            "did you mean 'num'? known: num, vec, pcm, words, pairs, raw, box, lines",
        ),
        (
            "xyz-xyz",
            "known: num, vec, pcm, words, pairs, raw, box, lines",
        ),
        // Extensions, with their point and without.
        (".dat", "files that end in .dat are of 'num'"),
        ("dat", "files that end in .dat are of 'num'"),
        (".words", "files that end in .words are of 'words'"),
    ] {
        let error = registry.get(name).err().unwrap();
        let message = format!("unknown format '{name}'");
        assert_eq!(
            told(&error),
            (ErrorKind::Usage, &*message, Some(hint.to_owned()))
        );
    }
    assert_eq!(registry.get("pcm").unwrap().info().title, "sound");
    assert!(registry.find("dat").is_none());
}

#[test]
fn a_format_takes_the_place_of_that_of_its_name() {
    let registry = Registry::new([&NUM as &dyn Format]);
    let two = registry.with_format(&VEC).with_format(&NUM);
    assert_eq!(two.names(), ["num", "vec"]);
    let known = ["num", "vec", "deep", "dat", "pcm"].map(|ext| two.knows_extension(ext));
    assert_eq!(known, [true, true, true, false, false]);
    assert_eq!(two.by_extension("vec").len(), 1);
    assert!(two.by_extension("dat").is_empty(), "that belongs to others");
}

#[test]
fn extensions_of_sound_are_those_of_formats_of_sound_alone() {
    let registry = Registry::new([&NUM as &dyn Format, &TAKE, &PCM]);
    let env = Env::default().with_formats(registry);
    let named = ["pcm", "take", "num", "none"].map(|extension| env.sound_by_extension(extension));
    assert_eq!(named, [Some("pcm"), None, None, None]);
}

#[test]
fn magic_bytes_decide_alone() {
    let mut source = Source::from_bytes("a.vec", num(&[1.0])).unwrap();
    let (format, basis) = all().recognise(&mut source).unwrap();
    assert_eq!((format.info().name, basis), ("num", Basis::Content));
    let ranked = all().rank(&mut source).unwrap();
    let ranked: Vec<_> = ranked
        .iter()
        .map(|(score, f)| (*score, f.info().name))
        .collect();
    assert_eq!(ranked[0], (Score::Certain, "num"));
    assert_eq!(source.offset(), 0, "nothing is taken from the source");
}

/// What is found of a file with a name and a content: the format and the reason, or the message of
/// the error and the formats that it suggests.
fn decided(name: &str, content: &[u8], registry: &Registry) -> String {
    let world = World::of([(name, content.to_vec())]);
    let mut source = world.env.open_file(&name.into()).unwrap();
    match registry.recognise(&mut source) {
        Ok((format, basis)) => format!("{} by {basis:?}", format.info().name),
        Err(error) => {
            assert_eq!(error.file_name(), Some(name));
            let of = match error.remedy() {
                Some(Remedy::ReadAs(names)) => names.join(" "),
                _ => String::new(),
            };
            format!("{:?}: {} [{of}]", error.kind(), error.message())
        }
    }
}

#[test]
fn text_is_what_its_look_and_its_name_say() {
    let registry = Registry::new([&WORDS as &dyn Format, &PAIRS, &RAW, &NUM]);
    for (name, content, expected) in [
        // Any text fits the name; a form is as good, in any file of text.
        ("a.words", "one two\n", "words by Content"),
        ("a.WORDS", "one two\n", "words by Content"),
        ("a.list", "one two\n", "words by Content"),
        ("a.pairs", "a=1\n", "pairs by Content"),
        ("a.txt", "a=1\n", "pairs by Guess"),
        ("a.TXT", "one two\n", "words by Guess"),
        ("a", "one two\n", "words by Guess"),
        ("a.raw", "one two\n", "raw by Name"),
        // The name says another thing than the form.
        (
            "a.num",
            "a=1\n",
            "Ambiguous: has lines as pairs, but .num is the extension of num [pairs num]",
        ),
        (
            "a.Deep",
            "a=1\n",
            "Ambiguous: has lines as pairs, but .Deep is the extension of num [pairs num]",
        ),
        (
            "a.py",
            "a=1\n",
            "Ambiguous: has lines as pairs, but .py is the extension of source code [pairs]",
        ),
        (
            "a.CSV",
            "a=1\n",
            "Ambiguous: has lines as pairs, but .CSV is the extension of a table of columns [pairs]",
        ),
        (
            "a.xyz",
            "one two\n",
            "Ambiguous: may be words, as any text may, but .xyz is no extension of words [words]",
        ),
        ("a.xyz", "a=1\n", "pairs by Guess"),
        // The first bytes say another thing.
        (
            "a.words",
            "{\"a\": 1}\n",
            "Ambiguous: has lines as words, but starts with '{' as JSON does [words]",
        ),
        (
            "a.txt",
            "\u{feff}<a href=\"b\">\n",
            "Ambiguous: has lines as pairs, but starts with '<' as XML does [pairs]",
        ),
        ("a.pairs", "#!a=1\n", "pairs by Content"),
    ] {
        assert_eq!(
            decided(name, content.as_bytes(), &registry),
            expected,
            "{name} {content}"
        );
    }
}

#[test]
fn formats_that_fit_alike_are_named() {
    let registry = Registry::new([&PAIRS as &dyn Format, &TWINS, &WORDS]);
    for (name, expected) in [
        ("a.twins", "twins by Content"),
        ("a.txt", "Ambiguous: may be pairs or twins [pairs twins]"),
        // Its name is that of any text, and its form says more.
        (
            "a.words",
            "Ambiguous: has lines as pairs or twins, but .words is the extension of words [pairs twins words]",
        ),
    ] {
        assert_eq!(decided(name, b"a=1\n", &registry), expected);
    }
    // By their magic bytes alone, which no text has.
    let registry = Registry::new([&NUM as &dyn Format, &NUM]);
    assert_eq!(
        decided("a.num", &num(&[]), &registry),
        "Ambiguous: may be num or num [num num]"
    );
}

#[test]
fn what_is_not_recognised_is_named() {
    let registry = Registry::new([&NUM as &dyn Format, &BOX]);
    for (content, expected) in [
        (&b""[..], "the file is empty"),
        (b"\x01\x02\x03", "no known format"),
        (
            b"MODEL 1",
            "is a model that says what labels stand for, and no data",
        ),
        (
            b"fLaC\0\0",
            "looks like a FLAC file, which this version does not convert",
        ),
        (
            b"PK\x03\x04",
            "looks like a zip file, but not one of arrays such as .npz, which this version does not convert",
        ),
        (
            b"\0\0\0\x20ftypM4A ",
            "looks like an MP4 file, such as M4A, which this version does not convert",
        ),
        (b"<xml>", "no known format, starts with '<' as XML does"),
        (b"[1, 2]", "no known format, starts with '[' as JSON does"),
        (
            b" \"a\",\"b\"",
            "no known format, starts with '\"' as quoted text does",
        ),
    ] {
        let mut source = Source::from_bytes("it", content.to_vec()).unwrap();
        let error = registry.detect(&mut source).err().unwrap();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::Unrecognised, expected)
        );
        let hint = match content.starts_with(b"fLaC") || content.ends_with(b"M4A ") {
            true => "decode it first: `sox FILE OUT.wav` or `ffmpeg -i FILE OUT.wav`",
            false => "name the format: num, box",
        };
        assert_eq!(error.hint_text().unwrap(), hint, "{expected}");
        assert_eq!(error.file_name(), Some("it"));
    }
    let tar = [vec![0; 257], b"ustar".to_vec()].concat();
    let mut source = Source::from_bytes("it", tar).unwrap();
    let error = registry.detect(&mut source).err().unwrap();
    assert!(
        error.message().starts_with("looks like a tar file"),
        "{error}"
    );
}

#[test]
fn a_folder_is_of_the_format_that_its_names_fit() {
    let world = World::of([("d/toy.conf", vec![]), ("e/other", vec![])]);
    let found = |folder: &str, registry: &Registry| {
        let found = registry.detect_folder(&folder.into(), &world.env);
        found.map(|format| format.map(|format| format.info().name))
    };
    assert_eq!(found("d", &all()).unwrap(), Some("box"));
    assert_eq!(found("e", &all()).unwrap(), None);
    let error = found("d", &all().with_format(&CRATE)).unwrap_err();
    assert_eq!(error.to_string(), "d: may be box or crate");
    assert_eq!(error.remedy(), Some(&Remedy::ReadAs(vec!["box", "crate"])));
}

#[test]
fn objects_inside_files_are_found_by_name_magic_and_length() {
    let world = World::of([]);
    let env = &world.env;
    assert!(env.nested("pcm").is_ok());
    let error = env.nested("num").err().unwrap();
    let message = "holds an object of the format num, which is not built in";
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Unsupported, message)
    );
    assert_eq!(env.sound_by_extension("pcm"), Some("pcm"));
    assert_eq!(env.sound_by_extension("num"), None);
    assert_eq!(env.nested_by_magic(b"PCM1"), Some("pcm"));
    assert_eq!(env.nested_by_magic(b"\0\0\0\0"), None);
    assert_eq!(env.nested_by_length(b"\0\0\0\0", 16), Some("pcm"));
    assert_eq!(env.nested_by_length(b"\0\0\0\0", 12), None);
    assert_eq!(env.nested_by_length(b"PCM1", 16), None, "that is magic");
    assert_eq!(env.nested_lengths(b"\0\0\0\0"), [("pcm", 8), ("pcm", 16)]);
    assert_eq!(env.nested_lengths(b"PCM1"), []);
    for (bytes, found) in [
        (vec![0; 8], true),
        (vec![0; 9], false),
        (b"PCM1".to_vec(), true),
    ] {
        let mut source = Source::from_bytes("it", bytes).unwrap();
        match env.nested_by_content(&mut source) {
            Ok(_) => assert!(found),
            Err(error) => {
                assert!(!found, "{error}");
                assert_eq!(error.to_string(), "it@0: no format that is built in");
            }
        }
    }
    assert_eq!(
        [Claim::No, Claim::Magic, Claim::Lengths([Some(3), None])].map(|c| c.holds(Some(3))),
        [false, true, true]
    );
    // An unknown length is none of those.
    assert!(!Claim::Lengths([Some(3), None]).holds(None));
}

#[test]
fn utterances_of_other_files_are_looked_up() {
    let lines = b"LINES\na 1 2\nb x\nc 3\n".to_vec();
    let world = World::of([("x.lines", lines), ("y.num", num(&[5.0]))]);
    let mut finders = Finders::new(&world.env);
    let mut utt = Utterance::default();
    let mut find = |name: &str, file: &str, key: &str| {
        let place: (Option<&Location>, &Location) = (None, &file.into());
        let found = finders.find(name, place, &Key::from(key), &mut utt);
        found.map(|found| found.then(|| utt.frames()))
    };
    assert_eq!(find("lines", "x.lines", "a").unwrap(), Some(2));
    // A file that is open goes on where it was.
    assert_eq!(
        find("lines", "x.lines", "c").unwrap_err().key(),
        Some(&"b".into())
    );
    assert_eq!(find("lines", "x.lines", "c").unwrap(), Some(1));
    assert_eq!(find("lines", "x.lines", "d").unwrap(), None);
    // A format without lookup gives the first that it has.
    assert_eq!(find("num", "y.num", "whatever").unwrap(), Some(1));
    let error = find("npz", "z.num", "a").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io, "the file is asked first");
    world.store.insert("w.lines", b"LINES\n".to_vec());
    let error = find("htk", "w.lines", "a").unwrap_err();
    assert_eq!(
        error.message(),
        "holds an object of the format htk, which is not built in"
    );
}
