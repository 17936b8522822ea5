//! The messages about wrong steps.

use spr_core::ErrorKind;
use spr_engine::step::Steps;

use super::script::{errors, script};
use super::written::{env, stream, typed};

/// Steps that are wrong, the character, the error, and the hint.
const SLIPS: &[(&str, usize, &str, &str)] = &[
    (
        "shufle(10)",
        1,
        "there is no stage 'shufle'",
        "did you mean 'shuffle'? ",
    ),
    (
        "unique|unqiue",
        8,
        "there is no stage 'unqiue'",
        "did you mean 'unique'? ",
    ),
    (
        "xyz",
        1,
        "there is no stage 'xyz'",
        "stages: select, without, length, ",
    ),
    (
        "rename(old=a)",
        1,
        "rename: expected a new key for each old one",
        "rename('s/REGEX/TEXT/',...), rename(old=KEY,new=KEY,...)",
    ),
    (
        "shuffle(0)",
        9,
        "shuffle: '0' is not a number from 1 on",
        "shuffle(N[,seed=N])",
    ),
    (
        "shuffle(-1)",
        9,
        "shuffle: '-1' is not a number from 1 on",
        "shuffle(N",
    ),
    (
        "shuffle(+1)",
        9,
        "shuffle: '+1' is not a number from 1 on",
        "shuffle(N",
    ),
    (
        "shuffle(1e3)",
        9,
        "shuffle: '1e3' is not a number from 1 on",
        "shuffle(N",
    ),
    (
        "shuffle(9,sed=1)",
        11,
        "shuffle: unknown key 'sed'",
        "did you mean 'seed'? shuffle(N",
    ),
    (
        "shuffle(9,colour=1)",
        11,
        "shuffle: unknown key 'colour'",
        "shuffle(N[,seed=N])",
    ),
    (
        "shuffle(9,1)",
        11,
        "shuffle: one value too many",
        "shuffle(N[,seed=N])",
    ),
    (
        "shuffle(9,n=1)",
        11,
        "shuffle: 'n' is said twice",
        "shuffle(N[,seed=N])",
    ),
    (
        "shuffle(9,seed=4294967296)",
        11,
        "shuffle: '4294967296' is not a number from 0 to 4294967295, or pdnn",
        "shuffle",
    ),
    (
        "unique(other)",
        8,
        "unique: one value too many",
        "unique, unique(first) or unique(last)",
    ),
    (
        "unique(first,first)",
        14,
        "unique: 'first' is said twice",
        "unique, unique",
    ),
    ("shard(3,3)", 1, "shard: parts count from 0", "shard(I,N)"),
    ("shard(3)", 1, "shard: expected a number", "shard(I,N)"),
    (
        "first(1)|context",
        10,
        "context: expected a number of frames, such as 5",
        "context(N)",
    ),
    (
        "context(5,x)",
        11,
        "context: 'x' is not a number of frames, such as 5",
        "context(N)",
    ),
    (
        "context(5,5,5)",
        13,
        "context: one value too many",
        "context(N)",
    ),
    ("frames", 1, "frames: expected ranges", "frames(RANGES)"),
    (
        "cut",
        1,
        "cut: expected segments, text, speaker or the name of a tier",
        "cut(segments|text|speaker|TIER",
    ),
    (
        "cut(words,gap=-1)",
        11,
        "cut: '-1' is not seconds, such as 0.3",
        "cut(",
    ),
    (
        "cut(words,key='{recording}')",
        11,
        "cut: '{recording}': all pieces of a recording would have one key",
        "such as {recording}-{n:05}",
    ),
    ("join", 1, "join: expected recording", "join(recording)"),
    (
        "join(speaker)",
        6,
        "join: 'speaker' is not recording",
        "join(recording)",
    ),
    ("columns(0,x)", 9, "columns: ", ""),
    (
        "ignore-label(9-7)",
        14,
        "ignore-label: '9-7' is not a set of labels",
        "labels and ascending ranges",
    ),
    (
        "map-label(1)",
        11,
        "map-label: '1' does not map labels",
        "FROM:TO",
    ),
    (
        "select('[')",
        8,
        "select: '[' is not a pattern for keys",
        "",
    ),
    (
        "select(regex='(')",
        8,
        "select: '(' is not a regular expression: unclosed group",
        "",
    ),
    (
        "select",
        1,
        "select: expected one of a pattern, key=, regex= and keys=",
        "select(PATTERN",
    ),
    (
        "select(a,regex=b)",
        1,
        "select: expected one of a pattern, key=, regex= and keys=",
        "select(",
    ),
    (
        "sort(key,frmes)",
        6,
        "sort: key,^frmes, character 5: there is no column 'frmes'",
        "did you mean 'frames'?",
    ),
    (
        "sort(memory=7)",
        6,
        "sort: '7' is not a size with its unit, such as 600m",
        "sort(",
    ),
    (
        "partition(0m)",
        11,
        "partition: '0m' is not a size with its unit, such as 600m",
        "partition(SIZE)",
    ),
    (
        "partition(99999999999g)",
        11,
        "partition: '99999999999g' is not a size",
        "partition(SIZE)",
    ),
    (
        "check(frames=3-2)",
        7,
        "check: '3-2' is not frames, such as 100, 1-2000 or 10-",
        "check",
    ),
    (
        "check(dtype=f23)",
        7,
        "check: 'f23' is not an element type, such as f32",
        "check",
    ),
    ("check(5)", 7, "check: one value too many", "check"),
    ("parts", 1, "parts: expected the parts to keep", "parts("),
    ("parts(colour)", 7, "parts: one value too many", "parts("),
    (
        "frame-shift(0)",
        13,
        "frame-shift: '0' is not seconds, such as 0.01",
        "frame-shift(SECONDS)",
    ),
    ("batch", 1, "batch: expected a size", "batch(FRAMES)"),
    (
        "batch(9,utterances=2)",
        1,
        "batch: expected one size",
        "batch(FRAMES)",
    ),
    (
        "batch(9,pad)",
        1,
        "batch: only whole utterances have lengths",
        "",
    ),
    (
        "batch(utterances=9,buckets=9:3)",
        20,
        "batch: the lengths that separate buckets must ascend, from 1",
        "",
    ),
    (
        "prefetch(0)",
        10,
        "prefetch: '0' is not a number from 1 to 1024",
        "prefetch",
    ),
    (
        "prefetch(99999999999999999999)",
        10,
        "prefetch: '99999999999999999999' is not",
        "prefetch",
    ),
    (
        "batch(9)|context(5)",
        10,
        "context: utterances are no more behind batch",
        "put it before batch",
    ),
    (
        "batch(9)|batch(9)",
        10,
        "batch: utterances are no more behind batch",
        "put it before batch",
    ),
    (
        "shuffle-frames|frames(0)",
        16,
        "frames: utterances are no more behind shuffle-frames",
        "put it before",
    ),
    (
        "partition(1m)|select(a)",
        15,
        "select: utterances are no more behind partition",
        "put it before",
    ),
];

#[test]
fn a_slip_is_told_with_its_place_and_what_was_meant() {
    for (text, character, message, hint) in SLIPS.iter().copied() {
        let error = text.parse::<Steps>().unwrap_err();
        let expected = format!("'{text}', character {character}: {message}");
        assert!(error.to_string().starts_with(&expected), "{error}");
        assert_eq!(error.kind(), ErrorKind::Usage, "{text}");
        let told = error.hint_text().unwrap_or_default();
        assert!(told.starts_with(hint), "{text}: {told}");
    }
    assert_eq!(SLIPS.len(), 53);
}

#[test]
fn what_comes_after_batches_may_still_be_chosen_and_read_ahead() {
    for text in [
        "batch(4)|first(2)|shard(0,2)|shuffle(3)|columns(1)|prefetch",
        "shuffle-frames(1k)|ignore-label(0)|map-label(1:2)|partition(1k)|batch(4)",
    ] {
        assert_eq!(errors(typed(text, &stream())), [""; 0], "{text}");
    }
}

#[test]
fn a_chain_that_gives_no_utterances_says_so() {
    let keeps = |text: &str| text.parse::<Steps>().unwrap().check_utterances();
    assert!(keeps("shuffle(9)|context(5)|frames(0)|check|prefetch(2)|sort").is_ok());
    for (text, stage, character) in [
        ("batch(9)", "batch", 1),
        ("first(1)|batch(utterances=9)|prefetch", "batch", 10),
        ("shuffle-frames", "shuffle-frames", 1),
        ("unique|partition(1m)|batch(9)", "partition", 8),
    ] {
        assert_eq!(
            keeps(text).unwrap_err().to_string(),
            format!("'{text}', character {character}: {stage}: what comes out is not utterances")
        );
    }
}

#[test]
fn a_list_that_is_missing_is_an_error_when_the_chain_is_put_up() {
    let stages: Steps = "select(keys=no.list)".parse().unwrap();
    let error = stages.over(script(&[]), &env()).err().unwrap();
    assert!(error.to_string().contains("no.list"), "{error}");
}
