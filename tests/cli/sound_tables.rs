//! Tables of sound files: their columns, the mapping, and the layouts of public corpora.

use std::fs;

use serde_json::Value;

use crate::verbs::lines;
use crate::{Scratch, sample};

fn wav() -> Vec<u8> {
    fs::read(sample("").replace("kaldi/", "wav/ann-001.wav")).unwrap()
}

/// Writes sound files of these names, and texts, into `folder`.
fn corpus(s: &Scratch, folder: &str, sounds: &[&str], texts: &[(&str, &str)]) {
    for sound in sounds {
        s.write(&format!("{folder}/{sound}"), wav());
    }
    for (name, text) in texts {
        s.write(&format!("{folder}/{name}"), text);
    }
}

/// The name of the sound file, the text and the speaker of each line of a manifest.
fn shown(manifest: &[u8]) -> Vec<String> {
    let manifest = lines(std::str::from_utf8(manifest).unwrap());
    let show = |line: &Value| {
        let file = said(&line["audio_filepath"]);
        let stem = file.rsplit('/').next().unwrap().split('.').next().unwrap();
        format!("{stem}: {}", text_of(line, &line["speaker"]))
    };
    manifest.iter().map(show).collect()
}

/// The text and the speaker of each line in the canonical form, sorted.
fn canonical(jsonl: &[u8]) -> Vec<String> {
    let all = lines(std::str::from_utf8(jsonl).unwrap());
    let mut all: Vec<_> = all
        .iter()
        .map(|line| text_of(line, &line["meta"]["speaker"]))
        .collect();
    all.sort();
    all
}

fn text_of(line: &Value, speaker: &Value) -> String {
    format!("{} ({})", said(&line["text"]), said(speaker))
}

/// Returns what info prints with its lines joined.
fn unwrapped(out: &str) -> String {
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn said(value: &Value) -> &str {
    value.as_str().unwrap_or("-")
}

#[test]
fn a_table_is_understood_or_mapped_and_told() {
    let s = Scratch::new();
    let sounds = ["wavs/a.wav", "wavs/b.wav"];
    let table = "wavs/a.wav|She speaks.|narrator\nwavs/b.wav|He, too.|narrator\n";
    corpus(&s, "in", &sounds, &[("metadata.csv", table)]);
    let said = s.ok("in n.json");
    let texts = ["a: She speaks. (narrator)", "b: He, too. (narrator)"];
    assert_eq!(shown(&s.read("n.json")), texts);
    let told = "columns file=1, text=2, speaker=3";
    assert!(said.err.contains(told), "{}", said.err);
    let said = s.ok("info in");
    assert!(
        unwrapped(&said.out).contains(&format!("in/metadata.csv ({told})")),
        "{}",
        said.out
    );
    let said = s.ok("info --json in/metadata.csv");
    assert!(said.out.contains(told), "{}", said.out);
    // Columns with other names are mapped, in an input that is a table.
    let table = "Nr;Wer;Was;Clip\n1;ann;So gut.;wavs/a.wav\n2;bob;\"Ja; ja\";wavs/b.wav\n";
    s.write("in/metadata.csv", table);
    let texts = ["a: So gut. (ann)", "b: Ja; ja (bob)"];
    for (input, flags) in [
        (
            "in/metadata.csv",
            "--columns-of text=3,speaker=Wer,file=Clip",
        ),
        ("in", "--columns-of text=Was,speaker=2"),
        ("soundfolder:in,columns=text=Was;speaker=2", ""),
    ] {
        s.ok(&format!("{input} n.json --overwrite {flags}"));
        assert_eq!(shown(&s.read("n.json")), texts, "{input}");
    }
    let said = s.ok("info in --columns-of text=Was,speaker=Wer");
    assert!(
        unwrapped(&said.out).contains("text=3 (Was), file=4 (Clip); other columns: Nr"),
        "{}",
        said.out
    );
    let error = s.fails("in x.json --columns-of text=9");
    let row = "has no column 9; its first row: 1: Nr | 2: Wer | 3: Was | 4: Clip";
    assert!(error.contains(row), "{error}");
    // Two texts are no choice.
    s.write(
        "in/metadata.csv",
        "wavs/a.wav,I am.,Ich bin.\nwavs/b.wav,You are.,Du bist.\n",
    );
    let error = s.fails("in x.json");
    let row = "columns 2 and 3 may both be the text; its first row: 1: wavs/a.wav | 2: I am.";
    assert!(error.contains(row), "{error}");
    s.ok("in n.json --overwrite --columns-of text=3");
    assert_eq!(
        shown(&s.read("n.json")),
        ["a: Ich bin. (-)", "b: Du bist. (-)"]
    );
}

#[test]
fn a_table_with_a_foreign_header_stands_for_its_folder() {
    let s = Scratch::new();
    let table = "foo;bar\na.wav;one two\nb.wav;three\n";
    corpus(&s, "d", &["a.wav", "b.wav"], &[("list.csv", table)]);
    let error = s.fails("d/list.csv out.json");
    assert!(
        error.contains("d/list.csv:1: there is no sound file foo"),
        "{error}"
    );
    s.ok("d/list.csv out.json --columns-of file=foo,text=bar");
    assert_eq!(
        shown(&s.read("out.json")),
        ["a: one two (-)", "b: three (-)"]
    );
}

#[test]
fn an_empty_transcription_is_no_text() {
    let s = Scratch::new();
    corpus(
        &s,
        "af",
        &["a.wav", "b.wav"],
        &[("metadata.csv", "file_name,text\na.wav,\nb.wav,go\n")],
    );
    s.ok("af n.json");
    let line = |name: &str, text: &str| {
        format!(
            "{{\"audio_filepath\": \"af/{name}.wav\", \"duration\": 2.9, \"text\": \"{text}\"}}\n"
        )
    };
    s.write("m.json", line("a", "") + &line("b", "go"));
    // A manifest that was written without a text has nothing to note.
    for (input, is_empty) in [("af", true), ("n.json", false), ("m.json", true)] {
        let said = s.ok(&format!("{input} out.json --overwrite --has text"));
        assert!(said.err.contains("1 utterance"), "{input}: {}", said.err);
        assert_eq!(shown(&s.read("out.json")), ["b: go (-)"], "{input}");
        let said = s.run(&format!("check {input}"));
        let notes = said.out.contains("the text is empty");
        assert_eq!(notes, is_empty, "{input}: {}", said.out);
    }
}

/// A corpus: its name, sound files, texts, what is read of them, and what info says.
struct Corpus {
    name: &'static str,
    sounds: &'static [&'static str],
    texts: &'static [(&'static str, &'static str)],
    expected: &'static [&'static str],
}

const CORPORA: [Corpus; 13] = [
    Corpus {
        name: "LibriSpeech",
        sounds: &["84/121/84-121-0000.wav", "85/7/85-7-0000.wav"],
        texts: &[
            ("84/121/84-121.trans.txt", "84-121-0000 GO DO\n"),
            ("85/7/85-7.trans.txt", "85-7-0000 HE WAS\n"),
        ],
        expected: &["84-121-0000: GO DO (84)", "85-7-0000: HE WAS (85)"],
    },
    Corpus {
        name: "LibriTTS",
        sounds: &["84/121/84_121_000_000.wav", "84/121/84_121_000_001.wav"],
        texts: &[
            (
                "84/121/84_121.trans.tsv",
                "84_121_000_000\tNo. 1\tNumber one\n84_121_000_001\tGo, do.\tGo, do.\n",
            ),
            ("84/121/84_121_000_000.normalized.txt", "Number one"),
        ],
        expected: &[
            "84_121_000_000: Number one (84)",
            "84_121_000_001: Go, do. (84)",
        ],
    },
    Corpus {
        name: "MLS",
        sounds: &["audio/8/12/8_12_000.wav", "audio/9/13/9_13_000.wav"],
        texts: &[
            (
                "transcripts.txt",
                "8_12_000\tein wort\n9_13_000\tund noch eins\n",
            ),
            ("segments.txt", "8_12_000\thttp://x/y.mp3\t1.2\t15.6\n"),
        ],
        expected: &["8_12_000: ein wort (8)", "9_13_000: und noch eins (9)"],
    },
    Corpus {
        name: "LJSpeech",
        sounds: &["wavs/LJ001-0001.wav", "wavs/LJ001-0002.wav"],
        texts: &[(
            "metadata.csv",
            "LJ001-0001|No. 1, \"a|number one, \"a\nLJ001-0002|In 1455,|\n",
        )],
        expected: &[
            "LJ001-0001: number one, \"a (-)",
            "LJ001-0002: In 1455, (-)",
        ],
    },
    Corpus {
        name: "VCTK",
        sounds: &[
            "wav48_silence_trimmed/p225/p225_001_mic1.wav",
            "wav48_silence_trimmed/p225/p225_001_mic2.wav",
        ],
        texts: &[("txt/p225/p225_001.txt", "Please call Stella.\n")],
        expected: &[
            "p225_001_mic1: Please call Stella. (p225)",
            "p225_001_mic2: Please call Stella. (p225)",
        ],
    },
    Corpus {
        name: "AISHELL",
        sounds: &["wav/dev/S0724/BAC009S0724W0121.wav"],
        texts: &[(
            "transcript/aishell_transcript_v0.8.txt",
            "BAC009S0724W0121 广州市 房地产\n",
        )],
        expected: &["BAC009S0724W0121: 广州市 房地产 (S0724)"],
    },
    Corpus {
        name: "Common Voice",
        sounds: &["clips/c1.wav", "clips/c2.wav"],
        texts: &[(
            "train.tsv",
            "client_id\tpath\tsentence\tup_votes\naa\tc1.wav\t\"\"\"No\"\", said Ann.\"\t2\n\
             bb\tc2.wav\tYes.\t3\n",
        )],
        expected: &["c1: \"No\", said Ann. (aa)", "c2: Yes. (bb)"],
    },
    Corpus {
        name: "MAGICDATA",
        sounds: &["train/38_5837/38_5837_1.wav", "train/38_5837/38_5837_2.wav"],
        texts: &[(
            "train/TRANS.txt",
            "UtteranceID\tSpeakerID\tTranscription\n38_5837_1.wav\t38_5837\t今天\n\
             38_5837_2.wav\t38_5837\t明天\n",
        )],
        expected: &["38_5837_1: 今天 (38_5837)", "38_5837_2: 明天 (38_5837)"],
    },
    Corpus {
        name: "DeepSpeech",
        sounds: &["a.wav", "b.wav"],
        texts: &[(
            "train.csv",
            "wav_filename,wav_filesize,transcript\na.wav,9,go\nb.wav,8,\"do, so\"\n",
        )],
        expected: &["a: go (-)", "b: do, so (-)"],
    },
    Corpus {
        name: "SpeechBrain",
        sounds: &["a.wav", "b.wav"],
        texts: &[(
            "train.csv",
            "ID,duration,wav,spk_id,wrd\n1,2.9,a.wav,ann,GO\n2,2.9,b.wav,bob,DO\n",
        )],
        expected: &["a: GO (ann)", "b: DO (bob)"],
    },
    Corpus {
        name: "KSS",
        sounds: &["1/1_0000.wav", "1/1_0001.wav"],
        texts: &[(
            "transcript.v.1.4.txt",
            "1/1_0000.wav|2시|두 시|두 시|3.5|two o'clock\n1/1_0001.wav|셋|셋|셋|0.9|three\n",
        )],
        expected: &["1_0000: 두 시 (-)", "1_0001: 셋 (-)"],
    },
    Corpus {
        name: "FLEURS",
        sounds: &["audio/dev/101.wav", "audio/dev/102.wav"],
        texts: &[(
            "dev.tsv",
            "7\t101.wav\tGo, 2.\tgo two\tg o | t w o |\t46901\tMALE\n\
             8\t102.wav\tDo \"it.\tdo it\td o | i t |\t46901\tFEMALE\n",
        )],
        expected: &["101: go two (-)", "102: do it (-)"],
    },
    Corpus {
        name: "VoxCeleb",
        sounds: &["wav/id10001/abc/00001.wav", "wav/id10002/def/00001.wav"],
        texts: &[],
        expected: &["00001: - (id10001)", "00001: - (id10002)"],
    },
];

#[test]
fn layouts_of_corpora() {
    for Corpus {
        name,
        sounds,
        texts,
        expected,
    } in CORPORA
    {
        let s = Scratch::new();
        corpus(&s, "in", sounds, texts);
        let said = s.ok("soundfolder:in n.json");
        assert_eq!(shown(&s.read("n.json")), expected, "{name}: {}", said.err);
        let said = s.ok("info soundfolder:in");
        assert!(said.out.contains(name), "{name}: {}", said.out);
        // There and back, by way of other formats.
        for (target, flags) in [
            ("kaldi-data:k", "--rename s|/|_|g --allow-loss metadata"),
            ("p.parquet", ""),
            ("l.jsonl.gz --to lhotse", "--allow-loss metadata"),
        ] {
            s.ok(&format!("soundfolder:in {target} {flags}"));
            let made = target.split(' ').next().unwrap();
            let back = if target.contains("lhotse") {
                "lhotse:l.jsonl.gz"
            } else {
                made
            };
            s.ok(&format!("{back} back.jsonl --overwrite --allow-loss all"));
            let mut wanted: Vec<_> = expected
                .iter()
                .map(|line| line.split_once(": ").unwrap().1)
                .collect();
            wanted.sort_unstable();
            assert_eq!(
                canonical(&s.read("back.jsonl")),
                wanted,
                "{name} by {target}"
            );
        }
        // A table that was cut off is noticed.
        if let Some((table, text)) = texts
            .first()
            .filter(|(table, _)| !table.ends_with("/p225_001.txt"))
        {
            s.write(&format!("in/{table}"), text.trim_end());
            let error = s.fails("soundfolder:in cut.json");
            assert!(
                error.contains("has no line end and may be cut off"),
                "{name}: {error}"
            );
        }
    }
}
