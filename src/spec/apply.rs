//! The stages that data options ask for.

use spr_core::Error;
use spr_core::bytes::Env;
use spr_core::format::{Partitioning, Reader};
use spr_core::stage::{
    Context, IgnoreLabels, MapLabels, Partition, PartitionSize, Prefetch, Shuffle,
};

use super::DataOptions;

impl DataOptions {
    /// The stages over `reader`, whose format PDNN goes through by `partitioning`. If it is `partitioned`,
    /// the data are also cut into partitions, and utterances say which they belong to.
    pub fn apply(
        &self,
        mut reader: Box<dyn Reader>,
        partitioning: Partitioning,
        partitioned: bool,
        env: &Env,
    ) -> Box<dyn Reader> {
        let limits = env.limits;
        reader = self.sound().over(reader, env);
        if self.context != (0, 0) {
            let (left, right) = self.context;
            reader = Box::new(Context::new(reader, left, right, limits).telling(env));
        }
        if let Some(ignored) = &self.ignored {
            reader = Box::new(IgnoreLabels::new(reader, ignored.clone(), env));
        }
        if let Some(map) = &self.map {
            reader = Box::new(MapLabels::new(reader, map.clone()));
        }
        if self.reads_ahead(partitioned) && env.threads > 1 {
            reader = Box::new(Prefetch::new(reader));
        }
        let size = self.partition_size(partitioning);
        if self.random {
            let portion = size.filter(|_| !self.shuffles_whole(partitioning));
            reader = Box::new(Shuffle::new(reader, portion, self.rng, limits));
        }
        if partitioned {
            reader = Box::new(Partition::new(reader, size, limits));
        }
        reader
    }

    /// Whether a thread of the stages' own reads ahead, so that a partition is in memory once.
    pub fn reads_ahead(&self, partitioned: bool) -> bool {
        self.random || partitioned
    }

    /// The size of partitions; `None` if all is one.
    pub fn partition_size(&self, partitioning: Partitioning) -> Option<PartitionSize> {
        let size = PartitionSize::of_bytes(self.partition.unwrap_or(Self::PARTITION));
        match partitioning {
            Partitioning::Whole => None,
            Partitioning::Batches(frames) => Some(size.in_batches(frames)),
            Partitioning::Partitions => Some(size),
        }
    }

    /// Whether all frames of a file are shuffled together, as PDNN does with a pickle and with a
    /// PFile that is not streamed.
    pub fn shuffles_whole(&self, partitioning: Partitioning) -> bool {
        match partitioning {
            Partitioning::Whole => true,
            Partitioning::Batches(_) => self.stream != Some(true),
            Partitioning::Partitions => false,
        }
    }

    /// The warning that `stream` asks for what does not happen to data that PDNN goes through by
    /// `partitioning`.
    pub fn stream_ignored(&self, partitioning: Partitioning) -> Option<Error> {
        let (asked, always) = match (self.stream?, partitioning) {
            (true, Partitioning::Whole) => ("stream=True", "taken as a whole"),
            (false, Partitioning::Partitions) => ("stream=False", "taken partition by partition"),
            _ => return None,
        };
        Some(Error::unfit(format!(
            "{asked} does nothing here: such data are always {always}, as PDNN does it"
        )))
    }

    /// The work in its order, in words.
    pub fn describe(&self, partitioning: Partitioning, partitioned: bool) -> Vec<String> {
        let range = |first: i64, last: i64| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let mut steps = Vec::new();
        if let Some(shift) = &self.frame_shift {
            steps.push(format!("{shift} s from frame to frame"));
        }
        if let Some(tier) = &self.tier {
            steps.push(format!("the tier '{tier}' of segments"));
        }
        if self.round {
            steps.push("times of segments rounded to whole frames".to_owned());
        }
        if let Some(channels) = self.sound.channels {
            steps.push(format!("of sound {channels}"));
        }
        if let Some(rate) = self.sound.rate {
            steps.push(format!("sound at {rate} samples a second"));
        }
        if self.dither {
            steps.push(format!("dithered, seed {}", self.rng.seed()));
        }
        if self.context != (0, 0) {
            let (left, right) = self.context;
            steps.push(format!("{left} frames before and {right} after each"));
        }
        if let Some(ignored) = &self.ignored {
            let ranges: Vec<_> = ignored.ranges().map(|(a, b)| range(a, b)).collect();
            steps.push(format!("without frames labelled {}", ranges.join(", ")));
        }
        if let Some(map) = &self.map {
            let changes: Vec<_> = map
                .ranges()
                .map(|(a, b, to)| format!("{} to {to}", range(a, b)))
                .collect();
            steps.push(format!("labels {}", changes.join(", ")));
        }
        let size = || {
            let bytes = self.partition.unwrap_or(Self::PARTITION);
            let rounded = match partitioning {
                Partitioning::Batches(frames) => format!(" of whole {frames}s of frames"),
                Partitioning::Partitions | Partitioning::Whole => String::new(),
            };
            let bytes = match bytes % (1 << 20) {
                0 => format!("{} MiB", bytes >> 20),
                _ => format!("{} KiB", bytes >> 10),
            };
            format!("partitions of {bytes}{rounded}")
        };
        if self.random {
            let extent = match self.shuffles_whole(partitioning) {
                true => "as a whole".to_owned(),
                false => format!("in {}", size()),
            };
            steps.push(format!("shuffled {extent}, seed {}", self.rng.seed()));
        }
        if partitioned {
            steps.push(match partitioning {
                Partitioning::Whole => "one partition a file".to_owned(),
                _ => format!("cut into {}", size()),
            });
        }
        steps
    }
}
