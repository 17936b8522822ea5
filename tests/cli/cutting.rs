//! Recordings cut into utterances by their labels, and joined again: each kind of labels, of data and of
//! target, compared with samples and rows that are computed here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Scratch;
use super::sound::wave;

const RATE: u32 = 8000;

/// The segments of each recording: start, end, words, speaker.
type Turn = (f64, f64, String, &'static str);

fn turns() -> BTreeMap<&'static str, Vec<Turn>> {
    let turn = |start, end, words: &str, speaker| (start, end, words.to_owned(), speaker);
    BTreeMap::from([
        (
            "a",
            vec![turn(0.1, 1.0, "hello", "ann"), turn(1.2, 2.9, "how", "bob")],
        ),
        (
            "b",
            vec![
                turn(0.5, 1.25, "good", "bob"),
                turn(1.3, 2.4, "fine", "ann"),
            ],
        ),
    ])
}

/// The samples of a recording; no two of them are alike for long.
fn samples(name: &str) -> Vec<i16> {
    let seed = i32::from(name.as_bytes()[0]);
    let sample = |n: i32| i16::try_from((n * 37 + seed * 101) % 20011 - 10000).unwrap();
    (0..24_000).map(sample).collect()
}

/// The length of each recording.
const SECONDS: f64 = 3.0;

/// Writes recordings in all forms.
fn write_recordings(s: &Scratch) {
    for name in ["a", "b"] {
        let sound = wave(RATE, 1, &samples(name));
        s.write(&format!("rec/{name}.wav"), sound);
    }
    s.write("wav.scp", "a rec/a.wav\nb rec/b.wav\n");
    let rows = |name: &str| -> String {
        let rows: String = (0..300).map(|n| format!("  {n} {}\n", n * 2)).collect();
        format!("{name}  [\n{rows} ]\n")
    };
    s.write("feats.ark", rows("a") + &rows("b"));
    let labels = |name: &str| -> String {
        let labels: Vec<_> = (0..300).map(|n| n.to_string()).collect();
        format!("{name} {}\n", labels.join(" "))
    };
    s.write("ali.ark", labels("a") + &labels("b"));
    s.ok("rec sound.parquet");
    s.ok("rec sound.tar --to webdataset");
    s.ok("rec kaldi-data --to kaldi-data");
    s.ok("rec nemo.json");
    s.ok("rec cuts.jsonl --to lhotse");
}

/// Writes the segments in all forms.
fn write_labels(s: &Scratch, turns: &BTreeMap<&str, Vec<Turn>>) {
    let lines = |line: &dyn Fn(&str, &Turn) -> String| -> String {
        let all = turns.iter();
        all.flat_map(|(name, turns)| turns.iter().map(|turn| line(name, turn)))
            .collect()
    };
    s.write(
        "x.stm",
        lines(&|name, (start, end, text, who)| format!("{name} 1 {who} {start} {end} {text}\n")),
    );
    s.write(
        "x.ctm",
        lines(&|name, (start, end, text, who)| {
            format!("{name} 1 {start} {:.4} {text} 1.0 lex {who}\n", end - start)
        }),
    );
    s.write(
        "x.rttm",
        lines(&|name, (start, end, _, who)| {
            let length = end - start;
            format!("SPEAKER {name} 1 {start} {length:.4} <NA> <NA> {who} <NA> <NA>\n")
        }),
    );
    for (name, turns) in turns {
        let tabs: String = turns
            .iter()
            .map(|(start, end, text, _)| format!("{start}\t{end}\t{text}\n"))
            .collect();
        s.write(&format!("tracks/{name}.txt"), tabs);
    }
    s.ok("tracks/ grids/ --from audacity --to textgrid");
    s.ok("tracks/ x.mlf --from audacity");
    s.ok("tracks/ tracks.jsonl --from audacity");
}

/// A piece as it should be.
#[derive(Clone, Debug, PartialEq)]
struct Piece {
    key: String,
    text: Option<String>,
    speaker: Option<String>,
    sound: Vec<i64>,
}

/// The pieces that the turns give, computed here.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "samples of seconds"
)]
fn expected(turns: &BTreeMap<&str, Vec<Turn>>, has_text: bool, has_speakers: bool) -> Vec<Piece> {
    let piece = |name: &str, n: usize, (start, end, text, who): &Turn| {
        let sample = |time: f64| (time * f64::from(RATE) + 0.5) as usize;
        let all = samples(name);
        let sound = &all[sample(*start)..sample(*end).min(all.len())];
        Piece {
            key: format!("{name}-{n:05}"),
            text: has_text.then(|| text.clone()),
            speaker: has_speakers.then(|| (*who).to_owned()),
            sound: sound.iter().map(|v| i64::from(*v)).collect(),
        }
    };
    let of_recording = |(name, turns): (&&str, &Vec<Turn>)| -> Vec<Piece> {
        let turns = turns.iter().enumerate();
        turns.map(|(n, turn)| piece(name, n, turn)).collect()
    };
    turns.iter().flat_map(of_recording).collect()
}

fn objects(s: &Scratch, file: &str) -> Vec<Value> {
    let text = String::from_utf8(s.read(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Reads a data set with its samples.
fn pieces(s: &Scratch, data: &str) -> Vec<Piece> {
    s.ok(&format!(
        "{data} back.jsonl --stages samples|sort --overwrite"
    ));
    let piece = |line: Value| {
        let numbers = |values: &Value| -> Vec<i64> {
            let values = values.as_array().unwrap().iter();
            values
                .map(|v| v.as_i64().unwrap_or_else(|| v[0].as_i64().unwrap()))
                .collect()
        };
        Piece {
            key: text(&line["key"]).unwrap(),
            text: text(&line["text"]),
            speaker: text(&line["meta"]["speaker"]),
            sound: numbers(&line["audio"]["data"]),
        }
    };
    objects(s, "back.jsonl").into_iter().map(piece).collect()
}

#[test]
fn every_kind_of_labels_cuts_every_kind_of_sound() {
    let s = Scratch::new();
    write_recordings(&s);
    write_labels(&s, &turns());
    let labels = [
        ("x.stm", "segments", true, true),
        ("x.stm", "speaker", true, true),
        ("x.ctm", "text", true, true),
        ("x.rttm", "speaker", false, true),
        ("x.rttm", "segments", false, true),
        ("grids/", "segments", true, false),
        ("tracks.jsonl", "text", true, false),
        ("x.mlf", "segments", true, false),
    ];
    let data = [
        "rec",
        "scp:wav.scp",
        "sound.parquet",
        "sound.tar",
        "kaldi-data",
        "nemo.json",
        "cuts.jsonl",
    ];
    let mut runs = 0;
    for (file, by, has_text, has_speakers) in labels {
        for input in data {
            s.ok(&format!(
                "{input} out.jsonl --labels {file} --cut-by {by} --overwrite"
            ));
            let expected = expected(&turns(), has_text, has_speakers);
            assert_eq!(pieces(&s, "out.jsonl"), expected, "{input} {file} {by}");
            runs += 1;
        }
    }
    assert_eq!(runs, labels.len() * data.len());
}

#[test]
fn every_target_gets_the_pieces() {
    let s = Scratch::new();
    write_recordings(&s);
    write_labels(&s, &turns());
    let with_text = "--labels x.stm --cut-by segments --allow-loss text";
    for (target, has_text, has_speakers) in [
        ("out.parquet", true, true),
        ("out --to kaldi-data", true, true),
        ("out.json --to nemo", true, true),
        ("out.jsonl --to lhotse", true, true),
        ("out.tar --to webdataset", true, true),
        ("ark:out.ark", false, false),
        ("out/ --to wav", false, false),
        ("out.jsonl", true, true),
    ] {
        s.ok(&format!("rec {target} {with_text} --overwrite"));
        let written = target.split(' ').next().unwrap();
        let expected = expected(&turns(), has_text, has_speakers);
        assert_eq!(pieces(&s, written), expected, "{target}");
        s.shell("rm -rf out out.*");
    }
}

/// Sound by reference is named, and not copied.
#[test]
fn references_stay_references() {
    let s = Scratch::new();
    write_recordings(&s);
    write_labels(&s, &turns());
    s.ok("rec data --to kaldi-data --labels x.stm --cut-by segments --key {speaker}-{recording}-{start*100:07}-{end*100:07}");
    assert_eq!(
        String::from_utf8(s.read("data/segments")).unwrap(),
        "ann-a-0000010-0000100 a 0.1 1\nann-b-0000130-0000240 b 1.3 2.4\n\
         bob-a-0000120-0000290 a 1.2 2.9\nbob-b-0000050-0000125 b 0.5 1.25\n"
    );
    assert_eq!(s.read("data/wav.scp"), b"a rec/a.wav\nb rec/b.wav\n");
    s.ok("rec out.json --labels x.rttm --cut-by speaker");
    let line = &objects(&s, "out.json")[1];
    assert_eq!(
        (line["offset"].as_f64(), line["duration"].as_f64()),
        (Some(1.2), Some(1.7))
    );
    // A piece of a part of a recording is a part of the recording.
    s.ok("data nested.jsonl --labels x.ctm --cut-by segments --pad 0.05");
    let audio = &objects(&s, "nested.jsonl")[0]["audio"];
    assert_eq!(
        (audio["start"].as_f64(), audio["end"].as_f64()),
        (Some(0.1), Some(1.0))
    );
}

#[test]
fn frames_and_labels_are_cut_by_rows() {
    let s = Scratch::new();
    write_recordings(&s);
    write_labels(&s, &turns());
    for (input, field) in [("feats.ark", "features"), ("ali.ark", "labels")] {
        s.ok(&format!(
            "{input} out.jsonl --frame-shift 0.01 --labels x.stm --cut-by segments --overwrite"
        ));
        let lines = objects(&s, "out.jsonl");
        let rows: Vec<_> = lines
            .iter()
            .map(|line| {
                let rows = match field {
                    "features" => &line["features"]["data"],
                    _ => &line["labels"],
                };
                let rows = rows.as_array().unwrap();
                let number = |v: &Value| v.as_f64().or_else(|| v[0].as_f64()).unwrap();
                (number(&rows[0]), number(rows.last().unwrap()), rows.len())
            })
            .collect();
        let expected = [
            (10.0, 99.0, 90),
            (120.0, 289.0, 170),
            (50.0, 124.0, 75),
            (130.0, 239.0, 110),
        ];
        assert_eq!(rows, expected, "{input}");
    }
    let said = s.ok("feats.ark out.jsonl --labels x.stm --cut-by segments --overwrite");
    assert!(
        said.err
            .contains("no frame shift is known, 0.01 s is taken"),
        "{}",
        said.err
    );
}

/// Random segments, in every target, against samples that are computed here.
#[test]
fn random_cuts_are_exact() {
    let s = Scratch::new();
    write_recordings(&s);
    let mut state = 12345u64;
    let mut next = |most: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % most
    };
    let mut turns: BTreeMap<&str, Vec<Turn>> = BTreeMap::new();
    for name in ["a", "b"] {
        let mut all = Vec::new();
        for _ in 0..250 {
            let start = next(29_000) as f64 / 10_000.0;
            let end = start + (next(5_000) + 1_000) as f64 / 10_000.0;
            let end = (end.min(SECONDS) * 10_000.0).round() / 10_000.0;
            all.push((start, end, "x".to_owned(), "ann"));
        }
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        turns.insert(name, all);
    }
    let line = |(name, turns): (&&str, &Vec<Turn>)| -> String {
        let line =
            |(start, end, text, who): &Turn| format!("{name} 1 {who} {start} {end} {text}\n");
        turns.iter().map(line).collect()
    };
    s.write("r.stm", turns.iter().map(line).collect::<String>());
    let expected = expected(&turns, true, true);
    for target in [
        "out.parquet",
        "out --to kaldi-data",
        "out.json --to nemo",
        "out.jsonl --to lhotse",
    ] {
        s.ok(&format!("rec {target} --labels r.stm --cut-by segments"));
        let written = target.split(' ').next().unwrap();
        assert_eq!(pieces(&s, written), expected, "{target}");
        s.shell("rm -rf out out.*");
    }
    // As the same segments of a data directory, by Kaldi's own rule.
    let segments: String = expected
        .iter()
        .zip(
            turns
                .iter()
                .flat_map(|(name, all)| all.iter().map(move |turn| (name, turn))),
        )
        .map(|(piece, (name, turn))| format!("{} {name} {} {}\n", piece.key, turn.0, turn.1))
        .collect();
    s.write("dir/segments", &segments);
    s.write("dir/wav.scp", s.read("wav.scp"));
    s.ok("dir one.parquet");
    s.ok("rec two.parquet --labels r.stm --cut-by segments");
    let (one, two) = (pieces(&s, "one.parquet"), pieces(&s, "two.parquet"));
    let sound = |all: &[Piece]| -> Vec<_> {
        all.iter()
            .map(|piece| (piece.key.clone(), piece.sound.clone()))
            .collect()
    };
    assert_eq!(sound(&one), sound(&two));
    assert_eq!(one.len(), 500);
}

#[test]
fn shards_of_cut_recordings_merge_to_the_single_run() {
    let s = Scratch::new();
    write_recordings(&s);
    write_labels(&s, &turns());
    let how = "--labels x.stm --cut-by segments --pad 0.1";
    s.ok(&format!("rec whole.parquet {how}"));
    for shard in ["1/2", "2/2"] {
        s.ok(&format!("rec part.{{shard}}.parquet {how} --shard {shard}"));
    }
    s.ok("shards merge part.{shard}.parquet merged.parquet");
    assert_eq!(s.read("whole.parquet"), s.read("merged.parquet"));
}

#[test]
fn joining_is_the_reverse() {
    let s = Scratch::new();
    write_recordings(&s);
    // The segments of a recording that they fill.
    let tiled = "a 1 0 1 x\na 1 1 0.5 y\na 1 1.5 1.5 z\n";
    s.write(
        "tiled.ctm",
        format!("{tiled}{}", tiled.replace("a 1", "b 1")),
    );
    for (input, pieces) in [
        ("rec", "pieces --to kaldi-data"),
        ("sound.parquet", "pieces.parquet"),
        ("scp:wav.scp", "pieces.jsonl"),
        ("feats.ark,frame-shift=0.01", "pieces.jsonl"),
    ] {
        s.ok(&format!(
            "{input} {pieces} --labels tiled.ctm --cut-by segments"
        ));
        let written = pieces.split(' ').next().unwrap();
        s.ok(&format!("{written} whole.jsonl --join-by recording"));
        if input.starts_with("feats") {
            // With labels they would have become those of frames.
            s.ok("feats.ark before.jsonl");
            let rows = |file: &str| objects(&s, file)[1]["features"]["data"].clone();
            assert_eq!(rows("whole.jsonl"), rows("before.jsonl"));
        } else {
            s.ok(&format!("{input} before.jsonl --labels tiled.ctm"));
            let said = s.run("diff before.jsonl whole.jsonl");
            assert_eq!(said.status, 0, "{input}: {}{}", said.out, said.err);
        }
        s.shell("rm -rf pieces* whole.jsonl before.jsonl");
    }
    // A list of utterances becomes the labels of recordings.
    write_labels(&s, &turns());
    s.ok("x.stm who/ --to textgrid --join-by recording --allow-loss speakers");
    let grid = String::from_utf8(s.read("who/b.TextGrid")).unwrap();
    assert!(
        grid.contains("\"good\"") && grid.contains("xmin = 1.3"),
        "{grid}"
    );
}

#[test]
fn faults_are_named() {
    let s = Scratch::new();
    write_recordings(&s);
    write_labels(&s, &turns());
    let hint = |line: &str| {
        let error = s.fails(line);
        let said = s.run(line).err;
        let hint = said.lines().find(|line| line.contains(": hint: "));
        (error, hint.unwrap_or_default().to_owned())
    };
    s.ok("tracks/ grid2/ --from audacity --to textgrid");
    s.write("far.stm", "a 1 ann 0 1 x\na 1 ann 2 3.6 y\nb 1 ann 0 1 z\n");
    s.write("near.stm", "a 1 ann 2 3.3 y\nb 1 ann 0 1 z\n");
    s.write("point.stm", "a 1 ann 1 1 y\nb 1 ann 0 1 z\n");
    s.write("only-b.stm", "b 1 ann 0 1 z\n");
    for (rest, error, told) in [
        (
            "--labels x.stm --cut-by words",
            "utterance a: has no tier 'words'",
            "--cut-by segments takes a single tier",
        ),
        (
            "--cut-by words",
            "utterance a: has no segments to cut it by",
            "--labels FILE joins",
        ),
        (
            "--gap 0.3",
            "nothing says what utterances are cut by",
            "--cut-by NAME takes one: segments, text, speaker",
        ),
        (
            "--cut-by segments --gap x",
            "gap: 'x' is not a valid value",
            "seconds, such as 0.3",
        ),
        (
            "--cut-by segments --key {recording}",
            "all pieces of a recording would have one key",
            "such as {recording}-{n:05}",
        ),
        (
            "--labels x.stm --cut-by segments --key {start:.0}",
            "utterance b: a second piece would have the key 1",
            "--key '{key}-{n:05}'",
        ),
        (
            "--labels far.stm --cut-by segments",
            "more than 0.5 s after the end of the recording, at 3 s",
            "",
        ),
        (
            "--labels point.stm --cut-by segments",
            "utterance a: its segment at 1 s has no length",
            "",
        ),
        (
            "--labels only-b.stm --cut-by segments",
            "utterance a: no labels in only-b.stm",
            "",
        ),
        (
            "--join-by recording",
            "utterance a: is not a part of a recording",
            "",
        ),
        (
            "--join-by speaker",
            "join-by: 'speaker' is not a valid value",
            "recording",
        ),
    ] {
        let (found, hinted) = hint(&format!("rec x.parquet {rest}"));
        assert!(found.contains(error), "{rest}: {found}");
        assert!(hinted.contains(told), "{rest}: {hinted}");
    }
    // Only the piece is skipped.
    let said = s.run("rec x.parquet --labels far.stm --cut-by segments --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert_eq!(pieces(&s, "x.parquet").len(), 2);
    let said = s.ok("rec y.parquet --labels near.stm --cut-by segments");
    assert!(
        said.err
            .contains("0.300 s after the end of the recording, where it is cut"),
        "{}",
        said.err
    );
    assert_eq!(pieces(&s, "y.parquet")[0].sound.len(), 8000);
}

#[test]
fn rules_shape_the_pieces() {
    let s = Scratch::new();
    write_recordings(&s);
    s.write(
        "w.ctm",
        "a 1 0.0 0.2 sil\na 1 0.2 0.3 how\na 1 0.5 0.2 are\na 1 0.7 0.5 sp\na 1 1.2 0.3 you\n\
         a 1 2.8 0.2 bye\nb 1 0.0 3.0 sil\n",
    );
    let run = |rules: &str| -> Vec<String> {
        s.ok(&format!(
            "rec out.json --labels w.ctm --cut-by text --overwrite {rules}"
        ));
        let line = |line: &Value| {
            let (start, length) = (line["offset"].as_f64(), line["duration"].as_f64());
            let (start, length) = (start.unwrap_or(0.0), length.unwrap());
            format!("{start:.2}+{length:.2} {}", line["text"].as_str().unwrap())
        };
        objects(&s, "out.json").iter().map(line).collect()
    };
    let dropped = "--drop-labels sil,sp";
    assert_eq!(
        run(dropped),
        [
            "0.20+0.30 how",
            "0.50+0.20 are",
            "1.20+0.30 you",
            "2.80+0.20 bye"
        ]
    );
    assert_eq!(
        run(&format!("{dropped} --gap 0.5")),
        ["0.20+1.30 how are you", "2.80+0.20 bye"]
    );
    assert_eq!(
        run(&format!("{dropped} --gap 0.1 --pad 0.25")),
        ["0.00+0.95 how are", "0.95+0.80 you", "2.55+0.45 bye"]
    );
    assert_eq!(
        run(&format!("{dropped} --gap 0.1 --min-seconds 0.25")),
        ["0.20+0.50 how are", "1.20+0.30 you"]
    );
    let said = s.ok(&format!(
        "rec out.json --labels w.ctm --cut-by text --overwrite {dropped}"
    ));
    assert!(
        said.err
            .contains("1 utterance without a segment to cut by left out"),
        "{}",
        said.err
    );
    // The intervals of a TextGrid without text are its pauses.
    s.ok("w.ctm grids/ --to textgrid");
    let said = s.ok("rec out.json --labels grids/ --cut-by segments --overwrite");
    assert_eq!(objects(&s, "out.json").len(), 7, "{}", said.err);
}
