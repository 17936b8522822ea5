//! The format as the converter sees it.

use spr_core::bytes::{Codec, Env, Output, Source};
use spr_core::format::{
    Caps, Count, Empty, FeatureCaps, Format, FormatInfo, Keys, LabelCaps, OptionSpec, Options,
    Place, Probe, Reader, Score, Tags, Writer,
};
use spr_core::model::Dtype;
use spr_core::{Error, Result};

use crate::archive::ArchiveReader;
use crate::object::DTYPES;
use crate::probe;
use crate::script::ScriptReader;
use crate::specifier::Table;
use crate::writer::{KaldiWriter, Style};

/// Kaldi archives and script files.
pub static FORMAT: Kaldi = Kaldi;

/// Kaldi's tables: archives, and script files that point into them.
pub struct Kaldi;

static INFO: FormatInfo = FormatInfo {
    name: "kaldi",
    title: "Kaldi archives and script files, binary and text",
    extensions: &["ark", "scp", "ali"],
    options: &[
        OptionSpec {
            name: "table",
            value: "ark|scp",
            help: "what the input is: objects, or lines that name their files (default: found out)",
        },
        OptionSpec {
            name: "holder",
            value: "float-matrix|double-matrix|float-vector|double-vector|int32-vector",
            help: "what the input holds, where its bytes don't tell",
        },
        OptionSpec {
            name: "dtype",
            value: "f32|f64",
            help: "the type of the numbers in text (default: f32; in writing, both)",
        },
        OptionSpec {
            name: "permissive",
            value: "true|false",
            help: "leave out entries that can't be read",
        },
        OptionSpec {
            name: "text",
            value: "true|false",
            help: "write text (default: binary)",
        },
        OptionSpec {
            name: "digits",
            value: "shortest|kaldi",
            help: "digits in text: enough to read the same value back, or Kaldi's seven",
        },
    ],
};

const YES_NO: &[(&str, bool)] = &[("true", true), ("false", false)];
const TABLES: &[(&str, Table)] = &[("ark", Table::Ark), ("scp", Table::Script)];
const LARGEST: u64 = i32::MAX as u64;

/// How the options ask for the output to look, and the element types it takes.
fn style(options: &Options) -> Result<(Style, &'static [Dtype])> {
    let text = options.choice("text", YES_NO)?.unwrap_or(false);
    let digits = [("shortest", Style::Text), ("kaldi", Style::SevenDigits)];
    let digits = options.choice("digits", &digits)?.unwrap_or(Style::Text);
    let both: &[Dtype] = &[Dtype::F32, Dtype::F64];
    if !text {
        return Ok((Style::Binary, both));
    }
    Ok((
        digits,
        options
            .choice("dtype", DTYPES)?
            .map_or(both, |(_, one)| one),
    ))
}

/// Checks the options that only others act on.
fn check(options: &Options) -> Result<()> {
    options.choice("permissive", YES_NO).map(drop)
}

impl Format for Kaldi {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn probe(&self, head: &Probe<'_>) -> Score {
        probe::score(head)
    }

    fn caps(&self, options: &Options, _place: Place) -> Result<Caps> {
        check(options)?;
        let (_, dtypes) = style(options)?;
        Ok(Caps {
            count: Count::Many,
            keys: Keys::Words,
            boundaries: true,
            features: Some(FeatureCaps {
                dtypes,
                vectors: true,
                scalars: false,
                same_dim: false,
                same_dtype: false,
                max_cols: LARGEST,
            }),
            labels: Some(LabelCaps {
                dtypes: &[Dtype::I32],
                max_columns: 1,
                with_features: false,
                alone: true,
                same_columns: true,
            }),
            empty: Empty::Shapeless,
            frame_times: false,
            tags: Tags::None,
            max_rows: LARGEST,
        })
    }

    fn open(&self, mut source: Source, options: &Options, env: &Env) -> Result<Box<dyn Reader>> {
        check(options)?;
        let table = match options.choice("table", TABLES)? {
            Some(table) => table,
            None => table_of(&mut source)?,
        };
        Ok(match table {
            Table::Ark => Box::new(ArchiveReader::new(source, options, env)?),
            Table::Script => Box::new(ScriptReader::new(source, options, env)?),
        })
    }

    fn create(&self, output: Output, options: &Options, _env: &Env) -> Result<Box<dyn Writer>> {
        check(options)?;
        if options.choice("table", TABLES)? == Some(Table::Script) {
            return Err(Error::unsupported(
                "a script file that names the files to write is not converted to yet",
            )
            .file(output.name())
            .hint("write an archive: ark,scp:FILE.ark,FILE.scp makes both"));
        }
        let (style, dtypes) = style(options)?;
        Ok(Box::new(KaldiWriter::new(&output, style, dtypes)?))
    }
}

/// Whether an input is a script file, by its content; its extension decides what may be either.
fn table_of(source: &mut Source) -> Result<Table> {
    let named = source.path().map(Codec::strip_extension);
    let named = named.is_some_and(|path| path.extension().is_some_and(|e| e == "scp"));
    let head = source.peek(Probe::HEAD)?;
    Ok(match probe::is_script(head, named) {
        true => Table::Script,
        false => Table::Ark,
    })
}
