//! Referenced files count as read, and files of other utterances are not opened.

use spr_core::model::About;

use super::*;

/// Returns an environment with these files.
fn stored(files: &[(&str, Vec<u8>)]) -> Env {
    let store = MemoryStore::new();
    for (file, bytes) in files {
        store.insert(*file, bytes.clone());
    }
    Env::default().with_store(Arc::new(store))
}

/// Returns `true` if a file may be replaced.
fn is_free(env: &Env, file: &str) -> bool {
    let output = env.output(&Locator::file(file)).overwrite(true);
    match output.create(Part::Main, false) {
        Ok(_) => true,
        Err(e) => {
            assert!(
                e.to_string().contains("is read and can't be written"),
                "{e}"
            );
            false
        }
    }
}

/// Reads a file with a request, and returns the keys.
fn keys(env: &Env, file: &str, options: &[(&str, &str)], request: Request) -> Result<Vec<String>> {
    let options = Options::new(SPR.info(), options.iter().copied())?;
    let source = env.open_file(&file.into())?;
    let mut reader = request.open(&SPR, source, &options, env)?.into_stream()?;
    let (mut keys, mut utt) = (Vec::new(), Utterance::default());
    while reader.read(&mut utt)? {
        keys.push(utt.key.to_string());
    }
    Ok(keys)
}

const HEADER: &[u8] = b".spr\nTYPE I8\nFORMAT BIN01\nDIM2 1\n#\n";

#[test]
fn a_header_of_its_own_is_an_input() {
    let env = stored(&[("raw.raw", vec![1, 2, 3]), ("hdr.spr", HEADER.into())]);
    assert!(is_free(&env, "raw.raw") && is_free(&env, "hdr.spr"));
    let options = [("header", "hdr.spr")];
    assert_eq!(
        keys(&env, "raw.raw", &options, Request::all()).unwrap(),
        ["raw"]
    );
    assert!(!is_free(&env, "raw.raw") && !is_free(&env, "hdr.spr"));
    assert!(is_free(&env, "other.spr"));
}

#[test]
fn what_a_corpus_lists_is_an_input() {
    let corpus = list("DATA CORPUS", "a one 0 2\n- two 1 1\ns/b three 0 -1\n");
    let env = stored(&[
        ("c.cor", corpus.into()),
        ("feats/a.raw", vec![1, 2, 3]),
        ("feats/s/b.raw", vec![1, 2, 3]),
        ("hdr.spr", HEADER.into()),
    ]);
    let options = [("root", "feats"), ("suffix", "raw"), ("header", "hdr.spr")];
    let found = keys(&env, "c.cor", &options, Request::all()).unwrap();
    assert_eq!(found, ["a", "a#2", "s/b"]);
    for file in ["c.cor", "feats/a.raw", "feats/s/b.raw", "hdr.spr"] {
        assert!(!is_free(&env, file), "{file}");
    }
}

#[test]
fn files_of_entries_that_nobody_wants_stay_closed() {
    let body = "gone x 0 -1\na one 0 2\n- two 1 1\ngone y 5 not-looked-at\n- z 0 1\n";
    let env = stored(&[
        ("c.cor", list("DATA CORPUS", body).into()),
        ("a.raw", vec![1, 2, 3]),
        ("hdr.spr", HEADER.into()),
    ]);
    let options = [("suffix", "raw"), ("header", "hdr.spr")];
    let request = Request::all().keys(|key| key == &"a#2".into());
    assert_eq!(
        keys(&env, "c.cor", &options, request.clone()).unwrap(),
        ["a#2"]
    );
    assert!(!is_free(&env, "a.raw") && is_free(&env, "gone.raw"));
    let request = request.headers();
    assert_eq!(keys(&env, "c.cor", &options, request).unwrap(), ["a#2"]);
}

#[test]
fn symbols_are_an_input() {
    let table = || ("phones.txt", b"ah 7\n".to_vec());
    let segments = list("DATA SEG", "a ah 0 1\n");
    let options = [("symbols", "phones.txt")];
    let env = stored(&[table(), ("a.seg", segments.into())]);
    assert_eq!(
        keys(&env, "a.seg", &options, Request::all()).unwrap(),
        ["a"]
    );
    assert!(!is_free(&env, "phones.txt"));
    let env = stored(&[table()]);
    let options = [("data", "SEG"), ("symbols", "phones.txt")];
    let options = Options::new(SPR.info(), options).unwrap();
    let output = env.output(&Locator::file("out.seg"));
    drop(
        SPR.create(output, &options, &About::default(), &env)
            .unwrap(),
    );
    assert!(!is_free(&env, "phones.txt"));
}

#[test]
fn lists_pass_over_what_nobody_wants() {
    let segments = "a x 0 1\n- y what it is\nb x 0 1\n- y 1 1\nc\n- x\n";
    let corpus = "a x 0 oops\n- y 0 1\nb z 0 1\nb y 0 1\n";
    let env = stored(&[
        ("s", list("DATA SEG/DIM2 3", segments).into()),
        ("c", list("DATA CORPUS", corpus).into()),
    ]);
    let wanted = |names: &'static [&str]| {
        Request::all().keys(move |key| names.iter().any(|name| key == &(*name).into()))
    };
    assert_eq!(keys(&env, "s", &[], wanted(&["b"])).unwrap(), ["b"]);
    assert_eq!(
        keys(&env, "c", &[], wanted(&["a#2", "b#2"])).unwrap(),
        ["a#2", "b#2"]
    );
    assert!(keys(&env, "c", &[], wanted(&["a"])).is_err());
    assert!(keys(&env, "s", &[], wanted(&["c"])).is_err());
    // A file in two places is found in any case.
    let twice = stored(&[("s", list("DATA SEG", "a x 0 1\nb x 0 1\na x 1 1\n").into())]);
    let error = keys(&twice, "s", &[], wanted(&["b"])).unwrap_err();
    assert!(error.to_string().contains("in two places"), "{error}");
}

#[test]
fn entries_know_their_lines() {
    let lines = |text: String| -> Vec<_> {
        let (utts, _) = read(&text).unwrap();
        let at = |utt: &Utterance| {
            assert_eq!(utt.origin.file.as_deref(), Some("f"));
            utt.origin.at
        };
        utts.iter().map(at).collect()
    };
    let line = |n| Some(Position::Line(n));
    let body = "a x 0 1\n\n- y 1 1\nb x 0 1\n";
    assert_eq!(lines(list("DATA SEG/x \\/1", body)), [line(6), line(9)]);
    assert_eq!(
        lines(list("DATA CORPUS", body)),
        [line(4), line(6), line(7)]
    );
}

#[test]
fn a_last_line_without_an_end_is_read_where_the_header_counts_it() {
    let mut tried = 0;
    for (data, dim1) in [
        ("SEG", "DIM1"),
        ("CORPUS", "DIM1"),
        ("DICTIONARY", "DIM1"),
        ("UNIT", "DIM1"),
    ] {
        let body = "a x 0 1\nb y 0 1";
        for (count, end, good) in [
            ("2", "", true),
            ("2", "\n ", true),
            ("3", "", false),
            ("-1", "", false),
            ("1", "", false),
        ] {
            let text = list(
                &format!("DATA {data}/{dim1} {count}"),
                &format!("{body}{end}"),
            );
            match read(&text) {
                Ok((_, warnings)) => {
                    assert!(good, "{data} {count}");
                    let odd: Vec<_> = warnings.iter().filter(|w| w.contains("line end")).collect();
                    assert_eq!(odd.len(), 1, "{warnings:?}");
                }
                Err(e) => {
                    assert!(!good, "{data} {count}: {e}");
                    assert_eq!(e.kind(), ErrorKind::Truncated);
                }
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 20);
}
