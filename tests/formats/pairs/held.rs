//! Whether what came back is what there was, whatever form it has.

use std::collections::BTreeMap;

use spr_convert::core::Limits;
use spr_convert::core::dispatch;
use spr_convert::core::model::{
    Audio, Dtype, Element, FrameGrid, Matrix, Meta, Object, Rank, RecordingFacts, Segment,
    SourceField, Tier, Utterance, Wide,
};
use spr_convert::core::recording;

use super::env;

/// What an utterance holds, whatever form it has.
#[derive(Debug, PartialEq)]
struct UtteranceContent {
    key: String,
    features: Option<Values>,
    labels: Option<Values>,
    /// Samples a second, and samples.
    sound: Option<(u32, Values)>,
    elsewhere: Option<Audio>,
    tiers: Vec<Tier>,
    text: Option<Vec<u8>>,
    arrays: BTreeMap<String, (Vec<usize>, Values)>,
}

/// Rank, rows, columns, and the numbers as text.
type Values = (Rank, usize, usize, Vec<String>);

fn values(matrix: &Matrix) -> Values {
    let number = |wide| match wide {
        Wide::Int(value) => value.to_string(),
        // So that 1 and 1.0 agree.
        Wide::Float(value) => format!("{value}"),
    };
    let numbers = dispatch!(matrix.dtype(), T => {
        let values = matrix.values::<T>().unwrap();
        values.iter().map(|value| number(value.to_wide())).collect()
    });
    (matrix.rank(), matrix.rows(), matrix.cols(), numbers)
}

impl UtteranceContent {
    fn of(utt: &Utterance) -> Self {
        let mut utt = utt.clone();
        // A speaker whom the label names says no more than that.
        for segment in utt.tiers.iter_mut().flat_map(|tier| &mut tier.segments) {
            let Segment { speaker, label, .. } = segment;
            speaker.take_if(|speaker| speaker == label);
        }
        let found = match &mut utt.audio {
            Some(Audio::Encoded(_)) => true,
            Some(Audio::Reference(sound)) => {
                // What is known of it beforehand is not what it is.
                sound.recording = RecordingFacts::default();
                let file = sound.at.location();
                file.is_some_and(|file| env().exists(file))
            }
            _ => false,
        };
        if found {
            recording::load(&mut utt, &env()).unwrap();
        }
        // As floats, so that samples of other types agree if they are as loud.
        let sound = utt.audio.as_mut().and_then(Audio::waveform_mut);
        let sound = sound.map(|sound| {
            sound.cast(Dtype::F64, &Limits::default()).unwrap();
            (sound.rate, values(&sound.samples))
        });
        // Frame labels and segments are the same in two forms, as are text and words.
        let runs = |labels| Segment::of_labels(labels, &FrameGrid::usual());
        let runs = utt.labels.as_ref().and_then(runs);
        let text = match utt.object {
            Some(Object::Tokens(words)) => Some(words.iter().collect::<Vec<_>>().join(&b' ')),
            other => {
                assert_eq!(other, None);
                utt.text
            }
        };
        Self {
            key: utt.key.to_string(),
            features: utt.features.as_ref().map(values),
            labels: utt.labels.as_ref().filter(|_| runs.is_none()).map(values),
            sound,
            elsewhere: utt.audio.filter(|sound| sound.waveform().is_none()),
            tiers: utt.tiers.into_iter().chain(runs.map(Tier::only)).collect(),
            text,
            arrays: utt
                .arrays
                .iter()
                .map(|named| (&named.name, &named.array))
                .map(|(name, a)| (name.clone(), (a.shape().to_vec(), values(a.values()))))
                .collect(),
        }
    }
}

/// Whether all that `want` says is in `got`, which may say more: formats add their own.
fn is_kept(want: &Meta, got: &Meta) -> bool {
    let mut rest = got.clone();
    rest.tags.retain(|tag| want.tags.contains(tag));
    let added = SourceField::ALL.iter().filter(|field| !want.has(**field));
    added.for_each(|field| rest.clear_field(*field));
    rest.frame_shift = rest.frame_shift.filter(|_| want.frame_shift.is_some());
    *want == rest
}

/// The first difference between what a data set is and what came back, which was read from
/// `original` before.
pub(crate) fn difference(
    want: &[Utterance],
    original: &[Utterance],
    back: &[Utterance],
) -> Option<String> {
    if (want.len(), original.len()) != (back.len(), back.len()) {
        return Some(format!("{} utterances of {}", back.len(), want.len()));
    }
    for ((want, original), back) in want.iter().zip(original).zip(back) {
        let (held, kept) = (UtteranceContent::of(want), UtteranceContent::of(back));
        if held != kept {
            return Some(format!("{kept:?} instead of {held:?}"));
        }
        if !is_kept(&want.meta, &back.meta) {
            return Some(format!("{:?} instead of {:?}", back.meta, want.meta));
        }
        // A file that is kept is kept byte by byte; its header may be read in addition.
        if let (Some(Audio::Encoded(file)), Some(Audio::Encoded(kept))) =
            (&original.audio, &back.audio)
            && (&file.format, &file.bytes) != (&kept.format, &kept.bytes)
        {
            return Some(format!("{:?} instead of {:?}", back.audio, original.audio));
        }
    }
    None
}
