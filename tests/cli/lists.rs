//! SPRAAK's segmentations, corpora and other lists.

use std::fs;

use crate::{Scratch, sample};

/// A folder with the sample features as SPRAAK files and their alignment as segments.
fn corpus() -> Scratch {
    let s = Scratch::new();
    let (feats, ali) = (sample("fbank.ark"), sample("ali.ark"));
    s.ok(&format!(
        "{feats} --labels {ali} spr:out/ --labels-out ali.seg"
    ));
    s
}

fn text(s: &Scratch, name: &str) -> String {
    String::from_utf8(s.read(name)).unwrap()
}

#[test]
fn an_alignment_is_segments_and_back() {
    let s = corpus();
    let seg = text(&s, "ali.seg");
    let head = ".spr\nDATA\tSEG\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t821\nDIM2\t12\n\
                FSHIFT\t0.01\nTIMEBASE\tDISCRETE\n#\nann-001\t4\t0\t1\n-\t13\t1\t1\n";
    assert!(seg.starts_with(head), "{seg}");
    s.ok("spr:out/ --labels ali.seg ark:f.ark --labels-out ark:ali.ark");
    assert_eq!(s.read("f.ark"), fs::read(sample("fbank.ark")).unwrap());
    assert_eq!(s.read("ali.ark"), fs::read(sample("ali.ark")).unwrap());
    // On their own, with the other header, and in seconds.
    s.ok("ali.seg only.ark");
    assert_eq!(s.read("only.ark"), fs::read(sample("ali.ark")).unwrap());
    s.ok("ali.seg key:ali.key.seg");
    s.ok("ali.key.seg seconds.seg,timebase=CONTINUOUS");
    assert!(text(&s, "seconds.seg").contains("TIMEBASE\tCONTINUOUS\n#\nann-001\t4\t0\t0.01\n"));
    s.ok("out/ --labels seconds.seg train.pfile");
    s.ok("train.pfile back.ark --labels-out back.seg");
    assert_eq!(s.read("back.seg"), s.read("ali.seg"));
    s.ok("ali.seg -o ali.seg.gz");
    s.ok("ali.seg.gz - --to spr --co data=SEG");
    let said = s.shell("spr-convert ali.seg spr:-,data=SEG | cmp - ali.seg");
    assert_eq!(said.status, 0, "{}", said.err);
}

#[test]
fn names_have_numbers() {
    let s = corpus();
    let symbols: String = (0..30).map(|n| format!("ph{n} {n}\n")).collect();
    s.write("phones.txt", symbols);
    s.ok("ali.seg named.seg,symbols=phones.txt");
    assert!(text(&s, "named.seg").contains("#\nann-001\tph4\t0\t1\n-\tph13\t1\t1\n"));
    s.ok("out/ --labels named.seg,symbols=phones.txt f.ark --labels-out ark:ali.ark");
    assert_eq!(s.read("ali.ark"), fs::read(sample("ali.ark")).unwrap());
    let error = s.fails("out/ --labels named.seg g.ark --labels-out ark:b.ark");
    assert!(
        error
            .contains("named.seg: utterance ann-001: the label 'ph4' of a segment is not a number"),
        "{error}"
    );
    let error = s.fails("named.seg b.ark");
    assert!(
        error.contains("holds segments, and no frame labels in their place: the label 'ph4'"),
        "{error}"
    );
    let error = s.fails("ali.seg x.seg,symbols=none.txt");
    assert!(error.contains("none.txt: "), "{error}");
}

#[test]
fn segments_that_do_not_fit_are_failures_of_the_utterance() {
    let s = corpus();
    let seg = text(&s, "ali.seg").replacen("ann-001\t4\t0\t1\n", "ann-001\t4\t0\t2\n", 1);
    s.write("bad.seg", seg);
    let error = s.fails("out/ --labels bad.seg x.pfile");
    assert!(
        error.contains("utterance ann-001: the segments overlap at frame 1"),
        "{error}"
    );
    let said = s.run("out/ --labels bad.seg x.pfile --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(said.err.contains("11 utterances, "), "{}", said.err);
}

#[test]
fn a_transcript_is_a_corpus_and_back() {
    let s = Scratch::new();
    let words = "ann-001 good morning \nann-002 \nbob-001 \u{e9}t\u{e9} \n";
    s.write("text", words);
    s.ok("text train.cor");
    let expected = "DIM1\t3\n#\nann-001\tgood_morning\t0\t-1\nann-002\t#\t0\t-1\nbob-001\t\u{e9}t\u{e9}\t0\t-1\n";
    assert!(text(&s, "train.cor").ends_with(expected));
    s.ok("train.cor ark,t:back");
    assert_eq!(text(&s, "back"), words);
    s.ok("train.cor a.jsonl");
    s.ok("a.jsonl again.cor");
    assert_eq!(s.read("again.cor"), s.read("train.cor"));
    s.write("odd", "a b_c d\n");
    let error = s.fails("odd odd.cor");
    assert!(
        error.contains("utterance a: a corpus can't hold the text: it has a '_'"),
        "{error}"
    );
}

#[test]
fn a_corpus_drives_the_conversion() {
    let s = corpus();
    s.write(
        "x.cor",
        ".spr\nDATA CORPUS\nDIM1 4\nTIMEBASE CONTINUOUS\n#\nbob-004 # 0 -1\n\
         ann-001 good_morning 0 0.25 ann\n- how_are_you 0.4 0.9 ann\nann-002 hi 0 -1\n",
    );
    let said = s.run("x.cor,root=out,suffix=spr out.ark");
    for words in ["text of 3 utterances", "--labels-out ark,t:FILE"] {
        assert!(said.err.contains(words), "{}", said.err);
    }
    // What was said goes to the output of the labels.
    let said = s.run("x.cor,root=out,suffix=spr out.ark --labels-out ark,t:text --on-error skip");
    assert_eq!(said.status, 3, "{}", said.err);
    assert!(
        said.err.contains("bob-004: has no labels to write"),
        "{}",
        said.err
    );
    assert_eq!(
        text(&s, "text").lines().next(),
        Some("ann-001 good morning ")
    );
    s.ok("x.cor,root=out x.jsonl");
    let keys = ["bob-004", "ann-001", "ann-001#2", "ann-002"];
    let lines = text(&s, "x.jsonl");
    let found: Vec<_> = lines
        .lines()
        .map(|l| l.split('"').nth(3).unwrap())
        .collect();
    assert_eq!(found, keys);
    s.ok("x.jsonl two/ --to spr --co cor=two.cor");
    assert!(text(&s, "two.cor").contains("\nann-001#2\thow_are_you\t0\t-1\tann\n"));
    s.ok("two.cor,root=two y.jsonl");
    assert_eq!(text(&s, "y.jsonl"), lines);
    let error = s.fails("x.cor,root=out,suffix=trk z.jsonl");
    assert!(error.contains("bob-004.trk: "), "{error}");
    let error = s.fails("x.cor,root=out,sufix=trk z.jsonl");
    assert!(error.contains("unknown option 'sufix'"), "{error}");
}

#[test]
fn a_list_changes_its_header_and_nothing_else() {
    let s = Scratch::new();
    let body = "<sil>\t#\nbanaan\tbanan[@/]\n";
    let lex = format!(
        ".spr\nDATA\tDICTIONARY\nLAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\nDIM1\t2\n#\n{body}"
    );
    s.write("a.lex", &lex);
    s.ok("a.lex b.key");
    assert_eq!(
        text(&s, "b.key"),
        format!(".key\nDICTIONARY\t-\nDATAFORMAT\tSTRING\nNENTRY\t2\n#\n{body}")
    );
    s.ok("b.key c.jsonl");
    s.ok("a.lex d.jsonl");
    s.ok("d.jsonl d.lex");
    assert_eq!(text(&s, "d.lex"), lex);
    for target in ["x.ark", "x.pfile", "x.pkl"] {
        let error = s.fails(&format!("a.lex {target}"));
        assert!(error.contains("object of kind spraak-list"), "{error}");
    }
    let error = s.fails("a.lex x.seg");
    assert!(error.contains("object of kind spraak-list"), "{error}");
    s.write("cut.lex", &lex[..lex.len() - 3]);
    // The header counts the entries, so that the last is known to be whole but for its end.
    let said = s.ok("cut.lex x.key");
    assert!(said.err.contains("cut.lex@"), "{}", said.err);
    s.write("cut.lex", lex.replace("DIM1\t2", "DIM1\t3"));
    let error = s.fails("cut.lex y.key");
    assert!(error.contains("cut.lex@"), "{error}");
}

#[test]
fn a_folder_holds_one_utterance_a_file() {
    let s = corpus();
    fs::rename(s.path("ali.seg"), s.path("out/ali.seg")).unwrap();
    let error = s.fails("out/ x.ark");
    assert!(
        error.contains("out/ali.seg: utterance ali: holds several utterances"),
        "{error}"
    );
    // Taken apart, it is a list an utterance.
    s.ok("out/ali.seg two/ --to spr");
    let said = s.ok("two/ y.seg");
    assert!(said.err.contains("12 utterances, "), "{}", said.err);
}

#[test]
fn the_kind_of_a_list_follows_its_data() {
    let s = Scratch::new();
    let header = "LAYOUT\tLIST\nTYPE\tSTRING\nFORMAT\tASCII\n";
    s.write(
        "seg.in",
        format!(".spr\nDATA\tSEG\n{header}TIMEBASE\tCONTINUOUS\n#\na x 0 1.5\n- y 2 3\nb z 0 1\n"),
    );
    s.write(
        "cor.in",
        format!(".spr\nDATA\tCORPUS\n{header}#\na good_morning 0 -1\nb # 0 -1\n"),
    );
    let mut tried = 0;
    for (input, spr, key) in [
        ("seg.in", "DATA\tSEG\n", "DATATYPE\tSEG\n"),
        ("cor.in", "DATA\tCORPUS\n", "CORPUS\t-\n"),
    ] {
        s.ok(&format!("{input} want.jsonl --overwrite"));
        for (output, file, line) in [
            ("x.spr", "x.spr", spr),
            ("x.key", "x.key", key),
            ("spr:x", "x", spr),
            ("spr:x/", "x/a.spr", spr),
            ("key:x/", "x/b.key", key),
            ("x.spr.gz", "x.spr.gz", ""),
            (
                "x.spr,data=SEG",
                "x.spr",
                if input == "seg.in" { spr } else { "-" },
            ),
        ] {
            if line == "-" {
                continue;
            }
            let said = s.ok(&format!("{input} {output} --verify"));
            assert!(said.err.contains("2 utterances, "), "{}", said.err);
            let bytes = s.read(file);
            let text = String::from_utf8_lossy(&bytes);
            assert!(text.contains(line), "{output}: {text}");
            let back = output.split(',').next().unwrap();
            s.ok(&format!("{back} back.jsonl"));
            assert_eq!(
                texts_of(&s, "back.jsonl"),
                texts_of(&s, "want.jsonl"),
                "{output}"
            );
            for name in ["x.spr", "x.key", "x", "x.spr.gz", "back.jsonl"] {
                let _ = fs::remove_dir_all(s.path(name));
                let _ = fs::remove_file(s.path(name));
            }
            tried += 1;
        }
    }
    assert_eq!(tried, 13);
}

/// The lines of a file without what they say of header lines and times of frames.
fn texts_of(s: &Scratch, name: &str) -> Vec<String> {
    let cut = |line: &str| line.split(",\"meta\"").next().unwrap().to_owned();
    text(s, name).lines().map(cut).collect()
}

#[test]
fn data_without_a_header_take_it_from_another_file() {
    let s = Scratch::new();
    let values: Vec<u8> = (0u8..6).flat_map(|n| f32::from(n).to_le_bytes()).collect();
    let lines = "DATA TRACK\nTYPE F32\nFORMAT BIN01\nDIM1 -1\nDIM2 3\n#\n";
    for name in ["d/a.f32", "d/b.raw", "d/c"] {
        s.write(name, &values);
    }
    let mut tried = 0;
    for (header, magic) in [
        ("raw.hdr", ".spr\n"),
        ("d/raw.hdr", ".spr\n"),
        ("raw.hdr", ""),
    ] {
        s.write(header, format!("{magic}{lines}"));
        for input in [
            format!("d/a.f32,header={header}"),
            format!("spr:d/a.f32,header={header}"),
            format!("d/,header={header}"),
            format!("spr:d/,header={header}"),
        ] {
            let said = s.ok(&format!("{input} x.jsonl --overwrite"));
            let expected = if input.contains("a.f32") {
                "1 utterance, 2"
            } else {
                "3 utterances, 6"
            };
            assert!(said.err.contains(expected), "{input}: {}", said.err);
            assert!(!said.err.contains("warning"), "{input}: {}", said.err);
            tried += 1;
        }
        fs::remove_file(s.path(header)).unwrap();
    }
    assert_eq!(tried, 12);
    // A key header says so by its words, and its data are big endian.
    s.write(
        "key.hdr",
        ".key\nDATATYPE TRACK\nDATAFORMAT FLOAT\nNPARAM 3\n#\n",
    );
    let said = s.ok("d/a.f32,header=key.hdr,byteorder=little x.jsonl --overwrite");
    assert!(said.err.contains("(key -> jsonl"), "{}", said.err);
}

#[test]
fn a_matrix_of_any_name_is_its_numbers() {
    let s = Scratch::new();
    let head = ".spr\nDATA\tFOO\nLAYOUT\tMATRIX\nTYPE\tI8\nFORMAT\tBIN01\nDIM1\t1\nDIM2\t2\n#\nab";
    s.write("d/foo.spr", head);
    s.write("d/bar.spr", head.replace("DATA\tFOO", "DATA\tTRACK"));
    assert!(s.ok("d/ x.jsonl").err.contains("2 utterances, "));
    s.ok("d/foo.spr y.spr");
    assert_eq!(text(&s, "y.spr"), head);
    s.ok("d/foo.spr y.key");
    assert!(text(&s, "y.key").starts_with(".key\nDATATYPE\tFOO\n"));
    s.ok("y.key z.spr,byteorder=big");
    assert_eq!(text(&s, "z.spr"), head.replace("BIN01", "BIN10"));
    s.ok("d/bar.spr w.spr,data=FOO");
    assert_eq!(text(&s, "w.spr"), head);
    for wrong in ["SAMPLE", "TRAK", "track", "SGE", "F O"] {
        let said = s.run_args(&["d/bar.spr", &format!("v.spr,data={wrong}")]);
        assert_eq!(said.status, 2, "{wrong}: {}", said.err);
    }
}
