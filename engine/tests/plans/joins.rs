//! Joins of labels, text and speakers, and their settings.

use super::{Files, refused};

const FEATURES: &str = "ann  [\n  1 2\n  3 4 ]\nbob  [\n  5 6 ]\n";
const LABELS: &str = "ann 1 2\nbob 3 4\n";

fn files() -> Files {
    Files::new(&[
        ("f.ark", FEATURES),
        ("l.ark", LABELS),
        ("m.ark", LABELS),
        ("text", "ann yes\nbob no\n"),
        ("utt2spk", "ann s1\nbob s2\n"),
    ])
}

#[test]
fn labels_join_within_the_tolerance() {
    let files = files();
    let mut builder = files.builder();
    builder.input("f.ark").unwrap().labels("l.ark").unwrap();
    assert!(files.read(&builder.finish().unwrap()).is_err());
    let all = files.read(&builder.tolerance(1).finish().unwrap()).unwrap();
    assert!(all.iter().all(|utt| utt.labels.is_some()));
    // Labels of an option of the argument are tolerated alike.
    let mut builder = files.builder();
    builder.input("f.ark,label=l.ark").unwrap().tolerance(1);
    assert_eq!(files.read(&builder.finish().unwrap()).unwrap().len(), 2);
    let mut builder = files.builder();
    let error = refused(builder.input("f.ark").unwrap().tolerance(1).finish());
    assert!(error.contains("length tolerance"), "{error}");
}

#[test]
fn one_of_each_kind_joins() {
    let files = files();
    let mut builder = files.builder();
    builder.input("f.ark").unwrap();
    builder.labels("l.ark").unwrap().text("ark,t:text").unwrap();
    builder.speakers("utt2spk").unwrap();
    for error in [
        refused(builder.labels("m.ark").map(drop)),
        refused(builder.text("ark,t:text").map(drop)),
        refused(builder.speakers("utt2spk").map(drop)),
    ] {
        assert!(error.contains("join already"), "{error}");
    }
    let mut builder = files.builder();
    builder
        .input("f.ark,label=l.ark")
        .unwrap()
        .labels("m.ark")
        .unwrap();
    let error = refused(builder.finish_each());
    assert!(error.contains("has labels from l.ark already"), "{error}");
    let error = refused(files.builder().text("{l,m}.ark").map(drop));
    assert!(error.contains("one data set"), "{error}");
}

#[test]
fn labels_are_compared_apart() {
    let files = files();
    let mut builder = files.builder();
    builder.input("f.ark").unwrap().labels("l.ark").unwrap();
    for plan in [
        builder.finish().unwrap(),
        builder.finish_each().unwrap().remove(0),
    ] {
        assert!(plan.has_joins());
        let (rest, labels) = plan.split_labels();
        assert!(!rest.has_joins());
        assert_eq!(labels.unwrap().text(), "l.ark");
    }
}

#[test]
fn the_model_lies_beside_the_labels() {
    let files = files();
    let mut builder = files.builder();
    builder.input("f.ark").unwrap().labels("l.ark").unwrap();
    let error = refused(builder.translate_labels("phones", None).finish());
    assert!(error.contains("there is no final.mdl"), "{error}");
    files.store.insert("final.mdl", Vec::new());
    let plan = builder.finish().unwrap();
    let labels = plan.split_labels().1.unwrap();
    let step = labels.data().steps()[0].step().to_string();
    assert_eq!(step, "ali-to(phones,model=final.mdl)");
    let named = builder.translate_labels("pdfs", Some("other.mdl".into()));
    let labels = named.finish().unwrap().split_labels().1.unwrap();
    let step = labels.data().steps()[0].step().to_string();
    assert_eq!(step, "ali-to(pdfs,model=other.mdl)");
}

/// Segments become frame labels of features, unless the features are cut by them.
#[test]
fn labels_join_as_segments_where_utterances_are_cut() {
    const LINES: &str = "{\"key\":\"ann\",\"tiers\":[{\"name\":\"\",\"segments\":[\
        {\"start\":0,\"end\":0.01,\"label\":\"1\"},{\"start\":0.01,\"end\":0.02,\"label\":\"2\"}]}],\"meta\":{}}\n";
    let files = Files::new(&[("f.ark", "ann  [\n  1 2\n  3 4 ]\n"), ("l.jsonl", LINES)]);
    let read = |stages: &str| {
        let mut builder = files.builder();
        builder.input("f.ark,frame-shift=0.01").unwrap();
        builder.labels("l.jsonl").unwrap().stages(stages).unwrap();
        files.read(&builder.finish().unwrap()).unwrap()
    };
    let whole = read("first(9)");
    assert_eq!((whole.len(), whole[0].labels.is_some()), (1, true));
    let cut = read("cut(segments)");
    let facts: Vec<_> = cut
        .iter()
        .map(|utt| (utt.key.to_string(), utt.frames(), utt.text.clone()))
        .collect();
    let piece = |key: &str, text: &[u8]| (key.to_owned(), 1, Some(text.to_vec()));
    assert_eq!(facts, [piece("ann-00000", b"1"), piece("ann-00001", b"2")]);
}
