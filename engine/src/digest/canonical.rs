//! The canonical bytes of an utterance for hashing: every field after its length or number, numbers
//! in little-endian order, every NaN the same.

use spr_core::model::{
    Audio, Decimal, Dtype, Element, Lists, Matrix, Meta, Object, Tag, Tier, Utterance, bf16, f16,
};
use twox_hash::XxHash3_128;

/// The identifiers of fields, which precede their content.
#[derive(Clone, Copy)]
enum Field {
    Features = 1,
    Labels,
    Samples,
    Encoded,
    Reference,
    Tier,
    Segment,
    Text,
    Object,
    Array,
    Meta,
}

/// A hash of fields.
#[derive(Default)]
pub(super) struct Canonical(XxHash3_128);

impl Canonical {
    pub(super) fn number(&mut self, n: u64) {
        self.0.write(&n.to_le_bytes());
    }

    pub(super) fn field(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.write(bytes);
    }

    pub(super) fn finish(self) -> u128 {
        self.0.finish_128()
    }

    /// Hashes everything except key and origin.
    pub(super) fn utterance(&mut self, utt: &Utterance, scratch: &mut Vec<u8>) {
        self.data(utt, scratch, true);
        if let Some(text) = &utt.text {
            self.name(Field::Text);
            self.field(text);
        }
        self.more(utt, scratch);
        self.meta(&utt.meta);
    }

    /// Hashes features, labels, segments, and audio unless it is compared in another form.
    pub(super) fn data(&mut self, utt: &Utterance, scratch: &mut Vec<u8>, audio: bool) {
        if let Some(features) = &utt.features {
            self.name(Field::Features);
            self.number(features.rank() as u64);
            self.matrix(features, scratch);
        }
        if let Some(labels) = &utt.labels {
            self.name(Field::Labels);
            self.matrix(labels, scratch);
        }
        if let Some(audio) = utt.audio.as_ref().filter(|_| audio) {
            self.audio(audio, scratch);
        }
        utt.tiers.iter().for_each(|tier| self.tier(tier));
    }

    /// Hashes objects and arrays.
    pub(super) fn more(&mut self, utt: &Utterance, scratch: &mut Vec<u8>) {
        if let Some(object) = &utt.object {
            self.name(Field::Object);
            self.object(object);
        }
        for array in &utt.arrays {
            self.name(Field::Array);
            self.field(array.name.as_bytes());
            self.all(array.array.shape(), |hash, n| hash.number(*n as u64));
            self.matrix(array.array.values(), scratch);
        }
    }

    fn name(&mut self, field: Field) {
        self.number(field as u64);
    }

    fn matrix(&mut self, matrix: &Matrix, scratch: &mut Vec<u8>) {
        self.field(matrix.dtype().name().as_bytes());
        self.number(matrix.rows() as u64);
        self.number(matrix.cols() as u64);
        self.field(bytes(matrix, scratch));
    }

    fn audio(&mut self, audio: &Audio, scratch: &mut Vec<u8>) {
        match audio {
            Audio::Samples(sound) => {
                self.name(Field::Samples);
                self.number(sound.rate.into());
                self.matrix(&sound.samples, scratch);
            }
            Audio::Encoded(encoded) => {
                self.name(Field::Encoded);
                self.field(encoded.format.as_bytes());
                self.field(&encoded.bytes);
            }
            Audio::Reference(reference) => {
                self.name(Field::Reference);
                self.field(reference.at.to_string().as_bytes());
                let start = reference.span.bounds().map(|(start, _)| start);
                self.times(&[start, reference.span.end()]);
                self.maybe(reference.channel, |hash, n| hash.number(n.into()));
            }
            // An unknown form must not equal any other.
            other => self.field(format!("{other:?}").as_bytes()),
        }
    }

    fn tier(&mut self, tier: &Tier) {
        self.name(Field::Tier);
        self.field(&tier.name);
        self.number(tier.points.into());
        for segment in &tier.segments {
            self.name(Field::Segment);
            self.decimal(segment.start);
            self.maybe(segment.end, Self::decimal);
            self.field(&segment.label);
            self.maybe(segment.score, Self::decimal);
            self.maybe(segment.speaker.as_ref(), |hash, name| hash.field(name));
        }
    }

    fn object(&mut self, object: &Object) {
        self.field(object.kind().as_bytes());
        match object {
            Object::Int(n) => self.integer(n),
            Object::Bool(truth) => self.number((*truth).into()),
            Object::IntLists(lists) => self.lists(lists, Self::integer),
            Object::IntPairs(pairs) => self.all(pairs.as_flattened(), Self::integer),
            Object::FloatPairs(pairs) => self.all(pairs.as_flattened(), Self::float),
            Object::Floats(values) => self.all(values, Self::float),
            Object::Posterior(lists) => self.lists(lists, |hash, (state, weight)| {
                hash.integer(state);
                hash.float(weight);
            }),
            Object::GaussPosterior(posterior) => {
                self.lists(&posterior.ids, Self::integer);
                self.lists(&posterior.vectors, Self::float);
            }
            Object::Token(word) => self.field(word),
            Object::Tokens(words) => {
                self.number(words.len() as u64);
                words.iter().for_each(|word| self.field(word));
            }
            Object::SparseVector(sparse) | Object::SparseMatrix(sparse) => {
                self.field(sparse.dtype.name().as_bytes());
                self.number(sparse.dim.into());
                self.lists(&sparse.rows, |hash, (column, value)| {
                    hash.number((*column).into());
                    hash.double(*value);
                });
            }
            Object::Opaque { bytes, .. } => self.field(bytes),
            // An unknown kind must not equal any other.
            other => self.field(format!("{other:?}").as_bytes()),
        }
    }

    fn meta(&mut self, meta: &Meta) {
        self.name(Field::Meta);
        self.times(&[meta.frame_shift, meta.frame_offset, meta.start, meta.end]);
        let names = [
            &meta.speaker,
            &meta.gender,
            &meta.language,
            &meta.recording,
            &meta.channel,
        ];
        for name in names {
            self.maybe(name.as_ref(), |hash, name| hash.field(name.as_bytes()));
        }
        self.tags(&meta.tags);
    }

    pub(super) fn tags(&mut self, tags: &[Tag]) {
        self.all(tags, |hash, tag| {
            hash.field(tag.format.as_bytes());
            hash.field(&tag.key);
            hash.field(&tag.value);
        });
    }

    pub(super) fn times(&mut self, times: &[Option<Decimal>]) {
        let times = times.iter();
        times.for_each(|time| self.maybe(*time, Self::decimal));
    }

    fn maybe<T>(&mut self, value: Option<T>, add: impl Fn(&mut Self, T)) {
        self.number(value.is_some().into());
        if let Some(value) = value {
            add(self, value);
        }
    }

    fn all<T>(&mut self, values: &[T], add: impl Fn(&mut Self, &T)) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| add(self, value));
    }

    fn lists<T>(&mut self, lists: &Lists<T>, add: impl Fn(&mut Self, &T)) {
        self.number(lists.len() as u64);
        lists.iter().for_each(|list| self.all(list, &add));
    }

    fn integer(&mut self, n: &i32) {
        self.0.write(&n.to_le_bytes());
    }

    fn float(&mut self, value: &f32) {
        let value = if value.is_nan() { f32::NAN } else { *value };
        self.0.write(&value.to_le_bytes());
    }

    fn double(&mut self, value: f64) {
        let value = if value.is_nan() { f64::NAN } else { value };
        self.0.write(&value.to_le_bytes());
    }

    fn decimal(&mut self, value: Decimal) {
        let (digits, power) = value.in_lowest_terms();
        self.0.write(&digits.to_le_bytes());
        self.0.write(&power.to_le_bytes());
    }
}

/// Returns the bytes of a matrix in little-endian order with canonical NaN; `scratch` is used if
/// they differ from the stored ones.
pub(super) fn bytes<'a>(matrix: &'a Matrix, scratch: &'a mut Vec<u8>) -> &'a [u8] {
    match matrix.dtype() {
        Dtype::F16 => floats(matrix, scratch, f16::NAN, |v| v.is_nan(), f16::to_le_bytes),
        Dtype::Bf16 => floats(
            matrix,
            scratch,
            bf16::NAN,
            |v| v.is_nan(),
            bf16::to_le_bytes,
        ),
        Dtype::F32 => floats(matrix, scratch, f32::NAN, |v| v.is_nan(), f32::to_le_bytes),
        Dtype::F64 => floats(matrix, scratch, f64::NAN, |v| v.is_nan(), f64::to_le_bytes),
        Dtype::I8 | Dtype::U8 | Dtype::Bool => matrix.as_bytes(),
        Dtype::I16 | Dtype::U16 | Dtype::I32 | Dtype::U32 | Dtype::I64 | Dtype::U64 => {
            if cfg!(target_endian = "little") {
                return matrix.as_bytes();
            }
            scratch.clear();
            for value in matrix.as_bytes().chunks(matrix.dtype().size()) {
                scratch.extend(value.iter().rev());
            }
            scratch
        }
    }
}

fn floats<'a, T: Element, const N: usize>(
    matrix: &'a Matrix,
    scratch: &'a mut Vec<u8>,
    nan: T,
    is_nan: impl Fn(&T) -> bool,
    to_bytes: impl Fn(T) -> [u8; N],
) -> &'a [u8] {
    let Some(values) = matrix.as_slice::<T>() else {
        return matrix.as_bytes();
    };
    if cfg!(target_endian = "little") && !values.iter().any(&is_nan) {
        return matrix.as_bytes();
    }
    scratch.clear();
    for value in values {
        let value = if is_nan(value) { nan } else { *value };
        scratch.extend_from_slice(&to_bytes(value));
    }
    scratch
}
