//! A shard reads what is its own, and little else.

use std::fmt::Write as _;
use std::fs;

use crate::{Said, Scratch};

/// The number of shards.
const SHARDS: u64 = 8;
/// The bytes that a shard may read in any case.
const ALWAYS: u64 = 1 << 20;

/// Numbers that look like samples, the same each time.
fn noise(seed: u64, n: usize) -> impl Iterator<Item = u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    (0..n).map(move |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as u32
    })
}

/// A wave file of 16 bits.
fn wave(seed: u64, samples: usize) -> Vec<u8> {
    let bytes = u32::try_from(2 * samples).unwrap();
    let mut out = [
        &b"RIFF"[..],
        &(36 + bytes).to_le_bytes(),
        b"WAVEfmt \x10\0\0\0\x01\0\x01\0",
    ]
    .concat();
    out.extend_from_slice(&16000u32.to_le_bytes());
    out.extend_from_slice(&32000u32.to_le_bytes());
    out.extend_from_slice(b"\x02\0\x10\0data");
    out.extend_from_slice(&bytes.to_le_bytes());
    out.extend(noise(seed, samples).flat_map(|n| [n.to_le_bytes()[0], n.to_le_bytes()[1]]));
    out
}

/// An archive of matrices.
fn matrices(rows: impl Iterator<Item = usize>) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, rows) in rows.enumerate() {
        out.extend_from_slice(format!("utt{n:03} \0BFM \x04").as_bytes());
        out.extend_from_slice(&i32::try_from(rows).unwrap().to_le_bytes());
        out.extend_from_slice(b"\x04\x28\0\0\0");
        let values = noise(n as u64, 40 * rows).map(|n| (n % 512) as f32 / 8.0);
        out.extend(values.flat_map(f32::to_le_bytes));
    }
    out
}

/// The size of a file, or of all files of a folder or a pattern.
fn size(s: &Scratch, input: &str) -> u64 {
    let path = s.path(input.split(['*', ',']).next().unwrap());
    match path.is_dir() {
        true => fs::read_dir(path)
            .unwrap()
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum(),
        false => path.metadata().unwrap().len(),
    }
}

/// Runs a shell line, and returns the number of bytes that its programs read.
fn count(s: &Scratch, line: &str) -> (Said, u64) {
    let said = s.shell(&format!("{line}; r=$?; grep rchar /proc/$$/io; exit $r"));
    let read = said
        .out
        .lines()
        .find_map(|line| line.strip_prefix("rchar: "));
    let read = read.unwrap().parse().unwrap();
    (said, read)
}

/// Converts an input by one job, and by shards, which read little else than their own.
fn check(s: &Scratch, input: &str, more: &str) {
    let (_, idle) = count(s, "spr-convert --version");
    s.ok(&format!(
        "{input} whole.ark --no-sync -q --overwrite {more}"
    ));
    let whole = size(s, "whole.ark");
    for shard in 1..=SHARDS {
        let line = format!(
            "spr-convert '{input}' part.ark --shard {shard}/{SHARDS} --no-sync --overwrite {more}"
        );
        let (said, read) = count(s, &line);
        assert_eq!(said.status, 0, "{line}: {}", said.err);
        let part = format!("part-{shard:05}-of-{SHARDS:05}.ark");
        let own = size(s, input) * size(s, &part) / whole;
        let most = own + own / 50 + ALWAYS;
        let read = read - idle;
        assert!(
            read <= most,
            "{input}, shard {shard}: {read} bytes of {most}"
        );
        // Parts are of about one size, by what they take in the file.
        let fair = size(s, input) / SHARDS;
        assert!(
            own.abs_diff(fair) <= fair / 2,
            "{input}, shard {shard}: {own} of {fair}"
        );
    }
    s.ok(&format!(
        "shards merge part.ark --of {SHARDS} -o merged.ark --overwrite -q"
    ));
    assert!(s.read("merged.ark") == s.read("whole.ark"), "{input}");
}

#[test]
fn shards_of_sound_read_their_own() {
    let s = Scratch::new();
    for n in 0..60 {
        let samples = 40_000 + 1_500 * usize::try_from(n).unwrap();
        s.write(&format!("wav/u{n:02}.wav"), wave(n, samples));
    }
    s.ok("wav sph/ -t sphere --no-sync -q");
    s.ok("wav wav.ark -t kaldi --no-sync -q");
    s.ok("wav au/ -t au --no-sync -q");
    for input in ["wav", "sph", "au", "wav/*.wav", "wav.ark"] {
        check(&s, input, "-t kaldi");
    }
    for input in ["wav", "wav/*.wav", "wav.ark"] {
        check(&s, input, "-t kaldi --on-error skip");
    }
}

#[test]
fn shards_of_features_read_their_own() {
    let s = Scratch::new();
    s.write("f.ark", matrices((0..60).map(|n| 600 + 20 * n)));
    s.ok("f.ark ark,scp:g.ark,g.scp --no-sync -q");
    for output in [
        "f.npz",
        "packed.npz,compress=6",
        "f.safetensors",
        "f.jsonl",
        "f.pkl,protocol=4",
        "dict.pkl,layout=dict",
        "f.pfile",
    ] {
        s.ok(&format!("f.ark {output} --no-sync -q"));
    }
    for folder in ["npy", "htk", "spr"] {
        s.ok(&format!(
            "f.ark {folder}/ -t {folder} --no-sync -q --allow-loss all --frame-shift 0.01"
        ));
    }
    for input in [
        "f.ark",
        "f.npz",
        "packed.npz",
        "f.safetensors",
        "f.jsonl",
        "f.pkl",
        "dict.pkl",
        "f.pfile",
        "npy",
        "htk",
        "spr",
    ] {
        check(&s, input, "--allow-loss all");
    }
}

/// An archive of integers in text, a line for each utterance.
fn alignments(utterances: u64, frames: usize) -> String {
    let line = |n| {
        let labels = noise(n, frames).map(|label| (label % 3000).to_string());
        format!("utt{n:04} {}\n", labels.collect::<Vec<_>>().join(" "))
    };
    (0..utterances).map(line).collect()
}

#[test]
fn shards_of_text_read_their_own() {
    let s = Scratch::new();
    // Up to the end of an entry is read twice.
    s.write("f.ark", matrices((0..300).map(|n| 120 + n)));
    s.ok("f.ark ark,t:t.ark --no-sync -q");
    s.write("ali.txt", alignments(3000, 600));
    let words = alignments(3000, 600).replace(' ', " w");
    s.write("words.txt", words);
    for (input, more) in [
        ("t.ark", "-t kaldi"),
        ("t.ark", "-t kaldi --on-error skip"),
        ("ali.txt,holder=int32-vector", "-f kaldi -t kaldi"),
        ("ali.txt", "-f kaldi -t kaldi --on-error skip"),
        ("words.txt", "-f kaldi -t kaldi"),
    ] {
        check(&s, input, more);
    }
}

#[test]
fn shards_of_pickles_read_their_own() {
    let s = Scratch::new();
    s.write("f.ark", matrices((0..30).map(|n| 600 + 20 * n)));
    let mut several = Vec::new();
    for n in 0..30 {
        s.write("one.ark", matrices(std::iter::once(600 + 20 * n)));
        s.ok("one.ark one.pkl,protocol=2,keys=none --no-sync -q --overwrite --allow-loss all");
        several.extend(s.read("one.pkl"));
    }
    s.write("several.pkl", several);
    s.ok("f.ark list.pkl,layout=list,protocol=2 --no-sync -q");
    s.ok("f.ark dict.pkl,layout=dict,protocol=2 --no-sync -q");
    for input in ["several.pkl", "list.pkl", "dict.pkl"] {
        check(&s, input, "-t kaldi");
    }
}

#[test]
fn inputs_that_each_shard_reads_from_the_start_are_warned_of() {
    let s = Scratch::new();
    s.write("f.ark", matrices([1000; 12].into_iter()));
    s.write("small.ark", matrices([10; 1000].into_iter()));
    s.write("ali.txt", alignments(400, 1000));
    for output in [
        "f.ark.gz",
        "f.jsonl.zst",
        "f.jsonl",
        "joined.pkl",
        "joined0.pkl,protocol=0",
        "dict0.pkl,layout=dict,protocol=0",
        "dict.pkl,layout=dict",
        "new.pkl,protocol=4",
    ] {
        s.ok(&format!("f.ark {output} -q --no-sync"));
    }
    let unpacks = "is compressed, so that each of 3 shards unpacks it from the start: 3 times the \
                   work of one job";
    let coded = "its numbers are coded as text, which protocol=4 avoids, so that each of 3 shards \
                 reads it from the start: up to 3 times the work of one job";
    let all = "its entries are found by reading all of it, so that each of 3 shards reads it from the \
               start: up to 3 times the work of one job";
    for (input, told) in [
        ("f.ark.gz", Some(unpacks)),
        ("f.jsonl.zst", Some(unpacks)),
        ("joined.pkl", Some(coded)),
        ("joined0.pkl", Some(coded)),
        ("dict0.pkl", Some(all)),
        ("small.ark", Some(all)),
        ("f.jsonl --shard-by entries", Some(all)),
        ("ali.txt -f kaldi --shard-by frames", Some(all)),
        ("f.ark", None),
        ("f.jsonl", None),
        ("dict.pkl", None),
        ("new.pkl", None),
        ("ali.txt -f kaldi", None),
    ] {
        let said = s.ok(&format!("{input} x.ark -t kaldi --shard 2/3 --overwrite"));
        let warning = said.err.lines().find(|line| line.contains("warning"));
        match (warning, told) {
            (Some(warning), Some(told)) => assert!(warning.ends_with(told), "{input}: {warning}"),
            (warning, told) => assert_eq!(warning, told, "{input}"),
        }
        let said = s.ok(&format!("{input} x.ark -t kaldi --shard 1/1 --overwrite"));
        assert!(!said.err.contains("of 1 shards"), "{input}: {}", said.err);
    }
}

/// Lines of all lengths, blank ones and those of Windows among them.
#[test]
fn lines_are_cut_where_they_start() {
    let s = Scratch::new();
    let mut text = String::new();
    for n in 0..3000 {
        let long = match n {
            77 => 300_000,
            n => n * 7 % 900,
        };
        let end = ["\n", "\r\n", "\n\n", " \n"][n % 4];
        write!(
            text,
            "{{\"key\":\"u{n:04}\",\"text\":\"{}\"}}{end}",
            "x".repeat(long)
        )
        .unwrap();
    }
    text.truncate(text.trim_end().len());
    assert!(text.len() > 1 << 20);
    s.write("in.jsonl", &text);
    s.ok("in.jsonl whole.jsonl -q");
    for of in [1, 2, 3, 7, 50] {
        for shard in 1..=of {
            s.ok(&format!(
                "in.jsonl n{of}.jsonl --shard {shard}/{of} -q --no-sync"
            ));
        }
        s.ok(&format!(
            "shards merge n{of}.jsonl --of {of} -o all{of}.jsonl -q"
        ));
        assert!(
            s.read(&format!("all{of}.jsonl")) == s.read("whole.jsonl"),
            "{of}"
        );
    }
    // A fault is one of its shard alone, told with its byte.
    let at = text.find("{\"key\":\"u2000\"").unwrap();
    text.replace_range(at..at + 1, "x");
    s.write("bad.jsonl", &text);
    let failed: Vec<_> = (1..=7)
        .map(|shard| {
            s.run(&format!(
                "bad.jsonl bad.{{shard}}.jsonl --shard {shard}/7 -q"
            ))
        })
        .filter(|said| said.status != 0)
        .collect();
    assert_eq!(failed.len(), 1);
    let place = format!("bad.jsonl@{at}: ");
    assert!(failed[0].err.contains(&place), "{}", failed[0].err);
    // Counts need all lines.
    s.ok("in.jsonl e.jsonl --shard 2/3 --shard-by entries -q");
    assert_eq!(
        String::from_utf8(s.read("e-00002-of-00003.jsonl"))
            .unwrap()
            .lines()
            .count(),
        1000
    );
}
