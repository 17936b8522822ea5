//! The coding of one channel of a block.

use super::fixed;
use super::linear::{self, Linear};
use super::rice::Rice;
use super::writer::BitWriter;

/// The bits of the coding method and the partition order of a residual.
const METHOD: u64 = 6;

/// Buffers that are used again for each channel.
#[derive(Default)]
pub(super) struct Scratch {
    windowed: Vec<f64>,
    narrow: Vec<i16>,
    residual: Vec<i32>,
}

/// The samples of one channel, and how they are coded.
pub(super) struct Subframe {
    /// Zeros, as many as a linear predictor has coefficients, and the samples.
    padded: Vec<i32>,
    /// The bits of a sample.
    width: u32,
    /// The number of lowest bits that are 0 in all samples, and left out.
    wasted: u32,
    kind: Kind,
    /// As many numbers as samples. The first ones, before which there are too few samples, do not
    /// count.
    residual: Vec<i32>,
    /// The approximate size in bits.
    pub(super) bits: u64,
}

/// The ways of coding.
#[derive(Clone, Copy)]
enum Kind {
    Constant,
    Verbatim,
    Fixed(usize, Rice),
    Linear(Linear, Rice),
}

impl Subframe {
    pub(super) fn new() -> Self {
        Self {
            padded: Vec::new(),
            width: 0,
            wasted: 0,
            kind: Kind::Verbatim,
            residual: Vec::new(),
            bits: 0,
        }
    }

    /// Takes samples of `width` bits, at least one, and chooses their coding.
    pub(super) fn choose(
        &mut self,
        samples: impl Iterator<Item = i32>,
        width: u32,
        scratch: &mut Scratch,
    ) {
        self.padded.clear();
        self.padded.resize(linear::MOST, 0);
        self.padded.extend(samples);
        let own = &mut self.padded[linear::MOST..];
        let rows = own.len();
        let (first, all) = (own[0], own.iter().fold(0, |all, v| all | v));
        if own.iter().all(|v| *v == first) {
            (self.kind, self.width, self.wasted) = (Kind::Constant, width, 0);
            self.bits = 8 + u64::from(width);
            return;
        }
        self.wasted = all.trailing_zeros();
        if self.wasted > 0 {
            own.iter_mut().for_each(|v| *v >>= self.wasted);
        }
        self.width = width - self.wasted;
        let head = 8 + u64::from(self.wasted);
        let plain = rows as u64 * u64::from(self.width);
        (self.kind, self.bits) = (Kind::Verbatim, head + plain);
        self.predict(rows, head, scratch);
    }

    /// Takes a prediction with its residual if that is shorter than the samples.
    fn predict(&mut self, rows: usize, head: u64, scratch: &mut Scratch) {
        let (samples, width) = (&self.padded[linear::MOST..], self.width);
        let plain = |n: usize| n as u64 * u64::from(width);
        let order = fixed::best_order(samples, width);
        self.residual.resize(rows, 0);
        fixed::residual(
            &self.padded[linear::MOST - order..],
            order,
            &mut self.residual,
        );
        let rice = Rice::choose(&self.residual[order..], rows);
        let bits = head + plain(order) + METHOD + rice.bits;
        let found = Linear::find(samples, width, &mut scratch.windowed);
        self.offer(Kind::Fixed(order, rice), bits);
        let Some(found) = found else {
            return;
        };
        let (narrow, residual) = (&mut scratch.narrow, &mut scratch.residual);
        residual.resize(rows, 0);
        if !found.residual(&self.padded, width, narrow, residual) {
            return;
        }
        let rice = Rice::choose(&residual[found.order..], rows);
        let factors = 9 + u64::from(found.precision) * found.order as u64;
        let bits = head + plain(found.order) + factors + METHOD + rice.bits;
        if self.offer(Kind::Linear(found, rice), bits) {
            std::mem::swap(&mut self.residual, residual);
        }
    }

    /// Takes a coding if it is shorter, and returns `true` then.
    fn offer(&mut self, kind: Kind, bits: u64) -> bool {
        let shorter = bits < self.bits;
        if shorter {
            (self.kind, self.bits) = (kind, bits);
        }
        shorter
    }

    /// Writes the samples.
    pub(super) fn write(&self, out: &mut BitWriter) {
        let samples = &self.padded[linear::MOST..];
        let (code, first) = match &self.kind {
            Kind::Constant => (0, 1),
            Kind::Verbatim => (1, samples.len()),
            Kind::Fixed(order, _) => (8 + *order as u64, *order),
            Kind::Linear(linear, _) => (31 + linear.order as u64, linear.order),
        };
        out.put(code << 1 | u64::from(self.wasted > 0), 8);
        if self.wasted > 0 {
            out.put_unary(self.wasted - 1);
        }
        for sample in &samples[..first] {
            out.put_signed(*sample, self.width);
        }
        match &self.kind {
            Kind::Constant | Kind::Verbatim => {}
            Kind::Fixed(_, rice) => rice.write(&self.residual[first..], samples.len(), out),
            Kind::Linear(linear, rice) => {
                out.put(u64::from(linear.precision - 1), 4);
                out.put(u64::from(linear.shift), 5);
                for factor in &linear.factors[..linear.order] {
                    out.put_signed(*factor, linear.precision);
                }
                rice.write(&self.residual[first..], samples.len(), out);
            }
        }
    }
}
