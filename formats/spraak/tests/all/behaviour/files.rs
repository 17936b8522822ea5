//! Files and folders as data sets.

use spr_core::model::About;

use super::*;

#[test]
fn values_that_nobody_wants_are_passed_over() {
    let whole = file(SPR_HEAD, &SPR_DATA);
    for (bytes, good) in [(&whole[..], true), (&whole[..whole.len() - 1], false)] {
        let source = Source::from_bytes("f", bytes.to_vec()).unwrap();
        let request = Request::all().headers();
        let opened = request.open(&SPR, source, &Options::default(), &Env::default());
        let mut reader = opened.unwrap().into_stream().unwrap();
        let mut utt = Utterance::default();
        match reader.read(&mut utt) {
            Ok(_) => {
                let features = utt.features.unwrap();
                assert_eq!((features.rows(), features.cols()), (2, 3));
                assert!(good);
            }
            Err(e) => assert!(!good && e.kind() == ErrorKind::Truncated, "{e}"),
        }
    }
}

#[test]
fn extensions_ask_for_lists() {
    for format in [&SPR, &KEY] {
        let data = |extension| Some(format.info().variant(extension)?.option);
        assert_eq!(data("seg"), Some(("data", "SEG")));
        assert_eq!(data("cor"), Some(("data", "CORPUS")));
        assert_eq!(data("lex"), Some(("data", "DICTIONARY")));
        assert_eq!(data("spr"), None);
    }
}

#[test]
fn false_sizes_fail_at_once() {
    let huge = u64::MAX.to_string();
    for (rows, cols) in [
        ("2", &*huge),
        (&huge, "1"),
        ("99999999999", "99"),
        ("-1", &huge),
    ] {
        for format in ["BIN01", "ASCII"] {
            let head =
                format!(".spr\nTYPE\tF64\nFORMAT\t{format}\nDIM1\t{rows}\nDIM2\t{cols}\n#\n");
            let bytes = file(&head, &[b'1'; 100]);
            let error = read(&SPR, &[], &bytes).unwrap_err();
            let kind = error.kind();
            assert!(
                matches!(kind, ErrorKind::Limit | ErrorKind::Truncated),
                "{error}"
            );
        }
    }
}

#[test]
fn a_folder_is_a_data_set() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("out");
    let utts = ["a", "b.1", "s/c"].map(|key| Utterance {
        key: key.into(),
        ..example(None)
    });
    let written = spr_testkit::write(&SPR, &[], &utts, &folder).unwrap();
    assert_eq!((written.utterances, written.frames), (3, 6));
    assert_eq!(spr_testkit::read(&SPR, &[], &folder).unwrap(), utts);
    let registry = Registry::new([&SPR as &dyn Format, &KEY]);
    assert_eq!(
        FolderReader::detect(&(&folder).into(), &registry, &Env::default())
            .unwrap()
            .format
            .info()
            .name,
        "spr"
    );
    // The key of a single file is its name.
    let path = folder.join("b.1.spr");
    let reader = spr_testkit::open(&SPR, &[], &path).unwrap();
    assert_eq!(reader.info().keys, KeySource::Stored);
    assert_eq!(
        spr_testkit::read(&SPR, &[], &path).unwrap()[0].key,
        "b.1".into()
    );
}

#[test]
fn a_file_holds_one_utterance() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("a.spr.gz");
    let write = |utts: &[Utterance]| {
        let output = Env::default().output(&Locator::file(&path));
        spr_testkit::write_to(&SPR, &Options::default(), utts, output)
    };
    assert!(
        write(&[])
            .unwrap_err()
            .to_string()
            .contains("no utterance to write")
    );
    let error = write(&[example(None), example(None)]).unwrap_err();
    assert!(error.to_string().contains("a second utterance") && !error.can_continue());
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    write(&[example(None)]).unwrap();
    let reader = spr_testkit::open(&SPR, &[], &path).unwrap();
    assert_eq!(reader.info().compression.as_deref(), Some("gzip"));
    let utts = spr_testkit::read(&SPR, &[], Path::new(&path)).unwrap();
    assert_eq!((utts[0].key.as_str(), utts.len()), (Some("a"), 1));
}

#[test]
fn a_key_that_is_no_file_name_spares_the_others() {
    let parent = tempfile::tempdir().unwrap();
    let output = Env::default().output(&Locator::folder(parent.path().join("out")));
    let mut writer = SPR
        .create(
            output,
            &Options::default(),
            &About::default(),
            &Env::default(),
        )
        .unwrap();
    for (key, good) in [("a", true), ("../b", false), ("a", false), ("c", true)] {
        let utt = Utterance {
            key: key.into(),
            ..example(None)
        };
        match writer.write(&utt) {
            Ok(()) => assert!(good, "{key}"),
            Err(e) => assert!(!good && e.can_continue(), "{key}: {e}"),
        }
    }
    assert_eq!(writer.finish().unwrap().utterances, 2);
}

#[test]
fn keys_without_a_name_of_their_own_are_told_once() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ear = heard.clone();
    let env = Env::new(Limits::default(), Access::default(), move |e| {
        ear.lock().unwrap().push(e.to_string());
    });
    let mut utt = example(None);
    utt.meta.tags = vec![Tag::new("spraak", "TIMEBASE", "DISCRETE")];
    for (format, warnings) in [(&SPR, 0), (&KEY, 1)] {
        heard.lock().unwrap().clear();
        let folder = tempfile::tempdir().unwrap();
        let output = env.output(&Locator::folder(folder.path().join("out")));
        let mut writer = format
            .create(output, &Options::default(), &About::default(), &env)
            .unwrap();
        for key in ["a", "b"] {
            utt.key = key.into();
            writer.write(&utt).unwrap();
        }
        let heard = heard.lock().unwrap();
        assert_eq!(heard.len(), warnings, "{heard:?}");
        assert!(
            heard
                .iter()
                .all(|w| w.contains("utterance a: key headers have no TIMEBASE"))
        );
    }
}

#[test]
fn raw_files_are_called_raw() {
    let folder = tempfile::tempdir().unwrap();
    let utt = Utterance {
        meta: Meta::default(),
        ..example(None)
    };
    let output = Env::default().output(&Locator::folder(folder.path().join("out")));
    let options = spr_testkit::options(&SPR, &[("header", "none")]).unwrap();
    spr_testkit::write_to(&SPR, &options, &[utt], output).unwrap();
    assert_eq!(
        fs::read(folder.path().join("out/utt000000.raw"))
            .unwrap()
            .len(),
        24
    );
}
