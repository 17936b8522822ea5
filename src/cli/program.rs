//! The verbs.

use std::any::TypeId;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, CommandFactory, Parser, Subcommand};
use spr_core::format::Registry;
use spr_core::{Error, Result};

use super::args::ConvertArgs;
use super::beside::BesideArgs;
use super::check::{self, CheckArgs};
use super::completions::{self, CompletionsArgs};
use super::diff::{self, DiffArgs};
use super::formats::{self, FormatsArgs};
#[cfg(feature = "spraak")]
use super::header::{self, HeaderArgs};
use super::index::{self, IndexArgs};
use super::info::{self, InfoArgs};
#[cfg(feature = "kaldi-tools")]
use super::links::{self, LinksArgs};
use super::ls::{self, LsArgs};
use super::man::{self, ManArgs};
use super::merge::{self, MergeArgs};
#[cfg(feature = "plot")]
use super::plot::{self, PlotArgs};
use super::repair::{self, RepairArgs};
#[cfg(feature = "plot")]
use super::report::{self, ReportArgs};
use super::select::{self, SelectArgs};
use super::session::Session;
use super::shards::{self, ShardsArgs};
use super::show::{self, ShowArgs};
use super::sort::{self, SortArgs};
use super::split::{self, SplitArgs};
use super::stats::{self, StatsArgs};
use super::words::{self, SuggestedWords};
use super::{convert, misspelt};

const USAGE: &str = "\
spr-convert [OPTIONS] IN OUT
       spr-convert convert [OPTIONS] IN... -o OUT
       spr-convert VERB ...";

pub(super) const EXAMPLES: &str = "\
Examples:
  spr-convert feats.scp --labels ali.txt train.pfile  Kaldi to PFile with labels
  spr-convert train.pfile train.pkl.gz  PFile to a pickle for PDNN
  spr-convert train.pfile,context=5,random=True x.pkl  PDNN's data spec
  spr-convert feats.scp spr:features/   a folder of SPRAAK files
  spr-convert train.pfile ark,scp:f.ark,f.scp --labels-out ark,t:ali.txt
  spr-convert info train.pfile          what is in there
  spr-convert formats pfile             what it can hold, its options";

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
    max_term_width = 80
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) verb: Option<Verb>,
    #[command(flatten)]
    pub(super) convert: ConvertArgs,
}

// Arguments that several verbs share have no doc comment, as that would be taken for what the verb does.
#[derive(Subcommand, Debug)]
#[command(defer = true)]
pub(super) enum Verb {
    /// Convert one or several data sets into one
    #[command(after_help = EXAMPLES)]
    Convert(Box<ConvertArgs>),
    /// Describe what data sets hold
    #[command(after_help = info::EXAMPLES)]
    Info(Box<InfoArgs>),
    /// Find everything that is wrong with data sets
    Check(Box<CheckArgs>),
    /// Save what is intact in a damaged data set
    Repair(Box<RepairArgs>),
    /// Show the header of a SPRAAK file, or change it
    #[cfg(feature = "spraak")]
    Header(HeaderArgs),
    /// List the entries of data sets, one per line
    #[command(after_help = ls::EXAMPLES)]
    Ls(Box<LsArgs>),
    /// Show the contents of entries, number by number
    #[command(after_help = show::EXAMPLES)]
    Show(Box<ShowArgs>),
    /// Compare two data sets
    #[command(after_help = diff::EXAMPLES)]
    Diff(Box<DiffArgs>),
    /// Convert only some utterances
    #[command(after_help = select::EXAMPLES)]
    Select(Box<SelectArgs>),
    /// Convert with the utterances sorted
    #[command(after_help = sort::EXAMPLES)]
    Sort(Box<SortArgs>),
    /// Convert several data sets into one, without duplicate keys
    #[command(after_help = merge::EXAMPLES)]
    Merge(Box<MergeArgs>),
    /// Convert one data set into several
    #[command(after_help = split::EXAMPLES, override_usage = split::USAGE)]
    Split(Box<SplitArgs>),
    /// Find out which shards of array jobs are missing, and merge them
    #[command(after_help = shards::EXAMPLES)]
    Shards(Box<ShardsArgs>),
    /// Write an index of a file's utterances; the file stays as it is
    #[command(after_help = index::EXAMPLES)]
    Index(Box<IndexArgs>),
    /// Summarize features, lengths and labels
    #[command(after_help = stats::EXAMPLES)]
    Stats(Box<StatsArgs>),
    /// Draw utterances or a whole data set
    #[cfg(feature = "plot")]
    #[command(after_help = plot::EXAMPLES)]
    Plot(Box<PlotArgs>),
    /// Write a page about a data set, with pictures
    #[cfg(feature = "plot")]
    #[command(after_help = report::EXAMPLES)]
    Report(Box<ReportArgs>),
    /// List the formats, or describe one in full
    #[command(after_help = formats::EXAMPLES)]
    Formats(FormatsArgs),
    /// Link Kaldi's own tool names to this program
    #[cfg(feature = "kaldi-tools")]
    #[command(after_help = links::EXAMPLES)]
    KaldiLinks(LinksArgs),
    /// Print the manual page of the program or of a verb
    #[command(after_help = man::EXAMPLES)]
    Man(ManArgs),
    /// Print completions for a shell
    #[command(after_help = completions::EXAMPLES)]
    Completions(CompletionsArgs),
}

/// The verbs and all their arguments, where the names of formats are those of `registry`. A command line is parsed
/// without: making the arguments of all verbs takes as long as all else that is done to begin.
pub(super) fn command(registry: &Registry) -> Command {
    let mut program = Cli::command();
    program.build();
    offering(program, &words::formats(registry))
}

fn offering(command: Command, formats: &SuggestedWords) -> Command {
    let offer = |arg: Arg| match takes_format(&arg) {
        true => arg.value_parser(formats.clone()).hide_possible_values(true),
        false => arg,
    };
    let command = command.mut_args(offer);
    command.mut_subcommands(|verb| offering(verb, formats))
}

/// Returns `true` if the value names a data format, not one of pictures.
fn takes_format(arg: &Arg) -> bool {
    let is_text = arg.get_value_parser().type_id() == TypeId::of::<String>();
    is_text && ["from", "to", "format"].contains(&arg.get_id().as_str())
}

/// Does what the command line says; `given` are its words.
pub(super) fn run(cli: Cli, given: &ArgMatches, session: &Session) -> Result<u8> {
    match cli.verb {
        None => short_form(cli.convert, given, session),
        Some(Verb::Convert(args)) => convert::run(*args, session),
        Some(Verb::Info(args)) => info::run(&args, session),
        Some(Verb::Check(args)) => check::run(&args, session),
        Some(Verb::Repair(args)) => repair::run(&args, session),
        #[cfg(feature = "spraak")]
        Some(Verb::Header(args)) => header::run(&args, session),
        Some(Verb::Ls(args)) => ls::run(&args, session),
        Some(Verb::Show(args)) => show::run(&args, session),
        Some(Verb::Diff(args)) => diff::run(&args, session),
        Some(Verb::Select(args)) => select::run(&args, session),
        Some(Verb::Sort(args)) => sort::run(&args, session),
        Some(Verb::Merge(args)) => merge::run(&args, session),
        Some(Verb::Split(args)) => split::run(&args, session),
        Some(Verb::Shards(args)) => shards::run(&args, session),
        Some(Verb::Index(args)) => index::run(&args, session),
        Some(Verb::Stats(args)) => stats::run(&args, session),
        #[cfg(feature = "plot")]
        Some(Verb::Plot(args)) => plot::run(&args, session),
        #[cfg(feature = "plot")]
        Some(Verb::Report(args)) => report::run(&args, session),
        Some(Verb::Formats(args)) => formats::run(&args, session),
        #[cfg(feature = "kaldi-tools")]
        Some(Verb::KaldiLinks(args)) => links::run(&args),
        Some(Verb::Man(args)) => man::run(&args, session.command(), session),
        Some(Verb::Completions(args)) => completions::run(args, session.command(), session),
    }
}

/// The form without a verb: `IN OUT`, or `FILE` alone for `info FILE`.
fn short_form(args: ConvertArgs, given: &ArgMatches, session: &Session) -> Result<u8> {
    let first = args.paths.first().cloned().unwrap_or_default();
    if let Some(error) = misspelt::verb(&first, || session.command(), &session.silent_env()) {
        return Err(error);
    }
    match (args.paths.as_slice(), &args.output) {
        ([only], None) => {
            if let Some(flag) = of_conversions(given) {
                let error = Error::usage(format!("{flag}: nothing says where to write"));
                return Err(error.hint("name the output behind the input, or with -o OUT"));
            }
            let args = InfoArgs {
                paths: vec![only.clone()],
                tsv: false,
                quick: false,
                #[cfg(feature = "survey")]
                recursive: false,
                progress: args.progress,
                beside: BesideArgs::of(args.join, args.filter),
                read: args.read,
            };
            info::run(&args, session)
        }
        _ => convert::run(args, session),
    }
}

/// The first flag given that `info` does not have, as it is for conversions.
fn of_conversions(given: &ArgMatches) -> Option<String> {
    let (all, info) = (Cli::command(), InfoArgs::augment_args(Command::new("info")));
    let known = |arg: &Arg| {
        info.get_arguments()
            .any(|other| other.get_id() == arg.get_id())
    };
    let mut typed = all.get_arguments().filter(|arg| {
        let source = given.value_source(arg.get_id().as_str());
        source == Some(ValueSource::CommandLine) && !arg.is_positional()
    });
    let flag = typed.find(|arg| !known(arg))?;
    Some(match (flag.get_long(), flag.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, short) => format!("-{}", short.unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::builtin;
    use crate::step::KINDS;

    #[test]
    fn the_table_of_steps_names_flags_of_the_program() {
        let program = command(&builtin::registry());
        let verbs = program.get_subcommands().chain([&program]);
        let flags = verbs.flat_map(Command::get_arguments);
        let flags: BTreeSet<_> = flags.filter_map(Arg::get_long).collect();
        let named = KINDS.iter().flat_map(|kind| {
            let options = kind.options.iter().filter_map(|option| option.flag);
            options.chain(kind.flags.iter().copied())
        });
        let named: Vec<_> = named.collect();
        assert!(named.len() > 20, "{named:?}");
        for flag in named {
            assert!(flags.contains(flag), "--{flag}");
        }
    }
}
