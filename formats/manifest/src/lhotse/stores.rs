//! Stores of features.

use std::ops::Range;

use spr_core::bytes::{Env, Finders, Location, Locator, ObjectBounds};
use spr_core::model::{Key, Matrix, Utterance};
use spr_core::{Error, Limits, Result};
use spr_syntax::lilcom::Decoder;
use spr_syntax::manifest::Places;

use super::chunky;

/// The place of features in a store, and their shape as the manifest has it.
#[derive(Clone)]
pub(super) struct StoredFeatures {
    pub(super) store: String,
    pub(super) path: String,
    pub(super) key: String,
    pub(super) rows: Option<u64>,
    pub(super) cols: Option<u64>,
}

impl StoredFeatures {
    fn shape(&self) -> Result<(usize, usize)> {
        let size = |size: Option<u64>, name: &str| {
            let size = size.and_then(|size| usize::try_from(size).ok());
            size.ok_or_else(|| Error::malformed(format!("{name} is missing")))
        };
        Ok((
            size(self.rows, "num_frames")?,
            size(self.cols, "num_features")?,
        ))
    }

    /// Checks that features have the shape of the manifest.
    fn check(&self, matrix: &Matrix) -> Result<()> {
        let shape = [
            (self.rows, matrix.rows(), "rows"),
            (self.cols, matrix.cols(), "columns"),
        ];
        for (told, found, what) in shape {
            if let Some(told) = told.filter(|told| *told != found as u64) {
                let message = format!("{found} {what}, the manifest says {told}");
                return Err(Error::malformed(message));
            }
        }
        Ok(())
    }
}

/// Returns the rows `wanted` of a matrix, as far as they exist.
pub(super) fn part(all: Matrix, wanted: Range<usize>, limits: &Limits) -> Result<Matrix> {
    let (first, last) = (wanted.start.min(all.rows()), wanted.end.min(all.rows()));
    if (first, last) == (0, all.rows()) {
        return Ok(all);
    }
    let mut part = Matrix::default();
    let bytes = part.reset(all.dtype(), all.rank(), last - first, all.cols(), limits)?;
    let row = all.cols() * all.dtype().size();
    bytes.copy_from_slice(&all.as_bytes()[first * row..last * row]);
    Ok(part)
}

/// Returns the error for a store of another type.
fn unsupported(store: &str) -> Error {
    if store.starts_with("memory_") {
        let message = format!("features in a store of type {store}, whose bytes are in no file");
        return Error::unsupported(message)
            .hint("have lhotse store them: cuts.copy_feats(LilcomChunkyWriter(…))");
    }
    let message = format!("features in a store of type {store}, which is not read");
    let hint = "have lhotse copy them: cuts.copy_feats(LilcomChunkyWriter(…))";
    Error::unsupported(message).hint(hint)
}

/// The stores that have been opened.
pub(super) struct Stores {
    env: Env,
    /// Script files and HDF5 files.
    open: Finders,
}

impl Stores {
    /// Creates an empty cache.
    pub(super) fn new(env: &Env) -> Self {
        Self {
            env: env.clone(),
            open: Finders::new(env),
        }
    }

    /// Reads the frames `wanted`, as far as they exist.
    ///
    /// # Errors
    /// They cannot be opened, the store is not supported, or the features have another shape than
    /// the manifest says.
    pub(super) fn read(
        &mut self,
        features: &StoredFeatures,
        wanted: Range<usize>,
        places: &mut Places,
    ) -> Result<Matrix> {
        let StoredFeatures { path, key, .. } = features;
        if features.store == "lilcom_chunky" {
            let shape = features.shape()?;
            let wanted = wanted.start.min(shape.0)..wanted.end.min(shape.0);
            return chunky::read(&places.find(path), key, shape, wanted, &self.env);
        }
        let mut utt = Utterance::default();
        let name = match features.store.as_str() {
            "numpy_files" | "lilcom_files" | "lilcom_url" => {
                let key = key.strip_prefix('/').unwrap_or(key);
                let file = places.find(&format!("{path}/{key}"));
                let mut source = self.env.open_from(None, &Locator::File(file))?;
                if features.store == "numpy_files" {
                    let nested = self.env.nested("npy")?;
                    nested.read(&mut source, ObjectBounds::Whole, &mut utt, &self.env)?;
                } else {
                    let into = utt.features_mut();
                    Decoder::open(&mut source)?.read(into, &self.env.limits)?;
                    if !source.at_end()? {
                        return Err(source.malformed("the file goes on after the last value"));
                    }
                }
                source.name().to_owned()
            }
            "kaldiio" => self.kaldi(path, key, places, &mut utt)?,
            "numpy_hdf5" | "lilcom_hdf5" | "chunked_lilcom_hdf5" => {
                self.find("hdf5", places.find(path), key, &mut utt)?
            }
            other => return Err(unsupported(other)),
        };
        let matrix = utt
            .features
            .ok_or_else(|| Error::malformed("holds no matrix of features").file(&name))?;
        features.check(&matrix).map_err(|e| e.file(name))?;
        part(matrix, wanted, &self.env.limits)
    }

    /// Reads from a position in an archive, or an entry of a script file.
    fn kaldi(
        &mut self,
        path: &str,
        key: &str,
        places: &mut Places,
        utt: &mut Utterance,
    ) -> Result<String> {
        const FORMAT: &str = "kaldi";
        let place = path
            .rsplit_once(':')
            .and_then(|(file, byte)| Some((file, byte.parse().ok()?)));
        if let Some((file, byte)) = place {
            let at = Locator::FileAt(places.find(file), byte);
            let source = self.env.open_from(None, &at)?;
            let mut find = self.env.finder(FORMAT, source)?;
            find(&Key::from(key), utt)?;
            return Ok(at.to_string());
        }
        self.find(FORMAT, places.find(path), key, utt)
    }

    /// Reads an entry of a file of the named format, and returns the name of the file.
    fn find(
        &mut self,
        format: &str,
        file: Location,
        key: &str,
        utt: &mut Utterance,
    ) -> Result<String> {
        let place = (None, &file);
        if !self.open.find(format, place, &Key::from(key), utt)? {
            return Err(Error::malformed(format!("{key} is not in it")).file(file.to_string()));
        }
        Ok(file.to_string())
    }
}
