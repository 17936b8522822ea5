//! Requests as they are put together and taken apart.

use super::*;

#[test]
fn subsets_count_from_nought() {
    let nth = |index, count| Subset::EveryNth { index, count };
    let run = |first, end| Subset::Run { first, end };
    for (subset, of_7, has) in [
        (nth(0, 3), 3, [true, false, false, true, false, false, true]),
        (
            nth(1, 3),
            2,
            [false, true, false, false, true, false, false],
        ),
        (
            nth(2, 3),
            2,
            [false, false, true, false, false, true, false],
        ),
        (
            run(0, 2),
            2,
            [true, true, false, false, false, false, false],
        ),
        (
            run(5, 99),
            2,
            [false, false, false, false, false, true, true],
        ),
        (run(8, 9), 0, [false; 7]),
    ] {
        assert_eq!(subset.of(7), of_7, "{subset:?}");
        assert_eq!(
            [0, 1, 2, 3, 4, 5, 6].map(|n| subset.has(n)),
            has,
            "{subset:?}"
        );
        assert!(subset.check().is_ok());
        let over = [1, 2, 3].map(|n| subset.is_over(n));
        assert_eq!(over, [false, subset == run(0, 2), subset == run(0, 2)]);
    }
}

#[test]
fn what_is_taken_is_no_longer_there() {
    let run = Subset::Run { first: 2, end: 4 };
    let nth = Subset::EveryNth { index: 0, count: 2 };
    let mut request = Request::all()
        .keys(|_| true)
        .share(run)
        .starting_at(Some(7));
    assert!(request.has_keys());
    assert!(request.take_keys().is_none(), "the run goes first");
    assert_eq!(request.take_share(), None, "and keys before a share");
    assert_eq!((request.take_run(), request.take_run()), (Some(run), None));
    assert!(request.take_keys().is_some() && !request.has_keys());
    assert_eq!(
        (request.take_start(), request.take_start()),
        (Some(7), None)
    );
    let mut request = Request::default().share(nth).within(Some([3, 9]));
    assert_eq!(request.take_run(), None);
    assert_eq!(request.take_within(), Some([3, 9]));
    assert_eq!(request.take_within(), None);
    let (mut rest, share) = request.split_share();
    assert_eq!((share, rest.take_share()), (Some(nth), None));
}

#[test]
fn a_list_is_left_with_what_is_selected() {
    let keys = || ["a", "b", "c", "d", "e"].map(Key::from).to_vec();
    let select = |mut request: Request| {
        let mut list = keys();
        let done = request.select(&mut list, |key| key);
        done.map(|()| list.iter().map(Key::to_string).collect::<String>())
    };
    let run = Subset::Run { first: 1, end: 4 };
    let nth = Subset::EveryNth { index: 1, count: 2 };
    let not_c = |key: &Key| *key != Key::from("c");
    for (request, expected) in [
        (Request::all(), "abcde"),
        (Request::all().share(run).keys(not_c), "bd"),
        (Request::all().share(nth).keys(not_c), "be"),
        (Request::all().share(nth), "bd"),
    ] {
        assert_eq!(select(request).unwrap(), expected);
    }
    let none = Subset::EveryNth { index: 3, count: 3 };
    let error = select(Request::all().share(none)).unwrap_err();
    assert_eq!(error.message(), "part 3 of 3: parts count from 0");
}

#[test]
fn a_request_is_put_together_of_parts() {
    let lengths = Request::lengths();
    assert!(!lengths.values && lengths.label_values && !lengths.weighing);
    let FieldSet {
        features,
        labels,
        objects,
        audio,
        text,
        ..
    } = lengths.parts;
    assert_eq!(
        [features, labels, objects, audio, text],
        [true, true, true, false, false]
    );
    let weights = Request::all().weights();
    assert!(!weights.values && !weights.label_values && weights.weighing);
    let mut all = Request::all()
        .keys(|_| false)
        .headers()
        .samples()
        .lookup()
        .distinct(true)
        .damaged()
        .on_error(ErrorPolicy::Skip)
        .words()
        .references(true)
        .forms(FieldSet::LABELS)
        .files(&["wav"])
        .keep_stored(Some("kaldi"))
        .chunks(ChunkSupport::Any);
    assert!(all.distinct && all.samples && all.lookup);
    assert_eq!(all.chunks, ChunkSupport::Any);
    // Stages may need anything, but what a reader does of itself stays.
    let before = all.before_stages();
    assert!(before.damaged && before.on_error.skips() && before.words && before.references);
    assert_eq!(
        (before.files, before.keep_stored),
        (&["wav"][..], Some("kaldi"))
    );
    assert_eq!(before.forms, FieldSet::LABELS);
    assert!(before.values && !before.samples && !before.lookup && !before.has_keys());
    assert!(!before.distinct);
    assert_eq!(before.chunks, ChunkSupport::No);
    assert!(all.take_keys().is_some());
}
