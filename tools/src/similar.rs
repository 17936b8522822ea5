//! The tool `compare-feats`.

use spr_core::format::Reader;
use spr_core::model::{Matrix, Utterance};
use spr_core::{Error, Result};

use super::log::six_digits;
use super::options::Spec;
use super::session::Session;
use super::table::Holder;
use super::{DONE, NOTHING, Tool};

pub(super) static COMPARE_FEATS: Tool = Tool {
    name: "compare-feats",
    usage: "\
Says how similar two sets of features are: for each column and over all, 1 if they are the same
and less otherwise. The exit status is 0 if the similarity over all reaches a threshold.

Usage: compare-feats [options] <in-rspecifier1> <in-rspecifier2>
 e.g.: compare-feats ark:1.ark ark:2.ark",
    options: &[Spec::float(
        "threshold",
        0.99,
        "The similarity from which on features are considered similar",
    )],
    arguments: (2, 2),
    run,
};

/// Sums over all frames, per column.
#[derive(Default)]
struct Products {
    first: Vec<f64>,
    second: Vec<f64>,
    cross: Vec<f64>,
}

impl Products {
    /// Adds all frames of two matrices of the same shape, which have as many columns as those before,
    /// or fewer.
    fn add(&mut self, first: &Matrix, second: &Matrix) -> Result<()> {
        let cols = first.cols();
        for sums in [&mut self.first, &mut self.second, &mut self.cross] {
            sums.resize(cols.max(sums.len()), 0.0);
        }
        let pairs = first.values::<f32>()?.chunks(cols.max(1));
        let pairs = pairs.zip(second.values::<f32>()?.chunks(cols.max(1)));
        for (a, b) in pairs {
            let sums = self.first.iter_mut().zip(&mut self.second);
            for (((first, second), cross), (a, b)) in sums.zip(&mut self.cross).zip(a.iter().zip(b))
            {
                let (a, b) = (f64::from(*a), f64::from(*b));
                *first += a * a;
                *second += b * b;
                *cross += a * b;
            }
        }
        Ok(())
    }

    /// Returns the similarity of each column; that of two zero columns is 1.
    fn similarity(&self) -> Vec<f64> {
        let sums = self.first.iter().zip(&self.second);
        let sums = sums.map(|(first, second)| first + second);
        let ratio = |(sum, cross): (f64, &f64)| match sum {
            0.0 => 1.0,
            sum => 2.0 * cross / sum,
        };
        sums.zip(&self.cross).map(ratio).collect()
    }
}

/// Formats a vector as in Kaldi's messages.
fn listed(values: &[f64]) -> String {
    let mut text = " [ ".to_owned();
    for value in values {
        text.push_str(&six_digits(*value));
        text.push(' ');
    }
    text + "]"
}

#[expect(clippy::cast_precision_loss, reason = "columns are few")]
fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn run(session: &Session) -> Result<u8> {
    let log = &session.log;
    let threshold = session.options.float("threshold");
    let mut reader = session.read_table(session.argument(0), Holder::Matrix)?;
    let mut other = session.read_by_key(session.argument(1))?;
    let mut products = Products::default();
    let (mut done, mut errors) = (0, 0);
    let mut utt = Utterance::default();
    while reader.read(&mut utt)? {
        let key = &utt.key;
        let (Some(first), Some(second)) = (&utt.features, other.find(key)?) else {
            log.warning(format!("Second table has no feature for utterance {key}"));
            errors += 1;
            continue;
        };
        let (cols, others) = (first.cols(), second.cols());
        if cols != others {
            log.warning(format!(
                "Feature dimensions differ for utterance {key}, {cols} vs. {others}, skipping \
                 utterance {key}"
            ));
            errors += 1;
            continue;
        }
        if first.rows() != second.rows() {
            let (rows, others) = (first.rows(), second.rows());
            return Err(Error::unfit(format!("{rows} frames vs. {others}")).utterance(key));
        }
        // Kaldi adds narrower ones to the first columns, and writes wider ones past the end.
        let expected = products.first.len();
        if done > 0 && cols > expected {
            let message = format!("{cols} columns, but {expected} before");
            return Err(Error::unfit(message).utterance(key));
        }
        products.add(first, second)?;
        done += 1;
    }
    for (name, sums) in [
        ("self-product of 1st features", &products.first),
        ("self-product of 2nd features", &products.second),
        ("cross-product", &products.cross),
    ] {
        log.info(format!(
            "{name} for each column dimension: {}",
            listed(sums)
        ));
    }
    let similarity = products.similarity();
    let overall = mean(&similarity);
    let meaning = "(1.0 means identical, the smaller the more different)";
    log.info(format!(
        "Similarity metric for each dimension {} {meaning}",
        listed(&similarity)
    ));
    let shown = six_digits(overall);
    log.info(format!(
        "Overall similarity for the two feats is:{shown} {meaning}"
    ));
    log.info(format!(
        "Processed {done} feature files, {errors} had errors."
    ));
    let similar = overall >= f64::from(threshold);
    if done > 0 {
        let (word, sign) = if similar {
            ("similar", ">=")
        } else {
            ("dissimilar", "<")
        };
        log.info(format!(
            "Features are considered {word} since {shown} {sign} {threshold}"
        ));
    }
    Ok(if done > 0 && similar { DONE } else { NOTHING })
}

#[cfg(test)]
mod tests {
    use super::*;
    use spr_core::model::Rank;

    #[test]
    fn similarity_of_columns() {
        let matrix = |values: &[f32]| Matrix::from_rows(values, 3, Rank::Matrix).unwrap();
        let mut products = Products::default();
        let first = matrix(&[1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
        let second = matrix(&[1.0, -2.0, 0.0, 3.0, -4.0, 0.0]);
        products.add(&first, &second).unwrap();
        assert_eq!(products.first, [10.0, 20.0, 0.0]);
        assert_eq!(products.cross, [10.0, -20.0, 0.0]);
        assert_eq!(products.similarity(), [1.0, -1.0, 1.0]);
        assert_eq!(listed(&[1.0, 0.5]), " [ 1 0.5 ]");
    }
}
