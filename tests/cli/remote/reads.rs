//! Inputs behind URLs.

use super::{Remote, expected};
use crate::sample;

#[test]
fn a_url_stands_where_a_path_may() {
    let (r, want) = (Remote::with_corpus(), expected());
    let web = std::fs::read(sample("fbank.ark")).unwrap();
    r.server.put("b/d/y.ark", web);
    for input in [
        "s3://b/x.ark",
        "s3a://b/x.ark",
        "WEB/b/x.ark",
        "WEB/b/x.ark?sign=a,b/c=d",
        "s3://b/x.scp",
        "WEB/b/x.scp",
        "scp:s3://b/x.scp",
        "ark:WEB/b/x.ark",
        "kaldi:s3://b/x.ark",
        "s3://b/d/*.ark",
        "s3://b/**/y.ark",
        "s3://b/d/?.ark",
    ] {
        assert!(r.listing(input) == want, "{input}");
    }
    assert!(r.ok("s3://b/x.ark,context=1 jsonl:- -q").out.len() > want.len());
    let said = r.ok("info WEB/b/x.ark?sign=abc");
    assert!(
        said.out.contains("12 utterances") && !said.out.contains("abc"),
        "{}",
        said.out
    );
    let said = r.ok("--explain WEB/b/x.ark?sign=abc x.pfile");
    assert!(!said.out.contains("abc"), "{}", said.out);
}

#[test]
fn side_files_and_folders_are_found() {
    let r = Remote::with_corpus();
    r.ok("s3://b/x.ark s3://b/t.pfile -q");
    assert!(
        r.server
            .names()
            .contains(&"b/t.pfile.utt2num_frames".to_owned())
    );
    let said = r.ok("ls s3://b/t.pfile");
    assert!(said.out.starts_with("ann-001"), "{}", said.out);
    r.ok("s3://b/x.ark spr:s3://b/out/ -q");
    let said = r.ok("ls s3://b/out");
    assert!(said.out.starts_with("ann-001"), "{}", said.out);
    // Objects whose names only begin alike are not in the folder.
    assert!(
        r.fails("info s3://b/ou")
            .contains("there is nothing of this name")
    );
}

/// The ranges that were asked of an object.
fn ranges(r: &Remote, name: &str) -> Vec<(u64, u64)> {
    let log = r.server.log();
    let of = log
        .iter()
        .filter_map(|line| line.strip_prefix(&format!("GET {name} bytes=")));
    let ends = of.filter_map(|range| range.split_once('-'));
    ends.map(|(a, b)| (a.parse().unwrap(), b.parse::<u64>().unwrap() + 1))
        .collect()
}

/// An archive of `n` matrices of `size` bytes, and its script file.
fn large(r: &Remote, n: usize, size: usize) {
    let (mut ark, mut scp) = (Vec::new(), String::new());
    for i in 0..n {
        ark.extend(format!("k{i:03} ").bytes());
        scp.push_str(&format!("k{i:03} big.ark:{}\n", ark.len()));
        ark.extend(b"\0BFM \x04");
        ark.extend(u32::try_from(size / 4).unwrap().to_le_bytes());
        ark.extend(b"\x04\x01\0\0\0");
        ark.resize(ark.len() + size, 0);
    }
    r.server.put("b/big.ark", ark);
    r.server.put("b/big.scp", scp);
}

#[test]
fn ranges_grow_and_cover_all_once() {
    let r = Remote::new();
    large(&r, 40, 400_000);
    r.ok("s3://b/big.ark null.ark -q --remote-block 1m");
    let asked = ranges(&r, "b/big.ark");
    assert_eq!(asked[0], (0, 64 << 10));
    let total = asked.last().unwrap().1;
    assert!(
        asked.windows(2).all(|pair| pair[0].1 >= pair[1].0),
        "{asked:?}"
    );
    let bytes: u64 = asked.iter().map(|(a, b)| b.min(&total) - a).sum();
    assert!(bytes < 16_100_000, "{bytes} of {asked:?}");
    assert!(asked.len() < 12, "{asked:?}");
}

#[test]
fn a_list_fetches_what_it_names_and_no_more() {
    let r = Remote::new();
    large(&r, 40, 1_500_000);
    let said = r.ok("ls s3://b/big.scp");
    assert_eq!(said.out.lines().count(), 40);
    r.server.log();
    r.ok("select s3://b/big.scp --glob k0[03][30] -o some.ark -q");
    let asked = ranges(&r, "b/big.ark");
    let bytes: u64 = asked.iter().map(|(a, b)| b - a).sum();
    assert!(bytes < 20_000_000, "{bytes} of {asked:?}");
    // Many small ones beside each other cost few requests.
    large(&r, 400, 5_000);
    r.server.log();
    r.ok("s3://b/big.scp small.ark -q");
    let asked = ranges(&r, "b/big.ark");
    assert!(asked.len() < 12, "{asked:?}");
}

#[test]
fn what_is_packed_is_undone() {
    let (r, want) = (Remote::with_corpus(), expected());
    r.ok("s3://b/x.ark s3://b/z.ark.gz -q");
    assert!(r.listing("s3://b/z.ark.gz") == want);
    assert!(r.listing("WEB/b/z.ark.gz") == want);
}

#[test]
fn empty_and_tiny_objects_are_objects() {
    let r = Remote::new();
    r.server.put("b/none.ark", "");
    r.server.put("b/one.txt", "a 1 2 3\n");
    assert!(
        r.run("info s3://b/none.ark").err.contains("empty")
            || r.run("info s3://b/none.ark").status == 0
    );
    let said = r.ok("s3://b/one.txt jsonl:- -q --from kaldi");
    assert!(said.out.contains("[1,2,3]"), "{}", said.out);
}
