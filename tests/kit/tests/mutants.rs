//! The suite passes a sound format and finds what is wrong with unsound ones.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

use std::panic;

use spr_core::bytes::{ByteOrder, Env, Output, Part, Sink, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, Lookup, Objects, Options, Place,
    Probe, Reader, Score, Tags, Writer, Written,
};
use spr_core::model::{DatasetInfo, Dtype, Matrix, Rank, Utterance};
use spr_core::{Error, ErrorKind, Limits, Result};
use spr_testkit::{Suite, suite};

/// What is wrong with a toy format.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    DropsLabels,
    DropsFrameShift,
    AcceptsAnyKey,
    CastsDtypes,
    EndsEarly,
    PassesOverRubbish,
    TrustsSizes,
    WakesUp,
    KeepsStaleFields,
    IgnoresFullDisks,
    LeavesFiles,
    Unrecognised,
    NamesNoFile,
    Miscounts,
    LosesZeroSigns,
    PanicsOnBigSizes,
}

/// `TOY1`, then for each utterance `U`, the length of its key and the key, rows and columns as
/// 32-bit integers and the elements as floats, then `E`.
struct Toy(Fault);

impl Format for Toy {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "toy",
            title: "toy",
            extensions: &["toy"],
            options: &[],
        }
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        if head.head.starts_with(b"TOY1") && self.0 != Fault::Unrecognised {
            Score::Certain
        } else {
            Score::No
        }
    }

    fn caps(&self, _: &Options, _: Place) -> Result<Caps> {
        Ok(Caps {
            count: Count::Many,
            keys: Keys::Words,
            boundaries: true,
            features: Some(FeatureCaps {
                dtypes: &[Dtype::F32],
                vectors: false,
                scalars: false,
                same_dim: false,
                same_dtype: true,
                max_cols: 1 << 31,
            }),
            labels: None,
            objects: Objects::None,
            audio: &[],
            segments: false,
            text: false,
            empty: Empty::Kept,
            frame_times: false,
            tags: Tags::None,
            max_rows: 1 << 31,
        })
    }

    fn open(&self, mut source: Source, _: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        if source.array::<4>()? != *b"TOY1" {
            let error = Error::malformed("no magic");
            return Err(if self.0 == Fault::NamesNoFile {
                error
            } else {
                error.file(source.name())
            });
        }
        Ok(Box::new(ToyReader {
            fault: self.0,
            source,
            limits: env.limits,
            info: DatasetInfo::default(),
            ended: false,
            reads: 0,
        }))
    }

    fn salvage(&self, source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        self.open(source, options, env)
    }

    fn open_keyed(&self, source: Source, options: &Options, env: &Env) -> Result<Lookup> {
        Ok(Lookup::Ordered(self.open(source, options, env)?))
    }

    fn create(&self, output: Output, _: &Options, _: &Env) -> Result<Box<dyn Writer>> {
        if self.0 == Fault::LeavesFiles
            && let Some(path) = output.path()
        {
            std::fs::write(path.with_extension("log"), b"").unwrap();
        }
        let mut sink = output.create(Part::Main, false)?;
        sink.put(b"TOY1")?;
        Ok(Box::new(ToyWriter {
            fault: self.0,
            sink,
            written: Written::default(),
        }))
    }
}

struct ToyReader {
    fault: Fault,
    source: Source,
    limits: Limits,
    info: DatasetInfo,
    ended: bool,
    reads: u32,
}

impl Reader for ToyReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        if self.ended {
            self.reads += 1;
            return Ok(self.fault == Fault::WakesUp && self.reads == 2);
        }
        if self.source.at_end()? && self.fault == Fault::EndsEarly {
            self.ended = true;
            return Ok(false);
        }
        match self.source.byte()? {
            b'U' => {}
            b'E' if self.fault == Fault::PassesOverRubbish || self.source.at_end()? => {
                self.ended = true;
                return Ok(false);
            }
            _ => return Err(self.source.malformed("neither U nor E")),
        }
        let mut key = vec![0; self.source.byte()?.into()];
        self.source.fill(&mut key)?;
        utt.key.set(&key);
        let rows = u32::from_le_bytes(self.source.array()?);
        let cols = u32::from_le_bytes(self.source.array()?);
        assert!(
            self.fault != Fault::PanicsOnBigSizes || rows < 1 << 30,
            "too large"
        );
        let mut limits = self.limits;
        if self.fault == Fault::TrustsSizes {
            limits.max_alloc = u64::MAX;
            let size = u64::from(rows).saturating_mul(cols.into()).min(3 << 30);
            std::hint::black_box(vec![0u8; usize::try_from(size).unwrap()]);
        }
        self.source.read_matrix(
            utt.features_mut(),
            (Dtype::F32, Rank::Matrix, rows.into(), cols.into()),
            ByteOrder::Little,
            &limits,
        )?;
        if self.fault == Fault::LosesZeroSigns {
            for value in utt.features_mut().as_slice_mut::<f32>().unwrap() {
                if *value == 0.0 {
                    *value = 0.0;
                }
            }
        }
        if self.fault != Fault::KeepsStaleFields {
            utt.labels = None;
            utt.clear_others();
            utt.meta.clear();
        }
        Ok(true)
    }
}

struct ToyWriter {
    fault: Fault,
    sink: Sink,
    written: Written,
}

impl ToyWriter {
    fn check(&self, utt: &Utterance) -> Result<Matrix> {
        let unfit = |what| Error::unfit(what).utterance(&utt.key).continuable();
        let Some(features) = &utt.features else {
            return Err(unfit("no features"));
        };
        let mut features = features.clone();
        if self.fault == Fault::CastsDtypes {
            features.cast(Dtype::F32, &Limits::default())?;
        }
        let key = utt.key.as_bytes();
        let good_key = !key.is_empty() && !key.iter().any(u8::is_ascii_whitespace);
        if !good_key && self.fault != Fault::AcceptsAnyKey || key.len() > 255 {
            return Err(unfit("bad key"));
        }
        if utt.labels.is_some() && self.fault != Fault::DropsLabels {
            return Err(unfit("labels"));
        }
        let times = utt.meta.frame_shift.is_some() || utt.meta.frame_offset.is_some();
        if times && self.fault != Fault::DropsFrameShift || !utt.meta.tags.is_empty() {
            return Err(unfit("meta"));
        }
        if (features.dtype(), features.rank()) != (Dtype::F32, Rank::Matrix) {
            return Err(unfit("type"));
        }
        Ok(features)
    }
}

impl Writer for ToyWriter {
    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let features = self.check(utt)?;
        let key = utt.key.as_bytes();
        self.sink.put(b"U")?;
        self.sink.put(&[u8::try_from(key.len()).unwrap()])?;
        self.sink.put(key)?;
        for n in [features.rows(), features.cols()] {
            self.sink.put(&u32::try_from(n).unwrap().to_le_bytes())?;
        }
        for value in features.as_slice::<f32>().unwrap() {
            self.sink.put(&value.to_le_bytes())?;
        }
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Written> {
        self.sink.put(b"E")?;
        let mut written = self.written;
        written.bytes = match self.sink.finish() {
            Err(e) if e.kind() == ErrorKind::Io && self.fault == Fault::IgnoresFullDisks => 0,
            other => other?,
        };
        if self.fault == Fault::Miscounts {
            written.frames += 1;
        }
        Ok(written)
    }
}

#[test]
fn a_sound_format_passes() {
    static TOY: Toy = Toy(Fault::None);
    suite(&Suite::new(&TOY));
}

/// The step at which the suite stops on a format with `fault`.
fn verdict(fault: Fault) -> String {
    let toy: &'static Toy = Box::leak(Box::new(Toy(fault)));
    let result = panic::catch_unwind(|| suite(&Suite::new(toy)));
    let payload = result.expect_err(&format!("{fault:?} was not found"));
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast::<&str>().unwrap().to_string(),
    }
}

#[test]
fn unsound_formats_are_found() {
    for (fault, step) in [
        (
            Fault::DropsLabels,
            "undeclared and yet taken: labels beside",
        ),
        (
            Fault::DropsFrameShift,
            "undeclared and yet taken: a frame shift",
        ),
        (Fault::AcceptsAnyKey, "undeclared and yet taken: a key"),
        (
            Fault::CastsDtypes,
            "undeclared and yet taken: an element type",
        ),
        (Fault::EndsEarly, "without an error"),
        (Fault::PassesOverRubbish, "appended"),
        (Fault::TrustsSizes, "memory grew"),
        (Fault::WakesUp, "reading past the end"),
        (Fault::KeepsStaleFields, "labels: want None"),
        (Fault::IgnoresFullDisks, "bytes: no error"),
        (Fault::LeavesFiles, "files are left"),
        (Fault::Unrecognised, "recognising"),
        (Fault::NamesNoFile, "names no file"),
        (Fault::Miscounts, "the writer counts"),
        (Fault::LosesZeroSigns, "want -0"),
        (Fault::PanicsOnBigSizes, "too large"),
    ] {
        let message = verdict(fault);
        assert!(message.contains(step), "{fault:?}: {message}");
    }
}
