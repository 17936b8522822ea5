//! Data options of an input, PDNN's and ours: `train.pfile,context=5,ignore-label=0:3-9`.

use spr_core::{Error, Remedy, Result};

use super::kind::{DataOption, Kind, Phase};
use super::option_values::OptionValues;
use super::spec;
use super::step::Step;
use super::table::KINDS;

/// The options of a source that no single step stands for.
const OTHERS: &[&str] = &["partition", "stream", "seed", "label", "type", "round"];

/// Every key, PDNN's first.
pub fn keys() -> Vec<&'static str> {
    let (pdnn, ours): (Vec<_>, Vec<_>) =
        KINDS.iter().partition(|kind| kind.phase >= Phase::Context);
    let keys = |kinds: Vec<&&'static Kind>| {
        let options = kinds.into_iter().flat_map(|kind| kind.options);
        options.map(|option| option.key).collect::<Vec<_>>()
    };
    [keys(pdnn), OTHERS.to_vec(), keys(ours)].concat()
}

/// The data options of one input, as they are set one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceOptions {
    asked: OptionValues,
    /// The size of a partition in bytes: `partition`.
    pub(crate) partition: Option<u64>,
    /// Whether a file that could be shuffled as a whole is shuffled by partitions: `stream`.
    pub(crate) stream: Option<bool>,
    seed: Option<u32>,
    /// A data set whose labels join: `label`.
    pub(crate) label: Option<String>,
    /// The name of the format: `type`.
    pub(crate) format: Option<String>,
    /// Whether times of segments that become labels are rounded to frames: `round`.
    pub(crate) round: bool,
}

impl SourceOptions {
    /// Sets an option; the last value of a repeated one counts. Returns `false` if there is no such
    /// option.
    ///
    /// # Errors
    /// The value is wrong.
    pub(crate) fn set(&mut self, key: &str, value: &str) -> Result<bool> {
        let wrong = |expected: &str| {
            Error::usage(format!("{key}: '{value}' is not a valid value")).hint(expected)
        };
        let truth = || spec::truth(value).ok_or_else(|| wrong("True or False"));
        match key {
            "partition" => {
                let expected = "a size, such as 600m; without a unit it is in MiB";
                self.partition = Some(spec::size(value).ok_or_else(|| wrong(expected))?);
            }
            "stream" => self.stream = Some(truth()?),
            "seed" => {
                let seed = value.parse();
                self.seed = Some(seed.map_err(|_| wrong("a number from 0 to 4294967295"))?);
            }
            "label" if value.is_empty() => return Err(wrong("the name of a file with labels")),
            "label" => self.label = Some(value.to_owned()),
            "type" => self.format = Some(value.to_owned()),
            "round" => self.round = truth()?,
            _ => {
                let own = |option: &&DataOption| option.key == key;
                let mut all = KINDS.iter().flat_map(|kind| kind.options);
                let Some(option) = all.find(own) else {
                    return Ok(false);
                };
                if !(option.set)(&mut self.asked, value)? {
                    return Err(wrong(option.expected));
                }
            }
        }
        Ok(true)
    }

    /// The steps that the options ask for, in their order.
    ///
    /// # Errors
    /// A seed is given where nothing is drawn at random.
    pub(crate) fn steps(&self) -> Result<Vec<Step>> {
        let mut asked = self.asked.clone();
        let shuffles = asked.get("shuffle-frames", "pdnn").is_some();
        let dithers = asked.get("sound", "dither").is_some();
        if self.seed.is_some() && !shuffles && !dithers {
            let error = Error::usage("seed: nothing is shuffled");
            return Err(error.suggest(Remedy::Shuffle));
        }
        let seed = self.seed.map_or("pdnn".to_owned(), |seed| seed.to_string());
        if shuffles {
            asked.set("shuffle-frames", "seed", &*seed);
            if let Some(bytes) = self.partition {
                asked.set("shuffle-frames", "size", spec::size_text(bytes));
            }
            if self.stream == Some(true) {
                asked.set("shuffle-frames", "stream", "stream");
            }
        }
        if dithers {
            asked.set("sound", "seed", seed);
        }
        let mut kinds: Vec<_> = KINDS
            .iter()
            .filter(|kind| !kind.options.is_empty())
            .collect();
        kinds.sort_by_key(|kind| kind.phase);
        let values = kinds.iter().map(|kind| (kind.name, asked.of(kind.name)));
        let values = values.filter(|(_, values)| !values.is_empty());
        values
            .map(|(name, values)| Step::new(name, values))
            .collect()
    }
}
