//! Columns of tables by their meaning: headers, values, and the mapping.

use spr_core::model::{Audio, Utterance};
use spr_testkit::faults::Random;

use crate::{Found, SOUND, read_with};

/// The text and the facts of an utterance.
fn shown(utt: &Utterance) -> String {
    let meta = &utt.meta;
    let text = utt.text.as_deref().map(String::from_utf8_lossy);
    let mut parts = vec![format!("{}: {}", utt.key, text.as_deref().unwrap_or("-"))];
    for (name, value) in [
        ("speaker", &meta.speaker),
        ("gender", &meta.gender),
        ("language", &meta.language),
    ] {
        parts.extend(value.as_ref().map(|value| format!("{name} {value}")));
    }
    if let Some(Audio::Reference(audio)) = &utt.audio
        && let Some((start, end)) = audio.span.bounds()
    {
        let end = end.map_or("-".to_owned(), |end| end.to_string());
        parts.push(format!("{start} to {end}"));
    }
    let tags = meta.tags.iter().map(|tag| {
        let [key, value] = [&tag.key, &tag.value].map(|b| String::from_utf8_lossy(b));
        format!("{key} {value}")
    });
    parts.extend(tags);
    parts.join(", ")
}

fn all(found: &Found) -> Vec<String> {
    found.utts.iter().map(shown).collect()
}

/// Reads a table next to three sound files.
fn among(name: &str, text: &[u8], options: &[(&str, &str)]) -> Found {
    let at = format!("data/{name}");
    let sounds = ["data/wavs/a.wav", "data/wavs/b.wav", "data/wavs/c.wav"];
    let mut files: Vec<_> = sounds.map(|file| (file, SOUND)).to_vec();
    files.push((&at, text));
    read_with(options, &files)
}

/// Tables: their names and text, what is read of them, and what columns are taken for.
const TABLES: &[(&str, &str, &[&str], &str)] = &[
    (
        "metadata.csv",
        "audio_file|text|speaker_name\nwavs/a.wav|She speaks.|ann\nwavs/b.wav|He, too.|bob\n",
        &[
            "wavs/a: She speaks., speaker ann",
            "wavs/b: He, too., speaker bob",
        ],
        "columns file=1 (audio_file), text=2, speaker=3 (speaker_name)",
    ),
    (
        "metadata.csv",
        "wavs/a.wav|She speaks.|narrator\nwavs/b.wav|He, too.|narrator\n",
        &[
            "wavs/a: She speaks., speaker narrator",
            "wavs/b: He, too., speaker narrator",
        ],
        "columns file=1, text=2, speaker=3",
    ),
    (
        "metadata.csv",
        "wavs/a.wav|She speaks.|narrator\n",
        &["wavs/a: She speaks."],
        "columns file=1, text=2; not used: 3",
    ),
    (
        "TRANS.txt",
        "a.wav\t38_5837\t今天\nb.wav\t38_5837\t明天\n",
        &[
            "wavs/a: 今天, speaker 38_5837",
            "wavs/b: 明天, speaker 38_5837",
        ],
        "columns file=1, speaker=2, text=3",
    ),
    (
        "TRANS.txt",
        "UtteranceID\tSpeakerID\tTranscription\na.wav\t38_5837\t今天\n",
        &["wavs/a: 今天, speaker 38_5837"],
        "MAGICDATA, columns file=1 (UtteranceID), speaker=2 (SpeakerID), text=3 (Transcription)",
    ),
    (
        "x.csv",
        "Satz;Sprecher;Datei;Geschlecht;Alter\n\"So; gut\";ann;wavs/a.wav;w;20\n",
        &["wavs/a: So; gut, speaker ann, gender w, Alter 20"],
        "columns text=1 (Satz), speaker=2 (Sprecher), file=3 (Datei), gender=4 (Geschlecht); \
             other columns: Alter",
    ),
    (
        "x.csv",
        "fichier,texte,locutrice,langue\na,Bonjour.,zoé,fr\n",
        &["wavs/a: Bonjour., speaker zoé, language fr"],
        "columns file=1 (fichier), text=2 (texte), speaker=3 (locutrice), language=4 (langue)",
    ),
    (
        "x.csv",
        "archivo,frase,hablante\na,Hola.,eva\n",
        &["wavs/a: Hola., speaker eva"],
        "columns file=1 (archivo), text=2 (frase), speaker=3 (hablante)",
    ),
    (
        "x.csv",
        "说话人,文本,文件\n王,你好,a\n",
        &["wavs/a: 你好, speaker 王"],
        "columns speaker=1 (说话人), text=2 (文本), file=3 (文件)",
    ),
    (
        "x.csv",
        "file,start,end,text\na,0.5,1.25,one\na,1.5,2,two\nb,0,,three\n",
        &[
            "wavs/a-0000500-0001250: one, 0.5 to 1.25",
            "wavs/a-0001500-0002000: two, 1.5 to 2",
            "wavs/b-0000000: three, 0 to -",
        ],
        "columns file=1, start=2, end=3, text=4",
    ),
    (
        "x.csv",
        "file,start,duration,text,split\na,0.5,1.25,one,dev\n",
        &["wavs/a-0000500-0001750: one, 0.5 to 1.75, split \"dev\""],
        "columns file=1, start=2, duration=3, text=4, split=5",
    ),
    (
        "x.csv",
        "file,duration,transcript\na,1.5,one\n",
        &["wavs/a: one, duration 1.5"],
        "columns file=1, duration=2, text=3 (transcript)",
    ),
    (
        "x.csv",
        "a.wav,go on,0.5,2.5\na.wav,and on,2.5,4.0\na.wav,on again,4.0,4.5\n",
        &[
            "wavs/a-0000500-0002500: go on, 0.5 to 2.5",
            "wavs/a-0002500-0004000: and on, 2.5 to 4.0",
            "wavs/a-0004000-0004500: on again, 4.0 to 4.5",
        ],
        "columns file=1, text=2, start=3, end=4",
    ),
    (
        "x.csv",
        "train,a.wav,m,so it is\ndev,b.wav,f,is it so\n",
        &[
            "wavs/a: so it is, gender m, split \"train\"",
            "wavs/b: is it so, gender f, split \"dev\"",
        ],
        "columns split=1, file=2, gender=3, text=4",
    ),
    // A clip's name is the only column of files, whatever it is called.
    (
        "x.csv",
        "clipname,speaker,transcript\na,ann,one\n",
        &["wavs/a: one, speaker ann"],
        "columns file=1 (clipname), speaker=2, text=3 (transcript)",
    ),
];

#[test]
fn headers_and_values_say_what_columns_mean() {
    for &(name, text, expected, columns) in TABLES {
        let found = among(name, text.as_bytes(), &[]);
        assert_eq!(found.errors, [""; 0], "{text}");
        let told = all(&found).into_iter().filter(|utt| !utt.ends_with(": -"));
        assert_eq!(told.collect::<Vec<_>>(), expected, "{text}");
        assert!(
            found.decision.contains(&format!("({columns})")),
            "{}",
            found.decision
        );
    }
}

#[test]
fn guesses_are_warned_of() {
    let is_told = |text: &str| {
        let found = among("metadata.csv", text.as_bytes(), &[]);
        found
            .warnings
            .iter()
            .any(|warning| warning.contains("understood by its values"))
    };
    assert!(is_told(
        "wavs/a.wav|She speaks.|ann\nb|He, too.|ann\nc|So.|ann\n"
    ));
    assert!(is_told(
        "wavs/a.wav|She speaks.|ann\nb|He, too.|bob\nc|So.|cy\n"
    ));
    assert!(!is_told(
        "a|No. 1|number one\nb|No. 2|number two\nc|3.|three\n"
    ));
    assert!(!is_told("a|one\nb|two\nc|three\n"));
    assert!(!is_told("file|text|speaker\na|one|ann\n"));
}

#[test]
fn what_is_open_is_refused_with_the_first_row() {
    for (text, open) in [
        (
            "a.wav,I am,who I am\nb.wav,you are,so are you\n",
            "columns 2 and 3 may both be the text; its first row: 1: a.wav | 2: I am | 3: who I am",
        ),
        (
            "a.wav,I am,x,y\nb.wav,you are,x,y\n",
            "columns 3 and 4 may both be the speaker; its first row: 1: a.wav | 2: I am | 3: x | 4: y",
        ),
        (
            "a.wav,I am,en\nb.wav,you are,en\n",
            "column 3 may be the language or the speaker; its first row: 1: a.wav | 2: I am | 3: en",
        ),
        (
            "a.wav,yes\nb.wav,yes\nc.wav,no\n",
            "column 2 may be the text or the speaker; its first row: 1: a.wav | 2: yes",
        ),
        (
            "a.wav,7\nb.wav,8\n",
            "column 2 may be the text or a number; its first row: 1: a.wav | 2: 7",
        ),
        (
            "a.wav,I am,0.5,1.5\nb.wav,you are,0.25,2.5\n",
            "columns 3 and 4 may be start and end, or start and duration; its first row: \
             1: a.wav | 2: I am | 3: 0.5 | 4: 1.5",
        ),
        (
            "a.wav,b.wav,I am\n",
            "columns 1 and 2 both name sound files; its first row: 1: a.wav | 2: b.wav | 3: I am",
        ),
    ] {
        let found = among("x.csv", text.as_bytes(), &[]);
        assert_eq!(found.errors, [format!("data/x.csv: {open}")], "{text}");
        assert!(found.utts.is_empty());
    }
}

#[test]
fn columns_are_mapped_by_number_or_name() {
    let foreign = "Nr;Wer;Was;Clip\n1;ann;So gut.;wavs/a.wav\n";
    let expected = ["wavs/a: So gut., speaker ann, Nr 1"];
    for mapping in [
        "text=3;speaker=Wer;file=Clip",
        "text=Was,speaker=2",
        "text=3,speaker=2",
    ] {
        let found = among("x.csv", foreign.as_bytes(), &[("columns", mapping)]);
        assert_eq!(found.errors, [""; 0], "{mapping}");
        assert_eq!(all(&found)[..1], expected, "{mapping}");
    }
    // It decides against a header, and what is open.
    let header = "file,text,transcript\na,one,two\n";
    let found = among(
        "x.csv",
        header.as_bytes(),
        &[("columns", "text=transcript")],
    );
    assert_eq!(all(&found)[0], "wavs/a: two, text \"one\"");
    let open = "a.wav,I am,who I am\nb.wav,you are,so are you\n";
    let found = among("x.csv", open.as_bytes(), &[("columns", "text=3")]);
    assert_eq!(all(&found)[..2], ["wavs/a: who I am", "wavs/b: so are you"]);
    for (mapping, error) in [
        (
            "text=5",
            "data/x.csv: has no column 5; its first row: 1: file | 2: text | 3: transcript",
        ),
        (
            "text=Text",
            "data/x.csv: has no column 'Text'; its first row: 1: file | 2: text | 3: transcript",
        ),
        (
            "text=2,speaker=text",
            "columns: column 'text' has two meanings",
        ),
        ("text=0", "columns: columns are numbered from 1"),
        ("text", "columns: 'text' names no column"),
        ("text=1,text=2", "columns: text comes twice"),
        (
            "words2=1",
            "columns: 'words2' is not one of file, text, normalized, speaker, gender, language, \
             start, end, duration, split",
        ),
    ] {
        let found = among("x.csv", header.as_bytes(), &[("columns", mapping)]);
        assert_eq!(found.errors.len(), 1, "{mapping}");
        assert!(found.errors[0].ends_with(error), "{}", found.errors[0]);
    }
}

#[test]
fn doubled_quotes_and_encodings_are_undone() {
    let text = "path\tsentence\na\t\"\"\"Nothing\"\", said Ann.\"\nb\t\"All.\"\nc\t\"x\" y\n";
    let found = among("x.tsv", text.as_bytes(), &[]);
    let texts = [
        "wavs/a: \"Nothing\", said Ann.",
        "wavs/b: \"All.\"",
        "wavs/c: \"x\" y",
    ];
    assert_eq!(all(&found), texts);
    let warning = "data/x.tsv:2: a text in doubled quotes was unquoted";
    assert_eq!(found.warnings, [warning]);
    let text = "file;text\na;Grün\n";
    let wide: Vec<u8> = format!("\u{feff}{text}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let narrow: Vec<u8> = text
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect();
    let encoding = |name| [("encoding", name)];
    for (bytes, options) in [
        (&wide, &[][..]),
        (&narrow, &encoding("latin1")),
        (&text.as_bytes().to_vec(), &encoding("utf8")),
    ] {
        let found = among("x.csv", bytes, options);
        assert_eq!(found.errors, [""; 0]);
        assert_eq!(all(&found)[0], "wavs/a: Grün");
    }
    let found = among("x.csv", &narrow, &[]);
    assert_eq!(found.errors, ["data/x.csv:2: is not UTF-8"]);
}

#[test]
fn damaged_tables_name_their_lines() {
    for (text, error) in [
        ("file,text\na,\"one\nb,two\n", "2: ends inside quotes"),
        (
            "file,text\na,\"one\" 1\nb,\"two\"\n",
            "2: has text after a closing quote",
        ),
        (
            "file,text\na,one\nb,tw",
            "3: the last line has no line end and may be cut off",
        ),
        (
            "file,text,end\na,one,x\n",
            "2: 'x' in column end is not a time in seconds",
        ),
        (
            "file,text,start,end\na,one,2,1\n",
            "2: starts at 2 s and ends before that, at 1 s",
        ),
        (
            "file,text\na,one\na,two\n",
            "3: a second line of this file, line 2 says otherwise",
        ),
    ] {
        let found = among("x.csv", text.as_bytes(), &[]);
        assert_eq!(found.errors, [format!("data/x.csv:{error}")], "{text}");
    }
}

/// Returns a cell as a writer of CSV writes it.
fn written(cell: &str, delimiter: char, always: bool) -> String {
    let needs = cell.contains([delimiter, '"', '\n', '\r']);
    match needs || always {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

#[test]
fn random_tables_are_read_right_or_refused() {
    let words = [
        "go",
        "on.",
        "\"so\"",
        "it's",
        "a, b",
        "x; y",
        "tab\there",
        "bar|bar",
        "über",
        "今天",
        "7",
        "\"",
    ];
    let speakers = ["ann", "bob", "s_1"];
    let mut random = Random::new(46);
    let (mut right, mut refused) = (0, 0);
    for round in 0..20_000 {
        let delimiter = [',', ';', '\t', '|'][random.below(4)];
        let extension = if delimiter == '\t' { "tsv" } else { "csv" };
        let (always, header) = (random.below(2) == 0, random.below(2) == 0);
        let mark = if random.below(4) == 0 { "\u{feff}" } else { "" };
        let end = if random.below(2) == 0 { "\r\n" } else { "\n" };
        let mut order = ["file", "text", "speaker"];
        order.swap(0, random.below(3));
        order.swap(1, 1 + random.below(2));
        let line = |cells: &dyn Fn(&str) -> String| {
            let cells = order.map(|name| written(&cells(name), delimiter, always));
            cells.join(&delimiter.to_string()) + end
        };
        let mut text = mark.to_owned();
        if header {
            text += &line(&|name| name.to_owned());
        }
        let mut expected = Vec::new();
        for file in ["a", "b", "c"] {
            let count = random.below(4);
            let said: Vec<_> = (0..count)
                .map(|_| words[random.below(words.len())])
                .collect();
            let said = said.join(" ");
            let who = match random.below(4) {
                3 => "",
                n => speakers[n],
            };
            text += &line(&|name| match name {
                "file" => format!("wavs/{file}.wav"),
                "text" => said.clone(),
                _ => who.to_owned(),
            });
            let speaker = match who {
                "" => String::new(),
                who => format!(", speaker {who}"),
            };
            expected.push((format!("wavs/{file}: {said}"), speaker));
        }
        let found = among(&format!("x.{extension}"), text.as_bytes(), &[]);
        let context = format!(
            "round {round}: {text}\n{:?} {:?}",
            found.errors, found.warnings
        );
        let left_out = found
            .warnings
            .iter()
            .any(|text| text.contains("left out, a table"));
        if !found.errors.is_empty() || left_out {
            refused += 1;
            assert!(
                !left_out || found.utts.iter().all(|utt| utt.text.is_none()),
                "{context}"
            );
            assert!(!header, "{context}");
            continue;
        }
        let without: Vec<_> = expected.iter().map(|(text, _)| text.clone()).collect();
        let with: Vec<_> = expected
            .into_iter()
            .map(|(text, who)| text + &who)
            .collect();
        let found_all = all(&found);
        // Without a header the speaker may stay unused, with a warning.
        let is_unused = !header && found_all == without && found.decision.contains("not used");
        assert!(
            found_all == with || is_unused,
            "{context}\n{found_all:#?}\n{with:#?}"
        );
        right += usize::from(found_all == with);
    }
    assert!(
        right > 10_000 && refused < 8000,
        "{right} right, {refused} refused"
    );
}
