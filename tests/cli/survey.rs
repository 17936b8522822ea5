//! Surveys: `info -r`, and `report -r`.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use crate::{Said, Scratch, sample};

/// A WAV file of 16-bit samples at 8 kHz.
fn wav(samples: u32, value: u8) -> Vec<u8> {
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + 2 * samples).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    bytes.extend(8000u32.to_le_bytes());
    bytes.extend(16000u32.to_le_bytes());
    bytes.extend(b"\x02\0\x10\0data");
    bytes.extend((2 * samples).to_le_bytes());
    bytes.extend(vec![value; 2 * samples as usize]);
    bytes
}

/// The lines of `info -r --json`.
fn lines(said: &Said) -> Vec<Value> {
    let line = |line: &str| serde_json::from_str(line).unwrap();
    said.out.lines().map(line).collect()
}

/// Each line has the fields that the schema says, and no others.
#[test]
fn lines_are_as_their_schema_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/schemas/survey.json");
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let s = inherited();
    s.write("old/cut.tar", [1; 600]);
    s.write(
        "old/x.train.json",
        "{\"audio_filepath\": \"gone.wav\", \"duration\": 1}\n",
    );
    fs::remove_file(s.path("old/exp/tri/ali.1.gz")).unwrap();
    std::os::unix::fs::symlink("nowhere", s.path("old/dangling")).unwrap();
    let said = s.run("info -r old --json");
    let all = lines(&said);
    let mut kinds = std::collections::BTreeSet::new();
    for line in &all {
        let kind = line["kind"].as_str().unwrap();
        kinds.insert(kind);
        let is_own = |of: &&Value| {
            let of = &of["properties"]["kind"];
            let names = of["enum"].as_array().cloned().unwrap_or_default();
            of["const"] == kind || names.contains(&json!(kind))
        };
        let own = schema["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .find(is_own)
            .unwrap();
        for name in line.as_object().unwrap().keys() {
            assert!(own["properties"].get(name).is_some(), "{kind}: {name}");
        }
        for name in own["required"].as_array().unwrap() {
            assert!(line.get(name.as_str().unwrap()).is_some(), "{kind}: {name}");
        }
    }
    let named = schema["properties"]["kind"]["enum"].as_array().unwrap();
    let named: std::collections::BTreeSet<_> = named.iter().map(|k| k.as_str().unwrap()).collect();
    assert_eq!(kinds, named, "each kind is tried");
}

/// The lines of one kind.
fn of_kind<'a>(all: &'a [Value], kind: &str) -> Vec<&'a Value> {
    all.iter().filter(|line| line["kind"] == kind).collect()
}

/// The data set at a path.
fn data_set<'a>(all: &'a [Value], path: &str) -> &'a Value {
    let paths = || of_kind(all, "dataset").into_iter().map(|set| &set["path"]);
    let mut sets = of_kind(all, "dataset").into_iter();
    let found = sets.find(|set| set["path"] == path);
    found.unwrap_or_else(|| panic!("{path}: {:?}", paths().collect::<Vec<_>>()))
}

/// A tree as an old project leaves it.
fn inherited() -> Scratch {
    let s = Scratch::new();
    for (speaker, n) in [("ann", 3), ("bob", 2)] {
        for i in 0..n {
            let samples = 8000 + 80 * u32::from(i);
            s.write(
                &format!("old/corpus/{speaker}/{i}.wav"),
                wav(samples, i + n),
            );
            s.write(
                &format!("old/corpus/{speaker}/{i}.lab"),
                "0 5000000 a\n5000000 10000000 b\n",
            );
        }
    }
    for name in ["fbank.ark", "fbank.scp", "text"] {
        let to = name.replace("text", "transcripts.txt");
        s.write(&format!("old/feats/{to}"), fs::read(sample(name)).unwrap());
    }
    let jobs = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/kaldi/ali-jobs/input.exp"
    );
    for name in ["ali.1.gz", "ali.2.gz", "num_jobs", "final.mdl"] {
        let bytes = fs::read(format!("{jobs}/{name}")).unwrap();
        s.write(&format!("old/exp/tri/{name}"), bytes);
    }
    s.write("old/corpus/._0.wav", [0; 40]);
    s.write("old/.DS_Store", [0; 10]);
    s.write("old/empty.ark", []);
    s.write("old/notes.bin", [0, 1, 2, 255]);
    s
}

#[test]
fn a_tree_is_told_line_by_line() {
    let s = inherited();
    let said = s.ok("info -r old --json");
    let all = lines(&said);
    assert!(all.iter().all(|line| line["schema"] == 1), "{}", said.out);
    let sound = data_set(&all, "old/corpus/");
    assert_eq!(
        (&sound["format"], &sound["utterances"]),
        (&json!("wav"), &json!(5))
    );
    assert_eq!(sound["rates"], json!([8000]));
    assert!(
        (sound["seconds"].as_f64().unwrap() - 5.04).abs() < 1e-9,
        "{sound}"
    );
    let labels = &sound["parts"][0];
    assert_eq!(
        (&labels["role"], &labels["files"]),
        (&json!("labels"), &json!(5))
    );
    let feats = data_set(&all, "old/feats/fbank.scp");
    assert_eq!(
        (&feats["utterances"], &feats["frames"]),
        (&json!(12), &json!(3111))
    );
    assert_eq!(feats["parts"][0]["path"], "old/feats/fbank.ark");
    let jobs = data_set(&all, "old/exp/tri/");
    assert_eq!(
        (&jobs["utterances"], &jobs["frames"]),
        (&json!(3), &json!(153))
    );
    assert_eq!(of_kind(&all, "unknown")[0]["path"], "old/notes.bin");
    assert_eq!(of_kind(&all, "empty")[0]["path"], "old/empty.ark");
    let rubbish: Vec<_> = of_kind(&all, "rubbish")
        .into_iter()
        .map(|r| &r["path"])
        .collect();
    assert_eq!(rubbish, ["old/.DS_Store", "old/corpus/._0.wav"]);
    let totals = of_kind(&all, "totals")[0];
    assert_eq!(
        (&totals["faults"], &totals["rubbish"]),
        (&json!(0), &json!(2))
    );
    // All label files are the same.
    assert!(!of_kind(&all, "same").is_empty());
}

#[test]
fn a_folder_that_is_no_data_set_is_surveyed_without_asking() {
    let s = inherited();
    let said = s.ok("info old");
    assert!(said.out.starts_with("data "), "{}", said.out);
    assert!(said.out.contains("data sets, "), "{}", said.out);
    assert_eq!(s.ok("info -r old").out, said.out);
    // A data set is told in full.
    assert!(
        s.ok("info old/exp/tri")
            .out
            .starts_with("old/exp/tri\n  format")
    );
}

#[test]
fn tables_have_a_line_for_all_that_there_is() {
    let s = inherited();
    let said = s.ok("info -r old --tsv");
    let mut all = said.out.lines();
    let head: Vec<_> = all.next().unwrap().split('\t').collect();
    assert_eq!(head[..3], ["kind", "path", "format"]);
    let kinds: Vec<_> = all.map(|line| line.split('\t').next().unwrap()).collect();
    for kind in [
        "dataset", "labels", "data", "unknown", "empty", "rubbish", "same", "totals",
    ] {
        assert!(kinds.contains(&kind), "{kind}: {kinds:?}");
    }
    assert!(
        said.out
            .lines()
            .all(|line| line.split('\t').count() == head.len())
    );
}

#[test]
fn archives_are_surveyed_without_unpacking() {
    let s = inherited();
    let plain = lines(&s.ok("info -r old --json"));
    for (pack, archive) in [
        ("tar cf old.tar old", "old.tar"),
        ("tar czf old.tgz old", "old.tgz"),
        ("tar cjf old.tar.bz2 old", "old.tar.bz2"),
        (
            "python3 -c 'import shutil; shutil.make_archive(\"old\", \"zip\", \".\", \"old\")'",
            "old.zip",
        ),
    ] {
        assert_eq!(s.shell(pack).status, 0, "{pack}");
        let before = s.names();
        for line in [
            format!("info --json {archive}"),
            format!("info -r --json {archive}"),
        ] {
            let said = s.ok(&line);
            let all = lines(&said);
            assert_eq!(s.names(), before, "nothing is unpacked");
            for path in ["corpus/", "feats/fbank.scp", "exp/tri/"] {
                let inner = data_set(&all, &format!("{archive}/old/{path}"));
                let outer = data_set(&plain, &format!("old/{path}"));
                for fact in ["format", "utterances", "seconds", "bytes", "files"] {
                    assert_eq!(inner[fact], outer[fact], "{line} {path} {fact}");
                }
            }
            assert_eq!(of_kind(&all, "totals")[0]["archives"], 1);
        }
    }
}

#[test]
fn damage_is_told_and_the_status_is_2() {
    let s = inherited();
    let bytes = s.read("old/corpus/ann/0.wav");
    s.write("old/corpus/ann/0.wav", &bytes[..9000]);
    s.write("old/corpus/bob/9.wav", []);
    fs::remove_file(s.path("old/exp/tri/ali.2.gz")).unwrap();
    let ark = s.read("old/feats/fbank.ark");
    s.write("old/feats/cut.ark", &ark[..100_000]);
    let said = s.run("info -r old --json");
    assert_eq!(said.status, 2, "{}", said.err);
    let all = lines(&said);
    let faults = |path: &str| data_set(&all, path)["faults"].as_u64().unwrap();
    assert_eq!(faults("old/corpus/"), 2);
    let damage = data_set(&all, "old/exp/tri/")["damage"][0]
        .as_str()
        .unwrap();
    assert!(
        damage.contains("lacks the alignments of job 2 of 2"),
        "{damage}"
    );
    assert_eq!(faults("old/feats/cut.ark"), 1);
    let error: Value = serde_json::from_str(&said.err).unwrap();
    assert_eq!(error["message"], "4 faults found, in 3 data sets");
    let text = s.run("info -r old");
    assert_eq!(text.status, 2);
    assert!(
        text.out
            .contains("fault  old/corpus/bob/9.wav: the file is empty"),
        "{}",
        text.out
    );
}

#[test]
fn moved_files_are_one_fault() {
    let s = Scratch::new();
    let line = |n: u32| {
        format!("{{\"audio_filepath\": \"/gone/{n}.wav\", \"duration\": 1.0, \"text\": \"a\"}}\n")
    };
    s.write("d/train.json", (0..9).map(line).collect::<String>());
    let said = s.run("info -r d --json");
    assert_eq!(said.status, 2, "{}", said.out);
    let all = lines(&said);
    let set = data_set(&all, "d/train.json");
    let text = "names 9 files, of which 9 are missing, the first is /gone/0.wav";
    assert_eq!(
        (&set["damage"], &set["faults"]),
        (&json!([text]), &json!(1))
    );
    // The same with the sound where it is named.
    for n in 0..9 {
        s.write(&format!("d/wav/{n}.wav"), wav(8000, n));
    }
    let text = String::from_utf8(s.read("d/train.json")).unwrap();
    s.write("d/train.json", text.replace("/gone", "wav"));
    let all = lines(&s.ok("info -r d --json"));
    let set = data_set(&all, "d/train.json");
    let part = json!({"role": "sound", "path": "d/wav/*.wav", "files": 9, "bytes": 9 * 16044});
    assert_eq!(set["parts"], json!([part]));
    assert_eq!(of_kind(&all, "dataset").len(), 1);
}

#[test]
fn numbered_files_are_one_data_set_and_gaps_are_told() {
    let s = Scratch::new();
    let ark = fs::read(sample("cmvn.ark")).unwrap();
    for n in [1, 2, 3, 4, 6] {
        let mut own = ark.clone();
        own.extend(format!("x{n}  [ {n} ]\n").bytes());
        s.write(&format!("d/cmvn.{n}.ark"), own);
    }
    let said = s.run("info -r d --json");
    let all = lines(&said);
    let set = data_set(&all, "d/cmvn.*.ark");
    assert_eq!((&set["files"], &set["faults"]), (&json!(5), &json!(1)));
    let text = "lacks number 5 of 1 to 6";
    assert_eq!(set["damage"], json!([text]));
}

#[test]
fn files_of_the_same_content_are_told_by_folder() {
    let s = Scratch::new();
    for n in 0..4u8 {
        let sound = wav(6000 + u32::from(n), n);
        s.write(&format!("d/a/{n}.wav"), &sound);
        s.write(&format!("d/b/{n}.wav"), &sound);
    }
    // The ends are the same, the middle is not.
    let mut other = wav(20_000, 1);
    s.write("d/a/x.wav", &other);
    other[20_000] = 9;
    s.write("d/b/y.wav", &other);
    let all = lines(&s.ok("info -r d --json"));
    let same = of_kind(&all, "same");
    assert_eq!(same.len(), 1, "{same:?}");
    assert_eq!(
        (&same[0]["paths"], &same[0]["files"]),
        (&json!(["d/a/", "d/b/"]), &json!(4))
    );
    assert_eq!(of_kind(&all, "totals")[0]["doubled"], 4);
    assert!(of_kind(&lines(&s.ok("info -r d --json --quick")), "same").is_empty());
}

#[test]
fn splits_stay_apart_and_speakers_do_not() {
    let s = Scratch::new();
    for split in ["train-clean", "dev-clean"] {
        for speaker in ["19", "26"] {
            for n in 0..2u8 {
                s.write(&format!("d/{split}/{speaker}/1/{n}.wav"), wav(800, n));
            }
        }
    }
    let all = lines(&s.ok("info -r d --json"));
    for split in ["d/train-clean/", "d/dev-clean/"] {
        assert_eq!(data_set(&all, split)["utterances"], 4);
    }
    assert_eq!(of_kind(&all, "dataset").len(), 2);
}

/// Sound that lies in a few of many folders is not one data set.
#[test]
fn folders_among_much_else_stay_apart() {
    let s = Scratch::new();
    for (folder, n) in [("rec", 1), ("sounds", 2)] {
        s.write(&format!("d/{folder}/a.wav"), wav(800, n));
        s.write(&format!("d/{folder}/b.wav"), wav(900, n));
    }
    for folder in ["notes", "scripts", "papers"] {
        s.write(&format!("d/{folder}/{folder}.bin"), [0, 9, 255]);
    }
    let all = lines(&s.ok("info -r d --json"));
    for path in ["d/rec/", "d/sounds/"] {
        assert_eq!(data_set(&all, path)["utterances"], 2);
    }
    assert_eq!(of_kind(&all, "dataset").len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_utf8_and_links_in_circles_do_no_harm() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let s = Scratch::new();
    s.write("d/a.wav", wav(800, 1));
    let odd = s.path("d").join(OsStr::from_bytes(b"\xff\n.wav"));
    fs::write(odd, wav(900, 2)).unwrap();
    let all = lines(&s.ok("info -r d --json"));
    assert_eq!(data_set(&all, "d/")["utterances"], 2);
    std::os::unix::fs::symlink(".", s.path("d/again")).unwrap();
    std::os::unix::fs::symlink("nowhere", s.path("d/dangling")).unwrap();
    let said = s.run("info -r d --json");
    assert_eq!(said.status, 2);
    assert_eq!(of_kind(&lines(&said), "unread").len(), 2, "{}", said.out);
    let text = s.run("info -r d").out;
    assert!(
        text.contains("is a link to a folder that it is in"),
        "{text}"
    );
}

#[test]
fn broken_archives_tell_what_is_there() {
    let s = inherited();
    s.shell("tar cf old.tar old && tar czf old.tgz old");
    let tar = s.read("old.tar");
    s.write("d/cut.tar", &tar[..tar.len() / 2]);
    let tgz = s.read("old.tgz");
    s.write("d/cut.tgz", &tgz[..tgz.len() / 2]);
    s.write("d/not.zip", b"PK\x03\x04 but no more");
    s.write("d/none.tar", b"no archive at all, whatever its name");
    let said = s.run("info -r d --json");
    assert_eq!(said.status, 2, "{}", said.err);
    let all = lines(&said);
    let unread: Vec<_> = of_kind(&all, "unread")
        .into_iter()
        .map(|u| u["why"].to_string())
        .collect();
    for name in ["cut.tar", "cut.tgz", "not.zip"] {
        assert!(
            unread.iter().any(|text| text.contains(name)),
            "{name}: {unread:?}"
        );
    }
    assert!(!of_kind(&all, "dataset").is_empty());
    let unknown: Vec<_> = of_kind(&all, "unknown")
        .into_iter()
        .map(|u| &u["path"])
        .collect();
    assert!(!unknown.contains(&&json!("d/cut.tar")), "{unknown:?}");
    assert!(said.out.contains("d/none.tar"), "{}", said.out);
}

/// A list in an archive names what the archive holds, whatever lies in the working folder.
#[test]
fn lists_in_archives_name_what_is_beside_them() {
    let s = inherited();
    assert_eq!(s.shell("tar cf old.tar old").status, 0);
    s.write("fbank.ark", "other");
    let all = lines(&s.ok("info old.tar --json"));
    let set = data_set(&all, "old.tar/old/feats/fbank.scp");
    assert_eq!(set["parts"][0]["path"], "old.tar/old/feats/fbank.ark");
    let text = s.ok("info old.tar --tsv").out;
    assert!(
        text.starts_with("kind\tpath\t"),
        "one line of titles: {text}"
    );
}

/// A member whose name leads out of the archive is no file of it.
#[test]
fn hostile_names_stay_inside() {
    let s = Scratch::new();
    let mut file = fs::File::create(s.path("bad.tar")).unwrap();
    let script = "import tarfile, io\nt = tarfile.open('bad.tar', 'w')\n\
        for name in ['../out.wav', '/etc/passwd', 'ok.txt']:\n  \
        i = tarfile.TarInfo(name); i.size = 3; t.addfile(i, io.BytesIO(b'a b'))\nt.close()\n";
    file.flush().unwrap();
    s.write("make.py", script);
    assert_eq!(s.shell("python3 make.py").status, 0);
    let said = s.run("info -r bad.tar --json");
    let all = lines(&said);
    assert_eq!(of_kind(&all, "totals")[0]["files"], 2, "{}", said.out);
    assert!(said.out.contains("leads out of the archive") && !said.out.contains("\"/etc"));
}

#[test]
fn a_place_that_is_not_there_is_an_error() {
    let s = Scratch::new();
    let error = s.fails("info -r nowhere");
    assert!(error.contains("nowhere"), "{error}");
    s.write("a.txt", "a\n");
    let error = s.fails("info -r a.txt");
    assert!(error.contains("neither a folder nor an archive"), "{error}");
    let said = s.shell("mkdir none; spr-convert info -r none");
    assert_eq!(
        (said.status, said.out.as_str()),
        (0, "0 data sets in 0 files, 0 bytes\n")
    );
}

#[test]
fn pages_hold_the_same_lines() {
    let s = inherited();
    s.write("old/<b>.odd", [1, 0, 3]);
    s.ok("report -r old -o old.html -q");
    let page = String::from_utf8(s.read("old.html")).unwrap();
    for text in [
        "old/corpus/",
        "old/feats/fbank.scp",
        "labels: ",
        "&lt;b&gt;.odd",
        ".DS_Store",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("<b>.odd"));
    let error = s.fails("report -r old -o old.html");
    assert!(error.contains("exists already"), "{error}");
}

#[test]
fn progress_is_lines_of_json_and_a_reader_may_go_away() {
    let s = inherited();
    let said = s.ok("info -r old --progress json");
    assert!(
        said.err
            .lines()
            .all(|line| serde_json::from_str::<Value>(line).is_ok())
    );
    assert_eq!(
        s.shell("spr-convert info -r old --json | head -n 1").status,
        0
    );
}

/// What file managers leave beside data is neither read nor advised.
#[test]
fn rubbish_is_no_utterance_of_a_folder() {
    let s = Scratch::new();
    s.write("d/._a.wav", [0; 82]);
    s.write("d/a.wav", wav(800, 1));
    let said = s.ok("info d --json");
    let facts: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(facts["utterances"], 1);
    assert!(said.err.contains("d/._a.wav: skipped"), "{}", said.err);
    s.write("e/._b.ark", [0; 82]);
    s.write("e/b.ark", fs::read(sample("cmvn.ark")).unwrap());
    let error = s.run("e out.pfile").err;
    assert!(
        error.contains("e/b.ark") && !error.contains("._b"),
        "{error}"
    );
}

/// Packed members are read as those that are not, and their damage is found.
#[test]
fn packed_archives_tell_what_a_folder_tells() {
    let s = Scratch::new();
    fs::create_dir(s.path("s")).unwrap();
    let (fbank, wav) = (sample("fbank.ark"), sample("../wav/ann-001.wav"));
    s.shell(&format!(
        "cp {fbank} s; cp {fbank} s/again.ark; head -c 300000 {fbank} > s/cut.ark; \
         head -c 20000 {wav} > s/cut.wav; cp {wav} s; gzip -k s/again.ark; printf 'x 1 2\\n' > s/x.ctm"
    ));
    s.shell("tar cf s.tar s; tar czf s.tgz s; python3 -c \"import shutil; shutil.make_archive('s', 'zip', '.', 's')\"");
    let facts = |place: &str| {
        let said = s.run(&format!("info -r {place} --tsv"));
        assert_eq!(said.status, 2, "{place}: {}", said.err);
        let lines = said
            .out
            .lines()
            .map(|line| line.replace(&format!("{place}/s/"), "s/"));
        lines.collect::<Vec<_>>()
    };
    let plain = facts("s");
    assert!(
        plain.iter().any(|line| line.contains("s/cut.ark")),
        "{plain:?}"
    );
    for packed in ["s.tar", "s.tgz", "s.zip"] {
        assert_eq!(facts(packed), plain, "{packed}");
    }
}

#[test]
fn tables_of_transcripts_belong_to_their_sound() {
    let s = Scratch::new();
    let wav = sample("../wav/ann-001.wav");
    s.shell(&format!(
        "mkdir -p L/wavs; for i in 1 2 3; do cp {wav} L/wavs/L$i.wav; \
         echo \"L$i|Dr. $i|Doctor $i\" >> L/metadata.csv; done"
    ));
    s.shell(&format!(
        "for d in 1/2 3/4; do mkdir -p Lib/$d; n=$(echo $d | tr / -); for k in 1 2; do \
         cp {wav} Lib/$d/$n-000$k.wav; echo \"$n-000$k HELLO THERE\" >> Lib/$d/$n.trans.txt; done; done"
    ));
    for (folder, path, utterances, tables) in [("L", "L/wavs/", 3, 1), ("Lib", "Lib/", 4, 2)] {
        let said = s.ok(&format!("info -r {folder} --json"));
        let all = lines(&said);
        let sets = of_kind(&all, "dataset");
        assert_eq!(sets.len(), 1, "{}", said.out);
        assert_eq!(sets[0]["path"], path);
        assert_eq!(sets[0]["utterances"], utterances, "{}", said.out);
        let parts = sets[0]["parts"].as_array().unwrap();
        assert_eq!(
            parts
                .iter()
                .filter(|part| part["role"] == "transcripts")
                .count(),
            tables
        );
    }
}
