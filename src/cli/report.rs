//! `spr-convert report IN -o OUT`.

use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
#[cfg(feature = "survey")]
use spr_core::bytes::Env;
use spr_core::bytes::Location;
use spr_core::{Error, Result};
use spr_plot::page::page;

#[cfg(feature = "survey")]
use super::args::ProgressArg;
use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::exit::{DONE, FAILED};
use super::plot::store;
use super::session::Session;
#[cfg(feature = "survey")]
use super::survey;
use super::words::data_set;
use super::{messages, plan, skipped};
use crate::verbs::report::{KEPT, report};

pub(super) const EXAMPLES: &str = "\
The page is one file that needs no network, light or dark like the browser, with \
a search over the keys. For damaged data it shows what could be read and what is damaged, \
and the exit status is 2.

Examples:
  spr-convert report train.pfile -o train.html
  spr-convert report feats.scp -o - > feats.html
  spr-convert report -r corpus -o corpus.html  all data sets in a folder";

#[derive(Args, Debug, Clone)]
pub(super) struct ReportArgs {
    /// Data to report on
    #[arg(value_name = "IN", value_parser = data_set())]
    path: String,
    /// Report on all data sets in a folder or archive, as info -r does
    #[cfg(feature = "survey")]
    #[arg(short, long, conflicts_with = "from")]
    recursive: bool,
    /// Where to write the page
    #[arg(short, long, value_name = "OUT")]
    output: String,
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

/// Refuses a name that says it is something else.
fn check_name(output: &str) -> Result<()> {
    let file = Location::from(output).plain();
    match file.extension().map(str::to_ascii_lowercase).as_deref() {
        None | Some("html" | "htm") => Ok(()),
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
    check_name(&args.output)?;
    #[cfg(feature = "survey")]
    if args.recursive {
        return survey_page(args, session, &env);
    }
    let (mut input, skipped) = plan::readable_one(&args.path, &args.read, registry, &mut env)?;
    args.beside
        .join(std::slice::from_mut(&mut input), registry, &env)?;
    if args.read.explain {
        let output = ("a page", Some(&*args.output));
        return plan::explain_written(input, output, &args.read, registry, &env);
    }
    let sound = plan::parse_size(&args.max_sound).map_err(|e| e.context("--max-sound"))?;
    let kept = Arc::new(Mutex::new(Vec::new()));
    if skipped::wants(&input, &args.read) {
        let (kept, skipped) = (kept.clone(), skipped.clone());
        input.skips = true;
        env = env.telling_skipped(move |error| {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            if kept.len() < KEPT {
                kept.push(error.copy());
            }
            skipped.add(error);
        });
    }
    let symbols = args.beside.symbols(&env)?;
    let mut report = report(&input, sound, registry, &env)?;
    if let Some(symbols) = &symbols {
        report.all.name(symbols);
    }
    let damaged = report.damage.first().map(Error::copy);
    // The page names what was skipped as well.
    report.faults += skipped.count();
    report
        .damage
        .append(&mut kept.lock().unwrap_or_else(PoisonError::into_inner));
    let html = page(
        &report,
        "`spr-convert repair IN -o OUT` keeps it.",
        "`--max-sound SIZE` allows more.",
    );
    store(
        html.as_bytes(),
        &args.output,
        args.overwrite,
        &args.read,
        &env,
    )?;
    let Some(first) = damaged else {
        if report.all.survey.utterances == 0 {
            messages::empty(&input, &env);
        }
        return Ok(skipped.status(DONE));
    };
    session.error(first);
    if report.faults > 1 && !args.read.quiet {
        let text = format!("{} faults in all, which the page names", report.faults);
        messages::say("note", &text);
    }
    Ok(FAILED)
}

/// Writes a page about all data sets in a folder or archive.
#[cfg(feature = "survey")]
fn survey_page(args: &ReportArgs, session: &Session, env: &Env) -> Result<u8> {
    let progress = survey::Progress::new(ProgressArg::Auto, args.read.quiet);
    let place = args.path.as_str().into();
    let found = survey::look(&[place], false, progress, session, env)?;
    let html = spr_survey::page(&args.path, &found);
    let (output, overwrite) = (&args.output, args.overwrite);
    store(html.as_bytes(), output, overwrite, &args.read, env)?;
    Ok(survey::tell_damage(&found, session))
}
