use spr_core::model::{Decimal, Dtype, Key, Matrix, Rank, Utterance};

use super::*;

fn utterance() -> Utterance {
    let mut features = Matrix::default();
    features.start(Dtype::F32, Rank::Matrix, 2);
    let mut utt = Utterance {
        key: "ann-001".into(),
        features: Some(features),
        text: Some(b"caf\xe9 \"noir\"".to_vec()),
        ..Utterance::default()
    };
    utt.meta.speaker = Some(Key::from("103"));
    (utt.meta.start, utt.meta.end) = (Decimal::parse("1.5"), Decimal::parse("-0.5"));
    utt
}

#[test]
fn expressions_hold_or_not() {
    let utt = utterance();
    let row = Row::new(&utt, Decimal::parse("0.01"));
    for (text, holds) in [
        ("key = 'ann-001'", true),
        ("key == \"ann\"", false),
        ("\"ann-001\" = key", true),
        ("key ~ \"n-0\" and frames < 1k", true),
        ("key >= 'ann' AND NOT key > 'b'", true),
        ("start > 1 or start < 1", true),
        ("start > end", true),
        ("start >= 1.5e0 and start <= .15e+1 and end = -.5", true),
        ("dim = 2 and frames = 0 and seconds = 0", true),
        ("kinds ~ 'features' and not kinds ~ 'feat'", true),
        ("kinds = 'features+text'", true),
        ("text ~ '\"noir\"' and text ~ \"\"\"noir\"", true),
        ("speaker = '103' and speaker", true),
        ("characters = 11", true),
        // What is not known compares as false, with every sign.
        ("language", false),
        ("language = ''", false),
        ("language != ''", false),
        ("not language = 'en'", true),
        ("rate > 0 or rate <= 0", false),
        ("peak_db != 0", false),
        // `and` binds closer than `or`, `not` closest.
        ("speaker or language and language", true),
        ("(speaker or language) and language", false),
        ("not language or language", true),
        ("not (speaker and language)", true),
        ("not not speaker", true),
    ] {
        let expression: Expression = text.parse().unwrap();
        assert_eq!(expression.holds(&row), holds, "{text}");
    }
}

#[test]
fn faults_point_at_their_place() {
    for (text, fault) in [
        (
            "",
            "^, character 1: expected a column, 'not' or '(', found the end",
        ),
        (
            "seconds >> 1",
            "seconds >^> 1, character 10: expected a number, text in quotes or a column, found '>'",
        ),
        ("ä & b", "^ä & b, character 1: there is no column 'ä'"),
        (
            "key & 1",
            "key ^& 1, character 5: expected a column, a number, text in quotes or a comparison, found '&'",
        ),
        (
            "secnds > 1",
            "^secnds > 1, character 1: there is no column 'secnds'",
        ),
        (
            "seconds > x",
            "seconds > ^x, character 11: there is no column 'x'",
        ),
        (
            "seconds > 1s",
            "seconds > ^1s, character 11: '1s' is not a number",
        ),
        (
            "seconds > 1e999",
            "seconds > ^1e999, character 11: '1e999' is not a number",
        ),
        (
            "seconds > -inf",
            "seconds > ^-inf, character 11: '-inf' is not a number",
        ),
        (
            "seconds > '1'",
            "seconds > ^'1', character 11: expected a number, as on the left side",
        ),
        (
            "speaker = 103",
            "speaker = ^103, character 11: expected text in quotes, as the left side is text",
        ),
        (
            "frames ~ 1",
            "frames ^~ 1, character 8: ~ finds text in text, and the left side is a number",
        ),
        (
            "1 < 2",
            "^1 < 2, character 1: expected a column on one side of the comparison",
        ),
        (
            "1",
            "1^, character 2: expected a comparison such as = or <, found the end",
        ),
        (
            "key = 'a",
            "key = ^'a, character 7: the quote is not closed",
        ),
        (
            "(key",
            "(key^, character 5: expected 'and', 'or' or ')', found the end",
        ),
        (
            "key)",
            "key^), character 4: expected 'and', 'or' or the end, found ')'",
        ),
        (
            "key key",
            "key ^key, character 5: expected 'and', 'or' or the end, found 'key'",
        ),
        (
            "key and",
            "key and^, character 8: expected a column, 'not' or '(', found the end",
        ),
        (
            "offset > 1",
            "^offset > 1, character 1: 'offset' is known only where data are listed",
        ),
    ] {
        let error = text.parse::<Expression>().unwrap_err();
        assert_eq!(error.to_string(), fault);
    }
}

#[test]
fn depth_is_bounded_and_length_is_not() {
    for text in ["(".repeat(100_000), "not ".repeat(100_000)] {
        let error = text.parse::<Expression>().unwrap_err().to_string();
        assert!(error.contains("in one another"), "{error}");
    }
    let (utt, long) = (utterance(), vec!["key = 'ann-001'"; 100_000]);
    for word in [" and ", " or "] {
        let expression: Expression = long.join(word).parse().unwrap();
        assert!(expression.holds(&Row::new(&utt, None)));
        assert_eq!(expression.compared().len(), 1);
    }
}

#[test]
fn any_text_is_parsed_or_refused() {
    let parts = [
        "key", "(", ")", "not", "and", "~", "=", "1", "'", "\"", "é", "-", ".", "e", "k", " ", "\0",
    ];
    let mut seed = 1u32;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..8 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text.push_str(parts[(seed >> 16) as usize % parts.len()]);
        }
        let _ = text.parse::<Expression>();
    }
}
