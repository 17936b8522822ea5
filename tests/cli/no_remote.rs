//! URLs in a program that was built without them.

use crate::{Scratch, sample};

#[test]
fn urls_say_what_they_take() {
    let s = Scratch::new();
    let input = sample("fbank.ark");
    for line in [
        "info s3://b/x.ark",
        "https://example.org/x.ark out.ark",
        &format!("{input} gs://b/x.ark"),
        &format!("{input} spr:s3://b/x/"),
        &format!("{input} out.ark --report az://c/report.json"),
    ] {
        let said = s.run(line);
        assert_eq!(said.status, 2, "{line}: {}", said.err);
        assert!(
            said.err.contains("URLs can't be opened here"),
            "{line}: {}",
            said.err
        );
        assert!(
            said.err.contains("--features remote"),
            "{line}: {}",
            said.err
        );
        assert_eq!(s.names(), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn lists_are_held_to_the_same_rules() {
    let s = Scratch::new();
    s.write("l.scp", "a https://example.org/x.ark:8\n");
    let error = s.fails("l.scp out.ark");
    assert!(
        error.contains("l.scp:1: utterance a: refused to open https://"),
        "{error}"
    );
    let error = s.fails("l.scp out.ark --allow-urls=example.org");
    assert!(error.contains("URLs can't be opened here"), "{error}");
}
