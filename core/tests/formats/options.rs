//! Options of formats, and what is understood of them.

use spr_core::ErrorKind;
use spr_core::format::{FormatInfo, OptionSpec, Options};

const SPEC: &[OptionSpec] = &[
    OptionSpec {
        name: "text",
        value: "true|false",
        help: "writes text",
    },
    OptionSpec {
        name: "frames",
        value: "N",
        help: "frames in a batch",
    },
    OptionSpec {
        name: "order",
        value: "little|big",
        help: "the byte order",
    },
];

static INFO: FormatInfo = FormatInfo::new("toy", "a toy", &["toy"]).options(SPEC);

fn one(key: &str, value: &str) -> Options {
    Options::new(&INFO, [(key, value)]).unwrap()
}

#[test]
fn a_key_that_is_unknown_is_explained() {
    let error = Options::new(&INFO, [("ordre", "big")]).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Usage, "unknown option 'ordre' for toy")
    );
    let hint = "did you mean 'order'? toy knows: text, frames, order";
    assert_eq!(error.hint_text().unwrap(), hint);
    let bare = FormatInfo::new("bare", "no options", &[]);
    let error = Options::new(&bare, [("order", "big")]).unwrap_err();
    assert_eq!(error.hint_text().unwrap(), "bare has no options");
}

#[test]
fn the_last_of_a_key_counts() {
    let options = Options::new(&INFO, [("order", "big"), ("order", "little")]).unwrap();
    assert_eq!(options.get("order"), Some("little"));
    assert_eq!(options.with("order", "big").get("order"), Some("big"));
    assert_eq!(
        (options.get("order"), options.get("text")),
        (Some("little"), None)
    );
}

#[test]
fn values_are_flags_words_and_numbers() {
    for (value, expected) in [
        ("true", Some(true)),
        ("T", Some(true)),
        ("yes", Some(true)),
        ("Y", Some(true)),
        ("1", Some(true)),
        ("false", Some(false)),
        ("f", Some(false)),
        ("No", Some(false)),
        ("n", Some(false)),
        ("0", Some(false)),
        ("on", None),
        ("", None),
    ] {
        let flag = one("text", value).flag("text");
        assert_eq!(flag.as_ref().ok().copied(), expected, "{value}");
        if let Err(error) = flag {
            let message = format!("option text: '{value}' is not a valid value");
            assert_eq!(
                (error.kind(), error.message()),
                (ErrorKind::Usage, &*message)
            );
            assert_eq!(error.hint_text().unwrap(), "known: true, false");
        }
    }
    assert!(!Options::default().flag("text").unwrap());
    let words = [("little", 1), ("big", 2)];
    assert_eq!(
        one("order", "big").choice("order", &words).unwrap(),
        Some(2)
    );
    assert_eq!(Options::default().choice("order", &words).unwrap(), None);
    let error = one("order", "BIG").choice("order", &words).unwrap_err();
    assert_eq!(error.message(), "option order: 'BIG' is not a valid value");
    assert_eq!(error.hint_text().unwrap(), "known: little, big");
    assert_eq!(
        one("frames", "12").parse::<u32>("frames").unwrap(),
        Some(12)
    );
    assert_eq!(Options::default().parse::<u32>("frames").unwrap(), None);
    let error = one("frames", "-1").parse::<u32>("frames").unwrap_err();
    assert_eq!(error.message(), "option frames: '-1' is not a valid value");
    assert_eq!(error.hint_text().unwrap(), "invalid digit found in string");
}
