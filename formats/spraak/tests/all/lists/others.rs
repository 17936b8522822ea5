//! Folders of lists, other lists, and data that no list can represent.

use spr_core::model::About;

use super::*;

#[test]
fn keys_stay_in_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (root, away) = (folder.path().join("out"), folder.path().join("away"));
    let long = "x".repeat(5000);
    for key in [
        "../x",
        "/x",
        "a/../../b",
        "a\0b",
        ".",
        "..",
        "a//b",
        "",
        &long,
    ] {
        let error = write(&SPR, &[], &[track(key, 1, None, None)], &root).unwrap_err();
        assert!(
            error.key().is_some() || error.file_name().is_some(),
            "{error}"
        );
    }
    assert!(!folder.path().join("x.spr").exists() && !folder.path().join("b.spr").exists());
    #[cfg(unix)]
    {
        // A folder that is written again, where one of its folders is a link.
        fs::create_dir_all(&root).unwrap();
        fs::create_dir(&away).unwrap();
        std::os::unix::fs::symlink(&away, root.join("sub")).unwrap();
        let output = Env::default().output(&Locator::folder(&root)).adding(true);
        let mut writer = SPR
            .create(
                output.clone(),
                &Options::default(),
                &About::default(),
                &Env::default(),
            )
            .unwrap();
        writer.write(&track("sub/a", 1, None, None)).unwrap();
        writer.finish().unwrap();
        assert!(output.commit().is_err());
        assert_eq!(fs::read_dir(&away).unwrap().count(), 0);
    }
}

#[test]
fn other_lists_are_handed_on() {
    let body = b"<sil>\t#\nbanaan\tbanan[@/]\n#\n\xe9\n".as_slice();
    for (lines, kind) in [
        (
            "DATA\tDICTIONARY\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t4\nUNIT_TYPE\tphones\n",
            "spraak-list",
        ),
        ("DIM1\t4\nDATA\tUNIT\n", "spraak-list"),
        ("DATA\tDES\n", "spraak-list"),
        ("DATA\tOTHER\nLAYOUT\tLIST\n", "spraak-list"),
        (
            "DATA\tPARAM\nLAYOUT\tCUSTOM\nTYPE\tCUSTOM\nFORMAT\tBIN01\n",
            "spraak-custom",
        ),
    ] {
        let bytes = [b".spr\n", lines.as_bytes(), b"#\n", body].concat();
        let utts = read_memory(&SPR, &[], &bytes).unwrap();
        let object = Object::opaque(kind, body.to_vec());
        assert_eq!(utts[0].object, Some(object), "{lines}");
        assert_eq!(write_memory(&SPR, &[], &utts).unwrap(), bytes, "{lines}");
        for n in 0..bytes.len() {
            let _ = read_memory(&SPR, &[], &bytes[..n]);
        }
        let mut random = faults::Random::new(1);
        for _ in 0..200 {
            let _ = read_memory(&SPR, &[], &faults::flip(&bytes, &mut random));
        }
        match (kind, write_memory(&KEY, &[], &utts)) {
            ("spraak-list", Ok(key)) => {
                let back = read_memory(&KEY, &[], &key).unwrap();
                assert_eq!(back[0].object, utts[0].object, "{lines}");
            }
            (_, Err(e)) => assert!(e.to_string().contains("key header"), "{lines}: {e}"),
            (_, Ok(_)) => panic!("{lines}"),
        }
    }
}

#[test]
fn packed_lists_are_read() {
    use std::io::Write;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(FRAMES.as_bytes()).unwrap();
    let packed = packer.finish().unwrap();
    let head = b".spr\nDATA SEG\nCOMPRESS gzip\nDIM1 4\n#\n";
    let bytes = [&head[..], &packed].concat();
    assert_eq!(read_memory(&SPR, &[], &bytes).unwrap().len(), 2);
    assert!(read_memory(&SPR, &[], &bytes[..bytes.len() - 1]).is_err());
}

#[test]
fn headers_of_lists_change_and_bodies_do_not() {
    let key = b".key\nDICTIONARY\tnl\nDATAFORMAT\tSTRING\nNENTRY\t2\nLANGUAGE\tnl\n#\na\ta\n#\t#\n";
    let utts = read_memory(&KEY, &[], key).unwrap();
    let spr = write_memory(&SPR, &[], &utts).unwrap();
    let expected = ".spr\nDATA\tDICTIONARY\nLAYOUT\tLIST\nFORMAT\tASCII\nDICTIONARY\tnl\nTYPE\tSTRING\n\
                    DIM1\t2\nLANGUAGE\tnl\n#\na\ta\n#\t#\n";
    assert_eq!(String::from_utf8(spr.clone()).unwrap(), expected);
    assert_eq!(read_memory(&SPR, &[], &spr).unwrap(), utts);
    assert_eq!(write_memory(&KEY, &[], &utts).unwrap(), key);
}

#[test]
fn items_with_the_name_of_a_dictionary_are_one() {
    let body = "<sil>\t#\nbanaan\tbanan[@/]\n";
    let lines = "DICTIONARY\tnl\nDATATYPE\tDES\nNENTRY\t2\n";
    let utts = read_memory(&KEY, &[], format!(".key\n{lines}#\n{body}").as_bytes()).unwrap();
    let data = &[("data", "DICTIONARY")];
    let spr = write_memory(&SPR, data, &utts).unwrap();
    let spr = String::from_utf8(spr).unwrap();
    let expected = ".spr\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDICTIONARY\tnl\nDATA\tDICTIONARY\n\
                    DIM1\t2\n#\n";
    assert_eq!(spr, format!("{expected}{body}"));
    let key = write_memory(&KEY, &[], &utts).unwrap();
    let key = String::from_utf8(key).unwrap();
    let expected = ".key\nDATAFORMAT\tSTRING\nDICTIONARY\tnl\nNENTRY\t2\n#\n";
    assert_eq!(key, format!("{expected}{body}"));
}

#[test]
fn what_no_list_can_be() {
    let lex = ".spr\nDATA\tDICTIONARY\nDIM1\t1\n#\na\ta\n";
    let good = read_memory(&SPR, &[], lex.as_bytes()).unwrap().remove(0);
    let utt = |change: fn(&mut Utterance)| {
        let mut utt = good.clone();
        change(&mut utt);
        utt
    };
    for (options, utt, part) in [
        (
            &[("data", "UNIT")][..],
            utt(|_| ()),
            "is DICTIONARY data, not UNIT",
        ),
        (
            &[("data", "TRACK")],
            utt(|_| ()),
            "an object of kind spraak-list",
        ),
        (
            &[],
            utt(|u| u.meta.tags.clear()),
            "do not say that it is a spraak-list",
        ),
        (
            &[],
            utt(|u| u.meta.tags[1].value = b"2".to_vec()),
            "expected 2 lines, found 1",
        ),
        (
            &[],
            utt(|u| u.meta.tags.push(tag("DIM1", "1"))),
            "can't be stored as they are",
        ),
        (&[], utt(|u| u.text = Some(vec![])), "does not stand alone"),
        (
            &[],
            utt(|u| u.object = Some(Object::Int(1))),
            "an object of kind int32",
        ),
        (
            &[("data", "DICTIONARY")],
            track("a", 2, None, None),
            "has features",
        ),
    ] {
        let error = write_memory(&SPR, options, &[utt]).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue(), "{error}");
    }
}

#[test]
fn options_that_have_no_use_are_refused() {
    let segments = list("DATA SEG", "a x 0 1\n");
    let read = |options: &[(&str, &str)]| {
        let source = Source::from_bytes("f", segments.clone().into_bytes()).unwrap();
        read_with(&SPR, options, source).unwrap_err()
    };
    for (option, value) in [
        ("root", "x"),
        ("suffix", "x"),
        ("timebase", "DISCRETE"),
        ("cor", "x"),
        ("frames", "0:1"),
        ("samplefreq", "8000"),
        ("byteorder", "big"),
    ] {
        let error = read(&[(option, value)]);
        assert_eq!(error.kind(), ErrorKind::Usage, "{option}: {error}");
    }
    for options in [
        [("data", "SEG"), ("compress", "gzip")],
        [("data", "CORPUS"), ("text", "true")],
    ] {
        let error = write_memory(&SPR, &options, &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
    }
    for (option, value) in [
        ("root", "x"),
        ("suffix", "x"),
        ("cor", "x"),
        ("timebase", "DISCRETE"),
        ("symbols", "x"),
    ] {
        let error = write_memory(&SPR, &[(option, value)], &[track("a", 1, None, None)]);
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Usage, "{option}");
    }
}

proptest! {
    #[test]
    fn any_corpus_comes_back(rows in prop::collection::vec(("[a-c/#2]{1,3}|-", "[ -^`-~]{0,6}", 0..3u8), 1..8)) {
        let body: String = rows
            .iter()
            .map(|(name, text, n)| {
                let text = text.trim_start_matches('#').replace(' ', "_");
                let text = if text.is_empty() { "#".to_owned() } else { text };
                format!("{name}\t{text}\t{n}\t{}\n", i16::from(*n) - 1)
            })
            .collect();
        let text = list("DATA CORPUS", &body);
        if let Ok((utts, _)) = read(&text) {
            let back = write_memory(&SPR, &[("data", "CORPUS")], &utts).unwrap();
            let (again, _) = read(std::str::from_utf8(&back).unwrap()).unwrap();
            prop_assert_eq!(utts, again);
        }
    }
}
