//! A format with a fault.

use spr_core::bytes::{
    ByteOrder, Claim, Env, Locator, Nested, ObjectBounds, Output, Part, Sink, Source,
};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, KeyPredicate, Keys, Medium, OpenedDataset,
    Options, Probe, Reader, Request, Score, WriteSummary, Writer,
};
use spr_core::model::{About, AboutField, DatasetInfo, Dtype, Key, Matrix, Rank, Utterance};
use spr_core::{Error, ErrorKind, Limits, Result};

/// What is wrong with a toy format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Fault {
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
    LeaksLabels,
    IgnoresFullDisks,
    LeavesFiles,
    Unrecognised,
    NamesNoFile,
    Miscounts,
    LosesZeroSigns,
    PanicsOnBigSizes,
    IgnoresKeys,
    PassesWrongShapes,
    SaysOtherCaps,
    TellsLate,
    DropsSource,
    DropsArrays,
    DropsTiers,
    DropsAbout,
    NestedReadsOn,
    NestedTrustsItself,
    NestedForgetsMeta,
}

/// `TOY1`, then for each utterance `U`, the length of its key and the key, rows and columns as
/// 32-bit integers and the elements as floats, then `E`.
pub(crate) struct Toy(pub(crate) Fault);

impl Format for Toy {
    fn info(&self) -> &'static FormatInfo {
        const INFO: &FormatInfo = &FormatInfo::new("toy", "toy", &["toy"]);
        INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        if head.head.starts_with(b"TOY1") && self.0 != Fault::Unrecognised {
            Score::Certain
        } else {
            Score::No
        }
    }

    fn caps(&self, _: &Options, _: Medium) -> Result<Caps> {
        let mut features = FeatureCaps::new(&[Dtype::F32]);
        features.same_dtype = true;
        features.max_cols = 1 << 31;
        let mut caps = Caps::new(Count::Many, Keys::Words);
        caps.features = Some(features);
        caps.empty = Empty::Kept;
        caps.max_rows = 1 << 31;
        if self.0 == Fault::DropsAbout {
            caps.about = &[AboutField::License];
        }
        Ok(caps)
    }

    fn open(
        &self,
        mut source: Source,
        _: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        if source.array::<4>()? != *b"TOY1" {
            let error = Error::malformed("no magic");
            return Err(if self.0 == Fault::NamesNoFile {
                error
            } else {
                error.file(source.name())
            });
        }
        Ok(OpenedDataset::stream(ToyReader {
            fault: self.0,
            source,
            limits: env.limits,
            info: DatasetInfo::default(),
            wanted: request.take_keys(),
            values: request.values,
            ended: false,
            reads: 0,
        }))
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        if self.0 == Fault::LeavesFiles
            && let Some(at) = output.locator().location()
        {
            let log = env.output(&Locator::file(at.with_extension("log")));
            log.create(Part::Main, false)?.finish()?;
            log.commit()?;
        }
        let mut sink = output.create(Part::Main, false)?;
        sink.put(b"TOY1")?;
        let mut caps = self.caps(options, Medium::File)?;
        caps.text = self.0 == Fault::SaysOtherCaps;
        Ok(Box::new(ToyWriter {
            fault: self.0,
            sink,
            caps,
            written: WriteSummary::default(),
        }))
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(self)
    }
}

/// `T`, rows and columns as 32-bit integers and the elements as floats.
impl Nested for Toy {
    fn claim(&self, head: &[u8]) -> Claim {
        match head.first() {
            Some(b'T') => Claim::Magic,
            _ => Claim::No,
        }
    }

    fn read(
        &self,
        source: &mut Source,
        extent: ObjectBounds,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        if source.byte()? != b'T' {
            return Err(source.malformed("not a toy"));
        }
        if self.0 == Fault::NestedForgetsMeta {
            utt.meta.clear();
        }
        read_features(source, utt, &env.limits, true)?;
        if self.0 == Fault::NestedReadsOn {
            source.peek(1)?;
            while !source.at_end()? {
                source.byte()?;
            }
        }
        match extent == ObjectBounds::Whole
            && self.0 != Fault::NestedTrustsItself
            && !source.at_end()?
        {
            true => Err(source.malformed("bytes behind a toy")),
            false => Ok(()),
        }
    }

    fn pass(&self, _: &mut Source, _: &Env) -> Result<bool> {
        Ok(false)
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.caps(&Options::default(), Medium::Stream)?.check(utt)?;
        put(b"T")?;
        put(&numbers(utt.features.as_ref().unwrap()))
    }
}

/// Rows, columns and elements.
fn numbers(features: &Matrix) -> Vec<u8> {
    let mut bytes = Vec::new();
    for n in [features.rows(), features.cols()] {
        bytes.extend(u32::try_from(n).unwrap().to_le_bytes());
    }
    for value in features.values::<f32>().unwrap() {
        bytes.extend(value.to_le_bytes());
    }
    bytes
}

/// Reads rows, columns and elements, or passes over the elements.
fn read_features(
    source: &mut Source,
    utt: &mut Utterance,
    limits: &Limits,
    values: bool,
) -> Result<()> {
    let rows = u32::from_le_bytes(source.array()?);
    let cols = u32::from_le_bytes(source.array()?);
    let shape = (Dtype::F32, Rank::Matrix, rows.into(), cols.into());
    match values {
        true => source.read_matrix(utt.features_mut(), shape, ByteOrder::Little, limits),
        false => source.pass_matrix(utt.features_mut(), shape, limits),
    }
}

struct ToyReader {
    fault: Fault,
    source: Source,
    limits: Limits,
    info: DatasetInfo,
    wanted: Option<KeyPredicate>,
    values: bool,
    ended: bool,
    reads: u32,
}

impl Reader for ToyReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        while self.next(utt)? {
            let unwanted = self.wanted.as_ref().is_some_and(|wanted| !wanted(&utt.key));
            if !unwanted || self.fault == Fault::IgnoresKeys {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ToyReader {
    fn next(&mut self, utt: &mut Utterance) -> Result<bool> {
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
        let labels = utt.labels.take_if(|_| self.fault == Fault::LeaksLabels);
        if self.fault != Fault::KeepsStaleFields {
            utt.start();
        }
        utt.labels = labels.or(utt.labels.take());
        let mut key = vec![0; self.source.byte()?.into()];
        self.source.fill(&mut key)?;
        utt.key.set(&key);
        if self.fault == Fault::TellsLate {
            self.info.frames = Some(7);
        }
        let size = self.source.peek(8)?;
        let (rows, cols) = (number(size, 0), number(size, 4));
        assert!(
            self.fault != Fault::PanicsOnBigSizes || rows < 1 << 30,
            "too large"
        );
        if self.fault == Fault::TrustsSizes {
            let size = u64::from(rows).saturating_mul(cols.into()).min(3 << 30);
            std::hint::black_box(vec![0u8; usize::try_from(size).unwrap()]);
        }
        read_features(&mut self.source, utt, &self.limits, self.values)?;
        if self.fault == Fault::PassesWrongShapes && !self.values {
            utt.features_mut().start(Dtype::F32, Rank::Matrix, 1);
        }
        if self.fault == Fault::LosesZeroSigns {
            for value in utt.features_mut().values_mut::<f32>()? {
                if *value == 0.0 {
                    *value = 0.0;
                }
            }
        }
        Ok(true)
    }
}

/// The 32-bit integer at a byte; 0 where the bytes end before.
fn number(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..at + 4);
    bytes.map_or(0, |bytes| u32::from_le_bytes(bytes.try_into().unwrap()))
}

struct ToyWriter {
    fault: Fault,
    sink: Sink,
    caps: Caps,
    written: WriteSummary,
}

impl ToyWriter {
    fn check(&self, utt: &Utterance) -> Result<Matrix> {
        let mut checked = utt.clone();
        match self.fault {
            Fault::DropsLabels => checked.labels = None,
            Fault::DropsFrameShift => {
                (checked.meta.frame_shift, checked.meta.frame_offset) = (None, None);
            }
            Fault::DropsSource => checked.meta.clear_source(),
            Fault::DropsArrays => checked.arrays.clear(),
            Fault::DropsTiers => checked.tiers.clear(),
            Fault::AcceptsAnyKey => checked.key = Key::from("good"),
            Fault::CastsDtypes => {
                if let Some(features) = &mut checked.features {
                    features.cast(Dtype::F32, &Limits::default())?;
                }
            }
            _ => {}
        }
        let refused = |e: Error| e.utterance(&utt.key).continuable();
        self.caps.check(&checked).map_err(refused)?;
        if utt.key.as_bytes().len() > 255 {
            return Err(refused(Error::unfit("a long key")));
        }
        Ok(checked.features.unwrap())
    }
}

impl Writer for ToyWriter {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.check(utt).map(drop)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        let features = self.check(utt)?;
        let key = utt.key.as_bytes();
        self.sink.put(b"U")?;
        self.sink.put(&[u8::try_from(key.len()).unwrap()])?;
        self.sink.put(key)?;
        self.sink.put(&numbers(&features))?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<WriteSummary> {
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
