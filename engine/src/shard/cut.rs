//! The boundaries of shards.

use super::Shard;

/// The range of entries of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The first entry.
    pub first: u64,
    /// The entry after the last.
    pub end: u64,
}

impl Cut {
    /// Cuts by count, as Kaldi's `split_scp.pl`: the first shards have one more entry.
    pub fn by_count(shard: Shard, entries: u64) -> Self {
        let start = |number: u64| number * (entries / shard.of) + number.min(entries % shard.of);
        Self {
            first: start(shard.number - 1),
            end: start(shard.number),
        }
    }

    /// Cuts by weight: each entry goes to the shard that contains its middle. Without weights it
    /// cuts by count.
    pub fn by_weight(shard: Shard, weights: &[u64]) -> Self {
        let all: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        if all == 0 {
            return Self::by_count(shard, weights.len() as u64);
        }
        let (number, of) = (u128::from(shard.number), u128::from(shard.of));
        let mut before = 0;
        let mut cut = Self { first: 0, end: 0 };
        for weight in weights {
            let weight = u128::from(*weight);
            let own = of.min(1 + (2 * before + weight) * of / (2 * all));
            cut.first += u64::from(own < number);
            cut.end += u64::from(own <= number);
            before += weight;
        }
        cut
    }

    /// Moves both ends to the next start of a group. `starts` has the first entries of groups, and
    /// `entries` is the number of entries.
    #[must_use]
    pub fn at_groups(self, starts: &[u64], entries: u64) -> Self {
        let next = |at: u64| {
            let found = starts.partition_point(|start| *start < at);
            starts.get(found).copied().unwrap_or(entries)
        };
        Self {
            first: next(self.first),
            end: next(self.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shards(of: u64) -> impl Iterator<Item = Shard> {
        (1..=of).map(move |number| Shard::new(number, of).unwrap())
    }

    #[test]
    fn counts_are_those_of_kaldi() {
        let sizes = |entries, of| {
            let cuts = shards(of).map(|shard| Cut::by_count(shard, entries));
            cuts.map(|cut| cut.end - cut.first).collect::<Vec<_>>()
        };
        assert_eq!(sizes(10, 4), [3, 3, 2, 2]);
        assert_eq!(sizes(2, 4), [1, 1, 0, 0]);
        assert_eq!(sizes(0, 2), [0, 0]);
    }

    proptest! {
        #[test]
        fn shards_are_the_whole(
            weights in prop::collection::vec(0u64..1000, 0..60),
            of in 1u64..70,
            groups in 1u64..9,
        ) {
            let entries = weights.len() as u64;
            let starts: Vec<_> = (0..entries).filter(|n| n % groups == 0).collect();
            let mut ends = [0; 3];
            for shard in shards(of) {
                let cuts = [Cut::by_weight(shard, &weights), Cut::by_count(shard, entries)];
                let grouped = cuts[0].at_groups(&starts, entries);
                for (cut, end) in cuts.into_iter().chain([grouped]).zip(&mut ends) {
                    prop_assert_eq!(cut.first, *end);
                    prop_assert!(cut.first <= cut.end);
                    *end = cut.end;
                }
            }
            prop_assert_eq!(ends, [entries; 3]);
        }

        #[test]
        fn weights_are_balanced(weights in prop::collection::vec(1u64..100, 200..400), of in 2u64..9) {
            let fair = weights.iter().sum::<u64>() / of;
            for shard in shards(of) {
                let cut = Cut::by_weight(shard, &weights);
                let range = usize::try_from(cut.first).unwrap()..usize::try_from(cut.end).unwrap();
                let own: u64 = weights[range].iter().sum();
                prop_assert!(own.abs_diff(fair) <= 101, "{} of {}", own, fair);
            }
        }
    }
}
