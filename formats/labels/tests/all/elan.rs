//! Annotations of ELAN.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_format_labels::EAF;

use super::common::{label, labelled, read, write};

/// A document after the schema of EAF 3.0, with what stands in it before and after the tiers.
fn document(slots: &str, tiers: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <ANNOTATION_DOCUMENT AUTHOR=\"\" DATE=\"2024-01-01T00:00:00+00:00\" FORMAT=\"3.0\" VERSION=\"3.0\">\n\
         <HEADER MEDIA_FILE=\"\" TIME_UNITS=\"milliseconds\">\
         <MEDIA_DESCRIPTOR MEDIA_URL=\"file:///a.wav\" MIME_TYPE=\"audio/x-wav\"/>\
         <PROPERTY NAME=\"lastUsedAnnotationId\">5</PROPERTY></HEADER>\n\
         <TIME_ORDER>{slots}</TIME_ORDER>\n{tiers}\n\
         <LINGUISTIC_TYPE LINGUISTIC_TYPE_ID=\"default-lt\" TIME_ALIGNABLE=\"true\"/>\n\
         </ANNOTATION_DOCUMENT>\n"
    )
}

fn slot(name: &str, time: &str) -> String {
    match time {
        "" => format!("<TIME_SLOT TIME_SLOT_ID=\"{name}\"/>"),
        time => format!("<TIME_SLOT TIME_SLOT_ID=\"{name}\" TIME_VALUE=\"{time}\"/>"),
    }
}

fn aligned(name: &str, start: &str, end: &str, text: &str) -> String {
    format!(
        "<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID=\"{name}\" TIME_SLOT_REF1=\"{start}\" \
         TIME_SLOT_REF2=\"{end}\"><ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>\
         </ALIGNABLE_ANNOTATION></ANNOTATION>"
    )
}

fn reference(name: &str, to: &str, text: &str) -> String {
    format!(
        "<ANNOTATION><REF_ANNOTATION ANNOTATION_ID=\"{name}\" ANNOTATION_REF=\"{to}\">\
         <ANNOTATION_VALUE>{text}</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
    )
}

fn tier(attributes: &str, annotations: &[String]) -> String {
    format!(
        "<TIER LINGUISTIC_TYPE_REF=\"default-lt\" {attributes}>{}</TIER>",
        annotations.concat()
    )
}

#[test]
fn tiers_have_the_times_of_slots_and_of_parents() {
    let slots = [
        slot("ts1", "780"),
        slot("ts2", ""),
        slot("ts3", ""),
        slot("ts4", "1680"),
    ];
    let words = [
        aligned("a1", "ts1", "ts2", "so"),
        aligned("a2", "ts2", "ts3", "you &amp; <![CDATA[<I>]]>"),
        aligned("a3", "ts3", "ts4", "go&#33;"),
    ];
    let glosses = [reference("a4", "a1", "also"), reference("a5", "a4", "")];
    let tiers = [
        tier("TIER_ID=\"words\" PARTICIPANT=\"K\"", &words),
        tier("TIER_ID=\"gloss\" PARENT_REF=\"words\"", &glosses),
        tier("TIER_ID=\"empty\"", &[]),
    ];
    let found = read(&EAF, &[], document(&slots.concat(), &tiers.concat()));
    assert_eq!(found.errors, [""; 0]);
    assert_eq!(
        found.utts,
        [
            "utt000000 words[so 0.78-1.08 @K, you & <I> 1.08-1.38 @K, go! 1.38-1.68 @K] \
             gloss[also 0.78-1.08,  0.78-1.08] empty[]"
        ]
    );
    assert_eq!(
        found.warnings,
        [
            "memory: which tier belongs to which (PARENT_REF) is not kept",
            "memory: 2 time slots without a time are spread evenly between their neighbours",
        ]
    );
    // The only tier of a new document has no name.
    let only = tier("TIER_ID=\"default\"", &words[..1]);
    let slots = [slot("ts1", "0"), slot("ts2", "500")].concat();
    let found = read(&EAF, &[], document(&slots, &only));
    assert_eq!(found.utts, ["utt000000 [so 0-0.5]"]);
}

#[test]
fn documents_at_fault() {
    let slots = [slot("ts1", "780"), slot("ts2", "500"), slot("ts3", "")].concat();
    let of = |annotations: &[String]| document(&slots, &tier("TIER_ID=\"x\"", annotations));
    let deep = format!("{}{}", "<a>".repeat(40), "</a>".repeat(40));
    let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>\n";
    let plain = of(&[]);
    for (text, message) in [
        (
            of(&[aligned("a1", "ts1", "ts2", "")]),
            "starts at 0.78 s and ends before that, at 0.5 s",
        ),
        (
            of(&[aligned("a1", "ts1", "ts3", "")]),
            "has no time at its slot 'ts3'",
        ),
        (
            of(&[aligned("a1", "ts1", "ts9", "")]),
            "has a slot 'ts9' that is not there",
        ),
        (
            of(&[reference("a1", "a9", "")]),
            "refers to 'a9', which is not there",
        ),
        (
            of(&[reference("a1", "a2", ""), reference("a2", "a1", "")]),
            "refers to itself",
        ),
        (
            of(&[
                aligned("a1", "ts2", "ts1", ""),
                aligned("a1", "ts2", "ts1", ""),
            ]),
            "a second annotation 'a1'",
        ),
        (
            of(&[aligned("a1", "ts2", "ts1", "&b;")]),
            "the entity 'b' is not of XML",
        ),
        (
            plain.replace(
                "<ANNOTATION_DOCUMENT",
                &format!("{bomb}<ANNOTATION_DOCUMENT"),
            ),
            "a definition of entities",
        ),
        (
            plain.replace("<TIME_ORDER>", &format!("{deep}<TIME_ORDER>")),
            "more than 32 elements",
        ),
        (
            plain.replace("milliseconds", "PAL-frames"),
            "times in PAL-frames, which are not read",
        ),
        (
            plain.replace("\"780\"", "\"0.78\""),
            "the time '0.78' is not whole milliseconds",
        ),
        (
            plain.replace("</ANNOTATION_DOCUMENT>", ""),
            "the file ends inside the document",
        ),
        (format!("{plain}x"), "text outside of the document"),
        (document("", ""), "the document has no tiers"),
        (
            plain.replace("TIER_ID", "NAME"),
            "an element TIER without TIER_ID",
        ),
    ] {
        let found = read(&EAF, &[], &text);
        assert_eq!(found.errors.len(), 1, "{message}: {found:?}");
        assert!(found.errors[0].contains(message), "{message}: {found:?}");
    }
    // A recording that starts at another time.
    let shifted = plain.replace("MIME_TYPE", "TIME_ORIGIN=\"1240\" MIME_TYPE");
    let told = "memory: a recording starts at another time (TIME_ORIGIN), which the times ignore";
    assert_eq!(read(&EAF, &[], &shifted).warnings, [told]);
}

#[test]
fn a_document_is_written() {
    let utt = labelled(
        "a",
        vec![label("a < b", "0.25", "1"), label("c", "1", "1.5")],
    );
    let written = write(&EAF, &[], &[utt]).unwrap();
    for line in [
        "        <TIME_SLOT TIME_SLOT_ID=\"ts1\" TIME_VALUE=\"250\"/>\n",
        "    <TIER LINGUISTIC_TYPE_REF=\"default-lt\" TIER_ID=\"default\">\n",
        "                <ANNOTATION_VALUE>a &lt; b</ANNOTATION_VALUE>\n",
    ] {
        assert!(written.contains(line), "{written}");
    }
    assert_eq!(
        read(&EAF, &[], &written).utts,
        ["utt000000 [a < b 0.25-1, c 1-1.5]"]
    );
}
