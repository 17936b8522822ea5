//! No two outputs are one file, and none is an input, by whatever names.

use std::fs;
use std::os::unix::fs::symlink;

use crate::names;
use crate::outputs::corpus;

#[test]
fn no_two_outputs_are_one_file_by_any_spelling() {
    let s = corpus();
    fs::create_dir(s.path("d")).unwrap();
    for name in ["0", "1", "same"] {
        symlink("d", s.path(name)).unwrap();
    }
    symlink("x.ark", s.path("link")).unwrap();
    let mut tried = 0;
    for line in [
        "split in.ark none{part}/../x.ark -n 2",
        "split in.ark d/../x{part}/../x.ark --frames 100",
        "split in.ark {part}/x.ark -n 2",
        "split in.ark spr:{part}/ -n 2",
        "split in.ark ark,scp:x.{part}.ark,none{part}/../x.scp -n 2",
        "in.ark x.ark --report d/../x.ark",
        "in.ark x.ark --report link",
        "in.ark x.ark --error-log link",
        "in.ark d/x.ark --report same/x.ark",
        "in.ark x.ark --report r --error-log ./r",
        "in.ark x.ark --report d/../r --error-log r",
        "in.ark x.ark --report - --json",
        "in.ark ark:- --report -",
        "in.ark ark:- --report /dev/stdout",
        "in.ark ark:- --error-log /proc/self/fd/1",
        "in.ark ark:- --labels ali.ark --labels-out ark:-",
        "in.ark ark:/dev/stdout --labels ali.ark --labels-out ark:-",
        "in.ark ark,scp:x,./x",
        "in.ark x.pfile --report x.pfile.utt2num_frames",
        "in.ark x.pkl --error-log d/../x.pkl.utt2num_frames",
        "in.ark x.pfile,keys=y --report y",
        "in.ark x.pfile,keys=x.pfile",
        "in.ark x.pfile --labels ali.ark --labels-out ark:x.pfile.utt2num_frames",
        "in.ark x.scp --report x.ark",
        "in.ark x.scp --labels ali.ark --labels-out x.ark",
        "in.ark spr:d/ --report d/r",
        "in.ark spr:x/ --labels ali.ark --labels-out ark:x/ali.ark",
        "in.ark spr:x/ --labels ali.ark --labels-out spr:same/../x/",
        "split in.ark x.{part}.ark -n 2 --report x.1.ark",
        "split in.ark x.{part}.pfile -n 2 --report x.1.pfile.utt2num_frames",
        "split in.ark x.{part}.ark -n 2 --labels ali.ark --labels-out ark:./x.{part}.ark",
    ] {
        let said = s.run(&format!("{line} --overwrite"));
        assert_eq!(said.status, 2, "{line}: {}", said.err);
        let refused = ["twice", "the same file", "is inside the output folder"];
        let found = refused.iter().any(|why| said.err.contains(why));
        assert!(found, "{line}: {}", said.err);
        assert!(said.out.is_empty(), "{line}");
        assert_eq!(names(&s.path("d")), [""; 0], "{line}");
        let left = [
            "0", "1", "ali.ark", "ali.scp", "d", "in.ark", "in.scp", "link", "same",
        ];
        assert_eq!(s.names(), left, "{line}");
        tried += 1;
    }
    assert_eq!(tried, 31);
    // What takes anything takes two.
    s.ok("in.ark ark:/dev/null --labels ali.ark --labels-out ark:/dev/null");
}

/// A verb with its options, what is read, and the file whose role is tried.
const ROLES: &[(&str, &str, &str)] = &[
    ("convert", "in.ark", "in.ark"),
    ("convert", "in.scp", "in.scp"),
    ("convert", "in.scp", "in.ark"),
    ("convert", "in.ark --labels ali.ark", "ali.ark"),
    ("convert", "in.ark --labels ali.scp", "ali.scp"),
    ("convert", "in.ark --labels ali.scp", "ali.ark"),
    ("convert", "in.ark,label=ali.ark", "ali.ark"),
    ("convert", "in.ark --labels ali.ark --utt2spk same", "same"),
    ("convert", "p.pfile", "p.pfile.utt2num_frames"),
    ("convert", "p.pfile,keys=K", "K"),
    ("convert", "raw.bin,header=head --from spr", "head"),
    ("convert", "list.cor,root=spr --from spr", "list.cor"),
    ("convert", "list.cor,root=spr --from spr", "spr/ann-001.spr"),
    ("convert", "spr/", "spr/ann-001.spr"),
    ("select", "in.ark --keys K", "K"),
    ("select", "in.ark --exclude-keys one", "one"),
    ("select", "two.scp --keys one", "second.ark"),
    ("sort", "in.ark", "in.ark"),
    ("merge", "in.ark other.ark", "other.ark"),
    ("split", "in.ark -n 2 --utt2spk same", "same"),
];

#[test]
fn no_input_of_any_role_is_replaced_by_any_output() {
    let s = corpus();
    s.ok("in.ark p.pfile");
    s.ok("select in.ark spr:spr/ --first 2");
    s.ok("select in.ark ark:second.ark --first 1");
    s.ok("spr/ann-001.spr spr:raw.bin,header=none --allow-loss metadata");
    let head = s.read("spr/ann-001.spr");
    let end = head.windows(2).position(|w| w == b"#\n").unwrap() + 2;
    s.write("head", &head[..end]);
    s.write(
        "list.cor",
        "#! spraak\nDATA\tCORPUS\n#\nann-001\tx\t0\t-1\tann\n",
    );
    let keys: Vec<String> = s
        .ok("ls in.ark --json")
        .out
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["key"].as_str().unwrap().to_owned()
        })
        .collect();
    s.write(
        "same",
        keys.iter()
            .map(|k| format!("{k} {k}\n"))
            .collect::<String>(),
    );
    let lengths = String::from_utf8(s.read("p.pfile.utt2num_frames")).unwrap();
    s.write("K", lengths);
    s.write("one", "ann-002\n");
    s.write("two.scp", "ann-001 second.ark:8\nann-002 in.ark:46591\n");
    s.ok("select in.ark other.ark --first 0");
    let in_scp = String::from_utf8(s.read("in.scp")).unwrap();
    let line = in_scp.lines().find(|l| l.starts_with("ann-002 ")).unwrap();
    s.write("two.scp", format!("ann-001 second.ark:8\n{line}\n"));
    let (mut tried, mut refused) = (0, 0);
    for (verb, reading, role) in ROLES {
        // It is there under a name that says nothing, and in a folder.
        s.shell("rm -rf alias 0.part folder new*; mkdir folder");
        symlink(role, s.path("alias")).unwrap();
        symlink(role, s.path("0.part")).unwrap();
        fs::hard_link(s.path(role), s.path("folder/x")).unwrap();
        let before = s.read(role);
        let part = if *verb == "split" { "{part}" } else { "" };
        let loss = "--allow-loss all --overwrite";
        for (kind, output) in [
            ("data", format!("ark:alias{part}")),
            ("side file", format!("new{part}.pfile,keys=alias{part}")),
            ("script", format!("ark,scp:new{part}.ark,alias{part}")),
            ("report", format!("new{part}.ark --report alias")),
            ("log", format!("new{part}.ark --error-log alias")),
            (
                "labels",
                format!("new{part}.ark --labels-out ark:alias{part}"),
            ),
            ("part", "ark:{part}.part".to_owned()),
            ("folder", "npy:folder/".to_owned()),
        ] {
            // A second name of a file that is never opened goes with the folder; the file stays.
            if kind == "folder" && *role == "second.ark" {
                continue;
            }
            let line = match (kind, *verb) {
                ("part", "convert") => format!("split {reading} -o {output} {loss} -n 1"),
                ("report" | "log" | "part", "split") => {
                    format!("split {reading} -o {output} {loss}")
                }
                ("part", _) | (_, "split") => continue,
                _ => format!("{verb} {reading} -o {output} {loss}"),
            };
            let said = s.run(&line);
            assert_eq!(said.status, 2, "{line}: {}", said.err);
            assert_eq!(s.read(role), before, "{line}");
            tried += 1;
            let why = [
                "is read",
                "holds the input",
                "is a folder that holds",
                "inside the input",
            ];
            refused += usize::from(why.iter().any(|why| said.err.contains(why)));
            if !why.iter().any(|why| said.err.contains(why)) {
                eprintln!("{kind}: {line}: {}", said.err);
            }
            assert!(!s.names().iter().any(|n| n.starts_with("new")), "{line}");
        }
    }
    assert_eq!(tried, 149);
    // Labels are missed where the data have none, which is said first.
    assert!(refused >= 136, "{refused}");
    // But in a folder that is emptied no file goes that a list names.
    s.shell("rm -rf folder; mkdir folder; mv second.ark folder/; sed -i s,second,folder/second, two.scp");
    let error = s.fails("select two.scp --keys one -o npy:folder/ --overwrite");
    assert!(
        error.contains("is a folder that holds the input"),
        "{error}"
    );
}
