//! Small files that claim or expand to much: refused at once, or streamed in little memory.

use std::io::Write;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::Scratch;

/// Address space given to the program, in KiB; thread stacks count.
const ROOM: u64 = 300 << 10;

/// `head` and a gigabyte of `fill`, gzipped to a megabyte.
fn bomb(head: &[u8], fill: u8) -> Vec<u8> {
    let member = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let mut all = member(head);
    all.extend(member(&vec![fill; 1 << 20]).repeat(1024));
    all
}

#[test]
fn archives_that_expand() {
    let s = Scratch::new();
    let spr = ".spr\nDATA\tTRACK\nTYPE\tF32\nFORMAT\tBIN01\nDIM1\t2147483647\nDIM2\t1\n#\n";
    let mut tried = 0;
    for (format, head, fill) in [
        ("kaldi", &b""[..], 0),
        ("kaldi", b"a \0B", 0),
        ("kaldi", b"", b'a'),
        ("kaldi", b"a  [", b' '),
        ("pfile", b"-pfile_header version 0 size 32768\n", 0),
        ("pfile", b"-pfile_header version 0 size 32768\n", b'a'),
        ("pickle", b"", 0),
        ("pickle", b"", b'('),
        ("pickle", b"", b'N'),
        ("pickle", b"\x80\x02", b']'),
        ("spr", b".spr\n", b'a'),
        ("spr", spr.as_bytes(), 0),
        ("key", b".key\n", b'a'),
        ("jsonl", b"", b'['),
        ("jsonl", b"{\"key\":\"", b'a'),
        ("jsonl", b"{\"key\":\"a\",\"features\":", b'['),
        ("jsonl", b"", b' '),
    ] {
        let small = bomb(head, fill);
        assert!(small.len() < 2 << 20);
        s.write("bomb.gz", small);
        let line = format!(
            "ulimit -v {ROOM}; exec {} -f {format} bomb.gz x.jsonl --max-alloc 32m",
            env!("CARGO_BIN_EXE_spr-convert")
        );
        let mut command = Command::new("sh");
        command.args(["-c", &line]).current_dir(s.path(""));
        let output = command.output().unwrap();
        let said = crate::said(output);
        let name = format!("{format} {head:?} {fill}");
        assert_eq!(said.status, 2, "{name}: {}", said.err);
        assert!(said.err.contains("error: bomb.gz"), "{name}: {}", said.err);
        assert!(!s.path("x.jsonl").exists(), "{name}");
        tried += 1;
    }
    assert_eq!(tried, 17);
}
