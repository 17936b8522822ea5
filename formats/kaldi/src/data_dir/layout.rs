//! The files of a data directory.

use spr_core::bytes::{Env, Location};
use spr_core::format::{Options, Parts, Request};
use spr_core::{Error, Result};

pub(super) const UTT2SPK: &str = "utt2spk";
pub(super) const SPK2UTT: &str = "spk2utt";
pub(super) const TEXT: &str = "text";
pub(super) const SEGMENTS: &str = "segments";
pub(super) const WAVES: &str = "wav.scp";
pub(super) const FEATURES: &str = "feats.scp";
pub(super) const FRAME_SHIFT: &str = "frame_shift";
pub(super) const SPK2GENDER: &str = "spk2gender";
pub(super) const UTT2GENDER: &str = "utt2gender";
pub(super) const UTT2LANG: &str = "utt2lang";
pub(super) const UTT2DUR: &str = "utt2dur";
pub(super) const RECO2DUR: &str = "reco2dur";
pub(super) const UTT2FRAMES: &str = "utt2num_frames";

/// What a table has a line for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Utterance,
    Speaker,
    Recording,
}

/// Tables for which utterances have no field: their lines are tags of the format.
pub(super) const EXTRAS: &[(&str, By)] = &[
    (UTT2DUR, By::Utterance),
    (UTT2FRAMES, By::Utterance),
    ("utt2num_samples", By::Utterance),
    ("utt2uniq", By::Utterance),
    ("utt2warp", By::Utterance),
    ("utt2category", By::Utterance),
    ("utt2sid", By::Utterance),
    ("utt2lid", By::Utterance),
    ("spk2warp", By::Speaker),
    ("spk2sid", By::Speaker),
    (RECO2DUR, By::Recording),
    ("reco2file_and_channel", By::Recording),
];

/// The names of those, as names of tags.
pub(super) const TAGS: &[&[u8]] = &[
    b"utt2dur",
    b"utt2num_frames",
    b"utt2num_samples",
    b"utt2uniq",
    b"utt2warp",
    b"utt2category",
    b"utt2sid",
    b"utt2lid",
    b"spk2warp",
    b"spk2sid",
    b"reco2dur",
    b"reco2file_and_channel",
];

/// What is made of the rest of a directory, or goes by other names than its utterances'.
const PASSED: &[&str] = &[
    "cmvn.scp",
    "vad.scp",
    "stm",
    "glm",
    "ctm",
    "rttm",
    "feats_type",
];

/// Whether a folder with these names in it is a data directory: it has the list of speakers, or a
/// table of sound or features beside one that only data directories have.
pub(super) fn fits(names: &[&str]) -> bool {
    let has = |name: &&str| names.contains(name);
    let data = [WAVES, FEATURES, TEXT, SEGMENTS];
    let beside = [TEXT, SEGMENTS, SPK2UTT, UTT2DUR, RECO2DUR, UTT2LANG];
    match has(&UTT2SPK) {
        true => data.iter().any(has),
        false => [WAVES, FEATURES].iter().any(has) && beside.iter().any(has),
    }
}

/// The files of one directory.
pub(super) struct Layout {
    folder: Location,
    names: Vec<String>,
}

impl Layout {
    pub(super) fn of(folder: &Location, env: &Env) -> Result<Self> {
        let entries = env.entries(folder)?;
        let names = entries.iter().filter_map(|at| at.name()?.to_str());
        Ok(Self {
            folder: folder.clone(),
            names: names.map(str::to_owned).collect(),
        })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// Where a file is, if it is there.
    pub(super) fn file(&self, name: &str) -> Option<Location> {
        self.has(name).then(|| self.folder.join(name))
    }

    pub(super) fn folder(&self) -> &Location {
        &self.folder
    }

    /// The files that nothing is read of.
    pub(super) fn passed(&self) -> Vec<&'static str> {
        let there = PASSED.iter().filter(|name| self.has(name));
        there.copied().collect()
    }
}

/// Which of the parts of a directory are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub(super) features: bool,
    pub(super) sound: bool,
    pub(super) text: bool,
    /// A part that is there and left, as who asks can hold the other.
    pub(super) left: Option<&'static str>,
}

impl Taken {
    /// What is read of what is there, by the option `parts` and by what is asked for.
    ///
    /// # Errors
    /// The option names a part that there is none of.
    pub(super) fn of(layout: &Layout, options: &Options, request: &Request) -> Result<Self> {
        let mut taken = Self {
            features: layout.has(FEATURES),
            sound: layout.has(WAVES),
            text: layout.has(TEXT),
            left: None,
        };
        let Parts {
            features, audio, ..
        } = request.forms;
        match options.get("parts") {
            Some(parts) => taken.choose(parts, layout)?,
            // Samples would have to be loaded.
            None if request.samples && taken.features => taken.sound = false,
            None if !(taken.features && taken.sound) || features == audio => {}
            None if features => (taken.sound, taken.left) = (false, Some(WAVES)),
            None => (taken.features, taken.left) = (false, Some(FEATURES)),
        }
        taken.features &= request.parts.features;
        taken.sound &= request.parts.audio;
        taken.text &= request.parts.text;
        Ok(taken)
    }

    fn choose(&mut self, parts: &str, layout: &Layout) -> Result<()> {
        let there = std::mem::replace(
            self,
            Self {
                features: false,
                sound: false,
                text: false,
                left: None,
            },
        );
        for part in parts.split('+') {
            let (name, is_there, chosen) = match part {
                "feats" => (FEATURES, there.features, &mut self.features),
                "wav" => (WAVES, there.sound, &mut self.sound),
                "text" => (TEXT, there.text, &mut self.text),
                _ => {
                    let message = format!("option parts: '{part}' is not a part");
                    return Err(Error::usage(message).hint("known: feats, wav, text; joined by +"));
                }
            };
            if !is_there {
                let message = format!("option parts: {part} is asked for, but there is no {name}");
                return Err(Error::usage(message).file(layout.folder().to_string()));
            }
            *chosen = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_directories_are_told_from_folders_of_tables() {
        for names in [
            &["utt2spk", "text"][..],
            &["wav.scp", "text", "utt2spk", "spk2utt"],
            &["feats.scp", "text"],
            &["wav.scp", "segments", "reco2dur"],
            &["utt2spk", "wav.scp", "data"],
        ] {
            assert!(fits(names), "{names:?}");
        }
        for names in [
            &[][..],
            &["utt2spk"],
            &["text"],
            &["feats.ark", "feats.scp"],
            &["feats.scp", "utt2num_frames", "vad.scp"],
            &["wav.scp", "a.wav", "b.wav"],
            &["manifest.json", "text"],
        ] {
            assert!(!fits(names), "{names:?}");
        }
    }

    #[test]
    fn each_extra_table_is_a_tag() {
        let names: Vec<_> = EXTRAS.iter().map(|(name, _)| name.as_bytes()).collect();
        assert_eq!(names, TAGS);
    }
}
