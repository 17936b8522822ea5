//! The data of a cut: what its entries hold.

use serde_json::value::RawValue;
use spr_core::bytes::{Env, Locator, ObjectBounds, Source};
use spr_core::model::{
    Array, Audio, AudioReference, Decimal, Dtype, EncodedAudio, Matrix, NamedArray, Rank, Tag,
    Utterance,
};
use spr_core::recording;
use spr_core::{Error, Result};
use spr_syntax::json::{self, Object};
use spr_syntax::lilcom::Decoder;

use super::super::features::Features;
use super::super::recording::{Recording, SHAR};
use super::stream::{Entry, FieldStream};

/// The format of tags with what a field says of an array that the array does not.
pub(super) const TAGS: &str = "shar";

/// The sound of a cut.
pub(super) struct Sound {
    pub(super) recording: (String, Recording),
    /// The size of the file at the place of the recording.
    len: u64,
    /// The bytes of the file, if it has no place.
    bytes: Option<Vec<u8>>,
    /// The file and the format, for messages.
    name: String,
    extension: String,
}

/// An array with what its description says.
pub(super) struct FieldArray {
    pub(super) array: Array,
    pub(super) temporal: Option<Temporal>,
}

/// What is said of an array with an axis of time.
#[derive(Clone, Copy)]
pub(super) struct Temporal {
    pub(super) axis: u64,
    pub(super) shift: Decimal,
}

/// The fields by which a placeholder in a cut and the description beside the data must agree.
const FACTS: [&str; 6] = [
    "sampling_rate",
    "num_samples",
    "num_frames",
    "num_features",
    "frame_shift",
    "shape",
];

/// Returns `true` for the description of data that are in a file of a Shar.
pub(super) fn is_placeholder(raw: &RawValue) -> bool {
    if !raw.get().contains("\"shar\"") {
        return false;
    }
    let Ok(mut object) = Object::of(raw, "a placeholder") else {
        return false;
    };
    let is_shar = |raw: &RawValue| json::text(raw, "a type").is_ok_and(|kind| kind == SHAR);
    if let Some(array) = object.take("array") {
        return is_placeholder(array);
    }
    if let Some(list) = object.take("sources") {
        let list: Result<Vec<&RawValue>> = json::parse(list, "sources", "a list");
        return list.is_ok_and(|list| {
            list.into_iter().any(|source| {
                Object::of(source, "a source")
                    .is_ok_and(|mut source| source.take("type").is_some_and(is_shar))
            })
        });
    }
    object.take("storage_type").is_some_and(is_shar)
}

/// Compares a placeholder with the description beside the data.
///
/// # Errors
/// They contradict each other.
pub(super) fn agree(told: &RawValue, meta: &[u8], stream: &FieldStream) -> Result<()> {
    if told.get().as_bytes() == meta.trim_ascii() {
        return Ok(());
    }
    let (mut told, mut meta) = (Object::of(told, "a placeholder")?, Object::of_line(meta)?);
    let (inner, inner_meta) = (told.take("array"), meta.take("array"));
    let compare = |told: &mut Object<'_>, meta: &mut Object<'_>| {
        for fact in FACTS {
            let (a, b) = (told.take(fact), meta.take(fact));
            if let (Some(a), Some(b)) = (a, b)
                && !is_same(a, b)
            {
                let message = format!("{fact} is {} here, {} in {}", a.get(), b.get(), stream.name);
                return Err(Error::malformed(message));
            }
        }
        Ok(())
    };
    compare(&mut told, &mut meta)?;
    match (inner, inner_meta) {
        (Some(a), Some(b)) => compare(&mut Object::of(a, "array")?, &mut Object::of(b, "array")?),
        _ => Ok(()),
    }
}

/// Compares two numbers, or texts.
fn is_same(a: &RawValue, b: &RawValue) -> bool {
    let plain = |raw: &RawValue| raw.get().replace(' ', "");
    let number = |raw: &RawValue| json::decimal(raw, "a number").ok();
    plain(a) == plain(b) || number(a).is_some() && number(a) == number(b)
}

impl Sound {
    /// Reads the description of sound, and compares it with the header of the sound if that is
    /// `wanted`.
    ///
    /// # Errors
    /// It is none, or they contradict each other.
    pub(super) fn read(
        meta: &[u8],
        entry: Entry,
        stream: &FieldStream,
        wanted: bool,
        env: &Env,
    ) -> Result<Self> {
        let (offset, len) = entry.extent;
        let at = match &stream.plain {
            Some(file) => Locator::FileAt(file.clone(), offset),
            None => Locator::Nowhere,
        };
        let sound = Self {
            recording: Recording::stored(Object::of_line(meta)?, &at)?,
            len,
            bytes: entry.data,
            name: stream.name.clone(),
            extension: entry.extension,
        };
        if wanted {
            sound.check(env)?;
        }
        Ok(sound)
    }

    /// Opens the file, if it can be.
    fn open(&self, env: &Env) -> Result<Option<Source>> {
        let (_, recording) = &self.recording;
        match (&recording.all()?.at, &self.bytes) {
            (at @ Locator::FileAt(..), _) => Ok(Some(env.open(at)?.limited(self.len)?)),
            (_, Some(bytes)) => Source::from_bytes(&*self.name, bytes.clone()).map(Some),
            _ => Ok(None),
        }
    }

    fn check(&self, env: &Env) -> Result<()> {
        let Some(mut source) = self.open(env)? else {
            return Ok(());
        };
        let exact = ["flac", "wav"];
        let name = env.nested_by_magic(source.peek(HEAD)?);
        let Some(name) = name.filter(|name| exact.contains(name)) else {
            return Ok(());
        };
        let facts = env.nested(name)?.facts(&mut source, env)?;
        let told = self.recording.1.all()?.recording;
        let number = |n: Option<u32>| n.map(u64::from);
        for (what, told, is) in [
            ("sampling_rate", number(told.rate), number(facts.rate)),
            ("num_samples", told.samples, facts.samples),
            ("channels", number(told.channels), number(facts.channels)),
        ] {
            if let (Some(told), Some(is)) = (told, is)
                && told != is
            {
                let message = format!("{what} is said to be {told}, the sound has {is}");
                return Err(Error::malformed(message).file(&self.name));
            }
        }
        Ok(())
    }

    /// Returns the sound that a reference means, as a place in the file or, if it has none, as it is
    /// stored, or as samples if it is a part.
    ///
    /// # Errors
    /// The file is of no known format, or cannot be decoded.
    pub(super) fn audio(&self, mut reference: AudioReference, env: &Env) -> Result<Audio> {
        let Some(bytes) = &self.bytes else {
            reference.len = Some(self.len);
            return Ok(Audio::Reference(reference));
        };
        let head = bytes.get(..HEAD).unwrap_or(bytes);
        let format = env.nested_by_magic(head);
        let encoded = EncodedAudio {
            format: format.unwrap_or(&self.extension).to_owned(),
            bytes: bytes.clone(),
            facts: reference.recording,
        };
        if reference.span.bounds().is_none() && reference.channel.is_none() {
            return Ok(Audio::Encoded(encoded));
        }
        let in_file = |error: Error| error.file(&self.name);
        let sound = recording::decode(&encoded, None, env).map_err(in_file)?;
        let (part, warning) =
            recording::part_of(sound, &reference, &env.limits).map_err(in_file)?;
        if let Some(warning) = warning {
            env.warn(&in_file(warning));
        }
        Ok(Audio::Samples(part))
    }
}

/// The number of bytes by which a sound file is recognised.
const HEAD: usize = 64;

/// Reads an array by the extension of its file.
///
/// # Errors
/// The file is of another form, or damaged.
fn decode(entry: &mut Entry, stream: &FieldStream, id: &str, env: &Env) -> Result<Array> {
    let name = format!("{} ({id}.{})", stream.name, entry.extension);
    let mut source = Source::from_bytes(name, entry.data.take().unwrap_or_default())?;
    let mut utt = Utterance::default();
    match entry.extension.as_str() {
        "npy" => {
            let nested = env.nested("npy")?;
            nested.read(&mut source, ObjectBounds::Whole, &mut utt, env)?;
        }
        "llc" => {
            let decoder = Decoder::open(&mut source)?;
            let shape: Vec<_> = decoder
                .header()
                .shape
                .iter()
                .map(|n| usize::try_from(*n))
                .collect();
            let shape = shape.into_iter().collect::<Result<Vec<_>, _>>();
            let shape = shape.map_err(|_| Error::limit("an axis is too long"))?;
            let mut all = Matrix::default();
            decoder.read(&mut all, &env.limits)?;
            if !source.at_end()? {
                return Err(source.malformed("the file goes on after the last value"));
            }
            return Array::of(all, &shape);
        }
        other => {
            let message = format!("an array in a file .{other}, expected .npy or .llc");
            return Err(Error::unsupported(message).file(&stream.name));
        }
    }
    if let Some(named) = utt.arrays.pop() {
        return Ok(named.array);
    }
    let matrix = utt.features.unwrap_or_default();
    let shape = [matrix.rows(), matrix.cols()];
    let rank = match matrix.rank() {
        Rank::Scalar => 0,
        Rank::Vector => 1,
        Rank::Matrix => 2,
    };
    Array::of(matrix, &shape[..rank])
}

/// Returns the elements of an array as a vector or a matrix, if it has one or two axes.
pub(super) fn matrix_of(array: Array) -> Result<Matrix, Array> {
    let (rank, rows, cols) = match *array.shape() {
        [rows] => (Rank::Vector, rows, 1),
        [rows, cols] => (Rank::Matrix, rows, cols),
        _ => return Err(array),
    };
    let mut matrix = array.into_values();
    match matrix.reshape(rank, rows, cols) {
        Ok(()) => Ok(matrix),
        Err(_) => Err(Array::default()),
    }
}

/// Reads the features of a cut.
///
/// # Errors
/// They are damaged, or of another shape than their description says.
pub(super) fn features(
    meta: &[u8],
    mut entry: Entry,
    stream: &FieldStream,
    id: &str,
    env: &Env,
) -> Result<(Features, Option<Matrix>)> {
    let features = Features::parse(Object::of_line(meta)?)?;
    if entry.data.is_none() {
        return Ok((features, None));
    }
    let array = decode(&mut entry, stream, id, env)?;
    let rank = array.shape().len();
    let matrix = matrix_of(array)
        .ok()
        .filter(|matrix| matrix.rank() == Rank::Matrix);
    let Some(matrix) = matrix else {
        let message = format!("features of {rank} axes, expected frames and columns");
        return Err(Error::malformed(message).file(&stream.name));
    };
    features
        .check_part(&matrix)
        .map_err(|e| e.file(&stream.name))?;
    Ok((features, Some(matrix)))
}

/// Reads an array.
///
/// # Errors
/// It is sound or features, damaged, or of another shape than its description says.
pub(super) fn array(
    meta: &[u8],
    mut entry: Entry,
    stream: &FieldStream,
    id: &str,
    env: &Env,
) -> Result<Option<FieldArray>> {
    let mut object = Object::of_line(meta)?;
    let what = [("sources", "sound"), ("num_features", "features")];
    if let Some((_, what)) = what.iter().find(|(name, _)| object.has(name)) {
        let field = &stream.field;
        let message = format!("the field {field} has {what}, of which an utterance has one");
        return Err(Error::unsupported(message)
            .file(&stream.name)
            .hint("fields=recording+features reads these fields alone"));
    }
    let mut temporal = None;
    if let Some(inner) = object.take("array") {
        temporal = Some(Temporal {
            axis: json::count::<i64>(object.require("temporal_dim")?, "temporal_dim")?
                .unsigned_abs(),
            shift: json::time(object.require("frame_shift")?, "frame_shift")?,
        });
        object = Object::of(inner, "array")?;
    }
    let told: Vec<u64> = json::parse(object.require("shape")?, "shape", "a list of sizes")?;
    if entry.data.is_none() {
        return Ok(None);
    }
    let array = decode(&mut entry, stream, id, env)?;
    let axis = temporal.map(|temporal| temporal.axis);
    let fits = told.len() == array.shape().len()
        && told
            .iter()
            .zip(array.shape())
            .enumerate()
            .all(|(n, (told, is))| {
                // A part of an array is described by the shape of the whole.
                match axis == Some(n as u64) {
                    true => *is as u64 <= *told,
                    false => *is as u64 == *told,
                }
            });
    if !fits {
        let message = format!("an array of {:?}, said to be {told:?}", array.shape());
        return Err(Error::malformed(message).file(&stream.name));
    }
    Ok(Some(FieldArray { array, temporal }))
}

impl FieldArray {
    /// Returns the labels that it is: integers, one or several for each frame.
    pub(super) fn into_labels(self) -> Result<(Matrix, Decimal), Self> {
        let Some(temporal) = self.temporal.filter(|temporal| temporal.axis == 0) else {
            return Err(self);
        };
        if !Dtype::INTEGERS.contains(&self.array.dtype()) {
            return Err(self);
        }
        match matrix_of(self.array) {
            Ok(matrix) => Ok((matrix, temporal.shift)),
            Err(array) => Err(Self {
                array,
                temporal: Some(temporal),
            }),
        }
    }

    /// Adds it to an utterance under the name of its field.
    pub(super) fn add(self, field: &str, utt: &mut Utterance) {
        if let Some(Temporal { axis, shift }) = self.temporal {
            let mut said = Vec::new();
            let mut fields = json::Fields::open(&mut said);
            fields.count("temporal_dim", axis);
            fields.time("frame_shift", shift);
            fields.close();
            utt.meta.tags.push(Tag::new(TAGS, field, said));
        }
        utt.arrays.push(NamedArray {
            name: field.to_owned(),
            array: self.array,
        });
    }
}
