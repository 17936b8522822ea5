//! Segments, text, and what is said of an utterance.

use super::*;

fn caps(c: &mut Caps) -> &mut SegmentCaps {
    c.segments.as_mut().unwrap()
}

fn second(u: &mut Utterance) -> &mut Segment {
    &mut u.tiers[0].segments[1]
}

#[test]
fn segments_and_text() {
    refused(
        spoken,
        &[
            (
                |c| c.segments = None,
                SAME,
                "has segments, which the format can't hold",
            ),
            (
                |c| caps(c).tiers = false,
                |u| u.tiers[0].name = b"words"[..].into(),
                "has tiers of segments with names, which the format can't hold",
            ),
            (|_| {}, |u| u.tiers[0].name = b"words"[..].into(), ""),
            (
                |c| caps(c).tiers = false,
                |u| u.tiers.push(Tier::default()),
                "has tiers of segments with names, which the format can't hold",
            ),
            (|c| caps(c).tiers = false, SAME, ""),
            (
                |c| caps(c).beside_text = false,
                SAME,
                "has text beside segments, which the format can't hold",
            ),
            (
                |c| caps(c).needs_some = true,
                |u| u.tiers[0].segments.clear(),
                "has no segments, and so no line in the file",
            ),
            (|c| caps(c).needs_some = true, SAME, ""),
            (
                |c| c.utf8 = true,
                |u| u.tiers[0].name = b"\xff"[..].into(),
                "the name of a tier is not UTF-8, which the format can't hold",
            ),
            (
                |c| c.utf8 = true,
                |u| second(u).label = b"\xff"[..].into(),
                "the label of a segment is not UTF-8, which the format can't hold",
            ),
        ],
    );
}

#[test]
fn fields_of_segments() {
    refused(
        spoken,
        &[
            (
                |_| {},
                |u| second(u).end = Some(at("0.4")),
                "has segments whose times are not in order",
            ),
            (
                |c| caps(c).scores = false,
                SAME,
                "has segments with scores, which the format can't hold",
            ),
            (
                |c| caps(c).speakers = false,
                SAME,
                "has segments with speakers, which the format can't hold",
            ),
            (
                |c| caps(c).spoken = true,
                |u| {
                    let segments = u.tiers.iter_mut().flat_map(|tier| &mut tier.segments);
                    segments.for_each(|segment| segment.speaker = None);
                },
                "has segments without speakers, which the format can't hold",
            ),
            (|c| caps(c).spoken = true, SAME, ""),
            (
                |c| caps(c).closed = true,
                SAME,
                "the segment 'one' at 0.5 has no end, which the format can't hold",
            ),
            (|c| caps(c).ticks = Some(10), SAME, ""),
            (
                |c| caps(c).ticks = Some(1),
                SAME,
                "has times between those that it counts, which the format can't hold",
            ),
            (
                |c| c.text = false,
                SAME,
                "has text, which the format can't hold",
            ),
            (
                |c| c.utf8 = true,
                |u| u.text = Some(b"\xff".to_vec()),
                "the text is not UTF-8, which the format can't hold",
            ),
            (
                |c| c.text_rule = Rule::new("without o", |_| Err(Error::unfit("has an o"))),
                SAME,
                "has an o",
            ),
        ],
    );
}

#[test]
fn what_is_said_of_utterances() {
    refused(
        spoken,
        &[
            (
                |c| c.frame_shift = false,
                SAME,
                "has a frame shift, which the format can't hold",
            ),
            (
                |c| c.framed_shift = true,
                SAME,
                "has a frame shift, which the format can't hold",
            ),
            (
                |c| c.framed_shift = true,
                |u| u.labels = Some(labels(2, 1)),
                "",
            ),
            (
                |_| {},
                |u| u.meta.frame_shift = Some(at("0")),
                "has a frame shift of 0 s, which is not above 0",
            ),
            (
                |_| {},
                |u| u.meta.frame_shift = Some(at("-0.01")),
                "has a frame shift of -0.01 s, which is not above 0",
            ),
            (
                |c| c.shift_rule = Rule::new("in ms", |_| Err(Error::unfit("no ms"))),
                SAME,
                "no ms",
            ),
            (
                |c| c.frame_offset = false,
                SAME,
                "has a frame offset, which the format can't hold",
            ),
            (
                |c| c.source = &[SourceField::Recording],
                SAME,
                "has a speaker, which the format can't hold",
            ),
            (
                |c| c.source = &[SourceField::Speaker],
                SAME,
                "has a recording, which the format can't hold",
            ),
            (
                |c| c.source = &[SourceField::Speaker, SourceField::Recording],
                |u| u.meta.end = Some(at("3")),
                "has a place in the recording, which the format can't hold",
            ),
            (
                |c| c.utf8 = true,
                |u| u.meta.speaker = Some(b"\xff"[..].into()),
                "the speaker is not UTF-8, which the format can't hold",
            ),
            (
                |c| c.recordings = Recordings::Stretches,
                |u| u.meta.start = Some(at("1")),
                "is not a stretch of a recording",
            ),
            (
                |c| c.recordings = Recordings::Stretches,
                |u| (u.meta.start, u.meta.end) = (Some(at("1")), Some(at("2"))),
                "",
            ),
        ],
    );
}

#[test]
fn header_lines() {
    refused(
        spoken,
        &[
            (
                |c| c.tags = Tags::None,
                SAME,
                "has the header line sex of toy, which the format can't hold",
            ),
            (
                |c| c.tags = Tags::Of("other"),
                SAME,
                "has the header line sex of toy, which the format can't hold",
            ),
            (|c| c.tags = Tags::Of("toy"), SAME, ""),
            (
                |c| c.tags = Tags::Named("toy", &[b"age"]),
                SAME,
                "has the header line sex of toy, which the format can't hold",
            ),
            (|c| c.tags = Tags::Named("toy", &[b"age", b"sex"]), SAME, ""),
            (
                |c| c.utf8 = true,
                |u| u.meta.tags[0].value = b"\xff".to_vec(),
                "has the header line sex of toy, which the format can't hold",
            ),
            (
                |c| (c.utf8, c.tags) = (true, Tags::TextAndOwn("toy")),
                |u| u.meta.tags[0].value = b"\xff".to_vec(),
                "",
            ),
            (
                |c| (c.utf8, c.tags) = (true, Tags::TextAndOwn("other")),
                |u| u.meta.tags[0].value = b"\xff".to_vec(),
                "has the header line sex of toy, which the format can't hold",
            ),
        ],
    );
}
