//! `spr-convert plot IN [KEY...]`.

use std::io::{IsTerminal, stdout};

use clap::{Args, ValueEnum};
use serde_json::json;
use spr_core::bytes::{Env, Location};
use spr_core::format::{Registry, Request};
use spr_core::model::Utterance;
use spr_core::text::harmless;
use spr_core::{Error, Remedy, Result, Symbols};
use spr_plot::draw::{self, Size};
use spr_plot::{
    Analysis, Chart, Detail, Normalisation, Overview, Picture, Scene, pdf, raster, svg, terminal,
};

use super::args::ReadArgs;
use super::beside::BesideArgs;
use super::document::Document;
use super::exit::DONE;
use super::out::{print, print_json};
use super::session::Session;
use super::words::data_set;
use super::{messages, plan};
use crate::plan::Plan;
use crate::verbs::show::find_named;

pub(super) const EXAMPLES: &str = "\
With keys, it draws features, sound (waveform and spectrogram) and labels of \
these utterances; without, lengths, labels and features of the whole data set, \
or its only utterance. The picture appears in the terminal, or with -o goes to a \
file. Colours span the values from least to greatest, except 1 % of the cells at \
either end; for sound they are levels, where a tone at full scale has 0 dB.

Examples:
  spr-convert plot feats.scp ann-001           in the terminal
  spr-convert plot feats.scp ann-001 -o a.svg  as a picture; .png and .pdf, too
  spr-convert plot train.pfile -o train.png    lengths, labels, features of all
  spr-convert plot ali.ark --kind labels       how often each label occurs";

/// Utterances on a sheet.
const MAX_KEYS: usize = 40;
/// Pixels of a PNG.
const MAX_PIXELS: u64 = 200_000_000;
/// Columns and rows of features in a picture.
const ROWS: usize = 256;

#[derive(Args, Debug, Clone)]
pub(super) struct PlotArgs {
    /// Data to draw
    #[arg(value_name = "IN", value_parser = data_set())]
    path: String,
    /// The utterances to draw; by default the whole data set
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
    /// Where to write the picture: a name that ends in .svg, .png or .pdf
    #[arg(short, long, value_name = "OUT")]
    output: Option<String>,
    /// Draw as svg, png, pdf or text, whatever the extension
    #[arg(
        short,
        long,
        value_enum,
        value_name = "FORMAT",
        hide_possible_values = true
    )]
    to: Option<PictureTarget>,
    /// What to draw: features (of an utterance, the first if none is named), lengths, labels, dims
    /// (means and deviations of columns)
    #[arg(long, value_enum, value_name = "KIND", hide_possible_values = true)]
    kind: Option<PictureFormat>,
    /// A title above the picture
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Colours of features: none for one range of values, column for each column in deviations from
    /// its mean, as suits MFCC
    #[arg(
        long,
        value_enum,
        default_value = "none",
        value_name = "BY",
        hide_possible_values = true,
        alias = "normalize"
    )]
    normalise: NormaliseChoice,
    /// Width in pixels, or in characters in the terminal
    #[arg(long, value_name = "N")]
    width: Option<u16>,
    /// Approximate height in pixels, or in lines in the terminal (default 40 for a data set)
    #[arg(long, value_name = "N")]
    height: Option<u16>,
    /// Scale of an SVG, PNG or PDF as a whole, 0.25 to 8: 2 for a high-resolution screen
    #[arg(long, value_name = "X", default_value = "1", value_parser = scale)]
    scale: f64,
    /// Colours in the terminal: auto, always or never
    #[arg(
        long,
        value_enum,
        default_value = "auto",
        value_name = "WHEN",
        hide_possible_values = true
    )]
    color: ColourChoice,
    /// Length of the spectrogram's windows
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0.025",
        value_parser = above_0,
        help_heading = "Spectrogram"
    )]
    window: f64,
    /// Time from one window to the next; more for long sound
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0.01",
        value_parser = above_0,
        help_heading = "Spectrogram"
    )]
    shift: f64,
    /// Decibels from the loudest cell down to the darkest colour
    #[arg(
        long,
        value_name = "DB",
        default_value = "80",
        value_parser = above_0,
        help_heading = "Spectrogram"
    )]
    range: f64,
    /// Replace an existing picture
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    beside: BesideArgs,
    #[command(flatten)]
    read: ReadArgs,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum PictureTarget {
    Svg,
    Png,
    Pdf,
    Text,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum NormaliseChoice {
    None,
    Column,
}

impl From<NormaliseChoice> for Normalisation {
    fn from(choice: NormaliseChoice) -> Self {
        match choice {
            NormaliseChoice::None => Self::None,
            NormaliseChoice::Column => Self::Column,
        }
    }
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum PictureFormat {
    Features,
    Lengths,
    Labels,
    Dims,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum ColourChoice {
    Auto,
    Always,
    Never,
}

/// Parses the factor by which a picture is enlarged.
fn scale(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|n: &f64| (0.25..=8.0).contains(n));
    number.ok_or_else(|| "expected a number from 0.25 to 8".to_owned())
}

/// A number above 0.
fn above_0(text: &str) -> std::result::Result<f64, String> {
    let number = text.parse().ok();
    let number = number.filter(|n: &f64| n.is_finite() && *n > 0.0);
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

/// Draws utterances or a data set.
pub(super) fn run(args: &PlotArgs, session: &Session) -> Result<u8> {
    let registry = &session.registry;
    let mut env = plan::env(&args.read, session)?;
    let beside = Some(&args.beside);
    let (input, skipped) = plan::readable_one(&args.path, beside, &args.read, registry, &mut env)?;
    if args.read.explain {
        let output = ("a picture", args.output.as_deref());
        return plan::explain_written(&[input], output, &args.read, registry, &env);
    }
    if args.read.json {
        let error = Error::usage("a picture is not JSON").file(&args.path);
        return Err(error.hint("`spr-convert stats --json` has the numbers"));
    }
    let to = target(args)?;
    let style = style(args, to);
    let width = u32::from(args.width.unwrap_or(800));
    let detail = match to {
        PictureTarget::Text => Detail::new(style.cols(), style.rows()),
        _ => {
            let field = width.saturating_sub(140).clamp(100, 8000);
            // A column for each pixel, or several.
            let fine = (1..8).find(|n| f64::from(*n) >= args.scale).unwrap_or(8);
            Detail::new((field * fine) as usize, ROWS)
        }
    };
    let detail = Detail {
        analysis: Analysis {
            window: args.window,
            shift: args.shift,
            range: args.range,
        },
        normalisation: args.normalise.into(),
        ..detail
    };
    let mut drawn = drawn(args, &input, detail, registry, &env)?;
    if let Some(symbols) = args.beside.symbols(&env)? {
        drawn.name(&symbols);
    }
    let output = args.output.as_deref().unwrap_or("-");
    let size = Size {
        width,
        height: args.height.map(u32::from),
        scale: args.scale,
    };
    let title = args.title.as_deref();
    let scene = || {
        let scene = drawn.scene(size);
        match title {
            Some(title) => scene.titled(title),
            None => scene,
        }
    };
    let bytes = match to {
        PictureTarget::Text => {
            let title = title.map(|title| format!("{}\n", harmless(title)));
            (title.unwrap_or_default() + &drawn.text(&style)).into_bytes()
        }
        PictureTarget::Svg => svg::document(&scene()).into_bytes(),
        PictureTarget::Png => png(&scene(), output)?,
        PictureTarget::Pdf => pdf(&scene(), output),
    };
    let status = store(&bytes, output, args.overwrite, &args.read, &env)?;
    Ok(skipped.status(status))
}

/// The content of the sheet.
enum SheetContent {
    Utterances(Vec<Picture>),
    All(Box<Overview>, Vec<Chart>),
}

impl SheetContent {
    fn scene(&self, size: Size) -> Scene {
        match self {
            Self::Utterances(pictures) => draw::pictures(pictures, size),
            Self::All(all, charts) => draw::overview(all, charts, size),
        }
    }

    fn text(&self, style: &terminal::Style) -> String {
        match self {
            Self::Utterances(pictures) => {
                let texts = pictures.iter().map(|p| terminal::picture(p, style));
                texts.collect::<Vec<_>>().join("\n")
            }
            Self::All(all, charts) => terminal::overview(all, charts, style),
        }
    }

    fn name(&mut self, symbols: &Symbols) {
        match self {
            Self::Utterances(pictures) => pictures.iter_mut().for_each(|p| p.name(symbols)),
            Self::All(all, _) => all.name(symbols),
        }
    }
}

/// A PNG that has a reasonable size; letters that it has none of are told.
fn png(scene: &Scene, output: &str) -> Result<Vec<u8>> {
    let (width, height) = scene.pixels();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        let error = Error::usage(format!(
            "a PNG of {width} by {height} pixels is larger than {} million pixels",
            MAX_PIXELS / 1_000_000
        ));
        return Err(error
            .file(output)
            .hint("a smaller --width, --height or --scale, or fewer utterances, make it smaller"));
    }
    warn_of_letters(raster::has_letters(scene), output);
    Ok(raster::png(scene))
}

fn pdf(scene: &Scene, output: &str) -> Vec<u8> {
    warn_of_letters(pdf::has_letters(scene), output);
    pdf::document(scene)
}

/// Warns of letters that the font does not have.
fn warn_of_letters(has_all: bool, output: &str) {
    if !has_all {
        messages::warning(&format!(
            "{output}: letters that are not Latin are drawn as ?; an SVG has them all"
        ));
    }
}

/// Reads what is to be drawn. A data set of one utterance is drawn as that.
fn drawn(
    args: &PlotArgs,
    input: &Plan,
    detail: Detail,
    registry: &Registry,
    env: &Env,
) -> Result<SheetContent> {
    let Some(charts) = charts(args)? else {
        return Ok(SheetContent::Utterances(pictures(
            args, input, detail, registry, env,
        )?));
    };
    let mut reader = input
        .open_whole(Request::all().samples(), registry, env)?
        .reader;
    let all = Overview::read(reader.as_mut(), args.kind.is_none().then_some(detail))?;
    if let (1, [Some(only), ..]) = (all.survey.utterances, &all.pictures)
        && !only.is_empty()
    {
        return Ok(SheetContent::Utterances(vec![only.clone()]));
    }
    if !draw::overview(&all, &charts, 800).items.is_empty() {
        return Ok(SheetContent::All(Box::new(all), charts));
    }
    // There are no frames to be counted, but what the first one holds can be seen.
    match all.pictures.into_iter().next().flatten() {
        Some(first) if !first.is_empty() => Ok(SheetContent::Utterances(vec![first])),
        _ => Err(nothing(input)),
    }
}

fn nothing(input: &Plan) -> Error {
    Error::usage("nothing in it can be drawn")
        .file(input.text())
        .hint(
            "features, vectors, labels, sound, segments, posteriors, lists of integers and sparse \
         matrices can; `spr-convert info` says what it holds",
        )
}

/// The kind of picture that a name says.
fn kind_of(name: &str) -> Option<PictureTarget> {
    let extension = Location::from(name).extension()?.to_ascii_lowercase();
    match extension.as_str() {
        "svg" => Some(PictureTarget::Svg),
        "png" => Some(PictureTarget::Png),
        "pdf" => Some(PictureTarget::Pdf),
        "txt" => Some(PictureTarget::Text),
        _ => None,
    }
}

/// Returns the kind of picture, by `--to` or the output's extension.
fn target(args: &PlotArgs) -> Result<PictureTarget> {
    let Some(output) = args.output.as_deref() else {
        return Ok(args.to.unwrap_or(PictureTarget::Text));
    };
    match (args.to, kind_of(output)) {
        (Some(to), Some(said)) if to != said => Err(Error::usage(
            "the name says another kind of picture than --to",
        )
        .file(output)
        .hint("leave out --to, or change the name")),
        (Some(to), _) | (None, Some(to)) => Ok(to),
        (None, None) => Err(Error::usage("the name does not say which kind of picture")
            .file(output)
            .hint("end it with .svg, .png or .pdf, or say --to svg, png, pdf or text")),
    }
}

/// The charts wanted; `None` if utterances are.
fn charts(args: &PlotArgs) -> Result<Option<Vec<Chart>>> {
    let chart = match args.kind {
        None if args.keys.is_empty() => return Ok(Some(Chart::ALL.to_vec())),
        None | Some(PictureFormat::Features) => return Ok(None),
        Some(PictureFormat::Lengths) => Chart::Lengths,
        Some(PictureFormat::Labels) => Chart::Labels,
        Some(PictureFormat::Dims) => Chart::Dims,
    };
    match args.keys.is_empty() {
        true => Ok(Some(vec![chart])),
        false => Err(Error::usage(
            "this kind of picture is of the whole data set, not of utterances",
        )
        .hint("leave out the keys, or --kind")),
    }
}

fn pictures(
    args: &PlotArgs,
    input: &Plan,
    detail: Detail,
    registry: &Registry,
    env: &Env,
) -> Result<Vec<Picture>> {
    let request = Request::all().samples();
    let mut pictures = Vec::new();
    let mut add = |utt: &Utterance| {
        if pictures.len() == MAX_KEYS {
            let message = format!("a sheet has room for {MAX_KEYS} utterances");
            return Err(Error::usage(message));
        }
        let picture = Picture::with(utt, &detail)?;
        if picture.is_empty() {
            return Err(nothing(input).utterance(&utt.key));
        }
        pictures.push(picture);
        Ok(())
    };
    if args.keys.is_empty() {
        let mut reader = input.open_whole(request, registry, env)?.reader;
        let mut utt = Utterance::default();
        if !reader.read(&mut utt)? {
            return Err(nothing(input));
        }
        add(&utt)?;
    } else {
        let found = find_named(input, &args.keys, request, (registry, env), add);
        found.map_err(|error| match error.key().map(ToString::to_string) {
            Some(name) if kind_of(&name).is_some() => {
                let hint = format!("a picture is written by -o {name}");
                error.suggest_instead(Remedy::Advice(hint))
            }
            _ => error,
        })?;
    }
    Ok(pictures)
}

/// Returns the style of text: in colour on terminals that support it, unless options forbid it.
fn style(args: &PlotArgs, to: PictureTarget) -> terminal::Style {
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    let shown = args.output.is_none() && to == PictureTarget::Text && stdout().is_terminal();
    let term = set("TERM");
    let depth = match (set("COLORTERM").as_str(), term.as_str()) {
        ("truecolor" | "24bit", _) => Some(terminal::Depth::Full),
        (_, term) if term.ends_with("-256color") => Some(terminal::Depth::Eight),
        _ => None,
    };
    let plain = term == "dumb" || !set("NO_COLOR").is_empty();
    let size = terminal::width().filter(|_| shown);
    terminal::Style {
        width: args.width.or(size).unwrap_or(80).into(),
        height: args.height.map(usize::from),
        depth: match args.color {
            ColourChoice::Always => depth.or(Some(terminal::Depth::Full)),
            ColourChoice::Never => None,
            ColourChoice::Auto => depth.filter(|_| shown && !plain),
        },
    }
}

/// Writes a file that is there whole or not at all, or to standard output.
pub(super) fn store(
    bytes: &[u8],
    output: &str,
    overwrite: bool,
    read: &ReadArgs,
    env: &Env,
) -> Result<u8> {
    if output == "-" {
        return print(bytes);
    }
    let mut document = Document::create(&output.into(), overwrite, env)?;
    document.put(bytes)?;
    document.finish()?;
    if read.json {
        print_json(&json!({ "output": output, "bytes": bytes.len() }))?;
    } else if !read.quiet {
        messages::plain(&format!(
            "{} ({output})",
            messages::size(bytes.len() as u64)
        ));
    }
    Ok(DONE)
}
