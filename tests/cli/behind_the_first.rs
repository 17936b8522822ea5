//! What stands in a file behind the first object is read, or refused until the user says what is
//! wanted. No flag hides it.

use std::fs;

use crate::{Scratch, sample};

#[test]
fn a_file_twice_in_one_is_not_read_as_one() {
    let s = Scratch::new();
    fs::copy(sample("../wav/ann-001.wav"), s.path("a.wav")).unwrap();
    let frames = "{\"key\":\"f\",\"features\":{\"dtype\":\"f32\",\"shape\":[2,2],\"data\":[[1,2],[3,4]]},\
                  \"meta\":{\"frame_shift\":0.01}}\n";
    s.write("f.jsonl", frames);
    let targets = [
        ("a.wav", "x.wav"),
        ("a.wav", "x.sph"),
        ("a.wav", "x.au"),
        ("a.wav", "x.flac"),
        ("a.wav", "spr:x.sam"),
        ("f.jsonl", "x.htk"),
        ("f.jsonl", "x.npy"),
        ("f.jsonl", "x.npz"),
        ("f.jsonl", "x.pfile"),
        ("f.jsonl", "x.pkl"),
        ("f.jsonl", "x.spr"),
        ("f.jsonl", "key:x.key"),
        ("f.jsonl", "x.track"),
        ("f.jsonl", "x.safetensors"),
    ];
    for (input, target) in targets {
        s.ok(&format!("{input} {target} --allow-loss all -q --overwrite"));
        let file = target.rsplit(':').next().unwrap();
        let bytes = s.read(file);
        s.write(&format!("twice/{file}"), bytes.repeat(2));
        for quiet in ["", " -q"] {
            let error = s.fails(&format!("twice/{file} o.jsonl{quiet}"));
            assert!(error.contains(file), "{error}");
        }
        let said = s.run(&format!("check twice/{file}"));
        assert!(
            matches!(said.status, 1 | 2),
            "{file}: {}{}",
            said.out,
            said.err
        );
    }
    // What is wanted can be said.
    for (file, all, rows) in [("x.spr", "false", 2), ("x.key", "false", 2)] {
        let said = s.ok(&format!("twice/{file},all={all} o.jsonl --overwrite -q"));
        assert!(said.err.is_empty(), "{}", said.err);
        let text = String::from_utf8(s.read("o.jsonl")).unwrap();
        assert!(
            text.contains(&format!("\"shape\":[{rows},2]")),
            "{file}: {text}"
        );
    }
    // Samples that the header does not count.
    let mut stale = s.read("a.wav");
    stale[4..8].copy_from_slice(&1036u32.to_le_bytes());
    stale[40..44].copy_from_slice(&1000u32.to_le_bytes());
    s.write("stale.wav", stale);
    for quiet in ["", " -q"] {
        let error = s.fails(&format!("stale.wav o.ark{quiet}"));
        assert!(error.contains("goes on after the samples"), "{error}");
    }
    s.ok("stale.wav,all=false o.ark");
    s.ok("twice/x.wav,all=false o.wav");
    s.ok("a.wav p.wav");
    assert_eq!(s.read("o.wav"), s.read("p.wav"));
}

#[test]
fn a_file_longer_than_its_header_says_is_read_as_wanted() {
    let s = Scratch::new();
    let head = ".spr\nDATA\tTRACK\nTYPE\tF32\nFORMAT\tASCII\nDIM1\t2\nDIM2\t1\nFSHIFT\t0.01\n#\n";
    s.write("a.spr", format!("{head}1\n2\n3\n"));
    let error = s.fails("a.spr ark,t:- -q");
    assert!(error.contains("goes on after 2 vectors"), "{error}");
    let said = s.ok("a.spr,all=true ark,t:-");
    assert_eq!(said.out, "a  [\n  1 \n  2 \n  3 ]\n");
    let said = s.ok("a.spr,all=false ark,t:-");
    assert_eq!(said.out, "a  [\n  1 \n  2 ]\n");
    s.fails("a.spr,all=true b.spr,all=true");
}
