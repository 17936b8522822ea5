//! The features of a folder: their store, and its manifest.

use spr_core::bytes::{Env, Location, Output, Part, Sink};
use spr_core::format::{Medium, OptionSpec, Options};
use spr_core::loss::LossReport;
use spr_core::model::{CastStats, Decimal, Key, Matrix, Utterance};
use spr_core::{Error, Result};
use spr_syntax::json::Fields;
use spr_syntax::lilcom::Encoder;
use spr_syntax::manifest::Names;

use super::chunky::FRAMES;

pub(super) const STORE: OptionSpec = OptionSpec {
    name: "store",
    value: "numpy_files|lilcom_files|lilcom_chunky",
    help: "where the features of a folder are written: files of NumPy (the default), or lilcom in \
           files or in one file, which rounds values",
};

pub(super) const TICK: OptionSpec = OptionSpec {
    name: "tick",
    value: "N",
    help: "round values in lilcom to 2^N, from -20 to 20 (the default is -5, as in Lhotse)",
};

/// The names of the folder of files, of the file of chunks, and of the manifest.
const FILES: &str = "features";
const CHUNKS: &str = "features.lca";
const MANIFEST: &str = "features.jsonl.gz";

/// The form in which features are stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Store {
    NumpyFiles,
    LilcomFiles(Encoder),
    LilcomChunky(Encoder),
}

impl Store {
    /// Returns the store that the options ask for.
    ///
    /// # Errors
    /// The value of an option is wrong, a tick is given where nothing is rounded, or a store where
    /// there are no features.
    pub(super) fn of(options: &Options, medium: Medium) -> Result<Self> {
        let tick = options.parse(TICK.name)?;
        let encoder = Encoder::new(tick.unwrap_or(Encoder::TICK), true)?;
        let stores = [
            ("numpy_files", Self::NumpyFiles),
            ("lilcom_files", Self::LilcomFiles(encoder)),
            ("lilcom_chunky", Self::LilcomChunky(encoder)),
        ];
        let store = options.choice(STORE.name, &stores)?;
        if store.is_some() && medium != Medium::Folder {
            let message = "option store: only a folder has features, cuts in a file have none";
            return Err(Error::usage(message).hint("lhotse:OUT/ is a folder"));
        }
        let store = store.unwrap_or(Self::NumpyFiles);
        match (store, tick) {
            (Self::NumpyFiles, Some(_)) => Err(Error::usage(
                "option tick: only store=lilcom_files and store=lilcom_chunky round values",
            )),
            _ => Ok(store),
        }
    }

    /// Returns `true` if values are rounded.
    pub(super) fn is_rounded(self) -> bool {
        self != Self::NumpyFiles
    }

    /// Returns its name in manifests.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NumpyFiles => "numpy_files",
            Self::LilcomFiles(_) => "lilcom_files",
            Self::LilcomChunky(_) => "lilcom_chunky",
        }
    }
}

/// The features of an utterance as they will be stored.
#[derive(Default)]
pub(super) struct StoredBytes {
    /// Their bytes, unless they are written by another format.
    bytes: Vec<u8>,
    loss: CastStats,
    /// Their key in the store.
    pub(super) key: String,
}

/// The facts about features in a line of the manifest, besides shape and place.
pub(super) struct FeatureFacts<'a> {
    pub(super) shift: Decimal,
    /// The sampling rate of the sound that they were computed of.
    pub(super) rate: u32,
    /// Their start in the recording.
    pub(super) start: Decimal,
    pub(super) recording: &'a str,
}

/// The writer of features and their manifest, whose files are created with the first features.
pub(super) struct FeatureWriter {
    store: Store,
    env: Env,
    manifest: Option<Sink>,
    /// The file of chunks, and its length.
    chunks: Option<Sink>,
    len: u64,
    pub(super) rounded: LossReport,
}

impl FeatureWriter {
    pub(super) fn new(store: Store, env: &Env) -> Self {
        Self {
            store,
            env: env.clone(),
            manifest: None,
            chunks: None,
            len: 0,
            rounded: LossReport::default(),
        }
    }

    /// Creates the manifest, which is there even without features.
    ///
    /// # Errors
    /// The output can't be written.
    pub(super) fn create(&mut self, output: &Output) -> Result<()> {
        self.manifest = Some(output.create(Part::Member(MANIFEST), false)?);
        Ok(())
    }

    /// Encodes features, and gives them their key.
    ///
    /// # Errors
    /// The store cannot hold them.
    pub(super) fn encode(&self, key: &str, features: &Matrix) -> Result<StoredBytes> {
        let (suffix, encoder) = match self.store {
            Store::NumpyFiles => {
                let key = file_of(key, ".npy")?;
                return Ok(StoredBytes {
                    key,
                    ..StoredBytes::default()
                });
            }
            Store::LilcomFiles(encoder) => (".llc", encoder),
            Store::LilcomChunky(encoder) => ("", encoder),
        };
        let (values, cols) = (features.values::<f32>()?, features.cols().max(1));
        let mut stored = StoredBytes::default();
        if suffix.is_empty() {
            let mut lengths = vec![self.len.to_string()];
            for chunk in values.chunks(FRAMES * cols) {
                let (bytes, loss) = encoder.encode(chunk, &[chunk.len() / cols, cols])?;
                lengths.push(bytes.len().to_string());
                stored.bytes.extend_from_slice(&bytes);
                stored.loss.add(&loss);
            }
            stored.key = lengths.join(",");
        } else {
            (stored.bytes, stored.loss) = encoder.encode(values, &[features.rows(), cols])?;
            stored.key = file_of(key, suffix)?;
        }
        Ok(stored)
    }

    /// Returns the type and the path of the store, for its manifest.
    ///
    /// # Errors
    /// The path is not UTF-8.
    fn place(&self, output: &Output, names: &Names) -> Result<(&'static str, String)> {
        let name = match self.store {
            Store::NumpyFiles | Store::LilcomFiles(_) => FILES,
            Store::LilcomChunky(_) => CHUNKS,
        };
        let at = output.locator();
        let full = match at.location() {
            Some(folder) => folder.join(name),
            None => Location::from(name),
        };
        Ok((self.store.name(), names.member(&full, name)?))
    }

    /// Adds the line of the manifest about encoded features; `channels` adds theirs.
    ///
    /// # Errors
    /// The path of the store is not UTF-8, or they last too long.
    pub(super) fn describe(
        &self,
        (features, stored): (&Matrix, &StoredBytes),
        facts: &FeatureFacts<'_>,
        (output, names): (&Output, &Names),
        channels: impl FnOnce(&mut Fields<'_>),
        line: &mut Vec<u8>,
    ) -> Result<()> {
        let rows = features.rows() as u64;
        let lasts = facts.shift.times(rows);
        let lasts = lasts.ok_or_else(|| Error::unfit("has too many frames"))?;
        let (store, path) = self.place(output, names)?;
        let mut fields = Fields::open(line);
        fields.text("type", "features");
        fields.count("num_frames", rows);
        fields.count("num_features", features.cols() as u64);
        fields.time("frame_shift", facts.shift);
        fields.count("sampling_rate", facts.rate);
        fields.time("start", facts.start);
        fields.time("duration", lasts);
        fields.text("storage_type", store);
        fields.text("storage_path", &path);
        fields.text("storage_key", &stored.key);
        fields.text("recording_id", facts.recording);
        channels(&mut fields);
        fields.close();
        Ok(())
    }

    /// Writes the features of an utterance, and their line of the manifest without its end. Returns
    /// the bytes of files that are finished.
    pub(super) fn write(
        &mut self,
        utt: &Utterance,
        stored: &StoredBytes,
        line: &[u8],
        output: &Output,
    ) -> Result<u64> {
        let member = |name: &str| output.create(Part::Member(name), false);
        let file = || member(&format!("{FILES}/{}", stored.key));
        let written = match self.store {
            Store::NumpyFiles => {
                let alone = Utterance {
                    features: utt.features.clone(),
                    ..Utterance::default()
                };
                let mut sink = file()?;
                let nested = self.env.nested("npy")?;
                nested.write(&alone, &mut |bytes| sink.put(bytes))?;
                sink.finish()?
            }
            Store::LilcomFiles(_) => {
                let mut sink = file()?;
                sink.put(&stored.bytes)?;
                sink.finish()?
            }
            Store::LilcomChunky(_) => {
                get_or_create(&mut self.chunks, || member(CHUNKS))?.put(&stored.bytes)?;
                self.len += stored.bytes.len() as u64;
                0
            }
        };
        self.count(&utt.key, &stored.loss);
        let manifest = get_or_create(&mut self.manifest, || member(MANIFEST))?;
        manifest.put(line)?;
        manifest.put(b"\n")?;
        Ok(written)
    }

    fn count(&mut self, key: &Key, loss: &CastStats) {
        self.rounded.add_rounding(key, loss, "lilcom");
    }

    /// Returns the files that are still open.
    pub(super) fn into_sinks(self) -> [Option<Sink>; 2] {
        [self.chunks, self.manifest]
    }
}

/// Returns the frame shift of an utterance.
///
/// # Errors
/// It is unknown.
pub(super) fn shift_of(utt: &Utterance) -> Result<Decimal> {
    utt.meta.frame_shift.ok_or_else(|| {
        Error::unfit("has features, and nobody knows how far apart their frames are")
    })
}

/// Returns a sink, which is created if there is none yet.
fn get_or_create(
    sink: &mut Option<Sink>,
    create: impl FnOnce() -> Result<Sink>,
) -> Result<&mut Sink> {
    Ok(match sink {
        Some(open) => open,
        none => none.insert(create()?),
    })
}

/// Returns the features file of an utterance, in a folder named by the first three characters of
/// its name, as in Lhotse.
fn file_of(key: &str, suffix: &str) -> Result<String> {
    if key.is_empty() || key.starts_with('.') || key.contains(['/', '\\', '\0']) {
        return Err(Error::unfit("its name can't be that of a file of features"));
    }
    let name = format!("{key}{suffix}");
    let folder: String = name.chars().take(3).collect();
    Ok(format!("{folder}/{name}"))
}
