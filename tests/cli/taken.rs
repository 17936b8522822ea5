//! Data of other programs that targets take, whatever form they have there.

use std::fmt::Write as _;
use std::io::Write as _;

use serde_json::{Value, json};

use crate::{Scratch, sample};

fn lines(text: &str) -> Vec<Value> {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// A wave file, a data directory of its parts, and manifests of it, with what only some formats
/// state: genders in words, names of recordings, channels, paths from elsewhere.
fn references() -> Scratch {
    let s = Scratch::new();
    std::fs::create_dir_all(s.path("wav")).unwrap();
    std::fs::copy(sample("../wav/ann-001.wav"), s.path("wav/a.wav")).unwrap();
    s.write("cut/wav.scp", "r wav/a.wav\n");
    s.write("cut/segments", "u1 r 0.0 0.2\nu2 r 0.2 0.45\n");
    s.write("cut/utt2spk", "u1 s1\nu2 s1\n");
    s.write("cut/spk2utt", "s1 u1 u2\n");
    s.write("cut/text", "u1 one\nu2 two\n");
    s.write("cut/spk2gender", "s1 f\n");
    let line = |offset: &str| {
        format!(
            "{{\"audio_filepath\": \"wav/a.wav\", {offset}\"duration\": 0.25, \"text\": \"hi\", \"gender\": \"female\"}}\n"
        )
    };
    s.write("whole.json", line(""));
    s.write(
        "part.json",
        line("\"offset\": 0.1, ") + &line("\"offset\": 0.2, "),
    );
    s.write("channel.json", line("\"offset\": 0.1, \"channel\": 0, "));
    for input in ["cut", "part.json"] {
        let name = input.trim_end_matches(".json");
        s.ok(&format!(
            "{input} {name}.lhotse/ -t lhotse -q --allow-loss all"
        ));
        s.ok(&format!("{input} {name}.jsonl -q"));
    }
    s
}

#[test]
fn references_to_sound_are_verified() {
    let s = references();
    std::fs::create_dir_all(s.path("out")).unwrap();
    for input in [
        "cut",
        "whole.json",
        "part.json",
        "channel.json",
        "cut.lhotse",
        "part.lhotse",
        "cut.jsonl",
        "part.jsonl",
    ] {
        for (output, format) in [
            ("o/", "kaldi-data"),
            ("out/o.json", "nemo"),
            ("o/", "lhotse"),
            ("o.jsonl", "jsonl"),
            ("o/", "audiofolder"),
        ] {
            let line =
                format!("{input} {output} -t {format} --verify --overwrite --allow-loss all");
            let said = s.ok(&line);
            assert!(said.err.contains(", verified)"), "{line}: {}", said.err);
        }
    }
}

#[test]
fn blanks_of_a_text_are_no_reason_to_refuse_it() {
    let s = references();
    for (text, words) in [
        ("  one two ", "one two"),
        ("one\u{a0}two\u{3000}", "one two"),
        ("one \t two", "one two"),
        ("one two", "one two"),
        ("", ""),
    ] {
        let line =
            json!({"audio_filepath": "wav/a.wav", "duration": 0.25, "text": text, "utt_id": "u"});
        s.write("in.json", format!("{line}\n"));
        for (output, format) in [
            ("o.trn", "trn"),
            ("o.stm", "stm"),
            ("o.mlf", "mlf"),
            ("o/", "kaldi-data"),
            ("o/", "htk-lab"),
        ] {
            if text.is_empty() && format == "htk-lab" {
                continue;
            }
            let line = format!(
                "in.json {output} -t {format} --verify --overwrite --allow-loss audio,keys"
            );
            let said = s.ok(&line);
            let is_told = said.err.contains("blanks of the text");
            let back = lines(&s.ok(&format!("{output} - -t jsonl -q -f {format}")).out);
            let read = back[0]["text"].as_str().unwrap_or_default();
            assert_eq!(is_told, text != read, "{line} {text:?}: {}", said.err);
            let read: Vec<_> = read.split_whitespace().collect();
            assert_eq!(read.join(" "), words, "{line} {text:?}");
        }
    }
    // Line ends are no blanks.
    s.write("in.jsonl", "{\"key\":\"a\",\"text\":\"one\\ntwo\"}\n");
    for output in ["o.trn", "o.mlf", "o.lab"] {
        s.fails(&format!("in.jsonl {output} --allow-loss all"));
    }
    // Nor are the others that Unicode and Python know: a table's line would lose them.
    for (end, shown) in [
        ("\u{2028}", "\\u{2028}"),
        ("\u{85}", "\\u{85}"),
        ("\x0c", "\\u{c}"),
    ] {
        let line = json!({"audio_filepath": "wav/a.wav", "duration": 0.25, "utt_id": "u",
            "text": format!("one{end}two")});
        s.write("in.json", format!("{line}\n"));
        let said = s.fails("in.json o/ -t kaldi-data --overwrite --allow-loss all");
        let message = format!("the text holds {shown}, which no line of a data directory can");
        assert!(said.contains(&message), "{said}");
        let back = lines(&s.ok("in.json - -t jsonl -q").out);
        assert_eq!(back[0]["text"], format!("one{end}two"));
    }
}

#[test]
fn header_lines_that_are_not_text_are_left_out_of_json() {
    let s = Scratch::new();
    let name = b"INAM\x04\0\0\0M\xfcl\0";
    let list = [b"LIST", &16u32.to_le_bytes()[..], b"INFO", name].concat();
    let size = u32::try_from(4 + 24 + list.len() + 8 + 4).unwrap();
    let mut wave = [
        &b"RIFF"[..],
        &size.to_le_bytes(),
        b"WAVEfmt \x10\0\0\0\x01\0\x01\0",
    ]
    .concat();
    wave.extend_from_slice(&8000u32.to_le_bytes());
    wave.extend_from_slice(&16000u32.to_le_bytes());
    wave.extend_from_slice(b"\x02\0\x10\0");
    wave.extend_from_slice(&list);
    wave.extend_from_slice(b"data\x04\0\0\0\x01\0\x02\0");
    s.write("a.wav", &wave);
    let tags = &lines(&s.ok("a.wav - -t jsonl -q").out)[0]["meta"]["tags"];
    assert_eq!(tags[0][2], json!({"bytes": "4dfc6c"}));
    let said = s.ok("a.wav o/ -t audiofolder --rate 4000 --verify");
    assert!(
        said.err
            .contains("not kept: metadata of 1 utterance (header lines)"),
        "{}",
        said.err
    );
    assert!(s.run("a.wav o.wav --verify").status == 0);
}

#[test]
fn lines_of_stm_take_the_place_of_references() {
    let s = references();
    s.write("whole/wav.scp", "u1 wav/a.wav\n");
    s.write("whole/utt2spk", "u1 s1\n");
    s.write("whole/text", "u1 one\n");
    s.write("told/feats.scp", "u1 gone.ark:3\n");
    s.write("told/utt2spk", "u1 s1\n");
    s.write("told/text", "u1 one\n");
    s.write("told/utt2dur", "u1 2.5\n");
    let length = lines(&s.ok("info --json wav/a.wav").out)[0]["duration"].clone();
    for (input, stm) in [
        (
            "cut",
            "r 1 s1 0.0 0.2 one\nr 1 s1 0.2 0.45 two\n".to_owned(),
        ),
        ("whole", format!("u1 1 s1 0 {length} one\n")),
        ("told", "u1 1 s1 0 2.5 one\n".to_owned()),
        ("whole.json", "a 1 <NA> 0 0.25 hi\n".to_owned()),
        (
            "cut.lhotse",
            "r 1 s1 0.0 0.2 one\nr 1 s1 0.2 0.45 two\n".to_owned(),
        ),
    ] {
        s.ok(&format!(
            "{input} o.stm --overwrite -q --allow-loss keys,segments"
        ));
        assert_eq!(String::from_utf8(s.read("o.stm")).unwrap(), stm, "{input}");
    }
    // Samples have no other place.
    s.write("said", "a one\n");
    let error = s.fails("wav/a.wav x.stm --text said --allow-loss keys");
    assert!(
        error.contains("utterance a: stm can't hold all of it: audio"),
        "{error}"
    );
    // A file that is not there has no length.
    s.write("gone/wav.scp", "u1 wav/gone.wav\n");
    s.write("gone/utt2spk", "u1 s1\n");
    s.write("gone/text", "u1 one\n");
    let error = s.fails("gone x.stm --allow-loss keys");
    assert!(error.contains("wav/gone.wav"), "{error}");
}

#[test]
fn packed_data_are_as_large_as_is_allowed() {
    let s = Scratch::new();
    // Posteriors of which nearly all are 0, as numbers in text.
    let mut text =
        "{\"key\":\"a\",\"features\":{\"dtype\":\"f32\",\"shape\":[6000,1000],\"data\":["
            .to_owned();
    let row = format!("[{}]", vec!["0"; 1000].join(","));
    for n in 0..6000 {
        write!(text, "{}{row}", if n > 0 { "," } else { "" }).unwrap();
    }
    text.push_str("]}}\n");
    s.write("a.jsonl", text);
    s.ok("a.jsonl a.npy -q");
    s.ok("a.jsonl a.pkl -q");
    for file in ["a.npy", "a.pkl"] {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packed.write_all(&s.read(file)).unwrap();
        s.write(&format!("{file}.gz"), packed.finish().unwrap());
        let line = format!("{file}.gz o.spr --overwrite -q");
        let said = s.run(&line);
        assert_eq!(said.status, 2, "{file}: {}", said.err);
        assert!(
            said.err.contains("out of proportion"),
            "{file}: {}",
            said.err
        );
        assert!(
            said.err.contains("--max-alloc SIZE allows"),
            "{file}: {}",
            said.err
        );
        s.ok(&format!("{line} --max-alloc 32m"));
        let said = s.run(&format!("{line} --max-alloc 20m"));
        assert_eq!(said.status, 2, "{file}: {}", said.err);
        assert!(
            said.err.contains("20971520") || said.err.contains("proportion"),
            "{file}: {}",
            said.err
        );
    }
}
