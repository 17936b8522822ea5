//! NIST SPHERE: a text header in a whole number of kilobytes, followed by samples.

mod header;

use spr_core::bytes::{ByteOrder, Env, ObjectBounds, Source};
use spr_core::format::{FormatInfo, OptionSpec, Options};
use spr_core::model::{Dtype, Tag, Waveform};
use spr_core::number::companding::Companding;
use spr_core::{Error, Result};

use crate::coding::{Amount, PlainSamples, SampleCoding, sum};
use crate::kind::AudioKind;
use crate::nested::NestedPlain;
use crate::reader::Head;
use header::{Header, Print};

const NAME: &str = "sphere";
/// The header lines that describe the encoding of the samples.
const OWN: [&str; 7] = [
    "sample_count",
    "sample_rate",
    "channel_count",
    "sample_n_bytes",
    "sample_byte_format",
    "sample_coding",
    "sample_checksum",
];

pub(crate) static KIND: AudioKind = AudioKind {
    info: FormatInfo::new(
        NAME,
        "NIST SPHERE audio, not compressed",
        &["sph", "wv1", "wv2"],
    )
    .options(&[OptionSpec {
        name: "checksum",
        value: "check|ignore",
        help: "reading: whether sample_checksum must be right (default: check)",
    }]),
    starts: |head| head.starts_with(header::MAGIC),
    open,
    nested: Some(&NestedPlain(|| &KIND)),
    dtypes: &[Dtype::I16, Dtype::I8, Dtype::I32],
    order: ByteOrder::Little,
    even: false,
    caveat: |dtype| {
        let wide = "samples of 32 bits, which libsndfile and others do not read in SPHERE files";
        (dtype == Dtype::I32).then_some(wide)
    },
    header: print,
};

fn open(source: &mut Source, extent: ObjectBounds, options: &Options, env: &Env) -> Result<Head> {
    let check = options.choice("checksum", &[("check", true), ("ignore", false)])?;
    let mut header = Header::read(source, &env.limits)?;
    if let Some(doubt) = header.doubt.take() {
        env.warn(&doubt.file(source.name()));
    }
    let bytes = header.integer("sample_n_bytes")?;
    let coding = coding(&header, bytes)?;
    let order = match (header.text("sample_byte_format")?, coding.width()) {
        (_, 1) | (Some(b"01" | b"012" | b"0123"), _) => ByteOrder::Little,
        (Some(b"10" | b"210" | b"3210"), _) => ByteOrder::Big,
        (Some(other), _) => {
            let message = format!("sample_byte_format {}", other.escape_ascii());
            return Err(Error::unsupported(message));
        }
        (None, _) => return Err(Error::malformed("the header has no sample_byte_format")),
    };
    let rate = header.integer("sample_rate")?;
    let rate = rate.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let rate = rate.ok_or_else(|| Error::malformed("the header has no valid sample_rate"))?;
    let channels = header.integer("channel_count")?.unwrap_or(1);
    if !(1..=u64::from(u16::MAX)).contains(&channels) {
        return Err(Error::malformed(format!(
            "the header says {channels} channels"
        )));
    }
    let count = header.integer("sample_count")?;
    let checksum = match check.unwrap_or(true) && coding == SampleCoding::Plain(Dtype::I16) {
        true => header.integer("sample_checksum")?,
        false => None,
    };
    let tags = header.lines.iter();
    let tags = tags.filter(|(name, _)| !is_own(name));
    let finish = move |source: &mut Source, samples: &PlainSamples, _: &mut Vec<Tag>, env: &Env| {
        verify(source, samples, count, checksum, env)
    };
    let amount = match (extent, count) {
        (ObjectBounds::Own, Some(count)) => Amount::Rows(count),
        // Counts that are too small occur; the file size decides.
        _ => Amount::ToEnd,
    };
    let mut samples = PlainSamples::new(source, (coding, channels), order, amount);
    samples.sum = checksum.map(|_| 0);
    Ok(Head {
        rate,
        samples,
        told: count,
        tags: tags
            .map(|(name, value)| Tag::new(NAME, name.as_slice(), value.as_slice()))
            .collect(),
        finish: Box::new(finish),
    })
}

fn coding(header: &Header, bytes: Option<u64>) -> Result<SampleCoding> {
    let coding = header.text("sample_coding")?.unwrap_or(b"pcm");
    let format = header.text("sample_byte_format")?;
    let companding = match (coding, format) {
        (b"ulaw" | b"mu-law" | b"mulaw", _) | (b"pcm", Some(b"mu-law")) => Some(Companding::MuLaw),
        (b"alaw" | b"a-law", _) => Some(Companding::ALaw),
        (b"pcm", _) => None,
        (other, _) => {
            let message = format!("samples coded as {}", other.escape_ascii());
            return Err(Error::unsupported(message)
                .hint("decode it first, with `sph2pipe -p FILE OUT` or w_decode"));
        }
    };
    match (companding, bytes) {
        (Some(law), Some(1) | None) => Ok(SampleCoding::Law(law)),
        (None, Some(1)) => Ok(SampleCoding::Plain(Dtype::I8)),
        (None, Some(2)) => Ok(SampleCoding::Plain(Dtype::I16)),
        (None, Some(3)) => Ok(SampleCoding::Packed24),
        (None, Some(4)) => Ok(SampleCoding::Plain(Dtype::I32)),
        (_, Some(bytes)) => {
            let coding = coding.escape_ascii();
            Err(Error::unsupported(format!(
                "{coding} samples of {bytes} bytes"
            )))
        }
        (None, None) => Err(Error::malformed("the header has no sample_n_bytes")),
    }
}

/// Compares the samples with the count and the checksum in the header.
fn verify(
    source: &mut Source,
    samples: &PlainSamples,
    count: Option<u64>,
    checksum: Option<u64>,
    env: &Env,
) -> Result<()> {
    let rows = samples.read_so_far();
    if let Some(count) = count.filter(|count| *count > rows) {
        return Err(samples.cut_short(source, count, rows));
    }
    if let (Some(checksum), Some(sum)) = (checksum, samples.sum)
        && checksum != u64::from(sum)
    {
        let message = format!("the samples sum up to {sum}, sample_checksum is {checksum}");
        return Err(source
            .malformed(message)
            .hint("checksum=ignore reads them all the same"));
    }
    if let Some(count) = count.filter(|count| *count < rows) {
        let message =
            format!("sample_count is {count}, but there are {rows} samples; all are taken");
        env.warn(&source.malformed(message));
    }
    Ok(())
}

fn print(sound: &Waveform, tags: &[Tag], out: &mut Vec<u8>) -> Result<()> {
    let samples = &sound.samples;
    let mut lines = vec![
        ("sample_count", samples.rows().to_string()),
        ("sample_rate", sound.rate.to_string()),
        ("channel_count", samples.cols().to_string()),
        ("sample_n_bytes", samples.dtype().size().to_string()),
    ];
    let format = match samples.dtype() {
        Dtype::I8 => "1",
        Dtype::I16 => "01",
        // The same as sox writes. NIST would use 0123, which sox does not read.
        Dtype::I32 => "01",
        other => return Err(Error::unfit(format!("has samples of {other}"))),
    };
    if samples.dtype() == Dtype::I16 {
        lines.push(("sample_checksum", sum(samples.as_bytes()).to_string()));
    }
    let mut header = Print::new(out);
    for (name, value) in lines {
        header.line(name.as_bytes(), value.as_bytes())?;
    }
    header.text(b"sample_byte_format", format.as_bytes())?;
    header.text(b"sample_coding", b"pcm")?;
    for tag in tags {
        if is_own(&tag.key) {
            let name = tag.key.escape_ascii();
            let message = format!("the header line {name} would contradict ");
            return Err(Error::unfit(message).the_format("'s own"));
        }
        header.line(&tag.key, &tag.value)?;
    }
    header.end()
}

fn is_own(name: &[u8]) -> bool {
    OWN.iter().any(|own| own.as_bytes() == name)
}
