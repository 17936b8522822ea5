//! The behaviour suite for all label formats.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use spr_core::model::{Decimal, Key, Meta, Segment, Utterance};
use spr_format_labels::{
    AUDACITY, CTM, EAF, FESTVOX, HTK_LAB, MLF, PYANNOTE, RTTM, SRT, STM, TEXTGRID, TIMIT, TRN, VTT,
    WHISPER,
};
use spr_testkit::{Suite, read_memory, suite, write_memory};

/// A word that is neither a comment nor a label.
fn plain_word(key: &Key) -> Key {
    let plain = |b: &u8| match b {
        b';' | b'<' | b'>' => b'-',
        other => *other,
    };
    key.as_bytes().iter().map(plain).collect::<Vec<_>>().into()
}

/// Changes the segments with `f`.
fn each(utt: &mut Utterance, f: impl Fn(&mut Segment)) {
    let segments = utt.tiers.iter_mut().flat_map(|tier| &mut tier.segments);
    segments.for_each(f);
}

const LINES: Suite = Suite {
    text: true,
    self_delimiting: true,
    warns_of_missing_end: true,
    ..Suite::new(&CTM)
};

#[test]
fn ctm_behaves() {
    suite(&Suite {
        uncounted: true,
        ..LINES
    });
}

#[test]
fn rttm_behaves() {
    suite(&Suite {
        format: &RTTM,
        options: &[&[("times", "utterance")]],
        uncounted: true,
        ..LINES
    });
}

#[test]
fn stm_behaves() {
    suite(&Suite {
        format: &STM,
        prepare: |utt| {
            let Meta {
                start,
                end,
                recording,
                channel,
                speaker,
                ..
            } = &mut utt.meta;
            let from = *start.get_or_insert(Decimal::new(25, -2));
            if end.is_none_or(|end| end < from) {
                *end = from.plus(Decimal::new(5, -1));
            }
            let name = recording.get_or_insert_with(|| match utt.key.check_word() {
                Ok(()) => utt.key.clone(),
                Err(_) => "rec".into(),
            });
            *name = plain_word(name);
            // The default channel, which lines have if nothing is known.
            if channel.as_ref().is_some_and(|name| name.as_bytes() == b"1") {
                *channel = None;
            }
            for name in [channel, speaker].into_iter().flatten() {
                *name = plain_word(name);
            }
        },
        ..LINES
    });
}

#[test]
fn trn_behaves() {
    suite(&Suite {
        format: &TRN,
        options: &[&[], &[("marks", "true")]],
        ..LINES
    });
}

#[test]
fn marks_of_sphinx_are_no_words() {
    let lines = b"<s> ONE  TWO </s> (a)\n<s> </s> (b)\n<s>X </s> (c)\nONE </s> (d)\n(e)\n";
    let utts = read_memory(&TRN, &[], lines).unwrap();
    let texts = utts
        .iter()
        .map(|utt| utt.text.as_deref().unwrap().escape_ascii().to_string());
    let texts: Vec<_> = texts.collect();
    assert_eq!(texts, ["ONE  TWO", "", "<s>X </s>", "ONE </s>", ""]);
    let marked = write_memory(&TRN, &[("marks", "true")], &utts[..2]).unwrap();
    assert_eq!(marked, b"<s> ONE  TWO </s> (a)\n<s> </s> (b)\n");
    let plain = write_memory(&TRN, &[], &utts[..2]).unwrap();
    assert_eq!(plain, b"ONE  TWO (a)\n(b)\n");
    let utt = Utterance {
        text: Some(b"<s> ONE </s>".to_vec()),
        ..utts[0].clone()
    };
    assert!(write_memory(&TRN, &[], &[utt]).is_err());
}

#[test]
fn audacity_behaves() {
    suite(&Suite {
        format: &AUDACITY,
        uncounted: true,
        ..LINES
    });
}

#[test]
fn pyannote_behaves() {
    suite(&Suite {
        format: &PYANNOTE,
        uncounted: true,
        ..LINES
    });
}

#[test]
fn timit_behaves() {
    suite(&Suite {
        format: &TIMIT,
        uncounted: true,
        ..LINES
    });
    // Times with many digits.
    suite(&Suite {
        format: &TIMIT,
        options: &[&[("rate", "44100")]],
        uncounted: true,
        ..LINES
    });
}

#[test]
fn htk_labels_behave() {
    suite(&Suite {
        format: &HTK_LAB,
        named: true,
        uncounted: true,
        warns_of_more: true,
        ..LINES
    });
}

#[test]
fn master_label_files_behave() {
    suite(&Suite {
        format: &MLF,
        ..LINES
    });
}

/// Removes overlaps within tiers, and rounds times to binary fractions.
fn drawn(utt: &mut Utterance) {
    each(utt, |segment| {
        for time in std::iter::once(&mut segment.start).chain(&mut segment.end) {
            *time = Decimal::of(time.value()).unwrap();
        }
    });
}

#[test]
fn textgrids_behave() {
    suite(&Suite {
        format: &TEXTGRID,
        options: &[
            &[],
            &[("form", "short")],
            &[("encoding", "utf16")],
            &[("form", "short"), ("encoding", "utf16")],
            &[("form", "binary")],
        ],
        text: true,
        self_delimiting: true,
        prepare: drawn,
        ..Suite::new(&TEXTGRID)
    });
}

/// Removes what no caption and no annotation has: segments without a length.
fn lasting(utt: &mut Utterance) {
    for tier in &mut utt.tiers {
        tier.segments
            .retain(|segment| segment.end != Some(segment.start));
    }
}

#[test]
fn captions_behave() {
    for format in [&SRT as &'static dyn spr_core::format::Format, &VTT] {
        suite(&Suite {
            format,
            uncounted: true,
            prepare: lasting,
            ..LINES
        });
    }
}

#[test]
fn annotations_of_elan_behave() {
    suite(&Suite {
        format: &EAF,
        text: true,
        prepare: |utt| {
            lasting(utt);
            utt.tiers.iter_mut().for_each(|tier| tier.points = false);
        },
        ..Suite::new(&EAF)
    });
}

#[test]
fn transcripts_of_whisper_behave() {
    suite(&Suite {
        format: &WHISPER,
        text: true,
        ..Suite::new(&WHISPER)
    });
}

#[test]
fn prompts_of_festvox_behave() {
    suite(&Suite {
        format: &FESTVOX,
        ..LINES
    });
}
