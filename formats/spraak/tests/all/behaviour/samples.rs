//! The number of samples, as declared in various ways.

use super::*;

/// Reads a file of 200 samples of which only some bytes exist. Returns samples per channel and
/// warnings, or the error.
fn sound(
    format: &'static Spraak,
    lines: &str,
    options: &[(&str, &str)],
    samples: usize,
) -> std::result::Result<(usize, Vec<String>), String> {
    let (magic, typed) = match format.info().name {
        "key" => (".key", "DATATYPE SAMPLE/DATAFORMAT SHORT"),
        _ => (".spr", "DATA SAMPLE/TYPE I16/FORMAT BIN10"),
    };
    let head = format!("{magic}/{typed}/SAMPLEFREQ 1000/{lines}/#/").replace('/', "\n");
    let bytes = file(&head, &vec![7; 2 * samples]);
    match read(format, options, &bytes) {
        Ok((utt, warnings)) => Ok((utt.waveform().unwrap().samples.rows(), warnings)),
        Err(e) => {
            assert_eq!(e.kind(), ErrorKind::Truncated);
            assert!(e.hint_text().is_some());
            Err(e.to_string())
        }
    }
}

#[test]
fn a_cut_file_of_samples_is_an_error_whatever_says_its_length() {
    let mut tried = 0;
    for (format, dim1, dim2) in [(&SPR, "DIM1", "DIM2"), (&KEY, "NFR", "NPARAM")] {
        for (rows, cols, more) in [
            (200, 1, ""),
            (20, 10, "/FSHIFT 0.01"),
            (20, 10, ""),
            (4, 50, ""),
            (1, 200, "/FSHIFT 0.01"),
            (100, 2, "/NCHAN 2"),
            (10, 20, "/NCHAN 2/FSHIFT 0.01"),
            (200, 1, "/CHANLEN -1"),
        ] {
            let lines = format!("{dim1} {rows}/{dim2} {cols}{more}");
            let channels = if lines.contains("NCHAN") { 2 } else { 1 };
            let whole = sound(format, &lines, &[], 200);
            assert_eq!(whole, Ok((200 / channels, vec![])), "{lines}");
            let cut = sound(format, &lines, &[], 150).unwrap_err();
            let what = format!("{dim1} x {dim2} is {rows} x {cols} values, found 150");
            assert!(cut.ends_with(&what), "{cut}");
            let open = sound(format, &lines, &[("dim1", "-1")], 150);
            assert_eq!(open, Ok((150 / channels, vec![])), "{lines}");
            tried += 1;
        }
    }
    assert_eq!(tried, 16);
}

#[test]
fn a_part_of_a_frame_at_the_end_counts_for_none() {
    for samples in [200, 205, 209] {
        let read = sound(&SPR, "DIM1 20/DIM2 10", &[], samples);
        assert_eq!(read, Ok((samples, vec![])));
    }
}

#[test]
fn numbers_that_contradict_the_samples_are_named() {
    for (lines, part) in [
        (
            "DIM1 20/DIM2 10/CHANLEN 150",
            "CHANLEN x NCHAN is 150, which counts",
        ),
        (
            "DIM1 10/DIM2 10/CHANLEN 150",
            "CHANLEN x NCHAN is 150, which counts",
        ),
        ("DIM1 14/DIM2 10", "but 150 are there; all are read"),
        ("DIM1 0/DIM2 0", "but 150 are there; all are read"),
        ("DIM1 20/DIM2 25/FSHIFT 0.01", "not frames of this sound"),
        ("DIM1 101/DIM2 3/NCHAN 2", "not frames of this sound"),
        (
            "DIM1 18446744073709551615/DIM2 9/CHANLEN 150",
            "which counts",
        ),
    ] {
        let (_, warnings) = sound(&SPR, lines, &[], 150).unwrap();
        assert_eq!(warnings.len(), 1, "{lines}: {warnings:?}");
        assert!(warnings[0].contains(part), "{warnings:?}");
    }
}

#[test]
fn a_header_that_repeats_a_line_says_so_once() {
    let lines = "note x\n".repeat(1000);
    let head = format!(".spr\n{lines}note last\nTYPE I8\nFORMAT BIN01\nDIM1 1\nDIM2 1\n#\n");
    let (utt, warnings) = read(&SPR, &[], &file(&head, b"\x01")).unwrap();
    assert_eq!(utt.meta.tags, [tag("note", "last")]);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("note appears 1001 times; the last one counts"));
}
