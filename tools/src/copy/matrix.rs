//! The tool `copy-matrix`.

use spr_core::model::{Matrix, Utterance};
use spr_core::{Error, Result};

use super::copy_table;
use crate::options::{BINARY, Options, Spec};
use crate::session::Session;
use crate::table::Holder;
use crate::{DONE, Tool};

pub(crate) static TOOL: Tool = Tool {
    name: "copy-matrix",
    usage: "\
Copies matrices, with some arithmetic if asked to. See also copy-feats.

Usage: copy-matrix [options] <matrix-in-rspecifier> <matrix-out-wspecifier>
   or: copy-matrix [options] <matrix-in-rxfilename> <matrix-out-wxfilename>
 e.g.: copy-matrix --binary=false 1.mat -
       copy-matrix ark:2.trans ark,t:-",
    options: &[
        BINARY,
        Spec::float("scale", 1.0, "Multiply all values by it"),
        Spec::flag(
            "apply-log",
            false,
            "Take logarithms, of 1e-20 where a value is below that",
        ),
        Spec::flag("apply-exp", false, "Take exponentials"),
        Spec::float("apply-power", 1.0, "Raise all values to this power"),
        Spec::flag(
            "apply-softmax-per-row",
            false,
            "Take the softmax of each row",
        ),
    ],
    arguments: (2, 2),
    run,
};

/// The operations on each matrix, in this order.
struct Arithmetic {
    scale: f32,
    log: bool,
    exp: bool,
    softmax: bool,
    power: f32,
}

impl Arithmetic {
    fn of(options: &Options) -> Result<Self> {
        let arithmetic = Self {
            scale: options.float("scale"),
            log: options.flag("apply-log"),
            exp: options.flag("apply-exp"),
            softmax: options.flag("apply-softmax-per-row"),
            power: options.float("apply-power"),
        };
        let flags = [arithmetic.log, arithmetic.exp, arithmetic.softmax];
        if flags.iter().filter(|flag| **flag).count() > 1 {
            return Err(Error::usage(
                "Only one of --apply-log, --apply-exp and --apply-softmax-per-row can be given",
            ));
        }
        Ok(arithmetic)
    }

    fn apply(&self, matrix: &mut Matrix) -> Result<()> {
        let cols = matrix.cols().max(1);
        let values = matrix.values_mut::<f32>()?;
        if self.scale != 1.0 {
            values.iter_mut().for_each(|v| *v *= self.scale);
        }
        if self.log {
            values.iter_mut().for_each(|v| *v = v.max(1e-20).ln());
        }
        if self.exp {
            values.iter_mut().for_each(|v| *v = v.exp());
        }
        if self.softmax {
            values.chunks_mut(cols).for_each(softmax);
        }
        if self.power != 1.0 {
            for value in values.iter_mut() {
                let base = *value;
                *value = raised(base, self.power);
                if value.is_nan() && !base.is_nan() {
                    return Err(Error::unfit(format!(
                        "{base} can't be raised to the power of {}",
                        self.power
                    )));
                }
            }
        }
        Ok(())
    }
}

/// Raises a number as Kaldi does, whose power function has 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "rounding is meant")]
fn raised(base: f32, power: f32) -> f32 {
    if power == 2.0 {
        base * base
    } else if power == 0.5 {
        base.sqrt()
    } else {
        f64::from(base).powf(power.into()) as f32
    }
}

fn softmax(row: &mut [f32]) {
    let max = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in row.iter_mut() {
        *value = (*value - max).exp();
        sum += *value;
    }
    let scale = 1.0 / sum;
    row.iter_mut().for_each(|v| *v *= scale);
}

fn run(session: &Session) -> Result<u8> {
    let arithmetic = Arithmetic::of(&session.options)?;
    let apply = |utt: &mut Utterance| match &mut utt.features {
        Some(matrix) => arithmetic.apply(matrix).map_err(|e| e.utterance(&utt.key)),
        None => Ok(()),
    };
    let (from, to) = (session.argument(0), session.argument(1));
    if !session.are_tables(from, to)? {
        let mut utt = session.read_file(from, Holder::Matrix)?;
        apply(&mut utt)?;
        session.write_file(&utt, to)?;
        session.log.info(format!("Copied matrix to {to}"));
        return Ok(DONE);
    }
    copy_table(session, Holder::Matrix, apply, |count| {
        format!("Copied {count} matrices.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A base, a power, and the bits of the result, which C's `pow` gives and `powf` does not.
    const POWERS: [(f32, f32, u32); 8] = [
        (16.133_833, 2.5, 0x4482_b187),
        (4.425_968_6, -0.5, 0x3ef3_5e8a),
        (10.615_992, -0.5, 0x3e9d_241d),
        (26.952_43, 0.3, 0x402b_eedc),
        (24.647_118, 1.7, 0x4368_4668),
        (3.372_153_3, 1.7, 0x40fc_b14a),
        (17.529_274, 0.1, 0x3faa_7221),
        (9.117_387, 0.3, 0x3ff8_6941),
    ];

    #[test]
    fn powers_are_those_of_64_bits() {
        for (base, power, bits) in POWERS {
            let raised = raised(base, power);
            assert_eq!(
                raised.to_bits(),
                bits,
                "{base} to the power of {power}: {raised}"
            );
        }
    }
}
