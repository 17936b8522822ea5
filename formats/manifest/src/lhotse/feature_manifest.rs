//! The writer of features alone: a store and its manifest, without recordings.

use spr_core::bytes::{Env, Output};
use spr_core::format::{
    Caps, Count, FeatureCaps, Keys, Medium, OptionSpec, Options, WriteSummary, Writer,
};
use spr_core::model::{Decimal, Dtype, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::Names;
use spr_syntax::manifest::source::utf8;

use super::feature_writer::{FeatureFacts, FeatureWriter, Store, StoredBytes, shift_of};

pub(super) const RATE: OptionSpec = OptionSpec {
    name: "rate",
    value: "HZ",
    help: "write features alone to a folder, without recordings: those of sound at this rate, which \
           Lhotse asks for",
};

/// The capabilities of an output with features alone.
pub(super) const CAPS: Caps = {
    let mut features = FeatureCaps::new(&[Dtype::F32, Dtype::F64]);
    features.needs_shift = true;
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.features = Some(features);
    caps.utf8 = true;
    caps.frame_shift = true;
    caps
};

/// Returns the sampling rate of an output with features alone, if it is to be one.
///
/// # Errors
/// The value is not a rate, or the output is no folder.
pub(super) fn rate(options: &Options, medium: Medium) -> Result<Option<u32>> {
    let rate: Option<u32> = options.parse(RATE.name)?;
    match rate {
        Some(0) => Err(Error::usage("option rate: 0 is no sampling rate")),
        Some(_) if medium != Medium::Folder => {
            let message = "option rate: features alone go to a folder";
            Err(Error::usage(message).hint("lhotse:OUT/ is a folder"))
        }
        rate => Ok(rate),
    }
}

pub(super) struct FeatureManifest {
    caps: Caps,
    output: Output,
    rate: u32,
    featured: FeatureWriter,
    names: Names,
    /// The line of an utterance, and its features as they are stored.
    line: Vec<u8>,
    stored: StoredBytes,
    written: WriteSummary,
}

impl FeatureManifest {
    pub(super) fn new(
        output: Output,
        (store, rate): (Store, u32),
        caps: Caps,
        options: &Options,
        env: &Env,
    ) -> Result<Self> {
        let mut featured = FeatureWriter::new(store, env);
        featured.create(&output)?;
        Ok(Self {
            caps,
            rate,
            featured,
            names: Names::new(&output, options, env)?.kept(),
            output,
            line: Vec::new(),
            stored: StoredBytes::default(),
            written: WriteSummary::default(),
        })
    }

    fn make(&mut self, utt: &Utterance) -> Result<()> {
        let made = self.describe(utt);
        made.map_err(|e| e.utterance(&utt.key).file(self.output.name()).continuable())
    }

    fn describe(&mut self, utt: &Utterance) -> Result<()> {
        let Some(matrix) = &utt.features else {
            let message = "has no features, which every line of the manifest names";
            return Err(Error::unfit(message));
        };
        self.caps.check(utt)?;
        let key = utf8(utt.key.as_bytes(), "the key")?;
        let facts = FeatureFacts {
            shift: shift_of(utt)?,
            rate: self.rate,
            start: Decimal::ZERO,
            recording: key,
        };
        self.line.clear();
        self.stored = self.featured.encode(key, matrix)?;
        self.featured.describe(
            (matrix, &self.stored),
            &facts,
            (&self.output, &self.names),
            |fields| fields.count("channels", 0u32),
            &mut self.line,
        )
    }
}

impl Writer for FeatureManifest {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn accept(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)
    }

    fn write(&mut self, utt: &Utterance) -> Result<()> {
        self.make(utt)?;
        let (stored, line) = (&self.stored, &self.line);
        self.written.bytes += self.featured.write(utt, stored, line, &self.output)?;
        self.written.count(utt);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<WriteSummary> {
        let mut written = self.written;
        written.add_rounding(self.featured.rounded.clone());
        for sink in self.featured.into_sinks().into_iter().flatten() {
            written.bytes += sink.finish()?;
        }
        Ok(written)
    }
}
