//! Segmentations, and the equivalent frame labels.

use super::*;

#[test]
fn frames_are_seconds() {
    let text = list(
        "DATA SEG/DIM1 4/DIM2 2/TIMEBASE DISCRETE/SEGTYPE VITERBI",
        FRAMES,
    );
    let (utts, warnings) = read(&text).unwrap();
    assert_eq!(warnings, [""; 0]);
    assert_eq!(utts.len(), 2);
    let expected = [
        segment("##0", 0.0, 0.12),
        segment("g#0", 0.12, 0.15),
        segment("U#0", 0.15, 0.22),
    ];
    assert_eq!(utts[0].segments(), Some(&expected[..]));
    assert_eq!(utts[0].key, "sess1/utt01".into());
    assert_eq!(utts[1].segments(), Some(&[segment("##0", 0.0, 0.4)][..]));
    for utt in &utts {
        assert_eq!(utt.meta.frame_shift, Decimal::parse("0.01"));
        assert_eq!(utt.meta.tags, [tag("SEGTYPE", "VITERBI")]);
    }
}

#[test]
fn key_headers_count_segments_and_entries() {
    let head = ".key\nDATATYPE SEG\nDATAFORMAT STRING\nNSEG 4\nNENTRY 2\nFSHIFT 0.02\n##\n";
    let source = Source::from_bytes("f", format!("{head}{FRAMES}").into_bytes()).unwrap();
    let (utts, warnings) = read_with(&KEY, &[], source).unwrap();
    assert_eq!((utts.len(), warnings.len()), (2, 0));
    assert_eq!(utts[1].segments().unwrap()[0].end, Decimal::parse("0.8"));
    assert!(utts[0].meta.tags.is_empty());
    let back = write_memory(&SPR, &[("data", "SEG")], &utts).unwrap();
    let head = ".spr\nDATA\tSEG\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t4\nDIM2\t2\n\
                FSHIFT\t0.02\nTIMEBASE\tDISCRETE\n#\n";
    assert_eq!(String::from_utf8(back).unwrap(), format!("{head}{FRAMES}"));
}

#[test]
fn seconds_and_open_ends() {
    let (utts, warnings) = read(&list(
        "DATA SEG/DIM1 -1/DIM2 -1/TIMEBASE CONTINUOUS",
        "a x 0.000 1.250\r\n\n a y\t1.4 -1\nb z\n",
    ))
    .unwrap();
    let expected = [segment("x", 0.0, 1.25), segment("y", 1.4, None)];
    assert_eq!(utts[0].segments(), Some(&expected[..]));
    assert_eq!(utts[1].segments(), Some(&[segment("z", 0.0, None)][..]));
    assert_eq!(
        warnings,
        ["f@82: a line without F1 and F2 is taken to be all of the file"]
    );
}

#[test]
fn seconds_are_kept_to_the_digit() {
    let head = ".spr\nDATA\tSEG\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t3\nDIM2\t2\n\
                FSHIFT\t0.010\nTIMEBASE\tCONTINUOUS\n#\n";
    // The times of the first file are multiples of frames.
    let body = "a\tx\t0.000\t1.250\n-\ty\t1.250\t-1\nb\tz\t0.10\t0.1234567890123450\n";
    let text = format!("{head}{body}");
    let (utts, _) = read(&text).unwrap();
    assert_eq!(utts[1].segments().unwrap()[0].start.to_string(), "0.10");
    let back = write_memory(&SPR, &[("data", "SEG")], &utts).unwrap();
    assert_eq!(String::from_utf8(back).unwrap(), text);
}

#[test]
fn overlaps_and_counts_are_warned_about() {
    // The manual's own example has last frames instead of numbers of frames.
    let body = "a x 0 24\n- y 25 39\n- z 40 70\nb x 0 1\n";
    let text = list("DATA SEG/DIM1 3/DIM2 2", body);
    let error = read(&text).unwrap_err().to_string();
    assert!(error.contains("goes on after 3 lines"), "{error}");
    let read_all = |all| {
        let source = Source::from_bytes("f", text.as_bytes().to_vec()).unwrap();
        read_with(&SPR, &[("all", all)], source).unwrap()
    };
    assert_eq!(read_all("true").0.len(), 2);
    let (utts, warnings) = read_all("false");
    assert_eq!((utts.len(), warnings.len()), (1, 2));
    assert!(
        warnings[0].contains("starts before the entry before it ends"),
        "{warnings:?}"
    );
    assert!(
        warnings[1].contains("the header says 2 files, found 1"),
        "{warnings:?}"
    );
}

#[test]
fn damage_is_an_error() {
    for (lines, body, message) in [
        (
            "DATA SEG",
            "- x 0 1\n",
            "f@16: '-' stands for the file of the line before, and there is none",
        ),
        ("DATA SEG", "a\n", "f@16: utterance a: a line has no label"),
        (
            "DATA SEG",
            "a x 0 1",
            "f@23: the last line has no line end and may be cut off",
        ),
        (
            "DATA SEG",
            "a x 1.5 1\n",
            "f@16: utterance a: '1.5' is not a number of a frame",
        ),
        (
            "DATA SEG/DIM1 2",
            "a x 0 1\n",
            "f@31: the file ends here: expected 2 lines, found 1",
        ),
        (
            "DATA SEG",
            "a x 0 1\nb x 0 1\na y 1 1\n",
            "f@32: utterance a: the segments of one file are in two places",
        ),
        (
            "DATA SEG",
            "a x 0 1 p\n- y 1 1\n",
            "f@26: utterance a: 4 fields, but 5 in the line before of the same file",
        ),
        (
            "DATA SEG/FORMAT BIN01",
            "",
            "f@14: FORMAT BIN01, but a list is text",
        ),
        ("DATA SEG/TIMEBASE X", "", "f@14: TIMEBASE X is not known"),
        (
            "DATA SEG/FSHIFT 0",
            "",
            "f@14: FSHIFT is 0, not a time above 0",
        ),
        ("DATA SEG/DIM1 x", "", "f@14: DIM1 is 'x', not a number"),
        (
            "DATA CORPUS",
            "- a 0 1\n",
            "f@19: '-' stands for the file of the line before, and there is none",
        ),
        (
            "DATA CORPUS",
            "a b 0 x\n",
            "f@19: utterance a: 'x' is not a number of frames",
        ),
        (
            "DATA UNIT/DIM1 3",
            "a\n#\n",
            "f@28: the file ends here: expected 3 lines, found 2",
        ),
        (
            "DATA UNIT",
            "a\nb",
            "f@20: the last line has no line end and may be cut off",
        ),
    ] {
        assert_eq!(error(lines, body), message, "{lines} {body}");
    }
}

#[test]
fn fields_behind_the_fourth_are_tags() {
    let body = "a\tx\t0\t1\tp\t7\n-\ty\t1\t1\tq\t8\n";
    let (utts, _) = read(&list("DATA SEG", body)).unwrap();
    assert_eq!(
        utts[0].meta.tags,
        [tag("FIELD5", "p q"), tag("FIELD6", "7 8")]
    );
    let back = write_memory(&SPR, &[("data", "SEG")], &utts).unwrap();
    assert!(String::from_utf8(back).unwrap().ends_with(body));
    let mut fewer = utts.clone();
    fewer[0].tiers[0].segments.pop();
    let refused = write_memory(&SPR, &[("data", "SEG")], &fewer).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "utterance a: FIELD5 is not one word for each of 1 lines"
    );
}

#[test]
fn times_are_frames_where_all_are() {
    let shift = |utt: Utterance| Utterance {
        meta: Meta {
            frame_shift: Decimal::parse("0.01"),
            ..Meta::default()
        },
        ..utt
    };
    let even = shift(segmented(
        "a",
        &[segment("1", 0.0, 0.29), segment("2", 0.29, None)],
    ));
    let odd = shift(segmented("b", &[segment("1", 0.0, 0.125)]));
    let text = |options: &[(&str, &str)], utts: &[Utterance]| {
        let options = [&[("data", "SEG")], options].concat();
        let bytes = write_memory(&SPR, &options, utts)?;
        let text = String::from_utf8(bytes).unwrap();
        let (head, body) = text.split_once("\n#\n").unwrap();
        let base = head.lines().last().unwrap().to_owned();
        assert_eq!(read(&text).unwrap().0, utts);
        Ok::<_, spr_core::Error>((base, body.to_owned()))
    };
    // Times that were frames have no superfluous digits.
    let bytes = write_memory(&SPR, &[("data", "SEG")], std::slice::from_ref(&even)).unwrap();
    let (read_back, _) = read(std::str::from_utf8(&bytes).unwrap()).unwrap();
    let discrete = "TIMEBASE\tDISCRETE".to_owned();
    let continuous = "TIMEBASE\tCONTINUOUS".to_owned();
    let frames = "a\t1\t0\t29\n-\t2\t29\t-1\n";
    let seconds = "a\t1\t0\t0.29\n-\t2\t0.29\t-1\n";
    let both = [even.clone(), odd.clone()];
    let (one, only) = (&both[..1], &[("timebase", "CONTINUOUS")][..]);
    assert_eq!(text(&[], one).unwrap(), (discrete, frames.into()));
    assert_eq!(
        text(only, one).unwrap(),
        (continuous.clone(), seconds.into())
    );
    assert_eq!(
        text(only, &read_back).unwrap(),
        (continuous.clone(), seconds.into())
    );
    // Lines in frames become seconds if a later one requires it.
    let later = format!("{seconds}b\t1\t0\t0.125\n");
    assert_eq!(text(&[], &both).unwrap(), (continuous, later));
    let refused = text(&[("timebase", "DISCRETE")], &both).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "utterance b: has times that are not those of frames"
    );
}

#[test]
fn symbols_have_numbers_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("phones.txt");
    fs::write(&path, "ah 7\nsil 0\n").unwrap();
    let symbols = ("symbols", path.to_str().unwrap());
    let utts = [segmented(
        "a",
        &[segment("7", 0.0, 0.1), segment("0", 0.1, 0.2)],
    )];
    let written = |utts: &[Utterance]| {
        let file = folder.path().join("out.seg");
        write(&SPR, &[("data", "SEG"), symbols], utts, &file).map(|_| fs::read(file).unwrap())
    };
    let bytes = written(&utts).unwrap();
    assert!(
        String::from_utf8(bytes.clone())
            .unwrap()
            .ends_with("a\tah\t0\t0.1\n-\tsil\t0.1\t0.2\n")
    );
    assert_eq!(read_memory(&SPR, &[symbols], &bytes).unwrap(), utts);
    let unknown = [segmented("a", &[segment("8", 0.0, 0.1)])];
    fs::remove_file(folder.path().join("out.seg")).unwrap();
    let refused = written(&unknown).unwrap_err();
    assert!(
        refused.to_string().contains("'8' is not a number of "),
        "{refused}"
    );
}

#[test]
fn what_segments_can_not_be() {
    let base = segmented("a", &[segment("1", 0.0, 0.1)]);
    let utt = |change: fn(&mut Utterance)| {
        let mut utt = base.clone();
        change(&mut utt);
        utt
    };
    for (utts, part) in [
        (vec![utt(|u| u.key = "-".into())], "'-' can't be the name"),
        (
            vec![utt(|u| u.key = "a b".into())],
            "the key holds byte 0x20",
        ),
        (
            vec![utt(|_| ()), utt(|_| ())],
            "a second utterance with this name",
        ),
        (
            vec![utt(|u| u.tiers[0].segments.clear())],
            "has no segments",
        ),
        (
            vec![utt(|u| u.tiers[0].segments = vec![segment("", 0.0, 0.1)])],
            "the label '' is not one word",
        ),
        (
            vec![utt(|u| {
                u.tiers[0].segments = vec![segment("a b", 0.0, 0.1)]
            })],
            "the label 'a b' is not one word",
        ),
        (
            vec![utt(|u| u.tiers[0].segments = vec![segment("a", 1.0, 0.5)])],
            "times are not in order",
        ),
        (vec![utt(|u| u.text = Some(b"x".to_vec()))], "has text"),
        (
            vec![utt(|u| u.features = Some(Matrix::default()))],
            "has features",
        ),
        (
            vec![utt(|u| u.labels = Some(Matrix::default()))],
            "has labels",
        ),
        (
            vec![utt(|u| u.meta.tags.push(tag("TIMEBASE", "x")))],
            "would contradict",
        ),
        (
            vec![utt(|u| u.meta.tags.push(tag("DIM1", "x")))],
            "would contradict",
        ),
        (
            vec![
                utt(|_| ()),
                utt(|u| {
                    u.key = "b".into();
                    u.meta.tags.push(tag("X", "x"))
                }),
            ],
            "a list has one header",
        ),
    ] {
        let error = write_memory(&SPR, &[("data", "SEG")], &utts).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert!(error.can_continue() && error.key().is_some(), "{error}");
    }
}
