//! Utterances that do not fit, for each thing that is not declared.

use spr_core::format::{Empty, Keys, Tags};
use spr_core::model::{
    Audio, Decimal, Dtype, Key, Matrix, Rank, SourceField, Tag, Utterance, Waveform,
};

use super::super::Bench;
use crate::generate::{self, Columns, Other, Plan};

/// Data sets whose last utterance does not fit; those before it do.
pub(super) fn cases(bench: &Bench<'_>) -> Vec<(&'static str, Vec<Utterance>)> {
    let mut cases = Cases {
        bench,
        list: Vec::new(),
    };
    for plan in generate::plans(&bench.caps) {
        cases.of_any(plan);
        if plan.features.is_some() {
            cases.of_features(plan);
        }
        if plan.labels.is_some() {
            cases.of_labels(plan);
        }
        if plan.other == Some(Other::Samples) {
            cases.of_audio(plan);
        }
    }
    cases.kinds();
    cases.list
}

struct Cases<'a> {
    bench: &'a Bench<'a>,
    list: Vec<(&'static str, Vec<Utterance>)>,
}

impl Cases<'_> {
    /// A data set of `count` utterances, the last of which is changed.
    fn add(
        &mut self,
        what: &'static str,
        plan: Plan,
        count: usize,
        change: impl Fn(&mut Utterance),
    ) {
        if count > 1 && !self.bench.caps.boundaries {
            return;
        }
        let mut utts = self.bench.sample(plan, count);
        change(&mut utts[count - 1]);
        self.list.push((what, utts));
    }

    /// The same change to a first and to a later utterance.
    fn add_both(&mut self, what: &'static str, plan: Plan, change: impl Fn(&mut Utterance)) {
        self.add(what, plan, 1, &change);
        self.add(what, plan, 2, &change);
    }

    fn of_any(&mut self, plan: Plan) {
        let caps = &self.bench.caps;
        let bad_keys: &[&[u8]] = match caps.keys {
            Keys::Words | Keys::SideFile => &[b"", b"a b", b"a\tb", b"a\n"],
            Keys::FileNames => &[b"", b"..", b"../x", b"/x", b"a\0b", b"a//b"],
            _ => &[],
        };
        for key in bad_keys {
            self.add_both("a key that can't be kept", plan, |utt| {
                utt.key = Key::from(*key)
            });
        }
        self.of_rules(plan);
        self.add_both("neither features nor labels", plan, |utt| {
            utt.clear_data();
        });
        if plan.other.is_some() && caps.features.is_none() {
            self.add_both("features", plan, |utt| {
                utt.features = Some(generate::plain(Dtype::F32, Rank::Matrix, 2, 3));
            });
        }
        if plan.other.is_some() && caps.labels.is_none() {
            self.add_both("labels", plan, |utt| {
                utt.labels = Some(generate::plain(Dtype::I32, Rank::Vector, 2, 1));
            });
        }
        if !caps.frame_shift {
            self.add_both("a frame shift", plan, |utt| {
                utt.meta.frame_shift = Decimal::parse("0.01");
            });
        }
        if !caps.frame_offset {
            self.add_both("a frame offset", plan, |utt| {
                utt.meta.frame_offset = Decimal::parse("0.5");
            });
        }
        for field in SourceField::ALL {
            if caps.source.contains(field) {
                continue;
            }
            self.add_both(field.name(), plan, |utt| {
                let (meta, name) = (&mut utt.meta, Some("ann".into()));
                match field {
                    SourceField::Speaker => meta.speaker = name,
                    SourceField::Gender => meta.gender = name,
                    SourceField::Language => meta.language = name,
                    SourceField::Recording => meta.recording = name,
                    SourceField::Channel => meta.channel = name,
                    SourceField::Place => meta.start = Decimal::parse("0.25"),
                }
            });
        }
        match caps.tags {
            Tags::Any | Tags::TextAndOwn(_) if caps.utf8 => {
                self.add_both("a header line that is not UTF-8", plan, |utt| {
                    utt.meta.tags.push(Tag::new("spraak", "SPEAKER", b"\xff"));
                })
            }
            Tags::Any | Tags::TextAndOwn(_) => {}
            Tags::None => self.add_both("a header line", plan, |utt| {
                utt.meta.tags.push(Tag::new("spraak", "SPEAKER", "ann"));
            }),
            _ => self.add_both("a header line of another format", plan, |utt| {
                utt.meta.tags.push(Tag::new("another", "SPEAKER", "ann"));
            }),
        }
        let frames = plan.features.is_some() || plan.labels.is_some();
        if frames && caps.empty == Empty::Refused && plan.features != Some(Rank::Scalar) {
            self.add_both("no frames", plan, |utt| {
                for matrix in [&mut utt.features, &mut utt.labels].into_iter().flatten() {
                    *matrix = generate::plain(matrix.dtype(), matrix.rank(), 0, matrix.cols());
                }
            });
        }
        if frames && caps.max_rows < 100_000 && plan.features != Some(Rank::Scalar) {
            let rows = usize::try_from(caps.max_rows).expect("small") + 1;
            self.add_both("too many rows", plan, |utt| {
                for matrix in [&mut utt.features, &mut utt.labels].into_iter().flatten() {
                    *matrix = generate::plain(matrix.dtype(), matrix.rank(), rows, matrix.cols());
                }
            });
        }
    }

    /// What the rules of names, text and frame shifts are against.
    fn of_rules(&mut self, plan: Plan) {
        let caps = self.bench.caps;
        let keys: [&[u8]; 9] = [
            b";;a",
            b"a(b)",
            b"a*b",
            b"a/",
            b"-",
            b"a.labels",
            b"__metadata__",
            b"a=b",
            b"\xff",
        ];
        for key in keys.map(Key::from) {
            if !matches!(caps.keys, Keys::None) && caps.check_key(&key).is_err() {
                self.add_both("a key against the rule", plan, |utt| utt.key = key.clone());
            }
        }
        let texts: [&[u8]; 6] = [b" a", b"a\nb", b";; a", b"<s> a </s>", b"a  b", b"\xff"];
        for text in texts {
            let unfit = caps.utf8 && std::str::from_utf8(text).is_err();
            if caps.text && (unfit || !caps.text_rule.fits(text)) {
                self.add_both("text against the rule", plan, |utt| {
                    utt.text = Some(text.to_vec());
                });
            }
        }
        for shift in ["0.0100000001", "100000", "0.5", "0", "-0.01"]
            .map(Decimal::parse)
            .into_iter()
            .flatten()
        {
            let fits = shift.is_positive() && caps.shift_rule.fits(&shift);
            if caps.frame_shift && !fits {
                self.add_both("a frame shift against the rule", plan, |utt| {
                    utt.meta.frame_shift = Some(shift);
                });
            }
        }
    }

    fn of_features(&mut self, plan: Plan) {
        let Some(caps) = self.bench.caps.features else {
            return;
        };
        if caps.needs_shift {
            self.add_both("features without a frame shift", plan, |utt| {
                utt.meta.frame_shift = None;
            });
        }
        if caps.cols.is_some() {
            self.add_both("other columns than the only ones", plan, |utt| {
                *utt.features_mut() = resized(utt.features_mut(), 0, 1);
            });
        }
        for &dtype in Dtype::ALL.iter().filter(|d| !caps.dtypes.contains(d)) {
            self.add_both("an element type that is not held", plan, |utt| {
                let features = utt.features_mut();
                let (rank, rows, cols) = (features.rank(), features.rows(), features.cols());
                *features = generate::plain(dtype, rank, rows, cols);
            });
        }
        if caps.same_dtype && caps.dtypes.len() > 1 {
            self.add("another element type", plan, 2, |utt| {
                let features = utt.features_mut();
                let (rank, rows, cols) = (features.rank(), features.rows(), features.cols());
                *features = generate::plain(caps.dtypes[1], rank, rows, cols);
            });
        }
        if plan.labels.is_some() {
            self.add_both("more frames than labels", plan, |utt| {
                *utt.features_mut() = resized(utt.features_mut(), 1, 0);
            });
        }
        if plan.features != Some(Rank::Matrix) {
            return;
        }
        if caps.same_dim && caps.max_cols > 3 && caps.cols.is_none() {
            self.add("another number of columns", plan, 2, |utt| {
                *utt.features_mut() = resized(utt.features_mut(), 0, 1);
            });
        }
        if caps.max_cols < 100_000 {
            let over = usize::try_from(caps.max_cols).expect("small") + 1;
            self.add("too many columns", plan, 1, |utt| {
                let features = utt.features_mut();
                *features = generate::plain(features.dtype(), Rank::Matrix, 2, over);
            });
        }
        if self.bench.caps.empty == Empty::Shapeless && plan.labels.is_none() {
            self.add_both("columns without rows", plan, |utt| {
                let features = utt.features_mut();
                *features = generate::plain(features.dtype(), Rank::Matrix, 0, 3);
            });
        }
    }

    fn of_labels(&mut self, plan: Plan) {
        let Some(caps) = self.bench.caps.labels else {
            return;
        };
        for &dtype in Dtype::ALL.iter().filter(|d| !caps.dtypes.contains(d)) {
            self.add_both("labels of a type that is not held", plan, |utt| {
                let labels = utt.labels_mut();
                let (rank, rows, cols) = (labels.rank(), labels.rows(), labels.cols());
                *labels = generate::plain(dtype, rank, rows, cols);
            });
        }
        if caps.max_columns < 1000 {
            let over = usize::try_from(caps.max_columns).expect("small") + 1;
            self.add_both("too many label columns", plan, |utt| {
                let labels = utt.labels_mut();
                *labels = generate::plain(labels.dtype(), Rank::Matrix, labels.rows(), over);
            });
        }
        if caps.same_columns && caps.max_columns > 1 {
            self.add("another number of label columns", plan, 2, |utt| {
                let labels = utt.labels_mut();
                let (dtype, rows) = (labels.dtype(), labels.rows());
                *labels = match labels.cols() {
                    1 => generate::plain(dtype, Rank::Matrix, rows, 2),
                    _ => generate::plain(dtype, Rank::Vector, rows, 1),
                };
            });
        }
        if plan.features.is_some() && self.bench.caps.features.is_some_and(|f| f.same_dim) {
            self.add("no labels where those before have them", plan, 2, |utt| {
                utt.labels = None;
            });
        }
    }

    fn of_audio(&mut self, plan: Plan) {
        let caps = self.bench.caps.audio;
        let mut sound = |what, change: &dyn Fn(&mut Waveform)| {
            self.add_both(what, plan, |utt| {
                utt.audio.as_mut().and_then(Audio::waveform_mut).map(change);
            });
        };
        for rate in [1, 7, 11025, 44100, 96001, 655_360] {
            if !caps.rates.fits(&rate) {
                sound("a rate that can't be kept", &|sound| sound.rate = rate);
            }
        }
        if caps.max_channels < 1000 {
            let over = usize::try_from(caps.max_channels).expect("small") + 1;
            sound("too many channels", &|sound| {
                sound.samples = generate::plain(sound.samples.dtype(), Rank::Matrix, 2, over);
            });
        }
        if caps.bits < 32 && caps.dtypes.contains(&Dtype::I32) {
            sound("samples of more bits", &|sound| {
                let (rows, cols) = (sound.samples.rows(), sound.samples.cols());
                sound.samples = generate::plain(Dtype::I32, Rank::Matrix, rows, cols);
                sound.samples.values_mut::<i32>().expect("i32").fill(1);
            });
        }
        if caps.needs_samples {
            sound("sound without samples", &|sound| {
                let samples = &mut sound.samples;
                *samples = generate::plain(samples.dtype(), Rank::Matrix, 0, samples.cols());
            });
        }
        self.add_both("audio without channels", plan, |utt| {
            if let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) {
                sound.samples = generate::plain(sound.samples.dtype(), Rank::Matrix, 0, 0);
            }
        });
        self.add_both("a vector as audio", plan, |utt| {
            if let Some(sound) = utt.audio.as_mut().and_then(Audio::waveform_mut) {
                sound.samples = generate::plain(sound.samples.dtype(), Rank::Vector, 3, 1);
            }
        });
    }

    /// Ranks, and combinations of features and labels, that are not held.
    fn kinds(&mut self) {
        let caps = self.bench.caps;
        let first = |plan: fn(&Plan) -> bool| generate::plans(&caps).into_iter().find(plan);
        let features_only = first(|p| p.features == Some(Rank::Matrix) && p.labels.is_none());
        let dtype = caps.features.map_or(Dtype::F32, |f| f.dtypes[0]);
        let label_dtype = caps.labels.map_or(Dtype::I32, |l| l.dtypes[0]);
        if let (Some(plan), Some(features)) = (features_only, caps.features) {
            for (held, rank, rows) in [
                (features.vectors, Rank::Vector, 3),
                (features.scalars, Rank::Scalar, 1),
            ] {
                if !held {
                    self.add_both("a rank that is not held", plan, |utt| {
                        utt.features = Some(generate::plain(dtype, rank, rows, 1));
                    });
                }
            }
            if !caps.labels.is_some_and(|l| l.with_features) {
                self.add_both("labels beside features", plan, |utt| {
                    let rows = utt.features_mut().rows();
                    utt.labels = Some(generate::plain(label_dtype, Rank::Vector, rows, 1));
                });
            }
            if !caps.labels.is_some_and(|l| l.alone) {
                self.add_both("labels without features", plan, |utt| {
                    utt.features = None;
                    utt.labels = Some(generate::plain(label_dtype, Rank::Vector, 3, 1));
                });
            }
        }
        let labels_only = first(|p| p.features.is_none() && p.labels == Some(Columns::One));
        if let (Some(plan), None) = (labels_only, caps.features) {
            self.add_both("features", plan, |utt| {
                utt.features = Some(generate::plain(Dtype::F32, Rank::Matrix, 2, 3));
                utt.labels = None;
            });
        }
    }
}

fn resized(matrix: &Matrix, more_rows: usize, more_cols: usize) -> Matrix {
    let (rows, cols) = (matrix.rows() + more_rows, matrix.cols() + more_cols);
    generate::plain(matrix.dtype(), matrix.rank(), rows, cols)
}
