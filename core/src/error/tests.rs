//! Errors: their words, their places, and what they say of the rest.

use super::*;

#[test]
fn tests_see_the_kind_and_the_place() {
    let error = Error::malformed("x: y")
        .line(3)
        .file("a.txt")
        .utterance(&Key::from("u"));
    assert_eq!(
        error.kind_and_place(),
        (ErrorKind::Malformed, "a.txt:3: utterance u".to_owned())
    );
    assert_eq!(
        Error::usage("x").kind_and_place(),
        (ErrorKind::Usage, String::new())
    );
}

#[test]
fn displays_on_one_line_with_its_place() {
    let error = Error::malformed("matrix header says 0 columns")
        .utterance(&Key::from("A-03"))
        .byte(18734)
        .file("feats.ark")
        .file("outer")
        .byte(0);
    assert_eq!(
        error.to_string(),
        "feats.ark@18734: utterance A-03: matrix header says 0 columns"
    );
}

#[test]
fn is_one_word_and_can_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<Error>();
    assert_eq!(size_of::<Error>(), size_of::<usize>());
}

#[test]
fn system_errors_lose_their_number() {
    let system = io::Error::from_raw_os_error(2);
    let text = match cfg!(unix) {
        true => "No such file or directory".to_owned(),
        false => system.to_string().replace(" (os error 2)", ""),
    };
    let error = Error::io("cannot open", system);
    assert_eq!(error.to_string(), format!("cannot open: {text}"));
    let own = io::Error::other("'a (os error 2)' is no name (os error 3)");
    let error = Error::io("cannot open", own);
    assert_eq!(
        error.to_string(),
        "cannot open: 'a (os error 2)' is no name (os error 3)"
    );
}

#[test]
fn naming_the_format_changes_nothing_that_is_quoted() {
    for quoted in [
        "the format",
        "kaldi",
        "'the format'",
        "which the format can't hold",
    ] {
        let message = format!("the label '{quoted}' is no number");
        assert_eq!(Error::unfit(&*message).naming("ctm").message(), message);
        let error = Error::not_held(format!("has the label '{quoted}'"))
            .utterance(&Key::from(quoted))
            .file(quoted)
            .context(quoted);
        let said = |name: &str| {
            format!(
                "{quoted}: utterance {quoted}: {quoted}: has the label '{quoted}', which {name} can't hold"
            )
        };
        assert_eq!(error.to_string(), said("the format"));
        let named = error.copy().naming("ctm");
        assert_eq!(named.to_string(), said("ctm"));
        assert_eq!(named.naming("stm").to_string(), said("ctm"));
    }
}

#[test]
fn an_error_of_a_store_stays_what_it_is() {
    let own = Error::usage("binary data").suggest(Remedy::Redirect);
    let error = Error::io("cannot write", io::Error::other(own));
    assert_eq!(error.to_string(), "cannot write: binary data");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(error.remedy(), Some(&Remedy::Redirect));
    let other = Error::io("cannot write", io::Error::other("full"));
    assert_eq!((other.kind(), other.remedy()), (ErrorKind::Io, None));
}

#[test]
fn the_cause_tells_what_the_system_did() {
    use io::ErrorKind::{BrokenPipe, NotFound, PermissionDenied};
    let error = |kind: io::ErrorKind| Error::io("cannot", kind.into());
    let told = |e: &Error| [e.is_missing(), e.is_failure(), e.is_broken_pipe()];
    for (error, expected) in [
        (error(NotFound), [true, false, false]),
        (error(PermissionDenied), [false, true, false]),
        (error(BrokenPipe), [false, true, true]),
        (Error::malformed("x"), [false; 3]),
        (error(NotFound).copy(), [true, false, false]),
    ] {
        assert_eq!(told(&error), expected, "{error}");
    }
    let error = error(PermissionDenied);
    assert!(std::error::Error::source(&error).is_some());
    assert!(std::error::Error::source(&error.copy()).is_some());
}

#[test]
fn a_kind_says_what_goes_on() {
    use ErrorKind::*;
    let kinds = [
        Io,
        Malformed,
        Truncated,
        Unsupported,
        Limit,
        Loss,
        Unrecognised,
        Ambiguous,
        Usage,
        Unfit,
        Changed,
        Stopped,
    ];
    let names = kinds.map(ErrorKind::name).join(" ");
    assert_eq!(
        names,
        "io malformed truncated unsupported limit loss unrecognised ambiguous usage unfit changed stopped"
    );
    for kind in kinds {
        let error = Error::new(kind, "x").continuable();
        assert_eq!(error.can_continue(), kind != Changed);
        assert_eq!(error.is_change(), kind == Changed);
        assert_eq!(error.is_stopped(), kind == Stopped);
        let of_all = matches!(kind, Usage | Loss | Changed | Stopped);
        assert_eq!(error.ends_one_input(), !of_all, "{kind:?}");
        assert!(!error.fatal().can_continue());
    }
}

#[test]
fn the_first_remedy_stays_unless_it_is_replaced() {
    let error = Error::usage("x").hint("a").suggest(Remedy::Repair);
    assert_eq!(error.hint_text().unwrap(), "a");
    let error = error.suggest_instead(Remedy::Shuffle);
    assert_eq!(error.copy().remedy(), Some(&Remedy::Shuffle));
    assert_eq!(Error::usage("x").hint_text(), None);
    let error = Error::malformed("x").line(3).byte(4);
    assert_eq!((error.line_number(), error.byte_offset()), (Some(3), None));
}
