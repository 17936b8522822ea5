//! `spr-convert report IN... -o OUT`.

use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use spr_core::bytes::{Env, Location};
use spr_core::{Error, Result};
use spr_plot::page::{comparison, page};

#[cfg(feature = "survey")]
use super::args::ProgressArg;
use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::exit::{DONE, FAILED};
use super::plot::store;
use super::session::Session;
use super::skipped::SkipCounter;
#[cfg(feature = "survey")]
use super::survey;
use super::words::data_set;
use super::{messages, plan};
use crate::verbs::report::{KEPT, report};

pub(super) const EXAMPLES: &str = "\
The page is one file that needs no network, light or dark like the browser, with \
a search over the keys. For damaged data it shows what could be read and what is damaged, \
and the exit status is 2.

Examples:
  spr-convert report train.pfile -o train.html
  spr-convert report feats.scp -o - > feats.html
  spr-convert report train valid -o both.html  side by side, and what they share
  spr-convert report -r corpus -o corpus.html  all data sets in a folder";

#[derive(Args, Debug, Clone)]
pub(super) struct ReportArgs {
    /// Data to report on; several are laid side by side
    #[arg(value_name = "IN", value_parser = data_set(), required = true)]
    paths: Vec<String>,
    /// Report on all data sets in folders or archives, as info -r does
    #[cfg(feature = "survey")]
    #[arg(short, long, conflicts_with = "from")]
    recursive: bool,
    /// Where to write the page
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// Let the page play the sound of utterances up to this size, such as 500k; 0 for none
    #[arg(long, value_name = "SIZE", default_value = "2m")]
    max_sound: String,
    /// Replace an existing page
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// Returns the name of the page.
///
/// # Errors
/// There is none, or it says that it is something else.
fn page_name(args: &ReportArgs) -> Result<&str> {
    let Some(output) = args.output.as_deref() else {
        let error = Error::usage("nothing says where to write the page");
        let is_page = |name: &&String| name.ends_with(".html") || name.ends_with(".htm");
        return Err(error.hint(match args.paths.last().filter(is_page) {
            Some(last) => format!("the output is named by -o: -o {last}"),
            None => "name it with -o OUT.html".to_owned(),
        }));
    };
    let file = Location::from(output).plain();
    match file.extension().map(str::to_ascii_lowercase).as_deref() {
        None | Some("html" | "htm") => Ok(output),
        Some(extension) => {
            let message = format!("ends with .{extension}, but a page would be written");
            let page = format!("call it {}", file.with_extension("html"));
            Err(Error::usage(message).file(output).hint(match extension {
                "pdf" | "png" | "svg" => format!("{page}; pictures are drawn by the verb plot"),
                _ => page,
            }))
        }
    }
}

/// Writes a page about a data set.
pub(super) fn run(args: &ReportArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    let output = page_name(args)?;
    #[cfg(feature = "survey")]
    if args.recursive {
        if args.read.explain {
            return plan::explain_survey(&args.paths, Some(output), &args.read, &env);
        }
        return survey_page(args, output, session, &env);
    }
    let beside = Some(&args.beside);
    let (inputs, skipped) = plan::readable(&args.paths, beside, &args.read, registry, &mut env)?;
    if args.read.explain {
        let output = ("a page", Some(output));
        return plan::explain_written(&inputs, output, &args.read, registry, &env);
    }
    let sound = plan::parse_size(&args.max_sound).map_err(|e| e.context("--max-sound"))?;
    let symbols = args.beside.symbols(&env)?;
    let mut reports = Vec::new();
    for input in &inputs {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let before = skipped.count();
        let env = match input.on_error().skips() {
            true => keeping(&kept, &skipped, &env),
            false => env.clone(),
        };
        let mut report = report(input, sound, registry, &env)?;
        if let Some(symbols) = &symbols {
            report.all.name(symbols);
        }
        let first = report.damage.first().map(Error::copy);
        // The page names what was skipped as well.
        report.faults += skipped.count() - before;
        report
            .damage
            .append(&mut kept.lock().unwrap_or_else(PoisonError::into_inner));
        reports.push((report, first));
    }
    let (reports, damaged): (Vec<_>, Vec<_>) = reports.into_iter().unzip();
    let repair = "`spr-convert repair IN -o OUT` keeps it.";
    let html = match reports.as_slice() {
        [report] => page(report, repair, "`--max-sound SIZE` allows more."),
        reports => comparison(reports, repair),
    };
    store(html.as_bytes(), output, args.overwrite, &args.read, &env)?;
    for (report, input) in reports.iter().zip(&inputs) {
        if report.all.survey.utterances == 0 && report.faults == 0 {
            messages::empty(input, &env);
        }
    }
    let mut damaged = damaged.into_iter().flatten().peekable();
    if damaged.peek().is_none() {
        return Ok(skipped.status(DONE));
    }
    damaged.for_each(|error| session.error(error));
    let faults: u64 = reports.iter().map(|report| report.faults).sum();
    if faults > 1 && !args.read.quiet {
        let text = format!("{faults} faults in all, which the page names");
        messages::say("note", &text);
    }
    Ok(FAILED)
}

/// Returns an `env` that keeps what is skipped for the page, and counts it.
fn keeping(kept: &Arc<Mutex<Vec<Error>>>, skipped: &SkipCounter, env: &Env) -> Env {
    let (kept, skipped) = (kept.clone(), skipped.clone());
    env.telling_skipped(move |error| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT {
            kept.push(error.copy());
        }
        skipped.add(error);
    })
}

/// Writes a page about all data sets in a folder or archive.
#[cfg(feature = "survey")]
fn survey_page(args: &ReportArgs, output: &str, session: &Session, env: &Env) -> Result<u8> {
    let progress = survey::Progress::new(ProgressArg::Auto, args.read.quiet);
    let places: Vec<_> = args.paths.iter().map(|path| path.as_str().into()).collect();
    let found = survey::look(&places, false, progress, session, env)?;
    let html = spr_survey::page(&args.paths.join(" · "), &found);
    store(html.as_bytes(), output, args.overwrite, &args.read, env)?;
    Ok(survey::tell_damage(&found, session))
}
