//! Stores of features.

use spr_core::bytes::{Env, Finder, Location, Locator, ObjectBounds};
use spr_core::model::{Key, Matrix, Utterance};
use spr_core::{Error, Result};
use spr_syntax::manifest::Places;

/// The stores that have been opened.
pub(super) struct Stores {
    env: Env,
    /// The last script file.
    script: Option<(Location, Finder)>,
}

impl Stores {
    /// Creates an empty cache.
    pub(super) fn new(env: &Env) -> Self {
        Self {
            env: env.clone(),
            script: None,
        }
    }

    /// Reads the features called `key` in the store at `path`.
    ///
    /// # Errors
    /// They cannot be opened, or the store is not supported.
    pub(super) fn read(
        &mut self,
        store: &str,
        path: &str,
        key: &str,
        places: &mut Places,
    ) -> Result<Matrix> {
        let mut utt = Utterance::default();
        let name = match store {
            "numpy_files" => {
                let file = places.find(&format!("{path}/{key}"));
                let mut source = self.env.open_from(None, &Locator::File(file))?;
                let nested = self.env.nested("npy")?;
                nested.read(&mut source, ObjectBounds::Whole, &mut utt, &self.env)?;
                source.name().to_owned()
            }
            "kaldiio" => self.kaldi(path, key, places, &mut utt)?,
            other => {
                let message = format!("features in a store of type {other}, which is not read");
                let hint = "have lhotse copy them: cuts.copy_feats(NumpyFilesWriter(…))";
                return Err(Error::unsupported(message).hint(hint));
            }
        };
        utt.features
            .ok_or_else(|| Error::malformed("holds no matrix of features").file(name))
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
        let file = places.find(path);
        let mut script = self.script.take().filter(|(last, _)| *last == file);
        let (_, find) = match &mut script {
            Some(open) => open,
            none => {
                let source = self.env.open_from(None, &Locator::File(file.clone()))?;
                none.insert((file.clone(), self.env.finder(FORMAT, source)?))
            }
        };
        if !find(&Key::from(key), utt)? {
            return Err(Error::malformed(format!("{key} is not in it")).file(file.to_string()));
        }
        self.script = script;
        Ok(file.to_string())
    }
}
