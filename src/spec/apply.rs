//! The stages that data options ask for.

use spr_core::Result;
use spr_core::bytes::Env;
use spr_core::format::Reader;
use spr_core::stage::{
    Context, IgnoreLabels, MapLabels, Partition, PartitionSize, Partitions, Prefetch, Shuffle,
};

use super::DataOptions;

impl DataOptions {
    /// The stages over `reader`, which reads `format`. With `partitions` the data are also cut
    /// into partitions, which it counts.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn apply(
        &self,
        mut reader: Box<dyn Reader>,
        format: &str,
        partitions: Option<&Partitions>,
        env: &Env,
    ) -> Result<Box<dyn Reader>> {
        let limits = env.limits;
        if self.context != (0, 0) {
            let (left, right) = self.context;
            reader = Box::new(Context::new(reader, left, right, limits));
        }
        if let Some(ignored) = &self.ignored {
            reader = Box::new(IgnoreLabels::new(reader, ignored.clone(), env));
        }
        if let Some(map) = &self.map {
            reader = Box::new(MapLabels::new(reader, map.clone()));
        }
        if self.reads_ahead(partitions.is_some()) && env.threads > 1 {
            reader = Box::new(Prefetch::new(reader)?);
        }
        let size = self.partition_size(format);
        if self.random {
            let portion = size.filter(|_| !self.shuffles_whole(format));
            reader = Box::new(Shuffle::new(reader, portion, self.rng, limits));
        }
        if let Some(partitions) = partitions {
            reader = Box::new(Partition::new(reader, size, partitions.clone(), limits));
        }
        Ok(reader)
    }

    /// Whether a thread of the stages' own reads ahead, so that a partition is in memory once.
    pub fn reads_ahead(&self, partitioned: bool) -> bool {
        self.random || partitioned
    }

    /// The size of partitions, as PDNN has it: a pickle is one, and those of a PFile are rounded.
    pub fn partition_size(&self, format: &str) -> Option<PartitionSize> {
        let size = PartitionSize::of_bytes(self.partition.unwrap_or(Self::PARTITION));
        match format {
            "pickle" => None,
            "pfile" => Some(size.in_batches(PartitionSize::PDNN_BATCH)),
            _ => Some(size),
        }
    }

    /// Whether all frames of a file are shuffled together, as PDNN does with a pickle and with a
    /// PFile that is not streamed.
    pub fn shuffles_whole(&self, format: &str) -> bool {
        format == "pickle" || (format == "pfile" && !self.stream)
    }

    /// The work in its order, in words.
    pub fn describe(&self, format: &str, partitioned: bool) -> Vec<String> {
        let range = |first: i64, last: i64| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let mut steps = Vec::new();
        if let Some(shift) = &self.frame_shift {
            steps.push(format!("{shift} s from frame to frame"));
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
            let rounded = match format {
                "pfile" => format!(" of whole {}s of frames", PartitionSize::PDNN_BATCH),
                _ => String::new(),
            };
            let bytes = match bytes % (1 << 20) {
                0 => format!("{} MiB", bytes >> 20),
                _ => format!("{} KiB", bytes >> 10),
            };
            format!("partitions of {bytes}{rounded}")
        };
        if self.random {
            let extent = match self.shuffles_whole(format) {
                true => "as a whole".to_owned(),
                false => format!("in {}", size()),
            };
            steps.push(format!("shuffled {extent}, seed {}", self.rng.seed()));
        }
        if partitioned {
            steps.push(match format {
                "pickle" => "one partition a file".to_owned(),
                _ => format!("cut into {}", size()),
            });
        }
        steps
    }
}
