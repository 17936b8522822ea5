//! Tarred NeMo data: sound in numbered tar files, and a manifest of each.

mod archive;
mod folder;
mod manifests;
mod pieces;
mod write;

use spr_core::bytes::{Env, Location, Output, Source};
use spr_core::format::{
    Caps, Count, Format, FormatInfo, Keys, Medium, OpenedDataset, OptionSpec, Options, Probe,
    Reader, Request, Rule, Score, Tags, WholeFolder, Writer,
};
use spr_core::model::{About, Key, SourceField};
use spr_core::stage::Chain;
use spr_core::{Error, Result};
use spr_syntax::sound::SoundCodec;
use spr_syntax::{json, shards};

use super::line::KEYS;
use super::names::{FILE, SHARD};
use archive::ShardReader;
use folder::Layout;
use pieces::is_piece;
use write::{NUMBER, Numbering, TarredWriter};

/// Tarred NeMo data.
pub struct NemoTarred;

/// The format, for registries.
pub static NEMO_TARRED: NemoTarred = NemoTarred;

const AUDIO: OptionSpec = OptionSpec {
    name: "audio",
    value: "wav|flac",
    help: "writing: what samples become (wav); sound files stay as they are",
};

static INFO: FormatInfo = FormatInfo::new(
    "nemo-tarred",
    "tarred NeMo data: a folder of tar files and their manifests",
    &[],
)
.options(&[KEYS, AUDIO, shards::SIZE, shards::COUNT, NUMBER]);

/// The keys whose members NeMo finds.
const KEY_RULE: Rule<Key> = Rule::new(
    "that are not empty and do not end in -sub and a number",
    |key| match key.as_str() {
        Some("") => Err(Error::unfit("an empty key names no member of a tar file")),
        Some(key) if is_piece(key) => {
            let message = "the key ends in -sub and a number, which NeMo takes off";
            Err(Error::unfit(message).hint("rename it; NeMo would look for another member"))
        }
        _ => Ok(()),
    },
);

fn codec(options: &Options) -> Result<SoundCodec> {
    let codec = options.choice(AUDIO.name, &SoundCodec::WORDS)?;
    Ok(codec.unwrap_or_default())
}

fn caps(codec: SoundCodec) -> Caps {
    let mut caps = Caps::new(Count::Many, Keys::Any);
    caps.key_rule = KEY_RULE;
    caps.audio = codec.caps();
    caps.text = true;
    caps.utf8 = true;
    caps.source = SourceField::ALL;
    caps.tags = Tags::Any;
    caps
}

impl Format for NemoTarred {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        let text = json::start(head.head).unwrap_or_default();
        let names = FILE.iter().any(|name| json::names(text, name));
        match names && json::names(text, SHARD) {
            true => Score::Certain,
            false => Score::No,
        }
    }

    fn caps(&self, options: &Options, _: Medium) -> Result<Caps> {
        Numbering::of(options)?;
        Ok(caps(codec(options)?))
    }

    fn open(
        &self,
        source: Source,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        let Some(manifest) = source.location() else {
            let message =
                "a tarred manifest from a pipe, which does not tell where its tar files are";
            return Err(Error::unsupported(message).file(source.name()));
        };
        open(Layout::of_manifest(manifest, env)?, options, request, env)
    }

    fn create(
        &self,
        output: Output,
        options: &Options,
        _: &About,
        env: &Env,
    ) -> Result<Box<dyn Writer>> {
        if !output.is_folder() {
            let message = "tarred NeMo data are a folder";
            return Err(Error::usage(message).file(output.name()));
        }
        let (codec, numbering) = (codec(options)?, Numbering::of(options)?);
        Ok(Box::new(TarredWriter::new(
            output,
            (codec, caps(codec)),
            numbering,
            env,
        )?))
    }

    fn folder(&self) -> Option<&dyn WholeFolder> {
        Some(self)
    }
}

impl WholeFolder for NemoTarred {
    fn fits(&self, names: &[&str]) -> bool {
        let has = |wanted: fn(&str) -> bool| names.iter().any(|name| wanted(name));
        has(|name| folder::tar_number(name).is_some()) && has(folder::is_manifest)
    }

    fn open(
        &self,
        folder: &Location,
        options: &Options,
        request: &mut Request,
        env: &Env,
    ) -> Result<OpenedDataset> {
        open(Layout::of_folder(folder, env)?, options, request, env)
    }
}

/// Opens the shards one after the other.
fn open(layout: Layout, options: &Options, request: &Request, env: &Env) -> Result<OpenedDataset> {
    let distinct = request.distinct;
    let names = layout.names();
    let (options, request, limits, env) =
        (options.clone(), request.clone(), env.limits, env.clone());
    let shards = layout.shards(&env)?;
    let open = move |shard| -> Result<Box<dyn Reader>> {
        Ok(Box::new(ShardReader::open(
            shard?, &options, &request, &env,
        )?))
    };
    let chain = Chain::new(shards.map(open))?.named(names);
    Ok(OpenedDataset::stream(match distinct {
        true => chain.distinct(limits),
        false => chain,
    }))
}
