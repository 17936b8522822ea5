//! What is said of the slips of newcomers: the error, and a way out that can be typed.

use super::*;

/// A folder with the sample corpus in it.
fn corpus() -> Scratch {
    let s = Scratch::new();
    for name in [
        "fbank.scp",
        "fbank.ark",
        "fbank_text.ark",
        "ali.txt",
        "ali.ark",
        "text",
        "mfcc_cm.scp",
        "mfcc_cm.ark",
    ] {
        s.write(name, fs::read(sample(name)).unwrap());
    }
    s
}

/// Runs each command, which fails; the last error and the last hint that it prints.
fn check(s: &Scratch, table: &[(&str, &str, &str)]) {
    for (line, error, hint) in table {
        s.fails(line);
        let said = s.run(line).err;
        let last = |label: &str| {
            let start = format!("spr-convert: {label}: ");
            let found = said.lines().rev().find_map(|l| l.strip_prefix(&start));
            found.unwrap_or_default().to_owned()
        };
        assert_eq!((&*last("error"), &*last("hint")), (*error, *hint), "{line}");
    }
}

#[test]
fn names_that_go_elsewhere() {
    let s = corpus();
    fs::create_dir(s.path("d")).unwrap();
    check(
        &s,
        &[
            (
                "repair fbank.ark good.ark",
                "unexpected argument 'good.ark' found",
                "the output is named by -o: -o good.ark",
            ),
            (
                "fbank.scp a.ark b.ark",
                "a.ark: cannot open: No such file or directory",
                "only the last name is an output, here b.ark; those before it are read",
            ),
            (
                "fbank.scp d",
                "d: is a folder, and nothing says which format its files are to have",
                "htk:d/ and the like write a file an utterance, d/x.ark one of all",
            ),
            (
                "fbank.scp new/",
                "new/: is a folder, and nothing says which format its files are to have",
                "htk:new/ and the like write a file an utterance, new/x.ark one of all",
            ),
            (
                "fbank.scp x.{shard}.ark",
                "x.{shard}.ark: {shard} in the name, but no --shard",
                "--shard 1/16 converts the first of sixteen shards",
            ),
            (
                "fbank.scp mfcc_cm.scp x.ark",
                "mfcc_cm.scp: utterance ann-001: fbank.scp has an utterance with this key, too",
                "--duplicates first and --duplicates last keep one of them, \
                 --duplicates keep keeps both",
            ),
            (
                "merge fbank.scp ali.txt x.ark",
                "ali.txt: utterance ann-001: fbank.scp has an utterance with this key, too",
                "--labels ali.txt joins its labels",
            ),
            (
                "FBANK.scp x.ark",
                "FBANK.scp: cannot open: No such file or directory",
                "did you mean fbank.scp?",
            ),
            (
                "mfcc_cm x.ark",
                "mfcc_cm: cannot open: No such file or directory",
                "did you mean mfcc_cm.ark?",
            ),
            // What is there already is not offered to be replaced.
            (
                "my_data fbank.scp",
                "my_data: cannot open: No such file or directory",
                "",
            ),
            (
                "ls fbank.scp zoe",
                "fbank.scp: utterance zoe: there is no such utterance",
                "`spr-convert ls fbank.scp` lists what there is",
            ),
        ],
    );
}

#[test]
#[cfg(feature = "htk")]
fn a_file_of_one_utterance_names_the_folder() {
    let s = corpus();
    let said = s.run("fbank.scp x.fea");
    let hint = "write to a folder: end the name with /, x.fea/\n";
    assert!(said.err.ends_with(hint), "{}", said.err);
}

#[test]
#[cfg(feature = "plot")]
fn pictures_and_pages_are_named_by_a_flag() {
    check(
        &corpus(),
        &[
            (
                "plot fbank.scp y.png",
                "fbank.scp: utterance y.png: there is no such utterance",
                "a picture is written by -o y.png",
            ),
            (
                "report fbank.scp y.html",
                "nothing says where to write the page",
                "the output is named by -o: -o y.html",
            ),
            (
                "report fbank.scp",
                "nothing says where to write the page",
                "name it with -o OUT.html",
            ),
            (
                "report fbank.scp -o r.png",
                "r.png: ends with .png, but a page would be written",
                "call it r.html; pictures are drawn by the verb plot",
            ),
            (
                "report fbank.scp -o r.txt",
                "r.txt: ends with .txt, but a page would be written",
                "call it r.html",
            ),
        ],
    );
    let s = corpus();
    s.ok("report fbank.scp -o page");
    s.ok("report fbank.scp -o page.HTM");
}

#[test]
fn words_that_are_not_known() {
    check(
        &corpus(),
        &[
            ("help lss", "unknown verb 'lss'", "did you mean 'ls'?"),
            ("help inof", "unknown verb 'inof'", "did you mean 'info'?"),
            ("help convert info", "'info' is a word too many", ""),
            (
                "shards stat",
                "unknown verb 'stat'",
                "did you mean 'status'?",
            ),
            (
                "formats .ark",
                "unknown format '.ark'",
                "files that end in .ark are of 'kaldi'",
            ),
            (
                "fbank.scp x --to mfc",
                "unknown format 'mfc'",
                "files that end in .mfc are of 'sphinx'",
            ),
            (
                "fbank.scp x.ark --compress=1",
                "unexpected argument '--compress' found",
                "compress is an option of kaldi, spr, htk, npz, behind a comma: \
                 FILE,compress=VALUE",
            ),
            (
                "--in fbank.scp -o x.ark",
                "unexpected argument '--in' found",
                "the input has no flag: spr-convert IN OUT",
            ),
            (
                "-i fbank.scp -o x.ark",
                "unexpected argument '-i' found",
                "the input has no flag: spr-convert IN OUT",
            ),
            (
                "fbank.scp x.ark --dtype float32",
                "unknown element type 'float32'",
                "did you mean 'f32'? known: f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, f16, \
                 bf16, bool",
            ),
            (
                "select fbank.scp x.ark --first 3.5",
                "invalid value '3.5' for '--first <N>': expected a whole number",
                "spr-convert --help lists what there is",
            ),
            (
                "diff fbank.scp fbank.ark --atol=x",
                "invalid value 'x' for '--atol <X>': expected a number",
                "spr-convert --help lists what there is",
            ),
            (
                "split fbank.scp x.{part}.ark -n 0",
                "-n: expected 1 or more",
                "",
            ),
            (
                "split fbank.scp x.{part}.ark --valid 10",
                "10 is not a share below 1",
                "such as 0.1 or 10%",
            ),
            (
                "-f pickle fbank.scp x.ark",
                "fbank.scp@0: an opcode finds too few values on the stack",
                "it looks like kaldi, as which it is read if no format is named",
            ),
        ],
    );
}

#[test]
fn rules_that_choose_nothing() {
    let s = corpus();
    check(
        &s,
        &[
            (
                "select fbank.scp x.ark ann-001",
                "ann-001: nothing says which format to write",
                "utterances are chosen by rules: --glob ann-001",
            ),
            (
                "select fbank.scp x.ark --regex (",
                "'(' is not a regular expression: unclosed group",
                r"a sign that stands for itself has \ before it: \( \. \+",
            ),
        ],
    );
    let said = s.ok("select fbank.scp all.ark").err;
    assert!(
        said.starts_with(
            "spr-convert: warning: no rule is given, all utterances are taken\n\
             spr-convert: hint: --keys, "
        ),
        "{said}"
    );
    let said = s.ok("select fbank.scp x.ark --glob ann").err;
    assert!(
        said.starts_with(
            "spr-convert: warning: no utterance is called 'ann'\n\
             spr-convert: hint: 'ann*' is like all names that begin so\n"
        ),
        "{said}"
    );
    let said = s.ok("show fbank.scp ann-001 --range 500:600").out;
    assert!(said.ends_with("none of these rows: it has 291\n"), "{said}");
}

/// Skipping is not offered where it would skip all.
#[test]
fn what_all_utterances_lack() {
    let s = corpus();
    check(
        &s,
        &[
            (
                "select fbank.scp x.ark --hours 1",
                "utterance ann-001: its duration is not known",
                "say it with --frame-shift, such as --frame-shift 0.01",
            ),
            (
                "fbank.scp x.ark --labels text",
                "text: utterance ann-001: holds text, not labels",
                "text is joined to sound or features by --text: IN --text FILE OUT",
            ),
            (
                "text text.stm",
                "text.stm: utterance ann-001: its length is not known, but stm must state it",
                "text is joined to sound or features by --text: IN --text FILE OUT",
            ),
            (
                "text text.json --to nemo",
                "text.json: utterance ann-001: has no sound, which every line of the manifest \
                 names",
                "text is joined to sound or features by --text: IN --text FILE OUT",
            ),
        ],
    );
    let said = s.run("text text.stm --on-error skip");
    assert_eq!(said.status, 3);
    let warning = "spr-convert: warning: all 12 utterances were skipped\n";
    assert!(said.err.contains(warning), "{}", said.err);
}

#[test]
fn excerpts_are_short() {
    let s = corpus();
    let said = s.run("scp:fbank.ark x.ark").err;
    let end = "' is not a valid Kaldi file name: '|' stands first or last, or not at all\n\
               spr-convert: hint: it is an archive: ark:fbank.ark\n";
    assert!(said.ends_with(end) && said.len() < 600, "{said}");
    for list in ["ali.txt", "fbank_text.ark"] {
        let said = s.run(&format!("scp:{list} x.ark")).err;
        assert!(said.len() < 300, "{said}");
    }
}

#[test]
fn damage_names_the_command_that_mends() {
    let s = corpus();
    s.ok("fbank.scp cut.pfile --labels ali.txt");
    s.write("cut.ark", &s.read("fbank.ark")[..300_000]);
    s.write("cut.pfile", &s.read("cut.pfile")[..300_000]);
    for line in ["cut.ark", "cut.pfile", "cut.ark x.ark", "check cut.ark"] {
        let file = line
            .split(' ')
            .find(|word| word.starts_with("cut"))
            .unwrap();
        let said = s.run(line);
        let hint = format!("hint: `spr-convert repair {file} -o OUT` saves what is intact\n");
        let all = said.out + &said.err;
        assert!(all.contains(&hint), "{line}: {all}");
    }
}

#[test]
fn warnings_have_a_way_out() {
    let s = corpus();
    for (line, warning) in [
        (
            "fbank.scp htk:t/",
            "warning: utterance ann-001: no frame shift is known, without which HTK does not read \
             the files\n\
             spr-convert: hint: say it with --frame-shift, such as --frame-shift 0.01\n",
        ),
        (
            "fbank.scp a.pfile",
            "warning: a.pfile: 0 labels per frame; PDNN reads exactly one label column\n\
             spr-convert: hint: features and their labels are joined by --labels, or by \
             label=FILE in the data spec\n",
        ),
    ] {
        let said = s.ok(line).err;
        assert!(said.contains(warning), "{said}");
    }
    fs::rename(s.path("a.pfile"), s.path("moved.pfile")).unwrap();
    let said = s.ok("moved.pfile").err;
    let warning = "moved.pfile: there is no moved.pfile.utt2num_frames with the names";
    assert!(said.contains(warning), "{said}");
    s.write("e.ark", "");
    let said = s.ok("e.ark").err;
    assert_eq!(said, "spr-convert: warning: e.ark: holds no utterances\n");
}

#[test]
fn a_wrong_option_comes_before_a_file_that_is_there() {
    let s = corpus();
    let said = s.run("fbank.scp ali.ark,compress=9").err;
    assert!(said.contains("option compress: '9'"), "{said}");
}

#[test]
fn truth_has_many_words() {
    let s = corpus();
    for word in ["yes", "True", "1"] {
        s.ok(&format!("fbank.scp ark:{word}.ark --co text={word}"));
        assert_eq!(s.read(&format!("{word}.ark")), s.read("yes.ark"));
    }
    let error = s.fails("fbank.scp ark:x.ark --co text=on");
    assert!(error.ends_with("'on' is not a valid value"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_text_and_pages_by_man() {
    use std::os::unix::fs::PermissionsExt;

    let s = corpus();
    if s.shell("command -v script").out.is_empty() {
        return;
    }
    let shown = |line: &str| s.shell(&format!("script -qec '{line}' /dev/null"));
    let binary = shown("spr-convert fbank.scp ark:- --progress never");
    assert_eq!(binary.status, 2);
    assert!(binary.out.contains("a terminal can't show binary data"));
    assert!(!binary.out.contains('\0'), "{}", binary.out);
    let text = shown("spr-convert fbank.scp ark,t:-");
    assert!(text.status == 0 && text.out.contains("bob-004  ["));

    s.write("bin/man", "#!/bin/sh\necho \"$@\"; grep \"^.TH\"\n");
    let set = |mode| fs::set_permissions(s.path("bin/man"), fs::Permissions::from_mode(mode));
    set(0o755).unwrap();
    let man = || shown("PATH=$PWD/bin:$PATH spr-convert man ls").out;
    let version = env!("CARGO_PKG_VERSION");
    let page = man();
    assert!(page.starts_with("-l -"), "{page}");
    assert!(
        page.contains(&format!("\"spr\\-convert {version}\"")),
        "{page}"
    );
    // Without it the help has to do.
    s.write("bin/man", "#!/bin/sh\nexit 3\n");
    let help = man();
    assert!(help.contains("Usage: spr-convert ls"), "{help}");
    assert!(s.ok("man ls").out.contains(".TH"));
}
