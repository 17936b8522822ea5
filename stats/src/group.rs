//! Sums of the utterances of a data set by what they have in common: a speaker, a rate, a label.

use std::collections::BTreeMap;

use spr_core::format::Reader;
use spr_core::model::{DatasetInfo, Decimal, Element, Segment, Utterance};
use spr_core::{Error, Result, dispatch};

use crate::entry::level;
use crate::label::Label;
use crate::listing::{Cell, ListColumn, Row, unknown};
use crate::query::bytes;
use crate::sound::Sound;

/// The number of groups that are told apart.
const MAX_GROUPS: usize = 1 << 17;

/// The name by which utterances are grouped by their labels.
const LABEL: &str = "label";

/// The column of speakers, who may be those of segments.
const SPEAKER: &str = "speaker";

/// A property by which utterances are grouped.
#[derive(Clone, Copy, Debug)]
pub enum GroupBy {
    /// The value of a column; of speakers, that of each segment where only these have one.
    Column(&'static ListColumn),
    /// The label of each frame, or of each segment where frames have none. An utterance belongs to the
    /// group of each of its labels, with the frames and seconds of that label.
    Label,
}

impl GroupBy {
    /// Returns the property of this name: a column of `ls`, or `label`.
    ///
    /// # Errors
    /// There is none; the hint names those there are, the nearest first.
    pub fn find(name: &str) -> Result<Self> {
        match name {
            LABEL => Ok(Self::Label),
            _ => ListColumn::find(name)
                .map(Self::Column)
                .map_err(|_| unknown(name, &[LABEL])),
        }
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Column(column) => column.name,
            Self::Label => LABEL,
        }
    }
}

/// A value that the utterances of a group have in common. Numbers come first, unknown values last.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GroupValue {
    /// A number.
    Number(Label),
    /// Text, in any encoding.
    Text(Box<[u8]>),
    /// No value.
    Unknown,
}

impl GroupValue {
    fn of(cell: Option<Cell<'_>>) -> Self {
        match cell {
            None => Self::Unknown,
            Some(Cell::Count(count)) => Self::Number(Label::Int(count.into())),
            Some(Cell::Number(number)) => Self::Number(Label::Float(number)),
            Some(cell @ (Cell::Text(_) | Cell::Words(_))) => Self::Text((&*bytes(&cell)).into()),
        }
    }
}

/// The sums of a group.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Utterances.
    pub utterances: u64,
    /// Stretches of time that were summed up: of labels the runs of equal frames or the segments, else
    /// the utterances.
    pub spans: u64,
    /// Frames of all spans.
    pub frames: u64,
    /// Frames of the shortest and the longest span.
    pub frame_range: (u64, u64),
    /// Seconds of the shortest and the longest span.
    pub second_range: Option<(f64, f64)>,
    /// The sound; of labels there is none.
    pub sound: Sound,
    seconds: f64,
    is_untimed: bool,
    /// The number of the last utterance that was counted, from 1.
    last: u64,
}

impl Group {
    /// Returns the seconds of all spans, if each has a known duration.
    pub fn seconds(&self) -> Option<f64> {
        (self.spans > 0 && !self.is_untimed).then_some(self.seconds)
    }

    /// Returns the frames of a span in the mean.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    pub fn mean_frames(&self) -> f64 {
        self.frames as f64 / self.spans.max(1) as f64
    }

    /// Returns the seconds of a span in the mean, if each has a known duration.
    #[expect(clippy::cast_precision_loss, reason = "a mean needs no more digits")]
    pub fn mean_seconds(&self) -> Option<f64> {
        Some(self.seconds()? / self.spans as f64)
    }

    fn add(&mut self, place: u64, frames: u64, seconds: Option<f64>) {
        self.utterances += u64::from(self.last != place);
        self.last = place;
        let (least, most) = match self.spans {
            0 => (frames, frames),
            _ => self.frame_range,
        };
        self.frame_range = (least.min(frames), most.max(frames));
        self.spans += 1;
        self.frames += frames;
        let Some(seconds) = seconds else {
            self.is_untimed = true;
            return;
        };
        let (least, most) = self.second_range.unwrap_or((seconds, seconds));
        self.second_range = Some((least.min(seconds), most.max(seconds)));
        self.seconds += seconds;
    }
}

/// The groups of a data set.
#[derive(Debug)]
pub struct Groups {
    by: Vec<GroupBy>,
    shift: Option<Decimal>,
    groups: BTreeMap<Vec<GroupValue>, Group>,
    /// The number of utterances read.
    utterances: u64,
}

impl Groups {
    /// Begins with no groups; `info` is what the headers of the data set say.
    pub fn new(by: &[GroupBy], info: &DatasetInfo) -> Self {
        Self {
            by: by.to_vec(),
            shift: info.frame_shift,
            groups: BTreeMap::new(),
            utterances: 0,
        }
    }

    /// Reads a data set to its end.
    ///
    /// # Errors
    /// The data set cannot be read, or there are too many groups; `self` then holds the utterances read
    /// before.
    pub fn read(&mut self, reader: &mut dyn Reader) -> Result<()> {
        let mut utt = Utterance::default();
        while reader.read(&mut utt)? {
            let added = self.add(&utt);
            added.map_err(|error| error.utterance(&utt.key))?;
        }
        Ok(())
    }

    /// Returns the number of utterances read.
    pub fn utterances(&self) -> u64 {
        self.utterances
    }

    /// Returns the groups in the order of their values.
    pub fn iter(&self) -> impl Iterator<Item = (&[GroupValue], &Group)> {
        self.groups.iter().map(|(values, group)| (&**values, group))
    }

    /// Returns the names of properties that no utterance has.
    pub fn unknown(&self) -> Vec<&'static str> {
        let has_none = |at: usize| {
            let mut values = self.groups.keys().map(|values| values.get(at));
            values.all(|value| value == Some(&GroupValue::Unknown))
        };
        let all = self.by.iter().enumerate();
        let unknown = all.filter(|(at, _)| self.utterances > 0 && has_none(*at));
        unknown.map(|(_, by)| by.name()).collect()
    }

    fn add(&mut self, utt: &Utterance) -> Result<()> {
        self.utterances += 1;
        let row = Row::new(utt, self.shift);
        let values = self.by.iter().map(|by| match by {
            GroupBy::Column(column) => GroupValue::of(column.take(&row)),
            GroupBy::Label => GroupValue::Unknown,
        });
        let mut values: Vec<_> = values.collect();
        let label = self.by.iter().position(|by| matches!(by, GroupBy::Label));
        let speaker = self.by.iter().position(|by| by.name() == SPEAKER);
        // Who speaks may be known of segments alone.
        let speaker = speaker.filter(|at| {
            let mut segments = utt.tiers.iter().flat_map(|tier| &tier.segments);
            let is_unknown = values.get(*at) == Some(&GroupValue::Unknown);
            is_unknown && segments.any(|segment| segment.speaker.is_some())
        });
        let spans = match (label, speaker) {
            (Some(_), _) => self.spans(utt)?,
            (None, Some(_)) => self.segments(utt),
            (None, None) => Vec::new(),
        };
        let any = !spans.is_empty();
        for span in spans {
            if let Some(value) = label.and_then(|at| values.get_mut(at)) {
                *value = span.label;
            }
            if let Some(value) = speaker.and_then(|at| values.get_mut(at)) {
                *value = span.speaker;
            }
            let place = self.utterances;
            self.group(&values)?.add(place, span.frames, span.seconds);
        }
        if any {
            return Ok(());
        }
        let (place, seconds) = (self.utterances, row.seconds());
        let group = self.group(&values)?;
        group.add(place, utt.frames(), seconds);
        if let (Some(audio), None) = (&utt.audio, label) {
            group.sound.add(audio, level(utt).as_ref());
        }
        Ok(())
    }

    /// Returns the group of these values, which may be new.
    fn group(&mut self, values: &[GroupValue]) -> Result<&mut Group> {
        if self.groups.len() == MAX_GROUPS && !self.groups.contains_key(values) {
            let by: Vec<_> = self.by.iter().map(|by| by.name()).collect();
            let by = by.join(", ");
            return Err(Error::unfit(format!(
                "more than {MAX_GROUPS} groups by {by}"
            )));
        }
        Ok(self.groups.entry(values.to_vec()).or_default())
    }

    /// Returns the spans of the labels of an utterance.
    fn spans(&self, utt: &Utterance) -> Result<Vec<Span>> {
        let shift = utt.meta.frame_shift.or(self.shift).map(Decimal::value);
        match &utt.labels {
            Some(labels) if labels.cols() > 1 => {
                let columns = labels.cols();
                let message = format!("its labels have {columns} columns; groups need one");
                Err(Error::unfit(message))
            }
            Some(labels) if !labels.is_empty() => {
                Ok(dispatch!(labels.dtype(), T => runs(labels.values::<T>()?, shift)))
            }
            _ => Ok(self.segments(utt)),
        }
    }

    /// Returns the segments of an utterance as spans.
    fn segments(&self, utt: &Utterance) -> Vec<Span> {
        let end = utt.duration(self.shift).map(Decimal::value);
        let segments = utt.tiers.iter().flat_map(|tier| &tier.segments);
        segments.map(|segment| Span::of(segment, end)).collect()
    }
}

/// A stretch of an utterance with one label, of one speaker.
struct Span {
    label: GroupValue,
    speaker: GroupValue,
    frames: u64,
    seconds: Option<f64>,
}

impl Span {
    /// Takes a segment of an utterance that lasts `end` seconds.
    fn of(segment: &Segment, end: Option<f64>) -> Self {
        let end = segment.end.map(Decimal::value).or(end);
        Self {
            label: GroupValue::Text(segment.label.clone()),
            speaker: segment
                .speaker
                .clone()
                .map_or(GroupValue::Unknown, GroupValue::Text),
            frames: 0,
            seconds: end.map(|end| (end - segment.start.value()).max(0.0)),
        }
    }
}

/// Returns the runs of equal labels, whose frames are `shift` seconds apart.
#[expect(
    clippy::cast_precision_loss,
    reason = "a duration needs no more digits"
)]
fn runs<T: Element>(labels: &[T], shift: Option<f64>) -> Vec<Span> {
    let runs = labels.chunk_by(|a, b| a == b);
    let spans = runs.filter_map(|run| {
        Some(Span {
            label: GroupValue::Number(Label::from(run.first()?.to_wide())),
            speaker: GroupValue::Unknown,
            frames: run.len() as u64,
            seconds: shift.map(|shift| shift * run.len() as f64),
        })
    });
    spans.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::{Audio, Matrix, Rank, Tier, Waveform};

    fn sums(by: &[&str], utts: &[Utterance]) -> Groups {
        let by: Vec<_> = by.iter().map(|name| GroupBy::find(name).unwrap()).collect();
        let mut groups = Groups::new(&by, &DatasetInfo::default());
        for utt in utts {
            groups.add(utt).unwrap();
        }
        groups
    }

    fn spoken(speaker: Option<&str>, samples: &[i16], rate: u32) -> Utterance {
        let mut utt = Utterance {
            audio: Some(Audio::Samples(Waveform {
                rate,
                samples: Matrix::from_rows(samples, 1, Rank::Matrix).unwrap(),
            })),
            ..Utterance::default()
        };
        utt.meta.speaker = speaker.map(Into::into);
        utt
    }

    fn text(text: &str) -> GroupValue {
        GroupValue::Text(text.as_bytes().into())
    }

    fn integer(number: i128) -> GroupValue {
        GroupValue::Number(Label::Int(number))
    }

    #[test]
    fn utterances_are_summed_up_by_columns() {
        let groups = sums(
            &["speaker", "rate"],
            &[
                spoken(Some("b"), &[16384, 0], 2),
                spoken(None, &[0; 8], 4),
                spoken(Some("a"), &[1], 2),
                spoken(Some("b"), &[0; 6], 2),
            ],
        );
        let found: Vec<_> = groups
            .iter()
            .map(|(values, group)| (values.to_vec(), group.utterances, group.seconds()))
            .collect();
        let expected = [
            (vec![text("a"), integer(2)], 1, Some(0.5)),
            (vec![text("b"), integer(2)], 2, Some(4.0)),
            (vec![GroupValue::Unknown, integer(4)], 1, Some(2.0)),
        ];
        assert_eq!(found, expected);
        let (_, b) = groups.iter().nth(1).unwrap();
        assert_eq!(b.second_range, Some((1.0, 3.0)));
        assert_eq!((b.sound.peak, b.sound.measured), (0.5, 2));
        assert!(groups.unknown().is_empty());
        assert_eq!(
            sums(&["gender"], &[spoken(None, &[1], 1)]).unknown(),
            ["gender"]
        );
    }

    #[test]
    fn labels_are_summed_up_by_their_runs() {
        let mut utt = Utterance {
            labels: Some(Matrix::from_rows(&[7i32, 7, -1, 7], 1, Rank::Vector).unwrap()),
            ..Utterance::default()
        };
        utt.meta.frame_shift = Decimal::parse("0.5");
        let bare = Utterance::default();
        let groups = sums(&["label"], &[utt.clone(), utt, bare]);
        let found: Vec<_> = groups
            .iter()
            .map(|(values, g)| (values[0].clone(), g.utterances, g.spans, g.frames))
            .collect();
        let expected = [
            (integer(-1), 2, 2, 2),
            (integer(7), 2, 4, 6),
            (GroupValue::Unknown, 1, 1, 0),
        ];
        assert_eq!(found, expected);
        let (_, sevens) = groups.iter().nth(1).unwrap();
        assert_eq!(sevens.seconds(), Some(3.0));
        assert_eq!(
            (sevens.frame_range, sevens.second_range),
            ((1, 2), Some((0.5, 1.0)))
        );
    }

    #[test]
    fn segments_are_summed_up_where_frames_have_no_labels() {
        let at = |seconds| Decimal::parse(seconds).unwrap();
        let segments = vec![
            Segment::new(at("0"), Some(at("1.5")), b"sil"),
            Segment::new(at("1.5"), None, b"a"),
            Segment::new(at("2"), Some(at("2.25")), b"sil"),
        ];
        let groups = sums(
            &["label"],
            &[Utterance {
                tiers: vec![Tier::only(segments)],
                ..Utterance::default()
            }],
        );
        let found: Vec<_> = groups
            .iter()
            .map(|(values, g)| (values[0].clone(), g.spans, g.seconds()))
            .collect();
        // A segment without an end lasts as long as the utterance: to the end of its last segment.
        assert_eq!(
            found,
            [(text("a"), 1, Some(0.75)), (text("sil"), 2, Some(1.75))]
        );
    }

    #[test]
    fn speakers_of_segments_are_summed_up() {
        let segment = |start: &str, end: &str, speaker: &str| {
            let at = |seconds| Decimal::parse(seconds).unwrap();
            let mut segment = Segment::new(at(start), Some(at(end)), b"x");
            segment.speaker = Some(speaker.as_bytes().into());
            segment
        };
        let segments = [("0", "1", "ann"), ("1", "1.5", "bob"), ("1.5", "4", "ann")];
        let segments = segments.map(|(start, end, speaker)| segment(start, end, speaker));
        let groups = sums(
            &["speaker"],
            &[Utterance {
                tiers: vec![Tier::only(segments.to_vec())],
                ..Utterance::default()
            }],
        );
        let found: Vec<_> = groups
            .iter()
            .map(|(values, g)| (values[0].clone(), g.utterances, g.spans, g.seconds()))
            .collect();
        let expected = [
            (text("ann"), 1, 2, Some(3.5)),
            (text("bob"), 1, 1, Some(0.5)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn several_columns_of_labels_have_no_groups() {
        let labels = Matrix::from_rows(&[1i32, 2], 2, Rank::Matrix).unwrap();
        let utt = Utterance {
            labels: Some(labels),
            ..Utterance::default()
        };
        let mut groups = Groups::new(&[GroupBy::Label], &DatasetInfo::default());
        let error = groups.add(&utt).unwrap_err().to_string();
        assert_eq!(error, "its labels have 2 columns; groups need one");
    }
}
