//! A folder of files, one an utterance, as one data set.

use std::path::{Path, PathBuf};

use crate::bytes::{Codec, Env, Source, is_temporary};
use crate::format::{Format, Options, Reader, Registry};
use crate::model::{DatasetInfo, Key, Utterance};
use crate::{Error, ErrorKind, Result};

/// Reads every file of a folder as one utterance, whose key is the file's path in the folder
/// without its extension, in which capitals are as good as small letters. Utterances come in the order of their keys.
pub struct FolderReader {
    files: std::vec::IntoIter<(Key, PathBuf)>,
    format: &'static dyn Format,
    options: Options,
    env: Env,
    info: DatasetInfo,
}

impl FolderReader {
    /// Opens `folder`, whose files have one of the extensions of `format` or of `kin`; others are
    /// passed over with a warning.
    ///
    /// # Errors
    /// The folder can't be read, or two files have the same key.
    pub fn open(
        folder: &Path,
        format: &'static dyn Format,
        kin: &[&str],
        options: Options,
        env: Env,
    ) -> Result<Self> {
        let own = format.info().extensions;
        let (mut files, others) = list(folder, |ext| own.contains(&ext) || kin.contains(&ext))?;
        if others > 0 {
            env.warn(
                &Error::unfit(format!("{others} files are not {}", format.info().name))
                    .file(folder.display().to_string()),
            );
        }
        files.sort();
        if let Some(pair) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(Error::unfit("two files give the same key")
                .utterance(&pair[0].0)
                .file(pair[1].1.display().to_string()));
        }
        let info = DatasetInfo {
            utterances: Some(files.len() as u64),
            ..DatasetInfo::default()
        };
        Ok(Self {
            files: files.into_iter(),
            format,
            options,
            env,
            info,
        })
    }

    /// The format of a folder's files, which recognises the first of those with a known
    /// extension, and the extension of that file.
    ///
    /// # Errors
    /// There is none, or the first file is of several or of none.
    pub fn detect(folder: &Path, registry: &Registry) -> Result<(&'static dyn Format, String)> {
        let (mut files, _) = list(folder, |ext| !registry.by_extension(ext).is_empty())?;
        files.sort();
        let Some((_, first)) = files.first() else {
            return Err(
                Error::new(ErrorKind::Unrecognised, "holds no files of a known format")
                    .file(folder.display().to_string())
                    .hint(format!("known formats: {}", registry.names().join(", "))),
            );
        };
        let extension = Codec::strip_extension(first)
            .extension()
            .unwrap_or_default();
        let format = registry.detect(&mut Source::open(first)?)?;
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        Ok((format, extension))
    }

    fn read_file(&mut self, path: &Path, utt: &mut Utterance) -> Result<()> {
        let source = self.env.open_file(path)?;
        let mut reader = self.format.open(source, &self.options, &self.env)?;
        if self.info.compression.is_none() {
            self.info.compression.clone_from(&reader.info().compression);
        }
        if !reader.read(utt)? {
            return Err(Error::malformed("the file holds no utterance"));
        }
        if reader.read(&mut Utterance::default())? {
            let message = "holds several utterances, and this is a folder of files with one";
            return Err(Error::unfit(message).hint("move it elsewhere, and name it by itself"));
        }
        Ok(())
    }
}

impl Reader for FolderReader {
    fn info(&self) -> &DatasetInfo {
        &self.info
    }

    fn read(&mut self, utt: &mut Utterance) -> Result<bool> {
        let Some((key, path)) = self.files.next() else {
            return Ok(false);
        };
        self.read_file(&path, utt).map_err(|e| {
            e.file(path.display().to_string())
                .utterance(&key)
                .continuable()
        })?;
        utt.key = key;
        Ok(true)
    }
}

/// The files below `folder` whose extension is `wanted`, with their keys, and how many others.
fn list(folder: &Path, wanted: impl Fn(&str) -> bool) -> Result<(Vec<(Key, PathBuf)>, u64)> {
    let mut files = Vec::new();
    let mut others = 0;
    let there = |entry: &walkdir::DirEntry| {
        entry.depth() == 0 || !is_temporary(&entry.file_name().to_string_lossy())
    };
    let walk = walkdir::WalkDir::new(folder).follow_links(true);
    for entry in walk.into_iter().filter_entry(there) {
        let entry = entry.map_err(|e| {
            Error::io("cannot list the folder", e.into()).file(folder.display().to_string())
        })?;
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.into_path();
        let plain = Codec::strip_extension(&path);
        let extension = plain.extension().and_then(|e| e.to_str());
        match extension.map(str::to_ascii_lowercase) {
            Some(extension) if wanted(&extension) => {
                let stem = plain.with_extension("");
                let relative = stem.strip_prefix(folder).unwrap_or(&stem);
                files.push((Key::from(relative.as_os_str().as_encoded_bytes()), path));
            }
            _ => others += 1,
        }
    }
    Ok((files, others))
}
