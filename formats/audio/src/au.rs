//! The format AU: a header of six numbers and an annotation.

use spr_core::bytes::{ByteOrder, Env, ObjectBounds, PutNumber, Source};
use spr_core::format::{FormatInfo, Options};
use spr_core::model::{Dtype, Tag, Waveform};
use spr_core::number::companding::Companding;
use spr_core::{Error, Result};

use crate::coding::{Amount, PlainSamples, SampleCoding};
use crate::kind::{AudioKind, without_nuls};
use crate::nested::NestedPlain;
use crate::reader::{Head, end};

const NAME: &str = "au";
const NOTE: &[u8] = b"annotation";
const FIXED: u32 = 24;

pub(crate) static KIND: AudioKind = AudioKind {
    info: FormatInfo::new(NAME, "AU audio (Sun and NeXT)", &["au", "snd"]),
    starts: |head| head.starts_with(b".snd") || head.starts_with(b"dns."),
    open,
    nested: Some(&NestedPlain(|| &KIND)),
    dtypes: &[Dtype::I16, Dtype::I8, Dtype::I32, Dtype::F32, Dtype::F64],
    order: ByteOrder::Big,
    even: false,
    caveat: |_| None,
    header,
};

fn open(source: &mut Source, extent: ObjectBounds, _options: &Options, env: &Env) -> Result<Head> {
    let order = match &source.array::<4>()? {
        b".snd" => ByteOrder::Big,
        b"dns." => ByteOrder::Little,
        _ => return Err(Error::malformed("no AU header starts here").byte(0)),
    };
    let mut number = || source.read_u32(order);
    let (start, size, encoding, rate, channels) =
        (number()?, number()?, number()?, number()?, number()?);
    let note = start
        .checked_sub(FIXED)
        .filter(|n| u64::from(*n) <= env.limits.max_header)
        .ok_or_else(|| Error::malformed(format!("the samples start at byte {start}")).byte(4))?;
    let coding = match encoding {
        1 => SampleCoding::Law(Companding::MuLaw),
        2 => SampleCoding::Plain(Dtype::I8),
        3 => SampleCoding::Plain(Dtype::I16),
        4 => SampleCoding::Packed24,
        5 => SampleCoding::Plain(Dtype::I32),
        6 => SampleCoding::Plain(Dtype::F32),
        7 => SampleCoding::Plain(Dtype::F64),
        27 => SampleCoding::Law(Companding::ALaw),
        _ => {
            let message = format!("samples of the encoding {encoding}");
            return Err(Error::unsupported(message)
                .byte(12)
                .hint("decode it first, with sox or ffmpeg"));
        }
    };
    if rate == 0 || channels == 0 {
        return Err(
            Error::malformed(format!("{channels} channels, {rate} samples a second")).byte(16),
        );
    }
    let mut text = Vec::new();
    for _ in 0..note {
        text.push(source.byte()?);
    }
    let text = without_nuls(&text);
    let block = u64::from(channels) * coding.width();
    let amount = match size {
        u32::MAX => Amount::ToEnd,
        _ if !u64::from(size).is_multiple_of(block) => {
            let message = format!("{size} bytes of samples are not a multiple of {block}");
            return Err(Error::malformed(message).byte(8));
        }
        _ => Amount::Rows(u64::from(size) / block),
    };
    Ok(Head {
        rate,
        samples: PlainSamples::new(source, (coding, u64::from(channels)), order, amount),
        told: None,
        tags: (!text.is_empty())
            .then(|| Tag::new(NAME, NOTE, text))
            .into_iter()
            .collect(),
        finish: Box::new(move |source, _, _, _| match extent {
            ObjectBounds::Whole => end(source),
            ObjectBounds::Own => Ok(()),
        }),
    })
}

fn header(sound: &Waveform, tags: &[Tag], out: &mut Vec<u8>) -> Result<()> {
    let samples = &sound.samples;
    let note = match tags {
        [] => &[][..],
        [tag] if tag.key == NOTE && !tag.value.is_empty() && !tag.value.ends_with(b"\0") => {
            &tag.value
        }
        _ => {
            return Err(Error::not_held(
                "has header lines other than one annotation",
            ));
        }
    };
    let encoding: u32 = match samples.dtype() {
        Dtype::I8 => 2,
        Dtype::I16 => 3,
        Dtype::I32 => 5,
        Dtype::F32 => 6,
        Dtype::F64 => 7,
        other => return Err(Error::unfit(format!("has samples of {other}"))),
    };
    let small = |n: usize| {
        let n = u32::try_from(n).ok().filter(|n| *n < u32::MAX);
        n.ok_or_else(|| Error::unfit("has more bytes or channels than ").the_format(" can count"))
    };
    // The samples start at a multiple of 8.
    let start = (FIXED as usize + note.len()).next_multiple_of(8);
    let numbers = [
        small(start)?,
        small(samples.as_bytes().len())?,
        encoding,
        sound.rate,
        small(samples.cols())?,
    ];
    out.extend_from_slice(b".snd");
    for number in numbers {
        out.put_u32(number, ByteOrder::Big);
    }
    out.extend_from_slice(note);
    out.resize(start, 0);
    Ok(())
}
