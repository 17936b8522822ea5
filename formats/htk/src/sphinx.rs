//! The format `sphinx`.

use spr_core::bytes::{ByteOrder, Env, Output, Source, swap_in_place};
use spr_core::format::{
    Caps, Claim, Count, Empty, Extent, FeatureCaps, Format, FormatInfo, Keys, Medium, Nested,
    Notation, OneReader, OneWriter, Opened, OptionSpec, Options, Probe, Request, Score,
    WholeFolder, Writer,
};
use spr_core::model::{AudioFacts, DatasetInfo, Dtype, Rank, Utterance};
use spr_core::{Error, Result};

use crate::object;
use crate::probe;

/// Sphinx feature files.
pub static SPHINX: Sphinx = Sphinx;

/// The format `sphinx`: floats after their number, one utterance a file.
#[derive(Clone, Copy, Debug)]
pub struct Sphinx;

static INFO: FormatInfo =
    FormatInfo::new("sphinx", "Sphinx feature files", &["mfc"]).options(&[OptionSpec {
        name: "dim",
        value: "N",
        help: "values a frame, which the file does not tell (default: 13; read: 40 where only that fits)",
    }]);

/// Cepstra in a frame.
const CEPSTRA: u32 = 13;

/// Other usual widths: cepstra with two orders of differences, and filter banks.
const OTHERS: [u32; 3] = [3 * CEPSTRA, 40, 80];

const fn caps(keys: Keys, dim: u32) -> Caps {
    let mut features = FeatureCaps::new(&[Dtype::F32]);
    features.same_dim = true;
    features.max_cols = dim as u64;
    let mut caps = Caps::new(Count::One, keys);
    caps.features = Some(features);
    caps.empty = Empty::Shapeless;
    caps.max_rows = (u32::MAX / dim) as u64;
    caps
}

/// The width that the options say.
fn dim(options: &Options) -> Result<Option<u32>> {
    match options.parse("dim")? {
        Some(0) => Err(Error::usage("option dim: a frame has one value at least")),
        dim => Ok(dim),
    }
}

/// The width of frames that `count` values fill: that of cepstra, else the one usual width that
/// fits. A guess comes with words about it.
fn guess(count: u64) -> (u32, Option<String>) {
    let fits = |dim: &u32| count > 0 && count.is_multiple_of((*dim).into());
    let others: Vec<_> = OTHERS.iter().copied().filter(fits).collect();
    match (fits(&CEPSTRA), others.as_slice()) {
        (true, [other, ..]) => (
            CEPSTRA,
            Some(format!(
                "{count} floats fill frames of {CEPSTRA} and of {other}: they are read as \
                 {CEPSTRA}, dim={other} says otherwise"
            )),
        ),
        (false, &[only]) => (
            only,
            Some(format!(
                "{count} floats don't fill frames of {CEPSTRA}, but of {only}: they are read as \
                 that, dim=N says otherwise"
            )),
        ),
        _ => (CEPSTRA, None),
    }
}

/// What the first bytes say.
#[derive(Clone, Copy)]
struct Header {
    frames: u64,
    dim: u64,
    order: ByteOrder,
}

impl Header {
    /// Reads the number of values: big-endian, or in a file of its own little-endian if only that
    /// fits the size.
    fn read(source: &mut Source, extent: Extent) -> Result<(u64, ByteOrder)> {
        let left = source.remaining();
        let bytes = source.array()?;
        let [big, little] = [u32::from_be_bytes(bytes), u32::from_le_bytes(bytes)].map(u64::from);
        let fits = |count: u64| left == Some(4 + 4 * count);
        let (count, order) = match extent == Extent::Whole && fits(little) && !fits(big) {
            true => (little, ByteOrder::Little),
            false => (big, ByteOrder::Big),
        };
        Ok((count, order))
    }

    /// The header of frames of `dim` values.
    fn new((count, order): (u64, ByteOrder), dim: u32) -> Result<Self> {
        let dim = u64::from(dim);
        if !count.is_multiple_of(dim) {
            let hint = match count.is_multiple_of(80) {
                true => "they fill frames of 40 and of 80: dim=N says which",
                false => "the option dim sets how many values a frame has",
            };
            let message = format!("{count} floats do not fill Sphinx frames of {dim}");
            return Err(Error::malformed(message).hint(hint));
        }
        let frames = count / dim;
        let dim = if frames == 0 { 0 } else { dim };
        Ok(Self { frames, dim, order })
    }

    fn shape(self) -> (Dtype, Rank, u64, u64) {
        (Dtype::F32, Rank::Matrix, self.frames, self.dim)
    }
}

/// A feature file of 13 cepstra a frame inside a container.
struct NestedSphinx;

impl Nested for NestedSphinx {
    fn claim(&self, head: &[u8]) -> Claim {
        let Some(count) = head.first_chunk().filter(|count| **count != [0; 4]) else {
            return Claim::No;
        };
        let counts = [u32::from_be_bytes(*count), u32::from_le_bytes(*count)];
        Claim::Lengths(counts.map(|count| Some(4 + 4 * u64::from(count))))
    }

    fn read(
        &self,
        source: &mut Source,
        extent: Extent,
        utt: &mut Utterance,
        env: &Env,
    ) -> Result<()> {
        let at = source.offset();
        let header = Header::new(Header::read(source, extent)?, CEPSTRA);
        let header = header.map_err(|e| e.file(source.name()).byte(at))?;
        utt.labels = None;
        source.read_matrix(
            utt.features_mut(),
            header.shape(),
            header.order,
            &env.limits,
        )?;
        match extent {
            Extent::Whole => object::end(source),
            Extent::Own => Ok(()),
        }
    }

    fn facts(&self, _: &mut Source, _: &Env) -> Result<AudioFacts> {
        Ok(AudioFacts::default())
    }

    fn write(&self, utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        caps(Keys::Any, CEPSTRA).check(utt)?;
        write(utt, CEPSTRA, put)
    }
}

/// Writes the features of `utt`, which has no more than that.
fn write(utt: &Utterance, dim: u32, put: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let Some(features) = &utt.features else {
        return Err(Error::unfit("has no features"));
    };
    let (rows, cols) = (features.rows(), features.cols());
    if rows > 0 && cols as u64 != u64::from(dim) {
        return Err(
            Error::unfit(format!("has {cols} values a frame, the format holds {dim}"))
                .hint("the option dim sets how many values a frame has"),
        );
    }
    let count = u32::try_from(features.len())
        .map_err(|_| Error::unfit(format!("{rows} frames are more than the file can count")))?;
    let mut bytes = count.to_be_bytes().to_vec();
    bytes.extend_from_slice(bytemuck::cast_slice(features.values::<f32>()?));
    if ByteOrder::NATIVE == ByteOrder::Little {
        swap_in_place(&mut bytes[4..], 4);
    }
    put(&bytes)
}

impl Format for Sphinx {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::score(&INFO, head, NestedSphinx.claim(head.head))
    }

    fn caps(&self, options: &Options, medium: Medium) -> Result<Caps> {
        Ok(caps(
            Keys::of_files(medium),
            dim(options)?.unwrap_or(CEPSTRA),
        ))
    }

    fn open(
        &self,
        mut source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<Opened> {
        let stored = Header::read(&mut source, Extent::Whole)?;
        let dim = match dim(options)? {
            Some(dim) => dim,
            None => {
                let (dim, guessed) = guess(stored.0);
                if let Some(guessed) = guessed {
                    env.warn(&Error::unfit(guessed).file(source.name()));
                }
                dim
            }
        };
        let header = Header::new(stored, dim);
        let header = header.map_err(|e| e.file(source.name()).byte(0))?;
        let mut info = DatasetInfo::default();
        info.frames = Some(header.frames);
        info.dim = Some(header.dim);
        info.dtype = Some(Dtype::F32);
        info.byte_order = Some(header.order);
        info.compression = source.compression();
        let values = request.values;
        let fill = move |source: &mut Source, utt: &mut Utterance, env: &Env| {
            utt.start();
            utt.labels = None;
            let (into, limits) = (utt.features_mut(), &env.limits);
            match values {
                true => source.read_matrix(into, header.shape(), header.order, limits)?,
                false => source.pass_matrix(into, header.shape(), limits)?,
            }
            object::end(source)
        };
        Ok(Opened::stream(OneReader::new(source, info, env, fill)?))
    }

    fn create(&self, output: Output, options: &Options, _env: &Env) -> Result<Box<dyn Writer>> {
        let dim = dim(options)?.unwrap_or(CEPSTRA);
        let caps = caps(Keys::of_files(output.medium()), dim);
        let encode =
            move |utt: &Utterance, put: &mut dyn FnMut(&[u8]) -> Result<()>| write(utt, dim, put);
        let extension = INFO.extensions[0];
        Ok(Box::new(OneWriter::new(output, caps, extension, encode)))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        None
    }

    fn nested(&self) -> Option<&dyn Nested> {
        Some(&NestedSphinx)
    }

    fn notation(&self) -> Option<&dyn Notation> {
        None
    }
}
