//! What the format promises.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::slice;

use spr_core::format::{Format, Probe, Score};
use spr_core::model::{
    Array, Decimal, Dtype, Matrix, NamedArray, Rank, Tag, TagSubject, Utterance,
};
use spr_core::{ErrorKind, Limits, Remedy};
use spr_format_est::FORMAT;
use spr_testkit::{Suite, read_memory, suite, write_memory};

fn decimal(text: &str) -> Decimal {
    Decimal::parse(text).unwrap()
}

fn array(name: &str, values: Matrix) -> NamedArray {
    let len = values.len();
    NamedArray {
        name: name.to_owned(),
        array: Array::of(values, &[len]).unwrap(),
    }
}

fn times(values: &[f32]) -> NamedArray {
    array("times", Matrix::from_rows(values, 1, Rank::Vector).unwrap())
}

fn breaks(values: &[bool]) -> NamedArray {
    array(
        "breaks",
        Matrix::from_rows(values, 1, Rank::Vector).unwrap(),
    )
}

/// Frames have times: a shift, or times of their own in the place of arrays.
fn of_est(utt: &mut Utterance) {
    if utt.features.is_none() {
        let values = [0.5f32, 1.5, -2.5, 3.5];
        utt.features = Some(Matrix::from_rows(&values, 1, Rank::Matrix).unwrap());
    }
    let rows = usize::try_from(utt.frames()).unwrap();
    let meta = &mut utt.meta;
    let is_held = |named: &NamedArray| {
        let array = &named.array;
        [Dtype::F32, Dtype::Bool].contains(&array.dtype()) && array.shape().len() < 2
    };
    if utt.arrays.is_empty() {
        meta.frame_shift.get_or_insert(Decimal::new(5, -3));
    } else if utt.arrays.iter().all(is_held) {
        (meta.frame_shift, meta.frame_offset) = (None, None);
        let squares = (0..rows).map(|n| u16::try_from(n * n % 65536).unwrap());
        utt.arrays = vec![
            times(&squares.map(f32::from).collect::<Vec<_>>()),
            breaks(&(0..rows).map(|n| n % 3 == 0).collect::<Vec<_>>()),
        ];
    }
}

/// As [`of_est`], without the values that the tools do not read in text.
fn of_text(utt: &mut Utterance) {
    of_est(utt);
    let values = utt.features_mut().values_mut::<f32>();
    let values = values.into_iter().flatten();
    values.filter(|v| v.is_infinite()).for_each(|v| *v = 7.25);
}

#[test]
fn binary_tracks_behave() {
    suite(&Suite {
        options: &[&[], &[("byteorder", "big")]],
        prepare: of_est,
        ..Suite::new(&FORMAT)
    });
}

#[test]
fn tracks_in_text_behave() {
    suite(&Suite {
        options: &[&[("text", "true")]],
        text: true,
        prepare: of_text,
        ..Suite::new(&FORMAT)
    });
}

/// Two frames of one channel, 10 ms apart.
fn utterance() -> Utterance {
    let mut utt = Utterance {
        features: Some(Matrix::from_rows(&[1.5f32, -0.25], 1, Rank::Matrix).unwrap()),
        ..Utterance::default()
    };
    utt.meta.frame_shift = Some(decimal("0.01"));
    utt
}

#[test]
fn a_track_is_written_as_the_tools_write_it() {
    let mut utt = utterance();
    utt.meta.frame_offset = Some(decimal("0.005"));
    utt.meta.tags = vec![
        Tag::new("est", "Channel_0", "F0 of \"x\""),
        Tag::new("est", "name", ""),
    ];
    utt.arrays = vec![breaks(&[false, true])];
    let text = write_memory(&FORMAT, &[("text", "true")], slice::from_ref(&utt)).unwrap();
    assert_eq!(
        std::str::from_utf8(&text).unwrap(),
        "EST_File Track\nDataType ascii\nNumFrames 2\nNumChannels 1\nNumAuxChannels 0\n\
         EqualSpace 1\nBreaksPresent true\nChannel_0 F0 of \"x\"\nname \nEST_Header_End\n\
         0.005\t1 1.5\n0.015\t0 -0.25\n"
    );
    let bytes = write_memory(&FORMAT, &[("byteorder", "big")], slice::from_ref(&utt)).unwrap();
    let header = "EST_File Track\nDataType binary\nByteOrder 10\nNumFrames 2\nNumChannels 1\n\
         EqualSpace 1\nBreaksPresent true\nCommentChar ;\n\nChannel_0 F0 of \"x\"\nname \n\
         EST_Header_End\n";
    let frames = [0.005f32, 1.0, 1.5, 0.015, 0.0, -0.25];
    let frames: Vec<_> = frames.iter().flat_map(|v| v.to_be_bytes()).collect();
    assert_eq!(bytes, [header.as_bytes(), &frames].concat());
    for bytes in [text, bytes] {
        let back = read_memory(&FORMAT, &[], &bytes).unwrap();
        assert_eq!(back[0].features, utt.features);
        assert_eq!(back[0].meta, utt.meta);
        assert_eq!(back[0].arrays, utt.arrays);
        // A stage that changes the columns leaves out the names of channels, and no other line.
        let about: Vec<_> = back[0].meta.tags.iter().map(|tag| tag.about).collect();
        assert_eq!(about, [Some(TagSubject::Columns), None]);
    }
}

#[test]
fn what_times_do_not_tell_is_refused() {
    let with = |change: fn(&mut Utterance)| {
        let mut utt = utterance();
        change(&mut utt);
        utt
    };
    let tag = |key: &str, value: &str| {
        let mut utt = utterance();
        utt.meta.tags = vec![Tag::new("est", key, value)];
        utt
    };
    let free = |array: NamedArray| {
        let mut utt = utterance();
        utt.meta.frame_shift = None;
        utt.arrays = vec![array];
        utt
    };
    for (utt, why) in [
        (
            with(|utt| utt.meta.frame_shift = None),
            "has no frame shift",
        ),
        (
            with(|utt| utt.meta.frame_shift = Some(Decimal::ZERO)),
            "not above 0",
        ),
        (
            with(|utt| utt.meta.frame_shift = Decimal::parse("1e300")),
            "no times in order",
        ),
        (
            with(|utt| utt.arrays = vec![times(&[0.0, 7.0])]),
            "'times' and a frame shift",
        ),
        (
            with(|utt| utt.arrays = vec![breaks(&[false, false])]),
            "marks no frame",
        ),
        (
            with(|utt| utt.arrays = vec![breaks(&[true])]),
            "the shape [1], expected bool and [2]",
        ),
        (
            with(|utt| utt.arrays = vec![breaks(&[true, true]), breaks(&[true, true])]),
            "two arrays called 'breaks'",
        ),
        (free(times(&[0.0, 0.5])), "which is a frame shift"),
        (free(times(&[0.5, f32::NAN])), "not finite"),
        (
            free(array(
                "pitch",
                Matrix::from_rows(&[1.0f32], 1, Rank::Vector).unwrap(),
            )),
            "'pitch'",
        ),
        (tag("NumFrames", "2"), "'NumFrames 2'"),
        (tag("spr_frame_shift", "2"), "can't hold"),
        (tag("Channel_1", "F0"), "'Channel_1 F0'"),
        (tag("EST_Header_End", ""), "can't hold"),
        (tag("a b", "c"), "can't hold"),
        (tag("a", "b\nc"), "can't hold"),
        (tag("a", " b"), "can't hold"),
    ] {
        let error = write_memory(&FORMAT, &[], slice::from_ref(&utt)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unfit, "{error}");
        assert!(error.to_string().contains(why), "{why}: {error}");
        let tells = matches!(error.remedy(), Some(Remedy::TellFrameShift));
        assert_eq!(tells, why == "has no frame shift", "{error}");
    }
    let mut utt = utterance();
    utt.features_mut().values_mut::<f32>().unwrap()[0] = f32::INFINITY;
    let error = write_memory(&FORMAT, &[("text", "true")], slice::from_ref(&utt)).unwrap_err();
    assert!(error.to_string().contains("infinite"), "{error}");
    write_memory(&FORMAT, &[], &[utt]).unwrap();
    let both: &[_] = &[("text", "true"), ("byteorder", "big")];
    let error = write_memory(&FORMAT, both, &[utterance()]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
}

#[test]
fn spacing_that_times_do_not_tell_is_stated() {
    for (rows, shift, offset, arrays, stated) in [
        (2, Some("0.01"), Some("0.005"), vec![], false),
        (
            2,
            Some("0.005804988662"),
            Some("0.002902494331"),
            vec![],
            true,
        ),
        (2, Some("0.01"), Some("100000.01"), vec![], true),
        (1, Some("0.01"), None, vec![], true),
        (1, Some("0.01"), Some("0.35"), vec![], true),
        (1, None, None, vec![times(&[0.35])], false),
        (0, Some("0.01"), Some("0.35"), vec![], true),
        (0, None, None, vec![], false),
    ] {
        let mut utt = utterance();
        utt.features_mut().retain_rows(|n| n < rows);
        utt.meta.frame_shift = shift.map(decimal);
        utt.meta.frame_offset = offset.map(decimal);
        utt.arrays = arrays;
        let bytes = write_memory(&FORMAT, &[("text", "true")], slice::from_ref(&utt)).unwrap();
        let text = String::from_utf8(bytes).unwrap();
        assert_eq!(text.contains("spr_frame_shift"), stated, "{text}");
        let back = read_memory(&FORMAT, &[], text.as_bytes()).unwrap();
        assert_eq!((&back[0].meta, &back[0].arrays), (&utt.meta, &utt.arrays));
        assert_eq!(back[0].features, utt.features);
        if stated && rows > 0 {
            let other = text.replace("spr_frame_offset ", "spr_frame_offset 7");
            let error = read_memory(&FORMAT, &[], other.as_bytes()).unwrap_err();
            assert!(error.to_string().contains("the header states"), "{error}");
        }
    }
}

#[test]
fn faults_have_their_places() {
    let header = "EST_File Track\nDataType ascii\nNumFrames 2\nNumChannels 2\nEST_Header_End\n";
    let text = |rest: &str| format!("{header}{rest}").into_bytes();
    let changed = |from: &str, to: &str| header.replace(from, to).into_bytes();
    let binary = "DataType binary\nByteOrder 01";
    for (bytes, why) in [
        (
            text("0.1 2 3\n"),
            "memory:6: the file ends here: expected 2 frames, found 1",
        ),
        (
            text("0.1 2 3\n0.2 4 5"),
            "memory:7: the last line has no line end",
        ),
        (
            text("0.1 2 3\n0.2 4\n"),
            "memory:7: the frame has 1 channels, expected 2",
        ),
        (text("0.1 2 x\n"), "memory:6: 'x' is not a number"),
        (text("inf 2 3\n"), "memory:6: the time of the frame is inf"),
        (
            text("0.1 2 3\n0.2 4 5\n\n6\n"),
            "memory:9: the file goes on",
        ),
        (
            changed("ascii", "ASCII"),
            "memory:5: DataType is 'ASCII', expected ascii or binary",
        ),
        (
            changed("DataType ascii", "X 1"),
            "the header has no DataType",
        ),
        (changed("ascii", "binary"), "the header has no ByteOrder"),
        (
            changed("DataType ascii", "DataType binary\nByteOrder 1"),
            "ByteOrder is '1'",
        ),
        (
            changed("NumFrames 2", "NumFrames -2"),
            "NumFrames is '-2', expected a number",
        ),
        (
            changed("NumFrames 2", "NumFrames 9999999999"),
            "from 0 to 2147483647",
        ),
        (
            changed("NumFrames 2", "NumFrames 2\nNumFrames 3"),
            "memory:4: a second header line",
        ),
        (
            changed("NumFrames 2", "Channel_2 F0\nNumFrames 2"),
            "names channel 2, there are 2",
        ),
        (
            changed("NumFrames 2", "NumAuxChannels 1\nNumFrames 2"),
            "auxiliary channels",
        ),
        (
            changed("EST_Header_End\n", ""),
            "memory:4: the file ends in the header",
        ),
        (
            changed("Track", "wave"),
            "memory:1: an EST_File of the kind 'wave'",
        ),
        (
            changed("DataType ascii", binary),
            "the file ends here: expected 24 bytes, found 0",
        ),
        (
            [changed("DataType ascii", binary), vec![0; 25]].concat(),
            "the file goes on after the frames",
        ),
    ] {
        let error = read_memory(&FORMAT, &[], &bytes).unwrap_err().to_string();
        assert!(error.contains(why), "{why}: {error}");
    }
    let marked = header.replace("NumChannels 2\n", "NumChannels 0\nBreaksPresent false\n");
    let error = read_memory(&FORMAT, &[], format!("{marked}0.1 2\n").as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains("marked '2', expected 0 or 1"),
        "{error}"
    );
    // Whatever the value of BreaksPresent, the tools read a mark.
    let back = read_memory(&FORMAT, &[], format!("{marked}0.1 1\n0.4 0\n").as_bytes()).unwrap();
    assert_eq!(back[0].arrays, [breaks(&[false, true])]);
    assert_eq!(back[0].meta.frame_shift, Some(decimal("0.3")));
    assert_eq!(back[0].meta.frame_offset, Some(decimal("0.1")));
}

#[test]
fn claims_are_checked_before_memory_is_taken() {
    for form in ["ascii", "binary\nByteOrder 01"] {
        let header = format!(
            "EST_File Track\nDataType {form}\nNumFrames 2147483647\nNumChannels 2147483647\n\
             EST_Header_End\n"
        );
        let error = read_memory(&FORMAT, &[], header.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Limit, "{error}");
        let header = header.replace("Frames 2147483647", "Frames 1");
        let header = header.replace("Channels 2147483647", "Channels 900000000");
        assert!(Limits::default().max_alloc > 4 * 900_000_000);
        let error = read_memory(&FORMAT, &[], header.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
    }
}

#[test]
fn the_first_word_tells_the_format() {
    let score = |head: &[u8]| {
        FORMAT.probe(&Probe {
            head,
            whole: false,
            len: None,
            path: Some("x.track".as_ref()),
        })
    };
    assert_eq!(score(b"EST_File Track\n"), Score::Certain);
    assert_eq!(score(b"EST_File wave\n"), Score::Certain);
    assert_eq!(score(b"EST_Files"), Score::No);
    assert_eq!(score(b"0.01 1 2\n"), Score::No);
}

#[test]
fn a_line_that_repeats_its_value_is_no_fault() {
    let header = "EST_File Track\nDataType ascii\nNumFrames 1\nNumAuxChannels 0\nNumAuxChannels 0\n\
                  NumChannels 1\nEST_Header_End\n0.5 2\n";
    let back = read_memory(&FORMAT, &[], header.as_bytes()).unwrap();
    assert_eq!(back.len(), 1);
}
