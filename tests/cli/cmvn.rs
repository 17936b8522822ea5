//! `cmvn` and `cmvn-stats`: normalisation, and the statistics for it.

use crate::{Scratch, sample};

const SPEAKERS: &str = "--speaker-from {speaker}-{name}";

/// Kaldi adds up squares that it has rounded to 32 bits.
#[test]
fn statistics_are_those_of_kaldi() {
    let s = Scratch::new();
    s.ok(&format!(
        "{} own.ark --stages cmvn-stats",
        sample("fbank.scp")
    ));
    s.ok(&format!("diff own.ark {} --rtol 1e-6", sample("cmvn.ark")));
    s.ok(&format!(
        "{} own.ark --stages cmvn(vars) --overwrite",
        sample("fbank.scp")
    ));
    let stats = sample("cmvn.ark");
    let stages = format!("cmvn(vars,stats={stats})");
    s.ok(&format!("{} by.ark --stages {stages}", sample("fbank.scp")));
    s.ok("diff own.ark by.ark --atol 1e-4");
}

#[test]
fn statistics_of_a_file_are_as_those_of_the_data() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    for by in ["utterance", "speaker", "global"] {
        s.ok(&format!(
            "{input} stats.ark {SPEAKERS} --stages cmvn-stats({by}) --overwrite"
        ));
        for vars in ["", ",vars"] {
            for jobs in [1, 4] {
                let stages = format!("cmvn({by}{vars})");
                s.ok(&format!(
                    "{input} a.ark {SPEAKERS} --stages {stages} --overwrite -j{jobs}"
                ));
                let stages = format!("cmvn({by}{vars},stats=stats.ark)");
                s.ok(&format!(
                    "{input} b.ark {SPEAKERS} --stages {stages} --overwrite -j{jobs}"
                ));
                assert!(s.read("a.ark") == s.read("b.ark"), "{by}{vars}");
            }
        }
    }
    let table = s.ok("ls stats.ark").out;
    assert!(
        table.starts_with("global ") && table.contains(" 41 "),
        "{table}"
    );
}

/// Each shard is normalised as the whole is.
#[test]
fn shards_have_the_statistics_of_the_whole() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    let stages = |text: &str, to: &str| {
        s.ok(&format!(
            "{input} {to} {SPEAKERS} --stages {text} --overwrite"
        ));
        s.read(to)
    };
    for by in ["speaker", "global"] {
        let before = stages(&format!("cmvn({by})|shard(1,3)"), "a.ark");
        assert!(
            before == stages(&format!("shard(1,3)|cmvn({by})"), "b.ark"),
            "{by}"
        );
        // Utterances that are chosen otherwise are all that there are.
        let chosen = format!("select(ann-*)|first(2)|cmvn({by})");
        assert!(before != stages(&chosen, "b.ark"));
    }
    stages("cmvn-stats(speaker)", "stats.ark");
    let by_file = "--stages cmvn(speaker,stats=stats.ark)";
    s.ok(&format!("{input} whole.ark {SPEAKERS} {by_file}"));
    for n in 1..=2 {
        s.ok(&format!(
            "{input} part.{{shard}}.ark {SPEAKERS} {by_file} --shard {n}/2"
        ));
    }
    s.ok("merge part.00001-of-00002.ark part.00002-of-00002.ark merged.ark");
    s.ok("diff whole.ark merged.ark");
    s.ok(&format!(
        "{input} alone.{{shard}}.ark --stages cmvn --shard 1/2"
    ));
}

#[test]
fn what_can_be_read_once_has_statistics_of_a_file() {
    let s = Scratch::new();
    s.ok(&format!("{} f.ark", sample("fbank.scp")));
    for (line, expected) in [
        (
            "spr-convert - x.ark < f.ark",
            "standard input can be read only once",
        ),
        (
            "spr-convert <(cat f.ark) x.ark",
            "is a pipe, and has to be read twice",
        ),
    ] {
        let said = s.shell(&line.replace("x.ark", "x.ark --stages 'cmvn(global)'"));
        assert!(
            said.status == 2 && said.err.contains(expected),
            "{line}: {}",
            said.err
        );
        assert!(!s.path("x.ark").exists());
    }
    s.ok("f.ark stats.ark --stages cmvn-stats(global)");
    let said = s.shell("spr-convert - piped.ark --stages 'cmvn(global,stats=stats.ark)' < f.ark");
    assert_eq!(said.status, 0, "{}", said.err);
    s.ok("f.ark whole.ark --stages cmvn(global)");
    assert!(s.read("piped.ark") == s.read("whole.ark"));
}

#[test]
fn what_is_missing_is_an_error_of_its_utterance() {
    let s = Scratch::new();
    let input = sample("fbank.scp");
    let error = s.fails(&format!("{input} x.ark --stages cmvn(speaker)"));
    assert!(
        error.contains("utterance ann-001: nothing says who speaks it"),
        "{error}"
    );
    s.ok(&format!("{input} few.ark --stages first(3)|cmvn-stats"));
    let stages = "--stages cmvn(stats=few.ark)";
    let error = s.fails(&format!("{input} x.ark {stages}"));
    assert!(
        error.contains("utterance ann-004: there are no statistics of it"),
        "{error}"
    );
    let said = s.run(&format!("{input} x.ark {stages} --on-error skip"));
    assert!(
        said.err.contains("3 utterances, 737 frames, 9 skipped"),
        "{}",
        said.err
    );
    s.ok(&format!(
        "{input} narrow.ark --stages columns(0-12)|cmvn-stats(global)"
    ));
    let error = s.fails(&format!(
        "{input} x.ark --stages cmvn(global,stats=narrow.ark) --overwrite"
    ));
    assert!(
        error.contains("has 40 columns, the statistics are of 13"),
        "{error}"
    );
    for (stages, expected) in [
        (
            "cmvn(speeker)",
            "cmvn: 'speeker' is not utterance, speaker or global",
        ),
        ("cmvn(global,var)", "cmvn: one value too many"),
        (
            "cmvn(stats=nowhere.ark)",
            "nowhere.ark: 'cmvn': cannot open",
        ),
        ("cmvn(stats=/dev/null)", "/dev/null"),
        (
            "cmvn(global,stats=few.ark)",
            "few.ark: utterance ann-002: 'cmvn': a second matrix, where one is for all",
        ),
    ] {
        let error = s.fails(&format!("{input} y.ark --stages {stages}"));
        assert!(error.contains(expected), "{stages}: {error}");
    }
    let error = s.fails(&format!(
        "{input} y.ark --stages cmvn(stats={})",
        sample("ali.ark")
    ));
    assert!(
        error.contains("utterance ann-001: 'cmvn': has no matrix of statistics"),
        "{error}"
    );
}

#[test]
fn it_is_explained() {
    let s = Scratch::new();
    let line = format!(
        "{} x.ark --stages cmvn(speaker,vars,stats=s.ark) --explain",
        sample("fbank.scp")
    );
    let said = s.ok(&line);
    assert!(
        said.out.contains("stages: cmvn(speaker,vars,stats=s.ark)"),
        "{}",
        said.out
    );
}
