//! Small files that claim or expand to much: refused at once, or streamed in little memory.

use std::io::Write;
use std::process::Command;

use bzip2::write::BzEncoder;
use flate2::write::GzEncoder;

use crate::{Said, Scratch};

/// Address space given to the program, in KiB: its code, of which there are 35 MiB with all formats, what it holds,
/// and the stacks of its threads.
const ROOM: u64 = 174 << 10;
const MIB: usize = 1 << 20;

/// `head` and a GiB of `fill` over and over, each MiB compressed for itself.
fn bomb(codec: &str, head: &[u8], fill: &[u8]) -> Vec<u8> {
    let member = |bytes: &[u8]| match codec {
        "gz" => {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::best());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        "bz2" => {
            let mut encoder = BzEncoder::new(Vec::new(), bzip2::Compression::best());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        }
        _ => zstd::encode_all(bytes, 19).unwrap(),
    };
    let mib = fill.repeat(MIB.div_ceil(fill.len()));
    let all = [member(head), member(&mib).repeat(1024)].concat();
    assert!(all.len() < 6 << 20);
    all
}

/// Runs the program in so much memory.
fn run(s: &Scratch, line: &str) -> Said {
    let line = format!(
        "ulimit -v {ROOM}; exec {} {line}",
        env!("CARGO_BIN_EXE_spr-convert")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &line]).current_dir(s.path(""));
    // Else the C library reserves up to 128 MiB for each thread at some moment.
    command.env("MALLOC_ARENA_MAX", "1");
    crate::said(command.output().unwrap())
}

/// A pickled array of a GiB of `f4`, up to its bytes.
fn array(fortran: bool) -> Vec<u8> {
    let mut head = b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\0\x85U\x01b\
        \x87R(K\x01J\0\0\x04\0J\0\x04\0\0\x86cnumpy\ndtype\nU\x02f4K\0K\x01\x87R(K\x03U\x01<NNN\
        J\xff\xff\xff\xffJ\xff\xff\xff\xffK\0tb"
        .to_vec();
    head.push(if fortran { 0x88 } else { 0x89 });
    head.push(b'T');
    head.extend_from_slice(&(1u32 << 30).to_le_bytes());
    head
}

/// A format, the start of a file, and what follows it over and over.
type Bomb = (&'static str, Vec<u8>, &'static [u8]);

/// The start of a WAV file with so many bytes of samples.
fn wave(size: u32) -> Vec<u8> {
    let head =
        b"RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0data";
    [&head[..], &size.to_le_bytes()].concat()
}

fn kaldi_bombs() -> Vec<Bomb> {
    let int = |n: i32| n.to_le_bytes();
    let object = |token: &[u8], n: i32| [b"a \0B", token, b"\x04", &int(n)].concat();
    let matrix = [&object(b"FM ", 1 << 18)[..], b"\x04", &int(1 << 10)].concat();
    let packed = |token: &[u8]| {
        let shape = [int(1 << 20), int(1 << 10)].concat();
        [b"a \0B", token, &[0; 8], &shape].concat()
    };
    let all: [(Vec<u8>, &'static [u8]); 16] = [
        (b"".to_vec(), b"\0"),
        (b"a \0B".to_vec(), b"\0"),
        (b"".to_vec(), b"a"),
        (b"a  [".to_vec(), b" "),
        (b"a  [ ".to_vec(), b"1 "),
        (b"a ".to_vec(), b"1 "),
        (matrix, b"\0"),
        (object(b"FV ", 1 << 28), b"\0"),
        (object(b"FP ", 20_000), b"\0"),
        (packed(b"CM "), b"\0"),
        (packed(b"CM2 "), b"\0"),
        (packed(b"CM3 "), b"\0"),
        (object(b"", 200_000_000), b"\x04\0\0\0\0"),
        (object(b"SM ", 80_000_000), b"SV \x04\x01\0\0\0\x04\0\0\0\0"),
        ([b"a ", &wave(1 << 30)[..]].concat(), b"\0"),
        ([b"a ", &wave(0)[..]].concat(), b"\0"),
    ];
    all.map(|(head, fill)| ("kaldi", head, fill)).into()
}

fn pdnn_bombs() -> Vec<Bomb> {
    // A sentence of 16 frames, each of 64 MiB.
    let (width, rows) = (1 << 24, 16);
    let cols = width + 2;
    let mut sentence = format!(
        "-pfile_header version 0 size 32768\n-num_sentences 1\n-num_frames {rows}\n\
        -first_feature_column 2\n-num_features {width}\n-first_label_column {cols}\n\
        -num_labels 0\n-format 2d{width}f\n\
        -data size {} offset 0 ndim 2 nrow {rows} ncol {cols}\n-end\n",
        rows * cols
    )
    .into_bytes();
    sentence.resize(32768, 0);
    let header = b"-pfile_header version 0 size 32768\n".to_vec();
    vec![
        ("pfile", header.clone(), b"\0"),
        ("pfile", header, b"a"),
        ("pfile", sentence, b"\0\0\0\0"),
        ("pickle", b"".to_vec(), b"\0"),
        ("pickle", b"".to_vec(), b"("),
        ("pickle", b"".to_vec(), b"N"),
        ("pickle", b"\x80\x02".to_vec(), b"]"),
        ("pickle", b"\x80\x04N".to_vec(), b"\x94"),
        ("pickle", b"\x80\x04]".to_vec(), b"2"),
        ("pickle", b"\x80\x04".to_vec(), b"\x8c\0"),
        ("pickle", b"S'".to_vec(), b"a"),
        ("pickle", array(false), b"\0"),
        ("pickle", array(true), b"\0"),
    ]
}

fn spraak_bombs() -> Vec<Bomb> {
    let spr = |format: &str| {
        let head = ".spr\nDATA\tTRACK\nTYPE\tF32\nFORMAT\t";
        format!("{head}{format}\nDIM1\t268435456\nDIM2\t1\n#\n").into_bytes()
    };
    let open = |lines: &str| {
        format!(".spr/DATA {lines}/#/")
            .replace('/', "\n")
            .into_bytes()
    };
    let key = |lines: &str| format!(".key\nDATATYPE {lines}\n#\n").into_bytes();
    vec![
        ("spr", b".spr\n".to_vec(), b"a"),
        ("spr", b".spr\n".to_vec(), b"a 1\n"),
        ("spr", open("TRACK/TYPE F32/FORMAT BIN01/DIM2 1"), b"\0"),
        (
            "spr",
            open("TRACK/TYPE F32/FORMAT BIN01/DIM1 -1/DIM2 4"),
            b"\0",
        ),
        ("spr", open("TRACK/TYPE F64/FORMAT ASCII/DIM2 1"), b"1 "),
        ("spr", open("PARAM/TYPE F32/FORMAT BIN10/DIM2 1"), b"\0"),
        (
            "spr",
            open("SAMPLE/TYPE I16/FORMAT BIN01/CHANLEN -1"),
            b"\0",
        ),
        ("spr", open("SAMPLE/TYPE ULAW/FORMAT BIN01"), b"\0"),
        ("spr", open("SEG"), b"a l 0 1\n"),
        ("spr", open("SEG/TIMEBASE CONTINUOUS"), b"a l 0 1 x y z\n"),
        ("spr", open("CORPUS"), b"a b 0 -1\n"),
        ("spr", open("DICTIONARY"), b"a b\n"),
        ("spr", open("UNIT/LAYOUT CUSTOM"), b"\0"),
        ("spr", spr("BIN01"), b"\0"),
        ("spr", spr("ASCII"), b"1 "),
        ("key", key("TRACK\nDATAFORMAT FLOAT\nNPARAM 1"), b"\0"),
        ("key", key("SAMPLE\nDATAFORMAT SHORT"), b"\0"),
        ("key", key("SEG"), b"a l 0 1\n"),
        ("key", b".key\n".to_vec(), b"a"),
    ]
}

fn array_bombs() -> Vec<Bomb> {
    let htk = [&[1u8, 0, 0, 0, 0, 1, 0x86, 0xa0][..], &[0, 64, 0, 9]].concat();
    let npy = |fortran: &str| {
        let dict =
            format!("{{'descr': '<f4', 'fortran_order': {fortran}, 'shape': (16777216, 16), }}");
        let head = format!("{dict:<117}\n");
        [b"\x93NUMPY\x01\0\x76\0", head.as_bytes()].concat()
    };
    let json = |rest: &str| format!("{{\"key\":\"a\",{rest}").into_bytes();
    let features = "\"features\":{\"dtype\":\"f64\",\"shape\":[268435456,1],\"data\":[";
    vec![
        ("htk", htk, b"\0"),
        ("npy", npy("False"), b"\0"),
        ("npy", npy("True"), b"\0"),
        ("jsonl", b"".to_vec(), b"["),
        ("jsonl", b"".to_vec(), b" "),
        ("jsonl", b"{\"key\":\"".to_vec(), b"a"),
        ("jsonl", json("\"features\":"), b"["),
        ("jsonl", json(features), b"[0],"),
        ("jsonl", json("\"labels\":["), b"0,"),
        (
            "jsonl",
            json("\"kind\":\"int32-vector-vector\",\"value\":["),
            b"[],",
        ),
    ]
}

fn sound_bombs() -> Vec<Bomb> {
    let au = |size: u32| {
        let words = [24, size, 3, 16000, 1].map(u32::to_be_bytes).concat();
        [b".snd", &words[..]].concat()
    };
    let mut sphere = b"NIST_1A\n   1024\nsample_rate -i 16000\nchannel_count -i 1\n\
        sample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_coding -s3 pcm\n\
        sample_count -i 536870912\nend_head\n"
        .to_vec();
    sphere.resize(1024, b' ');
    vec![
        ("wav", wave(1 << 30), b"\0"),
        ("wav", wave(u32::MAX), b"\0"),
        ("sphere", sphere, b"\0"),
        ("sphere", b"NIST_1A\n   1024\n".to_vec(), b"a"),
        ("au", au(1 << 30), b"\0"),
        ("au", au(u32::MAX), b"\0"),
    ]
}

#[test]
fn archives_that_expand() {
    let s = Scratch::new();
    let mut tried = 0;
    let all = [kaldi_bombs(), pdnn_bombs(), spraak_bombs()];
    let all = all.into_iter().chain([array_bombs(), sound_bombs()]);
    for (format, head, fill) in all.flatten() {
        for codec in ["gz", "bz2", "zst"] {
            s.write("bomb", bomb(codec, &head, fill));
            let said = run(&s, &format!("-f {format} bomb x.jsonl"));
            let name = format!("{format} {} {fill:?} {codec}", head.escape_ascii());
            assert_eq!(said.status, 2, "{name}: {}", said.err);
            assert!(said.err.contains("error: bomb"), "{name}: {}", said.err);
            assert_eq!(s.names(), ["bomb"], "{name}");
            tried += 1;
        }
    }
    assert_eq!(tried, 3 * 64);
}

#[test]
fn a_joblib_file_expands_no_further() {
    let s = Scratch::new();
    for head in [b"\x80\x02]".to_vec(), array(false)] {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(&head).unwrap();
        for _ in 0..100 {
            encoder.write_all(&vec![b'2'; MIB]).unwrap();
        }
        s.write("bomb.pkl", encoder.finish().unwrap());
        let said = run(&s, "bomb.pkl x.jsonl");
        assert_eq!(said.status, 2, "{}", said.err);
        assert!(
            said.err.contains("a temporary copy of ")
                && said.err.contains("--max-alloc SIZE allows"),
            "{}",
            said.err
        );
    }
}

#[test]
fn data_that_are_packed_behind_their_header_expand_no_further() {
    let s = Scratch::new();
    let mut tried = 0;
    for (lines, fill) in [
        ("TRACK/TYPE F32/FORMAT BIN01/DIM2 1", &b"\0"[..]),
        ("TRACK/TYPE F32/FORMAT BIN01/DIM1 -1/DIM2 3", b"\0"),
        ("TRACK/TYPE F32/FORMAT BIN01/DIM1 99999999/DIM2 2", b"\0"),
        ("TRACK/TYPE F32/FORMAT ASCII/DIM2 1", b"1 "),
        ("SAMPLE/TYPE I16/FORMAT BIN01", b"\0"),
        ("SAMPLE/TYPE ALAW/FORMAT BIN01/CHANLEN -1", b"\0"),
        ("SEG", b"a l 0 1\n"),
        ("CORPUS", b"a b 0 -1\n"),
        ("DICTIONARY", b"a b\n"),
        ("FOO/LAYOUT CUSTOM", b"\0"),
    ] {
        let head = format!(".spr/DATA {lines}/COMPRESS gzip/#/").replace('/', "\n");
        s.write("bomb", [head.into_bytes(), bomb("gz", b"", fill)].concat());
        for line in ["bomb x.jsonl", "check bomb"] {
            let said = run(&s, line);
            let text = said.err + &said.out;
            assert!(matches!(said.status, 1 | 2), "{lines}: {text}");
            assert!(text.contains("--max-alloc SIZE allows"), "{lines}: {text}");
            tried += 1;
        }
    }
    assert_eq!(tried, 20);
}

#[test]
fn what_is_many_small_things_is_streamed() {
    let s = Scratch::new();
    // 256 rows of 1024 columns.
    let mut entry = b"a \0BFM \x04\0\x01\0\0\x04\0\x04\0\0".to_vec();
    entry.resize(entry.len() + 256 * 1024 * 4, 0);
    for codec in ["gz", "bz2", "zst"] {
        s.write("long", bomb(codec, b"", &entry));
        let said = run(&s, "ark:long ark:/dev/null");
        assert_eq!(said.status, 0, "{codec}: {}", said.err);
        assert!(said.err.contains(" utterances, "), "{}", said.err);
    }
}

/// A script or list of a million short names.
fn names(line: impl Fn(usize) -> String) -> Vec<u8> {
    (0..1_000_000).map(line).collect::<String>().into_bytes()
}

#[test]
fn lists_that_are_kept_are_bounded_by_the_limit() {
    let s = Scratch::new();
    let list =
        |data: &str, body: Vec<u8>| [format!(".spr\nDATA {data}\n#\n").as_bytes(), &body].concat();
    let mut header = b".spr\n".to_vec();
    header.extend(names(|n| format!("k{n} {}\n", n % 10)));
    header.extend(b"TYPE I8\nFORMAT BIN01\nDIM2 1\n#\n\0");
    let mut tried = 0;
    for (bytes, what) in [
        (header, "a header of "),
        (
            list("CORPUS", names(|n| format!("u{n} x 0 -1\n"))),
            "the names of a list of ",
        ),
        (
            list("SEG", names(|n| format!("u{n} x 0 1\n"))),
            "the names of a list of ",
        ),
        (
            list("SEG", names(|_| "- x 0 1\n".replace('-', "u"))),
            "a list of segments of ",
        ),
        (
            names(|n| format!("u{n:07} a.ark:{n}\n")),
            "a script file of ",
        ),
    ] {
        s.write("long", bytes);
        // A script file is kept where entries are looked up.
        let line = match what {
            "a script file of " => {
                s.write("f", "u0000001  [\n  1 2 ]\n");
                "--max-alloc 16m ark:f --labels scp:long x.jsonl"
            }
            _ => "--max-alloc 16m long x.jsonl",
        };
        let said = run(&s, line);
        assert_eq!(said.status, 2, "{what}: {}", said.err);
        assert!(said.err.contains(what), "{what}: {}", said.err);
        assert!(said.err.contains("--max-alloc"), "{what}: {}", said.err);
        tried += 1;
    }
    assert_eq!(tried, 5);
}

#[test]
fn a_list_that_is_written_is_bounded_by_the_limit() {
    let s = Scratch::new();
    s.write("text", names(|n| format!("u{n} good morning\n")));
    let said = run(&s, "--max-alloc 16m text x.cor");
    assert_eq!(said.status, 2, "{}", said.err);
    let error = "the names of a list of ";
    assert!(
        said.err.contains(error) && said.err.contains("--max-alloc"),
        "{}",
        said.err
    );
    assert_eq!(s.names(), ["text"]);
    let said = run(&s, "text x.cor");
    assert!(said.err.contains("1000000 utterances"), "{}", said.err);
}

#[test]
fn a_header_that_repeats_a_key_is_read_at_once_and_warned_about_once() {
    let s = Scratch::new();
    let mut header = b".spr\n".to_vec();
    header.extend(b"k 12345678\n".repeat(1_000_000));
    header.extend(b"TYPE I8\nFORMAT BIN01\nDIM2 1\n#\n\0");
    s.write("a.spr", header);
    let start = std::time::Instant::now();
    let said = s.ok("a.spr x.jsonl");
    assert!(start.elapsed().as_secs() < 20);
    assert_eq!(said.err.lines().count(), 2, "{}", said.err);
    assert!(said.err.contains("k appears 1000000 times"), "{}", said.err);
}

#[test]
fn warnings_of_one_sort_are_said_a_few_times_and_counted() {
    let s = Scratch::new();
    let mut header = ".spr\n".to_owned();
    for n in 0..500 {
        header += &format!("k{n} a\nk{n} b\n");
    }
    s.write("a.spr", header + "TYPE I8\nFORMAT BIN01\nDIM2 1\n ##\n\0");
    let said = s.ok("a.spr x.jsonl");
    let lines: Vec<_> = said.err.lines().collect();
    assert_eq!(lines.len(), 13, "{}", said.err);
    assert!(lines[0].contains("blanks around the #"), "{}", lines[0]);
    assert!(lines[10].contains("appears twice"), "{}", lines[10]);
    assert!(
        lines[11].contains("490 more warnings like this one: k"),
        "{}",
        lines[11]
    );
    assert!(lines[12].starts_with("1 utterance, "), "{}", lines[12]);
}
