//! The command line as clap sees it: raw values, no effects.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::completions::{self, CompletionsArgs};
use super::diff::{self, DiffArgs};
use super::formats;
use super::index::{self, IndexArgs};
use super::info;
use super::links;
use super::ls::{self, LsArgs};
use super::man::{self, ManArgs};
use super::merge::{self, MergeArgs};
use super::page::{self, ReportArgs};
use super::plot::{self, PlotArgs};
use super::select::{self, SelectArgs};
use super::show::{self, ShowArgs};
use super::sort::{self, SortArgs};
use super::split::{self, SplitArgs};
use super::stats::{self, StatsArgs};

const USAGE: &str = "\
spr-convert [OPTIONS] IN OUT
       spr-convert [OPTIONS] convert IN... -o OUT
       spr-convert VERB ...";

const EXAMPLES: &str = "\
Examples:
  spr-convert feats.scp --labels ali.txt train.pfile   Kaldi to PFile with labels
  spr-convert train.pfile train.pkl.gz                 PFile to a pickle for PDNN
  spr-convert train.pfile,context=5,random=True x.pkl  what PDNN makes of its data spec
  spr-convert feats.scp spr:features/                  Kaldi to a folder of SPRAAK files
  spr-convert train.pfile ark,scp:f.ark,f.scp --labels-out ark,t:ali.txt
  spr-convert info train.pfile                         what is in there
  spr-convert formats pfile                            what PFile can hold, its options";

/// Converts speech data between any two formats.
///
/// IN and OUT are Kaldi specifiers (ark:, scp:, …), NAME:PATH with the name of a format, or paths;
/// inputs are recognised by content, outputs by extension or --to. `-` is standard input or output.
#[derive(Parser, Debug)]
#[command(
    name = "spr-convert",
    version,
    override_usage = USAGE,
    after_help = EXAMPLES,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
}

#[derive(Subcommand, Debug)]
pub(super) enum Verb {
    /// Convert one or several data sets into one
    #[command(after_help = EXAMPLES)]
    Convert(Box<ConvertArgs>),
    /// Say what data sets hold
    #[command(after_help = info::EXAMPLES)]
    Info(Box<InfoArgs>),
    /// Find everything that is wrong with data sets
    Check(Box<super::check::CheckArgs>),
    /// Keep what is whole of a damaged data set
    Repair(Box<super::repair::RepairArgs>),
    /// Show the header of a SPRAAK file, or change it
    Header(super::header::HeaderArgs),
    /// List the entries of data sets, a line each
    #[command(after_help = ls::EXAMPLES)]
    Ls(Box<LsArgs>),
    /// Show what entries hold, number by number
    #[command(after_help = show::EXAMPLES)]
    Show(Box<ShowArgs>),
    /// Compare two data sets
    #[command(after_help = diff::EXAMPLES)]
    Diff(Box<DiffArgs>),
    /// Convert only some utterances
    #[command(after_help = select::EXAMPLES)]
    Select(Box<SelectArgs>),
    /// Convert in another order
    #[command(after_help = sort::EXAMPLES)]
    Sort(Box<SortArgs>),
    /// Convert several data sets into one without a key twice
    #[command(after_help = merge::EXAMPLES)]
    Merge(Box<MergeArgs>),
    /// Convert one data set into several
    #[command(after_help = split::EXAMPLES, override_usage = split::USAGE)]
    Split(Box<SplitArgs>),
    /// Write what finds the utterances of a file, without rewriting it
    #[command(after_help = index::EXAMPLES)]
    Index(Box<IndexArgs>),
    /// Sum up features, lengths and labels
    #[command(after_help = stats::EXAMPLES)]
    Stats(Box<StatsArgs>),
    /// Draw utterances or a whole data set
    #[command(after_help = plot::EXAMPLES)]
    Plot(Box<PlotArgs>),
    /// Write a page about a data set, with pictures
    #[command(after_help = page::EXAMPLES)]
    Report(Box<ReportArgs>),
    /// List the formats, or tell one in full
    #[command(after_help = formats::EXAMPLES)]
    Formats(FormatsArgs),
    /// Link Kaldi's own tool names to this program
    #[command(after_help = links::EXAMPLES)]
    KaldiLinks(LinksArgs),
    /// Print the manual page, or that of a verb
    #[command(after_help = man::EXAMPLES)]
    Man(ManArgs),
    /// Print completions for a shell
    #[command(after_help = completions::EXAMPLES)]
    Completions(CompletionsArgs),
}

/// What reading takes, whatever is done with it.
#[derive(Args, Debug, Clone)]
pub(super) struct ReadArgs {
    /// Read this format, whatever the content looks like
    #[arg(short, long, value_name = "FORMAT")]
    pub(super) from: Option<String>,
    /// Set an option of the input's format
    #[arg(long = "oo", value_name = "KEY=VALUE", hide_short_help = true)]
    pub(super) input_options: Vec<String>,
    /// Seconds from one frame to the next, such as 0.01, of data that don't say it: Kaldi's, PFiles,
    /// pickles
    #[arg(long, value_name = "SECONDS")]
    pub(super) frame_shift: Option<String>,
    #[command(flatten)]
    pub(super) data: DataArgs,
    /// The largest object to hold in memory, such as 512m or 4g
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "4g",
        hide_short_help = true
    )]
    pub(super) max_alloc: String,
    /// Run commands that script files contain
    #[arg(long, conflicts_with = "safe", hide_short_help = true)]
    pub(super) allow_pipes: bool,
    /// Run no commands at all
    #[arg(long, hide_short_help = true)]
    pub(super) safe: bool,
    /// Print facts as JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Say how arguments were understood
    #[arg(short, long, hide_short_help = true)]
    pub(super) verbose: bool,
    /// Say how arguments are understood, and stop
    #[arg(long)]
    pub(super) explain: bool,
}

/// PDNN's data options, for all inputs; each is also a key of the data spec FILE,key=value,…
#[derive(Args, Debug, Clone)]
pub(super) struct DataArgs {
    /// Put the frames before and after beside each frame
    #[arg(
        long,
        value_name = "N|L:R",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) context: Option<String>,
    /// Put the frames before beside each frame
    #[arg(
        long,
        value_name = "N",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) lcxt: Option<String>,
    /// Put the frames after beside each frame
    #[arg(
        long,
        value_name = "N",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) rcxt: Option<String>,
    /// Leave out the frames with these labels, such as 0:3-9
    #[arg(
        long,
        value_name = "LABELS",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) ignore_label: Option<String>,
    /// Replace labels, such as 1:0/4-6:2
    #[arg(
        long,
        value_name = "FROM:TO/...",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) map_label: Option<String>,
    /// Put the frames in random order, as random=True does
    #[arg(long, help_heading = "Data options", hide_short_help = true)]
    pub(super) shuffle: bool,
    /// Shuffle with this seed and not with PDNN's
    #[arg(
        long,
        value_name = "N",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) seed: Option<String>,
    /// The size of partitions, which {part} in the output's name writes apart
    #[arg(
        long,
        value_name = "SIZE",
        help_heading = "Data options",
        hide_short_help = true
    )]
    pub(super) partition: Option<String>,
    /// Shuffle a PFile partition by partition, as stream=True does
    #[arg(long, help_heading = "Data options", hide_short_help = true)]
    pub(super) stream: bool,
}

#[derive(Args, Debug, Clone)]
pub(super) struct ConvertArgs {
    /// Data to read; the last one is the output unless -o names it
    #[arg(value_name = "IN... OUT", required = true)]
    pub(super) paths: Vec<String>,
    /// Where to write
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: Option<String>,
    #[command(flatten)]
    pub(super) read: ReadArgs,
    /// Write this format, whatever the extension
    #[arg(short, long, value_name = "FORMAT")]
    pub(super) to: Option<String>,
    /// Set an option of the output's format
    #[arg(long = "co", value_name = "KEY=VALUE", hide_short_help = true)]
    pub(super) output_options: Vec<String>,
    /// Take labels from another data set, by key
    #[arg(long, value_name = "IN")]
    pub(super) labels: Option<String>,
    /// Look labels up under the speaker that this file of lines `utterance speaker` gives; what
    /// split keeps together
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) utt2spk: Option<PathBuf>,
    /// Write labels to a data set of their own
    #[arg(long, value_name = "OUT")]
    pub(super) labels_out: Option<String>,
    /// Change the element type of features and of audio samples: f32, f64, i16, …
    #[arg(long, value_name = "TYPE")]
    pub(super) dtype: Option<String>,
    /// Allow what the target can't hold to be lost: precision, range, labels, keys, boundaries,
    /// metadata, audio, segments, weights, rank, all
    #[arg(long, value_name = "KIND,...", value_delimiter = ',')]
    pub(super) allow_loss: Vec<String>,
    /// Replace outputs that exist
    #[arg(long)]
    pub(super) overwrite: bool,
    /// What to do about an utterance that can't be converted
    #[arg(
        long,
        value_enum,
        default_value = "stop",
        value_name = "stop|skip",
        hide_possible_values = true
    )]
    pub(super) on_error: OnErrorArg,
    /// Write each skipped utterance and why as a line of JSON
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) error_log: Option<PathBuf>,
    /// Write the closing summary as JSON
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) report: Option<PathBuf>,
    /// Read outputs back and compare them with what was written before they get their names
    #[arg(long)]
    pub(super) verify: bool,
    /// Name outputs before they are on the disk: quicker, but a power cut may take them
    #[arg(long)]
    pub(super) no_sync: bool,
    /// Threads to use; the output is the same for any number
    #[arg(short, long, alias = "nj", value_name = "N", default_value = "2")]
    pub(super) jobs: usize,
    /// Do everything but write
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Show progress on standard error
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        value_name = "auto|always|never|json",
        hide_possible_values = true,
        hide_short_help = true
    )]
    pub(super) progress: ProgressArg,
}

#[derive(Args, Debug, Clone)]
pub(super) struct InfoArgs {
    /// Data to look into
    #[arg(value_name = "IN", required = true)]
    pub(super) paths: Vec<String>,
    /// Read headers only
    #[arg(long)]
    pub(super) quick: bool,
    #[command(flatten)]
    pub(super) read: ReadArgs,
}

#[derive(Args, Debug, Clone)]
pub(super) struct LinksArgs {
    /// The folder for the links, made if need be
    #[arg(value_name = "DIR")]
    pub(super) folder: PathBuf,
}

#[derive(Args, Debug, Clone)]
pub(super) struct FormatsArgs {
    /// The format to tell in full
    pub(super) name: Option<String>,
    /// Print as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub(super) json: bool,
    /// Print the table in Markdown
    #[arg(long)]
    pub(super) markdown: bool,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnErrorArg {
    Stop,
    Skip,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgressArg {
    Auto,
    Always,
    Never,
    Json,
}
