//! Draws an amount of utterances, of each group its share.

use std::collections::HashMap;

use spr_core::bytes::{Env, MemoryCounter};
use spr_core::number::random::Mt19937;
use spr_core::{Error, Limits, Result};
use spr_stats::{OrderColumns, OrderValues, Row};

use super::super::parse::number;

/// How much is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Amount {
    /// A number of utterances.
    Utterances(u64),
    /// Seconds.
    Seconds(f64),
}

impl Amount {
    /// Parses `100` utterances, or a duration: `10h`, `30m`, `90s`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(n) = number(text) {
            return Some(Self::Utterances(n));
        }
        let units = [('h', 3600.0), ('m', 60.0), ('s', 1.0)];
        let (digits, unit) = units
            .iter()
            .find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, seconds)))?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let seconds = digits.parse::<f64>().ok().filter(|_| plain)? * unit;
        (seconds > 0.0 && seconds.is_finite()).then_some(Self::Seconds(seconds))
    }
}

/// The utterances that are drawn from.
pub(super) struct Pool {
    /// The columns, and what is not known of them.
    values: Option<OrderValues>,
    /// The size of each utterance, zero if it can't be drawn, and its group.
    items: Vec<(f64, usize)>,
    groups: Vec<Group>,
    places: HashMap<Vec<u8>, usize>,
}

/// A group of utterances.
struct Group {
    name: String,
    /// The size of all of them.
    size: f64,
}

impl Pool {
    pub(super) fn new(columns: Option<&OrderColumns>) -> Self {
        Self {
            values: columns.cloned().map(OrderValues::new),
            items: Vec::new(),
            groups: Vec::new(),
            places: HashMap::new(),
        }
    }

    pub(super) fn add(
        &mut self,
        row: &Row<'_>,
        by_seconds: bool,
        held: &mut MemoryCounter,
        limits: &Limits,
    ) -> Result<()> {
        let size = match by_seconds {
            true => row.seconds(),
            false => Some(1.0),
        };
        let mut values = Vec::new();
        if let Some(columns) = &self.values {
            columns.append(row, &mut values);
        }
        // An index in the shuffled order besides.
        held.keep(size_of::<(f64, usize)>() + size_of::<usize>(), limits)?;
        let place = match self.places.get(&values) {
            Some(place) => *place,
            None => {
                let name = self.values.as_ref().map(|columns| columns.label(row));
                let name = name.unwrap_or_default();
                held.keep(values.len() + name.len() + size_of::<Group>(), limits)?;
                self.places.insert(values, self.groups.len());
                self.groups.push(Group { name, size: 0.0 });
                self.groups.len() - 1
            }
        };
        self.groups[place].size += size.unwrap_or_default();
        self.items.push((size.unwrap_or(f64::NAN), place));
        Ok(())
    }

    /// Returns for each utterance whether it is drawn.
    pub(super) fn draw(&self, amount: Amount, seed: u32, env: &Env) -> Vec<bool> {
        let all: f64 = self.groups.iter().map(|group| group.size).sum();
        #[expect(clippy::cast_precision_loss, reason = "counts far below 2^53")]
        let wanted = match amount {
            Amount::Utterances(n) => (n as f64).min(all),
            Amount::Seconds(seconds) if seconds > all => {
                let (all_of, more) = (time(all), time(seconds));
                let message = format!("the data last {all_of}, less than {more}: all are taken");
                // Without a duration at all each utterance is an error.
                if all > 0.0 {
                    env.warn(&Error::unfit(message));
                }
                all
            }
            Amount::Seconds(seconds) => seconds,
        };
        let mut random = Mt19937::new(seed);
        let mut ranks: Vec<_> = (0..self.groups.len()).collect();
        random
            .swaps(ranks.len())
            .for_each(|(i, j)| ranks.swap(i, j));
        let mut order: Vec<_> = (0..self.items.len()).collect();
        random
            .swaps(order.len())
            .for_each(|(i, j)| order.swap(i, j));
        order.sort_by_key(|item| ranks[self.items[*item].1]);
        let mut drawn = vec![false; order.len()];
        let mut counts = vec![0u64; self.groups.len()];
        // What one group gets too little or too much, the next ones make up for.
        let (mut taken, mut due, mut last) = (0.0, 0.0, None);
        let most = wanted * (1.0 + 1e-9);
        for item in order {
            let (size, group) = self.items[item];
            if last.replace(group) != Some(group) {
                due += wanted * self.groups[group].size / all;
            }
            if taken + size / 2.0 <= due && taken + size <= most {
                (taken, drawn[item]) = (taken + size, true);
                counts[group] += 1;
            }
        }
        self.warn(&counts, env);
        drawn
    }

    /// Warns of groups that get none, and of values that are not known.
    fn warn(&self, counts: &[u64], env: &Env) {
        let Some(values) = &self.values else { return };
        let outcome = "they are drawn from as a group of their own";
        values.warnings(outcome).iter().for_each(|e| env.warn(e));
        let without = self.groups.iter().zip(counts).filter(|(_, n)| **n == 0);
        let mut names: Vec<_> = without.map(|(group, _)| group.name.as_str()).collect();
        if names.is_empty() {
            return;
        }
        names.sort_unstable();
        let (some, all, n) = (names.len(), self.groups.len(), 3);
        let more = match some.saturating_sub(n) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let names = names.into_iter().take(n).collect::<Vec<_>>().join(", ");
        let columns = values.columns();
        let message = format!(
            "no utterance is taken of {some} of {all} groups by {columns}, as the share is less than one: \
             {names}{more}"
        );
        env.warn(&Error::unfit(message));
    }
}

/// Describes a duration.
fn time(seconds: f64) -> String {
    match seconds >= 3600.0 {
        true => format!("{:.2} h", seconds / 3600.0),
        false => format!("{seconds:.2} s"),
    }
}

/// Draws `left` of the next `to_come` items.
pub(super) struct Draw {
    left: u64,
    to_come: u64,
    random: Mt19937,
}

impl Draw {
    pub(super) fn new(n: u64, of: u64, seed: u32) -> Self {
        Self {
            left: n.min(of),
            to_come: of,
            random: Mt19937::new(seed),
        }
    }

    /// Returns `true` if the next item is drawn.
    pub(super) fn next(&mut self) -> bool {
        let drawn = self.to_come > 0 && self.random.up_to(self.to_come - 1) < self.left;
        self.to_come = self.to_come.saturating_sub(1);
        self.left -= u64::from(drawn);
        drawn
    }
}

#[cfg(test)]
mod tests {
    use spr_core::model::{Audio, Key, Matrix, Rank, Utterance, Waveform};

    use super::*;

    #[test]
    fn draws_exactly_that_many() {
        for (n, of) in [(0, 5), (3, 10), (10, 10), (20, 10)] {
            for seed in 0..20 {
                let mut draw = Draw::new(n, of, seed);
                let drawn = (0..of).filter(|_| draw.next()).count() as u64;
                assert_eq!(drawn, n.min(of));
                assert!(!draw.next(), "more came than were counted");
            }
        }
    }

    #[test]
    fn every_one_is_drawn_as_often() {
        let mut counts = [0u32; 10];
        for seed in 0..2000 {
            let mut draw = Draw::new(3, 10, seed);
            counts.iter_mut().for_each(|n| *n += u32::from(draw.next()));
        }
        assert!(counts.iter().all(|n| (500..700).contains(n)), "{counts:?}");
    }

    #[test]
    fn amounts() {
        let parse = Amount::parse;
        assert_eq!(parse("12"), Some(Amount::Utterances(12)));
        assert_eq!(parse("1.5h"), Some(Amount::Seconds(5400.0)));
        assert_eq!(parse("2m"), Some(Amount::Seconds(120.0)));
        assert_eq!(parse(".5s"), Some(Amount::Seconds(0.5)));
        for text in [
            "", "h", "0h", "-1h", "1e3h", "1x", "1.5", "nanh", "1hh", "é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    fn spoken(speaker: &str, seconds: usize) -> Utterance {
        let samples = vec![0i16; seconds * 10];
        let samples = Matrix::from_rows(&samples, 1, Rank::Matrix).unwrap();
        let mut utt = Utterance {
            audio: Some(Audio::Samples(Waveform { rate: 10, samples })),
            ..Utterance::default()
        };
        utt.meta.speaker = Some(Key::from(speaker));
        utt
    }

    /// Returns the utterances, the seconds of each group that were drawn, and the warnings.
    fn drawn(
        all: &[(&str, usize)],
        amount: Amount,
        by: Option<&str>,
        seed: u32,
    ) -> (Vec<bool>, HashMap<String, usize>, Vec<String>) {
        let warnings = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let told = warnings.clone();
        let env = Env::default().listening(move |e| told.lock().unwrap().push(e.to_string()));
        let columns = by.map(|by| OrderColumns::undirected(by).unwrap());
        let mut pool = Pool::new(columns.as_ref());
        let mut held = MemoryCounter::new("test");
        for (speaker, seconds) in all {
            let utt = spoken(speaker, *seconds);
            let by_seconds = matches!(amount, Amount::Seconds(_));
            let row = Row::new(&utt, None);
            let limits = Limits::default();
            pool.add(&row, by_seconds, &mut held, &limits).unwrap();
        }
        let drawn = pool.draw(amount, seed, &env);
        let mut sums = HashMap::new();
        for ((speaker, seconds), _) in all.iter().zip(&drawn).filter(|(_, drawn)| **drawn) {
            *sums.entry((*speaker).to_owned()).or_default() += seconds;
        }
        let warnings = warnings.lock().unwrap().clone();
        (drawn, sums, warnings)
    }

    #[test]
    fn hours_are_kept_and_every_group_has_its_share() {
        let of = |speaker, n: usize| (0..n).map(move |i| (speaker, 2 + i % 3));
        let all: Vec<_> = of("a", 100).chain(of("b", 50)).chain(of("c", 10)).collect();
        let total: usize = all.iter().map(|(_, seconds)| seconds).sum();
        let whole = drawn(&all, Amount::Seconds(1e6), None, 1);
        assert!(whole.0.iter().all(|drawn| *drawn));
        assert_eq!(
            whole.2,
            ["the data last 477.00 s, less than 277.78 h: all are taken"]
        );
        for seed in 0..50 {
            let (which, sums, told) = drawn(&all, Amount::Seconds(100.0), None, seed);
            let sum: usize = sums.values().sum();
            assert!((98..=100).contains(&sum), "{sum}");
            assert!(told.is_empty());
            assert_ne!(which, drawn(&all, Amount::Seconds(100.0), None, seed + 1).0);
            let (_, sums, told) = drawn(&all, Amount::Seconds(100.0), Some("speaker"), seed);
            assert!(told.is_empty());
            assert!(
                (96..=100).contains(&sums.values().sum::<usize>()),
                "{sums:?}"
            );
            for (speaker, n) in [("a", 100), ("b", 50), ("c", 10)] {
                let own: usize = of(speaker, n).map(|(_, seconds)| seconds).sum();
                let share = own * 100 / total;
                assert!(
                    sums[speaker].abs_diff(share) <= 4,
                    "{speaker} {share} {sums:?}"
                );
            }
            let (which, ..) = drawn(&all, Amount::Utterances(31), Some("speaker"), seed);
            assert_eq!(which.iter().filter(|drawn| **drawn).count(), 31);
        }
    }

    #[test]
    fn groups_without_an_utterance_are_told() {
        let all: Vec<_> = ["a", "b", "c", "d", "e", "f"].map(|name| (name, 10)).into();
        let (which, _, told) = drawn(&all, Amount::Utterances(2), Some("speaker"), 0);
        assert_eq!(which.iter().filter(|drawn| **drawn).count(), 2);
        let start =
            "no utterance is taken of 4 of 6 groups by speaker, as the share is less than one: ";
        assert!(
            told[0].starts_with(start) && told[0].ends_with(" and 1 more"),
            "{told:?}"
        );
        let (_, _, told) = drawn(&all, Amount::Utterances(9), Some("gender"), 0);
        let unknown = "no utterance has 'gender': they are drawn from as a group of their own";
        assert_eq!(told, [unknown]);
        let (which, ..) = drawn(&[], Amount::Seconds(1.0), Some("speaker"), 0);
        assert!(which.is_empty());
    }
}
