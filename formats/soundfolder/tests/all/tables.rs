//! Tables of transcripts, in the forms of several corpora.

use spr_core::bytes::Source;
use spr_core::format::{Format, Options, Request};
use spr_core::model::Tag;
use spr_format_soundfolder::FORMAT;

use crate::{SOUND, read, surroundings, table};

/// Common Voice's columns, as far as they are known here.
const HEADER: &str = "client_id\tpath\tsentence\tage\tgender\tlocale\n";

#[test]
fn each_form_gives_names_and_texts() {
    for (name, text, expected) in [
        // LibriSpeech.
        (
            "x.trans.txt",
            "a ONE  TWO\nb\tTHREE\n",
            ["ONE  TWO", "THREE"],
        ),
        ("trans.txt", "  a   ONE \r\nb\n", ["ONE", ""]),
        // MLS.
        (
            "transcripts.txt",
            "a\tone two\nb\tthree\n",
            ["one two", "three"],
        ),
        ("transcript.txt", "./a\tone\nb.wav\t two \n", ["one", "two"]),
        (
            "TRANSCRIPTIONS.TXT",
            "a.flac one\nb.WAV two\n",
            ["one", "two"],
        ),
        ("trans.txt", "a.wav.gz ONE\nb.WAV TWO\n", ["ONE", "TWO"]),
        // LJSpeech, whose third column is normalised and may be empty.
        (
            "metadata.csv",
            "a|No. 1|number one\nb|two|\n",
            ["number one", "two"],
        ),
        ("metadata.txt", "a|1|one\nb| 2 | two \n", ["one", "two"]),
        // KSS: after the normalised text come letters, seconds and a translation.
        (
            "transcript.v.1.4.txt",
            "a.wav|2시|두 시|두 시|3.5|two o'clock\nb.wav|셋|셋|셋|0.9|three\n",
            ["두 시", "셋"],
        ),
        ("any.tsv", "path\ttext\na.wav\tone\n./b\t\n", ["one", ""]),
    ] {
        let at = format!("data/{name}");
        let sounds = [("data/a.wav", SOUND), ("data/b.wav", SOUND)];
        let found = read(&[sounds[0], sounds[1], (&at, text.as_bytes())]);
        assert_eq!(found.errors, [""; 0], "{name}");
        assert_eq!(
            found.texts(),
            [format!("a: {}", expected[0]), format!("b: {}", expected[1])],
            "{name}"
        );
        assert_eq!(found.warnings, [""; 0], "{name}");
        let from = format!("2 sound files, 2 with a line in {at}");
        assert!(found.decision.starts_with(&from), "{}", found.decision);
        assert_eq!(found.count, Some(2));
    }
}

#[test]
fn columns_say_who_speaks() {
    let rows = "ann\tclips/a.wav\t Hello \"x. \t20\tfemale\ten\n\
                \tb.wav\tTwo.\ttwenties\t\t\n\
                cy\tc.wav\tThree.\t007\tmale\tnl\r\n";
    let text = format!("\u{feff}{HEADER}{rows}");
    let found = table(
        "cv/train.tsv",
        &[
            ("cv/clips/a.wav", SOUND),
            ("cv/clips/b.wav", SOUND),
            ("cv/c.wav", SOUND),
            ("cv/unnamed.wav", SOUND),
            ("cv/clips/b.txt", b"not looked at\n"),
            ("cv/train.tsv", text.as_bytes()),
        ],
    );
    assert_eq!(found.errors, [""; 0]);
    assert_eq!(
        found.texts(),
        ["c: Three.", "clips/a: Hello \"x.", "clips/b: Two."]
    );
    let whom = |n: usize| {
        let meta = &found.utts[n].meta;
        [&meta.speaker, &meta.gender, &meta.language].map(|k| k.as_ref().map(ToString::to_string))
    };
    let some = |words: [&str; 3]| words.map(|word| Some(word.to_owned()));
    assert_eq!(whom(0), some(["cy", "male", "nl"]));
    assert_eq!(whom(1), some(["ann", "female", "en"]));
    assert_eq!(whom(2), [None, None, None]);
    // A number stays one, a leading zero makes it text.
    let age = |n: usize| found.utts[n].meta.tags.clone();
    assert_eq!(age(0), [Tag::new("manifest", "age", "\"007\"")]);
    assert_eq!(age(1), [Tag::new("manifest", "age", "20")]);
    assert_eq!(age(2), [Tag::new("manifest", "age", "\"twenties\"")]);
    assert_eq!(found.warnings, [""; 0]);
    assert_eq!(found.count, Some(3));
}

#[test]
fn of_columns_of_one_meaning_the_first_counts() {
    let text = "speaker\tclient_id\tfile\tpath\ttext\tsentence\tlanguage\tlocale\n\
                s1\ts2\ta\tx/a\tone\ttwo\tnl\ten\n";
    let found = table(
        "d/t.tsv",
        &[("d/a.wav", SOUND), ("d/t.tsv", text.as_bytes())],
    );
    assert_eq!(found.texts(), ["a: one"]);
    let meta = &found.utts[0].meta;
    assert_eq!(meta.speaker, Some("s1".into()));
    assert_eq!(meta.language, Some("nl".into()));
    // The others are columns.
    let tags = ["client_id", "path", "sentence", "locale"];
    let values = ["\"s2\"", "\"x/a\"", "\"two\"", "\"en\""];
    let tags: Vec<_> = tags.iter().zip(values).collect();
    let tags: Vec<_> = tags
        .iter()
        .map(|(key, value)| Tag::new("manifest", **key, *value))
        .collect();
    assert_eq!(meta.tags, tags);
}

#[test]
fn lines_at_fault_are_named_and_the_others_read() {
    for (name, lines, faults) in [
        (
            "trans.txt",
            &b"a ONE\n\xff TWO\nc THREE\n"[..],
            &["data/trans.txt:2: is not UTF-8"][..],
        ),
        (
            "metadata.csv",
            b"a|one\nb\nb| | \nx/|two\nc|three\n",
            &[
                "data/metadata.csv:2: has 1 columns, the first line has 2",
                "data/metadata.csv:3: has 3 columns, the first line has 2",
                "data/metadata.csv:4: names no sound file",
            ],
        ),
        (
            "transcript.txt",
            b"a\tONE\nb\tTWO\tTWO\nc\tTHREE\n",
            &["data/transcript.txt:2: has 3 columns, the first line has 2"],
        ),
        (
            "x.tsv",
            b"path\tsentence\na\tONE\nb\nc\tTHREE\n\tTWO\nb\tTWO\t2\n",
            &[
                "data/x.tsv:3: has 1 columns, the header has 2",
                "data/x.tsv:5: names no sound file",
                "data/x.tsv:6: has 3 columns, the header has 2",
            ],
        ),
        (
            "trans.txt",
            b"a ONE\na ONE\na TWO\nc THREE\n",
            &["data/trans.txt:3: a second line of this file, line 1 says otherwise"],
        ),
        (
            "x.tsv",
            b"path\ttext\tgender\na\tONE\tf\na.wav\tONE\tm\na\tONE\tf\nc\tTHREE\t\n",
            &["data/x.tsv:3: a second line of this file, line 2 says otherwise"],
        ),
    ] {
        let at = format!("data/{name}");
        let found = read(&[("data/a.wav", SOUND), ("data/c.wav", SOUND), (&at, lines)]);
        assert_eq!(found.errors, faults, "{name}");
        let texts = found.texts().join(", ").to_uppercase();
        assert_eq!(texts, "A: ONE, C: THREE", "{name}");
        // How many there are, faults leave open.
        assert_eq!(found.count, None);
    }
}

#[test]
fn a_line_of_two_files_and_lines_of_none_are_told() {
    let sounds = [
        ("data/x/u.wav", SOUND),
        ("data/y/u.wav", SOUND),
        ("data/yy/u.wav", SOUND),
        ("data/v.wav", SOUND),
    ];
    let with = |text: &'static [u8]| [&sounds[..], &[("data/trans.txt", text)]].concat();
    let found = read(&with(b"u ONE\n"));
    assert_eq!(
        found.errors,
        [
            "data/trans.txt:1: means data/x/u.wav as well as data/y/u.wav",
            "data/trans.txt:1: means data/y/u.wav as well as data/yy/u.wav",
        ]
    );
    // A folder in front tells them apart, also from one whose name ends the same.
    let found = read(&with(b"y/u ONE\ngone TWO\nz/v THREE\n"));
    assert_eq!(found.errors, [""; 0]);
    assert_eq!(found.texts(), ["v", "x/u", "y/u: ONE", "yy/u"]);
    assert_eq!(
        found.warnings,
        [
            "data/trans.txt:2: 2 lines have no sound file, the first is of gone",
            "data/v.wav: has no transcript, as 3 of 4 sound files have none",
        ]
    );
    let found = read(&with(b"v ONE\ngone TWO\n"));
    assert_eq!(
        found.warnings[0],
        "data/trans.txt:2: 1 line has no sound file, the first is of gone"
    );
    // The lines of a table are about its folder and those below.
    let found = read(&[
        ("data/x/u.wav", SOUND),
        ("data/y/u.wav", SOUND),
        ("data/y/y.trans.txt", b"u TWO\n"),
        ("data/x/x.trans.txt", b"u ONE\n"),
    ]);
    assert_eq!(found.texts(), ["x/u: ONE", "y/u: TWO"]);
    assert_eq!(found.decision, "2 sound files, 2 with a line in 2 tables");
}

#[test]
fn a_table_that_is_named_must_find_its_sound() {
    let text = format!("{HEADER}a\tgone.wav\tBye.\t\t\t\nb\tb.wav\tTwo.\t\t\t\n");
    let sound = ("cv/clips/b.wav", SOUND);
    let found = table("cv/few.tsv", &[sound, ("cv/few.tsv", text.as_bytes())]);
    assert_eq!(
        found.errors,
        ["cv/few.tsv:2: there is no sound file gone below its folder"]
    );
    assert_eq!(found.texts(), ["clips/b: Two."]);
    for (name, text) in [
        ("cv/durations.tsv", "clip\tduration[ms]\nb.wav\t900\n"),
        ("cv/votes.csv", "file_name,votes\nb.wav,two\n"),
    ] {
        let found = table(name, &[sound, (name, text.as_bytes())]);
        assert_eq!(
            found.errors,
            [format!(
                "{name}: is no table of transcripts: no line names sound files and text"
            )]
        );
        // In a folder it is left out.
        let inside = name.replace("cv/", "data/");
        let found = read(&[("data/b.wav", SOUND), (&inside, text.as_bytes())]);
        assert_eq!(
            found.warnings,
            [format!(
                "{inside}: left out, a table without columns of sound files and text"
            )]
        );
        assert_eq!(
            (found.texts(), found.decision.as_str()),
            (vec!["b".to_owned()], "1 sound files")
        );
    }
}

#[test]
fn a_table_from_a_stream_has_no_folder() {
    let (_, env) = surroundings();
    let source = Source::from_bytes("-", HEADER.as_bytes().to_vec()).unwrap();
    let opened = Request::all().open(&FORMAT, source, &Options::default(), &env);
    let error = opened.map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "-: is a stream, and the sound files are in the folder of the table"
    );
}

#[test]
fn tables_and_what_stands_beside_sound_are_told_by_their_names() {
    let any = FORMAT.sound_folder().unwrap();
    let (_, env) = surroundings();
    for (name, is_table) in [
        ("data/x.trans.txt", true),
        ("data/trans.txt", true),
        ("data/Metadata.CSV", true),
        ("data/train.tsv", true),
        ("data/train.tsv.gz", true),
        ("data/xtrans.txt", false),
        ("data/my-metadata.csv", true),
        ("data/a.txt", false),
        ("data/tsv", false),
    ] {
        assert_eq!(any.is_table(&name.into()), is_table, "{name}");
    }
    for (files, tells) in [
        (&["data/a.wav", "data/b.flac"][..], false),
        (&["data/a.wav", "data/a.txt"], true),
        (&["data/a.wav", "data/b.txt"], false),
        (&["data/a.wav", "data/a.TextGrid"], true),
        (&["data/a.wav", "data/x/metadata.csv"], true),
        (&["data/a.wav", "data/.metadata.csv"], false),
        (&["data/a.wav", "data/.x/trans.txt"], false),
        (&["data/a.wav", "data/__MACOSX/trans.txt"], false),
    ] {
        let places: Vec<_> = files.iter().map(|file| (*file).into()).collect();
        let told = any.tells_more(&"data".into(), &places, &env);
        assert_eq!(told, tells, "{files:?}");
    }
    // By names alone, no folder is taken for one.
    assert!(!FORMAT.folder().unwrap().fits(&["a.wav", "a.txt"]));
}
