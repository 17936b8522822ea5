//! `spr-convert split IN OUT`.

use clap::Args;
use spr_core::{Error, Result};

use super::args::ConvertArgs;
use super::session::Session;
use super::{convert, plan};
use crate::argument;
use crate::plan::{Balance, Rule, Speakers, Split};

pub(super) const USAGE: &str = "spr-convert split RULE [OPTIONS] IN... OUT";

pub(super) const EXAMPLES: &str = "\
{part} in the output's name stands for the number of the part, from 0; {part:03} \
has three digits. With --train and --valid it stands for `train` and `valid`, \
with --test for `test` as well. With --by speaker or --utt2spk all utterances of \
a speaker stay together, and the shares that came out are told. They are shares \
of utterances, or with --balance seconds of hours. The input is read twice, \
except with --frames and --size.

Examples:
  spr-convert split f.scp 'ark,scp:{part}.ark,{part}.scp' -n 8
  spr-convert split feats.scp 'feats.{part}.ark' -n 8 --utt2spk utt2spk
  spr-convert split all.ark out.{part:03}.pfile --size 2g
  spr-convert split all.pfile {part}.pfile --train 0.9 --seed 1
  spr-convert split data/all 'data-{part}' --valid 0.1 --test 0.1 --by speaker
  spr-convert split a.json {part}.json --valid 5% --by speaker --balance seconds";

#[derive(Args, Debug, Clone)]
pub(super) struct SplitArgs {
    #[command(flatten)]
    rule: RuleArgs,
    /// With --valid: into test, too, this share of the utterances at random
    #[arg(
        long,
        value_name = "SHARE",
        value_parser = fraction,
        help_heading = "Rules"
    )]
    test: Option<f64>,
    /// Keep all utterances of a speaker together, using the speakers in the data or of --utt2spk
    #[arg(long, value_enum, value_name = "speaker", help_heading = "Rules")]
    by: Option<ByArg>,
    /// What parts get equal shares of; with -n, speakers then go to parts in any order
    #[arg(
        long,
        value_enum,
        value_name = "utterances|seconds",
        hide_possible_values = true,
        help_heading = "Rules"
    )]
    balance: Option<BalanceArg>,
    #[command(flatten)]
    convert: ConvertArgs,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum BalanceArg {
    Utterances,
    Seconds,
}

/// The utterances that stay together.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ByArg {
    Speaker,
}

// One of these, and no more.
#[derive(Args, Debug, Clone)]
#[group(required = true, multiple = false)]
struct RuleArgs {
    /// Into N parts with equal numbers of utterances
    #[arg(short = 'n', long, value_name = "N", help_heading = "Rules")]
    parts: Option<u64>,
    /// Into parts with at most N frames
    #[arg(long, value_name = "N", help_heading = "Rules")]
    frames: Option<u64>,
    /// Into parts with at most this many bytes of numbers, such as 2g
    #[arg(long, value_name = "SIZE", help_heading = "Rules")]
    size: Option<String>,
    /// Into train, this share of the utterances at random, and valid, the rest
    #[arg(long, value_name = "SHARE", value_parser = fraction, help_heading = "Rules")]
    train: Option<f64>,
    /// Into valid, this share of the utterances at random, and train, the rest
    #[arg(long, value_name = "SHARE", value_parser = fraction, help_heading = "Rules")]
    valid: Option<f64>,
}

/// `0.1` or `10%`.
fn fraction(text: &str) -> std::result::Result<f64, String> {
    let (digits, of) = match text.strip_suffix('%') {
        Some(digits) => (digits, 100.0),
        None => (text, 1.0),
    };
    let number: f64 = digits
        .parse()
        .map_err(|_| "expected 0.1 or 10%".to_owned())?;
    Ok(number / of)
}

/// Converts one data set into several.
pub(super) fn run(args: &SplitArgs, session: &Session) -> Result<u8> {
    args.convert.shard.refuse("split")?;
    if args.test.is_some() && args.rule.valid.is_none() {
        return Err(Error::usage("--test goes with --valid"));
    }
    let rule = rule(&args.rule, args.test)?;
    let mut convert = args.convert.clone();
    convert.same_form = true;
    let seed = plan::seed(&mut convert.read)?;
    let table = convert.join.utt2spk.take();
    let table = table.map(|text| argument::table(&text, &session.registry));
    let table = table.transpose().map_err(|e| e.context("--utt2spk"))?;
    if matches!(rule, Rule::Frames(_) | Rule::Bytes(_)) {
        let together = [
            (table.is_some(), "--utt2spk"),
            (args.by.is_some(), "--by"),
            (args.balance.is_some(), "--balance"),
        ];
        if let Some((_, flag)) = together.iter().find(|(given, _)| *given) {
            let message = format!("{flag} goes with -n, --train or --valid");
            return Err(Error::usage(message));
        }
    }
    let balance = args.balance.map(|balance| match balance {
        BalanceArg::Utterances => Balance::Utterances,
        BalanceArg::Seconds => Balance::Seconds,
    });
    let speakers = table.map(Speakers::Table);
    let speakers = speakers.or(args.by.map(|ByArg::Speaker| Speakers::Data));
    let split = Split::new(rule)
        .with_speakers(speakers)
        .with_balance(balance)
        .with_seed(seed);
    convert::run_with(&convert, session, |builder| builder.split(split).map(drop))
}

fn rule(args: &RuleArgs, test: Option<f64>) -> Result<Rule> {
    let size = args.size.as_deref().map(plan::parse_size).transpose()?;
    match (args.parts, args.frames, size, args.train, args.valid) {
        (Some(0), ..) => Err(Error::usage("-n: expected 1 or more")),
        (Some(n), ..) => Ok(Rule::Parts(n)),
        (_, Some(n), ..) => Ok(Rule::Frames(n)),
        (_, _, Some(n), ..) => Ok(Rule::Bytes(n)),
        (.., Some(train), _) => Rule::of_train(train),
        (.., Some(valid)) => Rule::of_valid(valid, test),
        _ => Err(Error::usage("nothing says how to split")),
    }
}
