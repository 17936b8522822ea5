//! Corpora, and the files that they list.

use spr_core::model::About;

use super::*;

const CORPUS: &str = "\
sess1/utt01\tgood_morning\t0.000\t1.250\tspkA\n-\thow_are_you\t1.400\t2.900\tspkB\n\
sess1/utt02\t#\t0\t-1\tspkA\n";

#[test]
fn a_corpus_comes_back_to_the_digit() {
    let head = ".spr\nDATA\tCORPUS\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t3\n\
                TIMEBASE\tCONTINUOUS\nFIELD_DESC\tfname orthography\n#\n";
    let text = format!("{head}{CORPUS}");
    let (utts, warnings) = read(&text).unwrap();
    assert_eq!(warnings, [""; 0]);
    let shared = [
        ("TIMEBASE", "CONTINUOUS"),
        ("FIELD_DESC", "fname orthography"),
    ];
    let tags = |own: &[(&'static str, &'static str)]| [&shared, own].concat();
    let expected = [
        said(
            "sess1/utt01",
            "good morning",
            &tags(&[("F1", "0.000"), ("F2", "1.250"), ("FIELD5", "spkA")]),
        ),
        said(
            "sess1/utt01#2",
            "how are you",
            &tags(&[
                ("FILENAME", "sess1/utt01"),
                ("F1", "1.400"),
                ("F2", "2.900"),
                ("FIELD5", "spkB"),
            ]),
        ),
        said("sess1/utt02", "", &tags(&[("FIELD5", "spkA")])),
    ];
    assert_eq!(utts, expected);
    let back = write_memory(&SPR, &[("data", "CORPUS")], &utts).unwrap();
    assert_eq!(String::from_utf8(back).unwrap(), text);
}

#[test]
fn a_named_corpus_with_a_key_header() {
    let text = ".key\nCORPUS\tCGN\nDATAFORMAT\tSTRING\nNENTRY\t1\n#\na\tb_c\t0\t-1\n";
    let utts = read_memory(&KEY, &[], text.as_bytes()).unwrap();
    assert_eq!(utts, [said("a", "b c", &[("CORPUS", "CGN")])]);
    let back = write_memory(&KEY, &[("data", "CORPUS")], &utts).unwrap();
    let back = String::from_utf8(back).unwrap();
    assert_eq!(
        back,
        ".key\nDATAFORMAT\tSTRING\nNENTRY\t1\nCORPUS\tCGN\n#\na\tb_c\t0\t-1\n"
    );
    assert_eq!(read_memory(&KEY, &[], back.as_bytes()).unwrap(), utts);
    let spr = write_memory(&SPR, &[("data", "CORPUS")], &utts).unwrap();
    assert_eq!(read_memory(&SPR, &[], &spr).unwrap(), utts);
}

#[test]
fn what_a_corpus_can_not_hold() {
    for (utt, part) in [
        (said("a", "b_c", &[]), "it has a '_'"),
        (said("a", "#", &[]), "# stands for silence"),
        (said("a", "b\tc", &[]), "white space that is not a blank"),
        (said("-", "b", &[]), "can't stand in a list"),
        (said("a", "b", &[("F1", "3")]), "F1 and F2 stand together"),
        (
            said("a", "b", &[("F1", "0"), ("F2", "-1")]),
            "not for the whole file",
        ),
        (
            said("a", "b", &[("F1", "x"), ("F2", "1")]),
            "'x' is not a number of a frame",
        ),
        (
            said("a", "b", &[("FILENAME", "c")]),
            "expected c as the next entry of the file c",
        ),
        (said("a", "b", &[("FIELD6", "c")]), "not all before it"),
        (said("a", "b", &[("FIELD5", "c d")]), "is not one word"),
        (said("a", "b", &[("DATA", "SEG")]), "would contradict"),
    ] {
        let error = write_memory(&SPR, &[("data", "CORPUS")], &[utt]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue(), "{error}");
    }
}

/// Reads a corpus and its files. Returns the first and the last row of each entry.
fn drive(root: &Path, lines: &str, body: &str) -> Result<Vec<(String, String, f32, usize)>> {
    let source = Source::from_bytes("c.cor", list(lines, body).into_bytes())?;
    let options = [("root", root.to_str().unwrap()), ("suffix", "spr")];
    let (utts, _) = read_with(&SPR, &options, source)?;
    let row = |utt: &Utterance| {
        let values = utt.features.as_ref().unwrap().as_slice::<f32>().unwrap();
        let text = utt.text.clone().unwrap_or_default();
        let text = String::from_utf8(text).unwrap();
        (utt.key.to_string(), text, values[0], values.len())
    };
    Ok(utts.iter().map(row).collect())
}

#[test]
fn a_corpus_drives_the_reading_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("feats");
    let utts = [
        track("s/a", 100, None, None),
        track("half", 200, Some("0.005"), None),
        track("late", 98, Some("0.01"), Some("0.0075")),
    ];
    write(&SPR, &[], &utts, &root).unwrap();
    let body = "late x 0 1\ns/a one_two 10 5\n- # 20 -1\n- three 0 -1\nhalf y 10 20\n";
    let row = |key: &str, text: &str, first, n| (key.to_owned(), text.to_owned(), first, n);
    assert_eq!(
        drive(&root, "DATA CORPUS", body).unwrap(),
        [
            row("late", "x", 0.0, 1),
            row("s/a", "one two", 10.0, 5),
            row("s/a#2", "", 20.0, 80),
            row("s/a#3", "three", 0.0, 100),
            row("half", "y", 20.0, 40),
        ]
    );
    let body = "s/a x 0.1 0.155\nlate y 0.5 1.0\nhalf z 0.2501 -1\n";
    assert_eq!(
        drive(&root, "DATA CORPUS/TIMEBASE CONTINUOUS", body).unwrap(),
        [
            row("s/a", "x", 10.0, 6),
            row("late", "y", 49.0, 49),
            row("half", "z", 50.0, 150)
        ]
    );
    for (lines, body, part) in [
        (
            "DATA CORPUS",
            "s/a x 90 11\n",
            "the corpus says frames 90 to 101, the file has 100",
        ),
        (
            "DATA CORPUS",
            "s/a x 101 -1\n",
            "the corpus says frames 101 to 100, the file has 100",
        ),
        (
            "DATA CORPUS/TIMEBASE CONTINUOUS",
            "s/a x 0 1.03\n",
            "frames 0 to 103, the file has 100",
        ),
        ("DATA CORPUS", "s/b x\n", "cannot open"),
        ("DATA CORPUS", "../feats/half x\n", "leads out of the root"),
    ] {
        let error = drive(&root, lines, body).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue() && error.key().is_some(), "{error}");
    }
}

#[test]
fn sound_is_cut_by_its_samples() {
    let folder = tempfile::tempdir().unwrap();
    let head = ".spr\nDATA SAMPLE\nTYPE I8\nFORMAT BIN01\nNCHAN 1\nSAMPLEFREQ 100\n#\n";
    let samples: Vec<u8> = (0..50).collect();
    fs::write(
        folder.path().join("a.sam"),
        [head.as_bytes(), &samples].concat(),
    )
    .unwrap();
    let body = "a x 0 0.1\n- y 0.105 -1\n- z 0.3 0.52\n";
    let text = list("DATA CORPUS/TIMEBASE CONTINUOUS", body);
    let source = Source::from_bytes("c.cor", text.into_bytes()).unwrap();
    let options = [("root", folder.path().to_str().unwrap()), ("suffix", "sam")];
    let options = Options::new(SPR.info(), options).unwrap();
    let opened = Request::all().open(&SPR, source, &options, &Env::default());
    let mut reader = opened.unwrap().into_stream().unwrap();
    let mut utt = Utterance::default();
    for (first, last) in [(0, 9), (11, 49)] {
        assert!(reader.read(&mut utt).unwrap());
        let samples = &utt.waveform().unwrap().samples;
        let samples = samples.as_slice::<i8>().unwrap();
        assert_eq!((samples[0], *samples.last().unwrap()), (first, last));
    }
    let error = reader.read(&mut utt).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("samples 30 to 52, the file has 50"),
        "{error}"
    );
}

#[test]
fn a_folder_has_its_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let (root, corpus) = (folder.path().join("out"), folder.path().join("x.cor"));
    let cor = ("cor", corpus.to_str().unwrap());
    let mut utts = [track("a", 3, None, None), track("a#2", 2, None, None)];
    utts[0].text = Some(b"one two".to_vec());
    utts[0].meta.tags = vec![tag("FIELD5", "ann"), tag("speaker", "ann")];
    write(&SPR, &[cor], &utts, &root).unwrap();
    let text = fs::read_to_string(&corpus).unwrap();
    assert!(
        text.ends_with("DIM1\t2\n#\na\tone_two\t0\t-1\tann\na#2\t#\t0\t-1\n"),
        "{text}"
    );
    let header = fs::read(root.join("a.spr")).unwrap();
    assert!(!header.windows(6).any(|w| w == b"FIELD5"));
    let options = [("root", root.to_str().unwrap())];
    let (mut back, _) = read_with(&SPR, &options, file(&corpus)).unwrap();
    back[0].meta.tags.reverse();
    assert_eq!(back, utts);
    // The line of a rejected file is not written either.
    let (root, corpus) = (folder.path().join("two"), folder.path().join("y.cor"));
    let options = Options::new(SPR.info(), [("cor", corpus.to_str().unwrap())]).unwrap();
    let output = Env::default().output(&Locator::folder(&root));
    let mut writer = SPR
        .create(output.clone(), &options, &About::default(), &Env::default())
        .unwrap();
    for key in ["../x", "b"] {
        let _ = writer
            .write(&track(key, 1, None, None))
            .map_err(|e| assert!(e.can_continue()));
    }
    writer.finish().unwrap();
    output.commit().unwrap();
    assert!(
        fs::read_to_string(&corpus)
            .unwrap()
            .ends_with("DIM1\t1\n#\nb\t#\t0\t-1\n")
    );
    let inside = Options::new(
        SPR.info(),
        [("cor", folder.path().join("n/z.cor").to_str().unwrap())],
    );
    let error = SPR.create(
        Env::default().output(&Locator::folder(folder.path().join("n"))),
        &inside.unwrap(),
        &About::default(),
        &Env::default(),
    );
    assert!(
        error
            .err()
            .unwrap()
            .hint_text()
            .unwrap()
            .contains("put the corpus beside it")
    );
}
