//! Sound: folders of files, archives of waves, and what only seems to be a loss.

use std::fs;

use serde_json::Value;

use crate::Scratch;

fn folder() -> String {
    format!("{}/fixtures/samples/wav", env!("CARGO_MANIFEST_DIR"))
}

fn fixture(path: &str) -> String {
    format!("{}/fixtures/audio/{path}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_folder_of_waves_there_and_back() {
    let s = Scratch::new();
    let said = s.ok(&format!("{} a.ark", folder()));
    assert!(said.err.starts_with("3 utterances, "), "{}", said.err);
    for chain in [
        &["b.wav/"][..],
        &["b.jsonl", "c.wav/"],
        &["b.sph/", "c.wav/"],
        &["b.au/", "c.jsonl.gz", "d.wav/"],
    ] {
        let s = Scratch::new();
        let mut from = folder();
        for to in ["a.ark"].iter().chain(chain) {
            let said = s.ok(&format!("{from} {to}"));
            assert!(!said.err.contains("lost"), "{}", said.err);
            from = (*to).to_owned();
        }
        for entry in fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            assert_eq!(s.read(&format!("{from}{name}")), fs::read(&path).unwrap());
        }
    }
}

/// FLAC comes back to the bit, and a file that nothing changes is not even decoded.
#[test]
fn flac_through_espnets_archives() {
    let s = Scratch::new();
    s.ok(&format!("{} flac/ --to flac", folder()));
    s.ok("flac/ ark,scp:sound.ark,wav.scp --co audio=flac");
    let keys = s.ok("ls wav.scp").out;
    assert_eq!(keys.lines().count(), 3, "{keys}");
    for line in String::from_utf8(s.read("wav.scp")).unwrap().lines() {
        let (_, place) = line.rsplit_once(' ').unwrap();
        let at: usize = place.strip_prefix("sound.ark:").unwrap().parse().unwrap();
        assert_eq!(s.read("sound.ark")[at..at + 5], *b"AUDIO", "{line}");
    }
    for from in ["sound.ark", "wav.scp"] {
        let (again, waves) = (format!("{from}.flac/"), format!("{from}.wav/"));
        s.ok(&format!("{from} {again} --to flac"));
        s.ok(&format!("{from} {waves} --to wav"));
        for entry in fs::read_dir(folder()).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let stored = s.read(&format!("{again}{stem}.flac"));
            assert_eq!(stored, s.read(&format!("flac/{stem}.flac")), "{from}");
            let wave = s.read(&format!("{waves}{stem}.wav"));
            assert_eq!(wave, fs::read(&path).unwrap(), "{from}");
        }
    }
    let error = s.fails("flac/ x.ark --co audio=opus");
    assert!(error.contains("audio"), "{error}");
}

/// A file that is cut is an error with its place, of which the samples before are kept.
#[test]
fn damaged_flac_is_found_and_repaired() {
    let s = Scratch::new();
    s.ok(&format!("{}/ann-001.wav a.flac", folder()));
    let bytes = s.read("a.flac");
    s.write("cut.flac", &bytes[..bytes.len() / 2]);
    let error = s.fails("cut.flac cut.wav");
    assert!(
        error.contains("cut.flac@") && error.contains("the file ends after"),
        "{error}"
    );
    let found = s.run("check cut.flac").out;
    assert!(found.contains("the file ends after"), "{found}");
    let said = s.run("repair cut.flac -o kept.flac").err;
    assert!(said.contains("skipped: cut.flac@"), "{said}");
    let kept: Value = serde_json::from_str(&s.ok("info kept.flac --json").out).unwrap();
    assert!(kept["duration"].as_f64().unwrap() > 0.5, "{kept}");
}

/// Samples are not encoded as MP3, and who asks for it learns what is.
#[test]
fn lossy_formats_are_read_alone() {
    let s = Scratch::new();
    let lossy = |name: &str| format!("{}/fixtures/lossy/{name}", env!("CARGO_MANIFEST_DIR"));
    for name in ["mono.mp3", "stereo.ogg"] {
        let (_, extension) = name.split_once('.').unwrap();
        s.ok(&format!("{} copy.{extension}", lossy(name)));
        assert_eq!(
            s.read(&format!("copy.{extension}")),
            fs::read(lossy(name)).unwrap()
        );
        let error = s.fails(&format!(
            "{} new.{extension}",
            fixture("wav-python-16/input.wav")
        ));
        assert!(error.contains("can't be encoded"), "{error}");
    }
}

#[test]
fn what_cannot_be_held_is_refused_by_name() {
    let s = Scratch::new();
    for (to, format) in [("a.pfile", "pfile"), ("a.pkl", "pickle")] {
        let error = s.fails(&format!("{} {to} --allow-loss all", folder()));
        let message = format!("holds only audio, which {format} can't hold");
        assert!(error.contains(&message), "{error}");
    }
    let error = s.fails(&format!("{} a.ark", fixture("wav-python-24/input.wav")));
    assert!(error.contains("precision: "), "{error}");
    let error = s.fails(&format!(
        "{} a.wav",
        fixture("refused/sphere-shorten/input.sph")
    ));
    assert!(error.contains("pcm,embedded-shorten-v2.00"), "{error}");
}

#[test]
fn a_type_asked_for_keeps_the_loudness() {
    let s = Scratch::new();
    let float = fixture("wav-sox-float/input.wav");
    s.ok(&format!("{float} a.wav --dtype i16"));
    s.ok(&format!("{} b.jsonl", fixture("wav-sox-16/input.wav")));
    s.ok("a.wav a.jsonl");
    let data = |name: &str| {
        let line: Value = serde_json::from_slice(&s.read(name)).unwrap();
        line["audio"].clone()
    };
    assert_eq!(data("a.jsonl"), data("b.jsonl"));
    assert_eq!(data("a.jsonl")["dtype"], "i16");
}

#[test]
fn logarithmic_and_nist_files_become_plain_waves() {
    let s = Scratch::new();
    for (n, case) in ["sphere-sox-mu-law/input.sph", "au-sox-a-law/input.au"]
        .iter()
        .enumerate()
    {
        let said = s.ok(&format!("{} {n}.wav", fixture(case)));
        assert!(said.err.contains("-law decoded"), "{}", said.err);
        let facts = s.ok(&format!("info {n}.wav")).out;
        assert!(
            facts.contains("1 channel of i16, 16000 Hz\n") && facts.contains(", 0.01 s in all"),
            "{facts}"
        );
    }
}

#[test]
fn header_lines_are_kept_where_they_can_be() {
    let s = Scratch::new();
    let lines = fixture("sphere-lines/input.sph");
    s.ok(&format!("{lines} a.jsonl"));
    s.ok("a.jsonl a.sph");
    s.ok("a.sph b.jsonl");
    let without_key = |name: &str| {
        let mut line: Value = serde_json::from_slice(&s.read(name)).unwrap();
        line["key"].take();
        line
    };
    assert_eq!(without_key("a.jsonl"), without_key("b.jsonl"));
    assert_eq!(without_key("a.jsonl")["meta"]["tags"][0][2], "TIMIT");
    let said = s.ok(&format!("{lines} a.wav"));
    assert!(said.err.contains("not kept: metadata of "), "{}", said.err);
}

#[test]
fn capitals_in_names_of_files_do_not_matter() {
    let s = Scratch::new();
    fs::create_dir(s.path("in")).unwrap();
    fs::copy(
        fixture("sphere-wav-extension/input.wav"),
        s.path("in/SA1.WAV"),
    )
    .unwrap();
    s.write("in/SA1.PHN", "0 10 h#\n");
    let said = s.ok("in out.wav/");
    assert!(
        said.err.contains("SA1.PHN: skipped, as it is not sphere"),
        "{}",
        said.err
    );
    assert_eq!(crate::names(&s.path("out.wav")), ["SA1.wav"]);
}

/// A chunk of a little-endian wave file, its size not padded.
fn chunk(name: &[u8; 4], bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).unwrap();
    [name, &size.to_le_bytes()[..], bytes].concat()
}

/// One hundred samples of 16 bits with `before` and `after` them, and `behind` the end.
fn wave(format: &[u8], before: &[u8], after: &[u8], behind: &[u8]) -> Vec<u8> {
    let samples: Vec<_> = (0..100u16).flat_map(u16::to_le_bytes).collect();
    let chunks = [
        &chunk(b"fmt ", format),
        before,
        &chunk(b"data", &samples),
        after,
    ]
    .concat();
    [
        &chunk(b"RIFF", &[b"WAVE", &chunks[..]].concat())[..],
        behind,
    ]
    .concat()
}

const PLAIN: [u8; 16] = [1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x80, 0x3e, 0, 0, 2, 0, 16, 0];

#[test]
fn waves_that_other_programs_read_are_read_and_what_is_odd_is_said() {
    let s = Scratch::new();
    let mut block = PLAIN;
    block[12] = 4;
    let mut stream = wave(&PLAIN, b"", b"", b"");
    stream[4..8].copy_from_slice(&0x7fff_0024u32.to_le_bytes());
    stream[40..44].copy_from_slice(&0x7fff_0000u32.to_le_bytes());
    let mut long = wave(&PLAIN, b"", b"", b"");
    long[4..8].copy_from_slice(&1000u32.to_le_bytes());
    let plain = |before: &[u8], after: &[u8], behind: &[u8]| wave(&PLAIN, before, after, behind);
    let odd = |behind: &[u8]| {
        let mut bytes = plain(b"", &[b"\x07", behind].concat(), b"");
        bytes[40..44].copy_from_slice(&201u32.to_le_bytes());
        bytes
    };
    let broken = chunk(b"LIST", b"INFOINAM\xff\0\0\0ab");
    let tag = [b"TAGSong", &[b' '; 121][..]].concat();
    let cases = [
        (plain(b"", b"", b""), ""),
        (
            plain(b"", b"", b"\0\0"),
            "more follows the end of the wave file",
        ),
        (
            plain(b"", b"", b"ID3\x03\0\0\0\0\0\x04abcd"),
            "('ID3\\x03'), which is ignored",
        ),
        (plain(b"", b"", &tag), "('TAGS'), which is ignored"),
        (stream, ""),
        (
            long,
            "the header says 1008 bytes, found 244 with all samples",
        ),
        (
            plain(&[&chunk(b"bext", b"abc")[..], b"\x7f"].concat(), b"", b""),
            "",
        ),
        (
            plain(&[&chunk(b"bext", b"abc")[..], b"x"].concat(), b"", b""),
            "",
        ),
        (plain(&chunk(b"bext", b"abc"), b"", b""), ""),
        (plain(&broken, b"", b""), "the list of texts is broken"),
        (plain(b"", &broken, b""), "the list of texts is broken"),
        (
            plain(b"", b"LIST\xff\0\0\0INFO", b""),
            "after the samples, which are intact",
        ),
        (
            wave(&block, b"", b"", b""),
            "take 2 bytes, the header says 4",
        ),
        (
            odd(b"\0"),
            "201 bytes of samples are not a multiple of 2: a partial one at the end is ignored",
        ),
        (
            odd(b""),
            "201 bytes of samples are not a multiple of 2: a partial one at the end is ignored",
        ),
        (
            odd(&[&b"\0"[..], &chunk(b"LIST", b"INFO")].concat()),
            "201 bytes of samples are not a multiple of 2: a partial one at the end is ignored",
        ),
    ];
    for (n, (bytes, warning)) in cases.iter().enumerate() {
        s.write("w.wav", bytes);
        let said = s.ok(&format!("w.wav {n}.jsonl"));
        let warnings = said.err.lines().filter(|line| line.contains(": warning: "));
        let warnings: Vec<_> = warnings.collect();
        match *warning {
            "" => assert!(warnings.is_empty(), "{n}: {warnings:?}"),
            text => assert!(
                warnings.len() == 1 && warnings[0].contains(text),
                "{n}: {warnings:?}"
            ),
        }
        let line: Value = serde_json::from_slice(&s.read(&format!("{n}.jsonl"))).unwrap();
        let want: Vec<_> = (0..100).map(|n| vec![n]).collect();
        assert_eq!(line["audio"]["data"], serde_json::json!(want), "{n}");
    }
    assert_eq!(cases.len(), 16);
}

#[test]
fn waves_that_contradict_themselves_are_refused_by_name() {
    let s = Scratch::new();
    let (mut speed, mut adpcm) = (PLAIN, PLAIN);
    (speed[8], speed[12]) = (7, 4);
    (adpcm[0], adpcm[14]) = (0x11, 4);
    for (bytes, error) in [
        (
            wave(&PLAIN, &chunk(b"fmt ", &PLAIN), b"", b""),
            "a second fmt chunk",
        ),
        (
            wave(&PLAIN, b"", &chunk(b"fmt ", &PLAIN), b""),
            "a second fmt chunk",
        ),
        (
            wave(&PLAIN, b"", &chunk(b"data", b"ab"), b""),
            "a second chunk of samples",
        ),
        (
            wave(&speed, b"", b"", b""),
            "take 2 bytes, the header says 4",
        ),
        (wave(&adpcm, b"", b"", b""), "samples coded as IMA ADPCM"),
    ] {
        s.write("w.wav", bytes);
        let said = s.fails("w.wav o.jsonl");
        assert!(said.contains(error), "{said}");
    }
    assert!(s.run("w.wav o.jsonl").err.contains("`sox FILE OUT.wav`"));
}

#[test]
fn big_endian_extensible_waves_are_read() {
    let s = Scratch::new();
    let big = [
        0, 0, 0, 1, 0, 0, 0, 0x10, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71,
    ];
    let little = [
        1, 0, 0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xaa, 0, 0x38, 0x9b, 0x71,
    ];
    for class in [big, little] {
        let head = [
            0xff, 0xfe, 0, 1, 0, 0, 0x1f, 0x40, 0, 0, 0x3e, 0x80, 0, 2, 0, 16,
        ];
        let rest = [&[0, 22, 0, 16, 0, 0, 0, 4][..], &class].concat();
        let parts = [
            b"RIFX\0\0\0\x40WAVEfmt \0\0\0\x28",
            &head[..],
            &rest,
            b"data\0\0\0\x04\0\x01\xff\xff",
        ];
        s.write("w.wav", parts.concat());
        s.ok("w.wav o.jsonl --overwrite");
        let line: Value = serde_json::from_slice(&s.read("o.jsonl")).unwrap();
        assert_eq!(line["audio"]["data"], serde_json::json!([[1], [-1]]));
    }
}

#[test]
fn wide_samples_in_sphere_files_are_warned_of_with_what_helps() {
    let s = Scratch::new();
    let audio = r#"{"rate":8000,"dtype":"i32","shape":[2,1],"data":[[65536],[-131072]]}"#;
    let line =
        format!(r#"{{"key":"a","audio":{audio},"features":null,"labels":null,"meta":{{}}}}"#);
    s.write("a.jsonl", line);
    let said = s.ok("a.jsonl a.sph").err;
    let hint = "spr-convert: hint: --dtype i16 writes samples of 16 bits";
    assert!(
        said.contains("libsndfile and others do not read") && said.contains(hint),
        "{said}"
    );
    let said = s.ok("a.jsonl a.sph --dtype i16 --overwrite").err;
    assert!(!said.contains("libsndfile"), "{said}");
}

#[test]
fn texts_of_waves_hold_to_the_limit_of_memory() {
    let s = Scratch::new();
    let texts = [&b"INFO"[..], &b"INAM\x01\0\0\0a\0".repeat(100_000)].concat();
    s.write("w.wav", wave(&PLAIN, &chunk(b"LIST", &texts), b"", b""));
    let said = s.ok("w.wav o.ark --max-alloc 2m");
    assert!(
        said.err.contains("texts over the limit of memory"),
        "{}",
        said.err
    );
    let said = s.ok("w.wav p.ark --max-alloc 512k");
    assert!(
        said.err.contains("a list of texts over the limit"),
        "{}",
        said.err
    );
}

#[test]
fn repair_keeps_what_is_whole_of_sound_that_check_finds_cut() {
    let s = Scratch::new();
    s.write("in.wav", wave(&PLAIN, b"", b"", b""));
    s.write("two.wav", wave(&PLAIN, b"", &chunk(b"data", b"ab"), b""));
    for name in ["in.sph", "in.au"] {
        s.ok(&format!("in.wav {name}"));
    }
    let mut seen = 0;
    for (name, cut, left) in [
        ("in.wav", 51, 74),
        ("in.sph", 51, 74),
        ("in.au", 51, 74),
        ("two.wav", 0, 100),
    ] {
        let bytes = s.read(name);
        let ending = &name[name.find('.').unwrap()..];
        s.write(&format!("cut{ending}"), &bytes[..bytes.len() - cut]);
        let said = s.run(&format!("check cut{ending}"));
        assert_eq!(said.status, 1, "{name}: {}", said.out);
        assert!(said.out.contains("repair"), "{name}: {}", said.out);
        let said = s.run(&format!("repair cut{ending} -o whole{ending} --overwrite"));
        assert_eq!(said.status, 3, "{name}: {}", said.err);
        s.ok(&format!("whole{ending} {seen}.jsonl"));
        let line: Value = serde_json::from_slice(&s.read(&format!("{seen}.jsonl"))).unwrap();
        assert_eq!(
            line["audio"]["shape"],
            serde_json::json!([left, 1]),
            "{name}"
        );
        assert_eq!(s.run(&format!("check whole{ending}")).status, 0, "{name}");
        seen += 1;
    }
    assert_eq!(seen, 4);
    // Nothing of this can be saved, and nobody says so.
    s.write("head.wav", wave(&PLAIN, &chunk(b"fmt ", &PLAIN), b"", b""));
    let said = s.run("check head.wav");
    assert!(
        said.status == 1 && !said.out.contains("repair"),
        "{}",
        said.out
    );
}

#[test]
fn wide_samples_in_nist_files_are_written_with_a_warning() {
    let s = Scratch::new();
    let wide = fixture("wav-python-24/input.wav");
    let said = s.ok(&format!("{wide} a.sph"));
    assert!(
        said.err.contains("libsndfile and others do not read"),
        "{}",
        said.err
    );
    let said = s.ok(&format!("{wide} b.sph --dtype i16"));
    assert!(!said.err.contains("libsndfile"), "{}", said.err);
}

/// Chunks that say more than the samples are named once a file, the others are not.
#[test]
fn chunks_that_are_not_kept_are_named() {
    let s = Scratch::new();
    let chunk = |name: &str, data: &[u8]| {
        let mut chunk = name.as_bytes().to_vec();
        chunk.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        chunk.extend(data);
        chunk
    };
    let file = |before: &[Vec<u8>], after: &[Vec<u8>]| {
        let fmt = b"\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0";
        let chunks = [
            b"WAVE".to_vec(),
            chunk("fmt ", fmt),
            before.concat(),
            chunk("data", &[1; 80]),
            after.concat(),
        ];
        chunk("RIFF", &chunks.concat())
    };
    let cue = chunk("cue ", &[1; 28]);
    let labels = chunk("LIST", b"adtllabl\x06\0\0\0\x01\0\0\0a\0");
    for (before, after, told) in [
        (
            vec![chunk("JUNK", &[0; 20]), chunk("fact", &[0; 4])],
            vec![chunk("PEAK", &[0; 16])],
            "",
        ),
        (
            vec![],
            vec![
                chunk("LIST", b"INFOINAM\x02\0\0\0a\0"),
                chunk("cue ", &[0; 4]),
            ],
            "",
        ),
        (
            vec![chunk("bext", &[65; 602])],
            vec![cue.clone(), labels.clone()],
            "bext, cue, adtl",
        ),
        (
            vec![],
            vec![labels, cue, chunk("smpl", &[1; 36])],
            "adtl, cue, smpl",
        ),
    ] {
        s.write("a.wav", file(&before, &after));
        for to in ["x.jsonl", "x.wav"] {
            let said = s.ok(&format!("a.wav {to} --overwrite"));
            let warning = "a.wav: the metadata in chunks is not read: ";
            let found = said.err.split_once(warning).map_or("", |(_, rest)| rest);
            assert_eq!(
                found.lines().next().unwrap_or_default(),
                told,
                "{}",
                said.err
            );
            assert_eq!(
                said.err.matches(warning).count(),
                usize::from(!told.is_empty())
            );
        }
    }
}
