//! The tools that copy.

use super::{Recipe, hash, words};

#[test]
fn copies_are_equal_to_what_kaldi_wrote() {
    let recipe = Recipe::new();
    for (line, original) in [
        ("copy-feats scp:fbank.scp ark:-", "fbank.ark"),
        (
            "copy-feats ark:fbank.ark ark:- | copy-feats ark:- ark:-",
            "fbank.ark",
        ),
        ("copy-matrix ark:fbank.ark ark:-", "fbank.ark"),
        ("subset-feats --n=3 scp:fbank.scp ark,t:-", "fbank_text.ark"),
        ("copy-int-vector ark:ali.ark ark:-", "ali.ark"),
        (
            "copy-int-vector scp:ali.scp ark,t:- | sed 's/ $//'",
            "ali.txt",
        ),
        ("copy-int-vector ark:ali.txt ark:-", "ali.ark"),
        ("copy-post ark:post.ark ark:-", "post.ark"),
        (
            "copy-post ark:post.ark ark,t:- | copy-post ark:- ark:-",
            "post.ark",
        ),
    ] {
        assert!(
            recipe.ok(line).bytes == recipe.read(original),
            "{line} differs from {original}"
        );
    }
}

#[test]
fn numbers_are_those_of_kaldi() {
    let recipe = Recipe::new();
    recipe.write("post", "a [ 5 .5 ] [ 6 +0.25 7 +1 ] \n");
    recipe.write("vec", "a  [ 1 -2 ]\n");
    for (line, out) in [
        (
            "copy-post ark:post ark,t:-",
            "a [ 5 0.5 ] [ 6 0.25 7 1 ] \n",
        ),
        ("copy-vector --scale=-1 ark:vec ark,t:-", "a  [ -1 2 ]\n"),
        (
            "copy-vector --change-dim=4 --scale=-1 ark:vec ark,t:-",
            "a  [ -1 2 -0 -0 ]\n",
        ),
    ] {
        assert_eq!(recipe.ok(line).out(), out, "{line}");
    }
    recipe.write("point", "a  [ .5 ]\n");
    recipe.fails("copy-vector ark:point ark,t:-", 255, "'.5' is not");
}

#[test]
fn files_for_htk_have_the_header_that_is_asked_for() {
    let recipe = Recipe::new();
    recipe.write("two", b"a  [ ]\nb  [\n  5 ]\n");
    let said = recipe.ok("copy-feats-to-htk --sample-kind=-1 --sample-period=-5 ark:two");
    assert!(said.err.contains("2 HTK feature files generated"));
    let head = [0xff, 0xff, 0xff, 0xfb];
    let a = [&[0, 0, 0, 0][..], &head, &[0, 0, 0xff, 0xff]].concat();
    let b = [
        &[0, 0, 0, 1][..],
        &head,
        &[0, 4, 0xff, 0xff],
        &[0x40, 0xa0, 0, 0],
    ]
    .concat();
    assert_eq!((recipe.read("a.fea"), recipe.read("b.fea")), (a, b));
}

#[test]
fn copy_feats() {
    let recipe = Recipe::new();
    let text = recipe.ok("copy-feats scp:fbank.scp ark,t:- | head -2");
    assert_eq!(words(text.out(), 0), ["ann-001", "["]);
    let row = words(text.out(), 1);
    assert_eq!(row[..3], ["13.14986", "15.48712", "16.66197"]);
    let said = recipe
        .ok("copy-feats --write-num-frames=ark,t:utt2num_frames ark:fbank.ark ark,scp:o.ark,o.scp");
    let first = said.err.lines().next().unwrap();
    assert_eq!(
        first,
        "copy-feats --write-num-frames=ark,t:utt2num_frames ark:fbank.ark ark,scp:o.ark,o.scp "
    );
    assert!(said.err.contains("LOG (copy-feats[spr-convert "));
    assert!(said.err.ends_with(") Copied 12 feature matrices.\n"));
    assert_eq!(recipe.read("o.ark"), recipe.read("fbank.ark"));
    let script = String::from_utf8(recipe.read("o.scp")).unwrap();
    assert_eq!(script.lines().nth(1), Some("ann-002 o.ark:46591"));
    let lengths = String::from_utf8(recipe.read("utt2num_frames")).unwrap();
    assert_eq!(lengths.lines().nth(7), Some("bob-004 99 "));
    assert_eq!(
        recipe
            .ok("copy-feats --print-args=f scp:o.scp ark:/dev/null")
            .err
            .lines()
            .count(),
        1
    );
}

#[test]
fn compression() {
    let recipe = Recipe::new();
    for (options, len, expected) in [
        ("--compress=true", 128_632, 0x0253_5930_8611_c0e9),
        (
            "--compress --compression-method=2",
            128_632,
            0x0253_5930_8611_c0e9,
        ),
        (
            "--compress=t --Compression_Method=3",
            249_244,
            0x0dc5_b0f0_0640_cd77,
        ),
        (
            "--compress=1 --compression-method=5",
            124_804,
            0x94ae_10ad_c4c5_0f05,
        ),
    ] {
        let line = format!("copy-feats {options} ark:fbank.ark ark:-");
        let bytes = recipe.ok(&line).bytes;
        assert_eq!((bytes.len(), hash(&bytes)), (len, expected), "{options}");
    }
    recipe.ok("copy-feats --compress=true ark:fbank.ark ark,scp:c.ark,c.scp");
    let similar = recipe.ok("compare-feats scp:fbank.scp scp:c.scp").err;
    assert!(
        similar.contains("Overall similarity for the two feats is:0.99999"),
        "{similar}"
    );
    recipe.fails("copy-feats --compress fbank.ark:8 o.mat", 255, "for tables");
    recipe.fails(
        "copy-feats --compress --compression-method=8 ark:fbank.ark ark:o",
        255,
        "8",
    );
}

#[test]
fn single_files() {
    let recipe = Recipe::new();
    recipe.ok("copy-feats --binary=false 'fbank.ark:8[0:1,0:3]' m.mat");
    let text =
        " [\n  13.14986 15.48712 16.66197 16.83729 \n  9.888343 16.01164 17.91741 17.17405 ]\n";
    assert_eq!(recipe.read("m.mat"), text.as_bytes());
    recipe.ok("copy-feats m.mat plain && test ! -x plain");
    let doubled = recipe.ok("cat m.mat | copy-matrix --scale=2 --binary=false - -");
    assert_eq!(words(doubled.out(), 1)[..2], ["26.29972", "30.97424"]);
    assert_eq!(recipe.ok("matrix-dim 'cat m.mat |'").out(), "2\t4\n");
    recipe.ok("copy-feats m.mat '| cat > b.mat'");
    assert!(
        recipe
            .read("b.mat")
            .starts_with(b"\0BFM \x04\x02\0\0\0\x04\x04\0\0\0")
    );
    recipe.ok("copy-feats --htk-in=true ann-001.fea h.mat; copy-feats 'fbank.ark:8' f.mat");
    assert_eq!(recipe.read("h.mat"), recipe.read("f.mat"));
    recipe.write("htk.scp", "ann-001 ann-001.fea\nann-002 ann-002.fea\n");
    let table = recipe.ok("copy-feats --htk-in scp:htk.scp ark:-").bytes;
    assert!(recipe.read("fbank.ark").starts_with(&table) && table.len() > 80_000);
    let sphinx = (0..13u8).flat_map(|n| f32::from(n).to_be_bytes());
    let sphinx: Vec<u8> = b"s \0\0\0\x0d".iter().copied().chain(sphinx).collect();
    recipe.write("sphinx", sphinx);
    let table = recipe.ok("copy-feats --sphinx-in ark:sphinx ark,t:-");
    let row = "  0 1 2 3 4 5 6 7 8 9 10 11 12 ]\n";
    assert_eq!(table.out(), format!("s  [\n{row}"));
    recipe.write("v", " [ 1 2.5 3 ]\n");
    let padded = recipe.ok("copy-vector --change_dim=5 --binary=f v -");
    assert_eq!(padded.out(), " [ 1 2.5 3 0 0 ]\n");
    let cut = recipe.ok("copy-vector --change-dim=1 v -").bytes;
    assert_eq!(cut, b"\0BFV \x04\x01\0\0\0\0\0\x80\x3f");
    recipe.write("i", "[ 1 -2   3 ]\n");
    let packed = b"\0B\x04\x03\0\0\0\x01\0\0\0\xfe\xff\xff\xff\x03\0\0\0";
    assert_eq!(recipe.ok("copy-int-vector i -").bytes, packed);
    let listed = recipe.ok("copy-int-vector i - | copy-int-vector --binary=false - -");
    assert_eq!(listed.out(), "[ 1 -2 3 ]\n");
    let placed = recipe.ok("copy-int-vector --binary=false ali.ark:8 - | cut -c1-10");
    assert_eq!(placed.out(), "[ 4 13 4 4\n");
    recipe.fails("copy-feats m.mat ark:o", 255, "a table");
    recipe.fails(
        "copy-matrix m.mat ark:o",
        255,
        "Cannot mix archives with regular files",
    );
    recipe.fails(
        "copy-feats ark:fbank.ark o.mat",
        255,
        "'o.mat' is not a table to write",
    );
}

#[test]
fn arithmetic() {
    let recipe = Recipe::new();
    recipe.write("m", "a  [\n  0 1 \n  4 2 ]\n");
    for (options, values) in [
        ("--scale=0.5 --apply-power=2", ["0 0.25", "4 1"]),
        ("--apply-power=0.5", ["0 1", "2 1.414214"]),
        ("--apply-exp", ["1 2.718282", "54.59815 7.389056"]),
        ("--apply-log", ["-46.0517 0", "1.386294 0.6931472"]),
        (
            "--apply-softmax-per-row",
            ["0.2689414 0.7310586", "0.880797 0.1192029"],
        ),
    ] {
        let out = recipe.ok(&format!("copy-matrix {options} ark:m ark,t:-"));
        let rows = [1, 2].map(|i| words(out.out(), i)[..2].join(" "));
        assert_eq!(rows, values, "{options}");
    }
    recipe.fails(
        "copy-matrix --apply-exp --apply-log ark:m ark:o",
        255,
        "Only one of",
    );
    recipe.write("n", "a  [ -1 ]\n");
    recipe.fails(
        "copy-matrix --apply-power=0.5 ark:n ark:o",
        255,
        "utterance a: -1 can't",
    );
    recipe.write("v", "a  [ 1 2 ]\n");
    assert_eq!(
        recipe.ok("copy-vector --scale=-2 ark:v ark,t:-").out(),
        "a  [ -2 -4 ]\n"
    );
    recipe.write("e", "a  [ ]\nb  [ 1 ]\nc  [ ]\n");
    let empty = recipe.ok("copy-vector ark:e ark:- | copy-vector ark:- ark,t:-");
    assert_eq!(empty.out(), "a  [ ]\nb  [ 1 ]\nc  [ ]\n");
    recipe.write("p", "a [ 1 0.5 2 0.25 ] [ ] [ 7 1 ] \n");
    let scaled = recipe.ok("copy-post --scale=2 ark:p ark,t:-");
    assert_eq!(scaled.out(), "a [ 1 1 2 0.5 ] [ ] [ 7 2 ] \n");
    assert_eq!(
        recipe.ok("copy-post --scale=0 ark:p ark,t:-").out(),
        "a [ ] [ ] [ ] \n"
    );
}

#[test]
fn htk_files_are_equal_to_what_kaldi_wrote() {
    let recipe = Recipe::new();
    let said = recipe.ok("copy-feats-to-htk --output-dir=htk scp:fbank.scp");
    assert!(
        said.err.contains("12 HTK feature files generated"),
        "{}",
        said.err
    );
    for name in ["ann-001.fea", "ann-002.fea", "ann-003.fea"] {
        assert_eq!(
            recipe.read(&format!("htk/{name}")),
            recipe.read(name),
            "{name}"
        );
    }
    recipe.ok(
        "copy-feats-to-htk --output-dir=7 --output-ext=fb --sample-kind=7 \
               --sample-period=50000 'scp:head -1 fbank.scp |'",
    );
    let header = b"\0\0\x01\x23\0\0\xc3\x50\0\xa0\0\x07";
    assert_eq!(recipe.read("7/ann-001.fb")[..12], *header);
    // Keys with folders in them; a period that is not known.
    recipe.write("deep", "x/y  [\n 1 ]\n");
    recipe.ok("copy-feats-to-htk --output-dir=p/q --sample-period=0 ark:deep");
    let header = b"\0\0\0\x01\0\0\0\0\0\x04\0\x09";
    assert_eq!(recipe.read("p/q/x/y.fea")[..12], *header);
    let row = b"1 ".repeat(9000);
    recipe.write("wide", [&b"a  [\n"[..], &row, b"]\n"].concat());
    recipe.fails(
        "copy-feats-to-htk --output-dir=new/folder ark:wide",
        255,
        "utterance a: has frames of 36000 bytes",
    );
    recipe.write("up", "../up  [\n 1 ]\n");
    recipe.fails(
        "copy-feats-to-htk ark:up",
        255,
        "utterance ../up: the key can't be a file name",
    );
}
