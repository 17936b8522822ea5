//! Steps that shuffle frames and cut them into partitions.

use std::sync::Arc;

use spr_core::format::{Partitioning, Reader};
use spr_core::number::random::Rng;
use spr_core::stage::{Partition, PartitionSize, ShuffleFrames};
use spr_core::{Error, Result};

use super::super::kind::{DataOption, Kind, Level, Phase, Subject};
use super::super::operation::{Operation, Reach, Surroundings};
use super::super::parse::{SIZE, rng, size};
use super::super::spec;
use super::super::values::{Parameters, Values};

/// Bytes in one of PDNN's partitions where nothing says otherwise.
const PARTITION_BYTES: u64 = 600 << 20;

pub(super) static SHUFFLE_FRAMES: Kind = Kind {
    name: "shuffle-frames",
    aliases: &[],
    usage: "shuffle-frames or shuffle-frames(SIZE[,seed=N])",
    what: "frames in random order, all of them or those of each partition of a size",
    parameters: Parameters {
        positional: &["size"],
        named: &["seed"],
        words: &["pdnn", "stream"],
        ..Parameters::NONE
    },
    options: &[DataOption {
        key: "random",
        flag: Some("shuffle"),
        expected: "True or False",
        set: |asked, text| Ok(asked.set_word("shuffle-frames", "pdnn", spec::truth(text))),
    }],
    flags: &[],
    phase: Phase::Shuffle,
    subject: Subject::Frames,
    takes: Level::Frames,
    gives: Some(Level::Frames),
    leaves_out: false,
    parse: |values| {
        Ok(Arc::new(Shuffle {
            sizes: Sizes::of(values)?,
            stream: values.says("stream"),
            rng: rng(values)?,
        }))
    },
};

pub(super) static PARTITION: Kind = Kind {
    name: "partition",
    usage: "partition(SIZE), such as partition(600m)",
    what: "utterances cut where a partition is full",
    parameters: Parameters {
        positional: &["size"],
        words: &["pdnn"],
        ..Parameters::NONE
    },
    options: &[],
    phase: Phase::Partition,
    parse: |values| match Sizes::of(values)? {
        Sizes::All => Err(values.refused(&format!("expected {SIZE}"))),
        sizes => Ok(Arc::new(Cut(sizes))),
    },
    ..SHUFFLE_FRAMES
};

/// The sizes of partitions.
#[derive(Clone, Copy)]
enum Sizes {
    /// All frames are one.
    All,
    /// So many bytes each.
    Bytes(u64),
    /// So many bytes each, in PDNN's way through a format.
    Pdnn(u64),
}

impl Sizes {
    fn of(values: &Values) -> Result<Self> {
        Ok(
            match (values.says("pdnn"), values.get("size", size, SIZE)?) {
                (false, None) => Self::All,
                (false, Some(bytes)) => Self::Bytes(bytes),
                (true, bytes) => Self::Pdnn(bytes.unwrap_or(PARTITION_BYTES)),
            },
        )
    }

    /// The size of a partition; `None` if all is one.
    fn size(self, partitioning: Partitioning) -> Option<PartitionSize> {
        match (self, partitioning) {
            (Self::All, _) | (Self::Pdnn(_), Partitioning::Whole) => None,
            (Self::Pdnn(bytes), Partitioning::Batches(frames)) => {
                Some(PartitionSize::of_bytes(bytes).in_batches(frames))
            }
            (Self::Bytes(bytes) | Self::Pdnn(bytes), _) => Some(PartitionSize::of_bytes(bytes)),
        }
    }

    /// Describes PDNN's partitions.
    fn describe(self, partitioning: Partitioning) -> Option<String> {
        let Self::Pdnn(bytes) = self else {
            return None;
        };
        let rounded = match partitioning {
            Partitioning::Batches(frames) => format!(" of whole {frames}s of frames"),
            Partitioning::Partitions | Partitioning::Whole => String::new(),
        };
        let bytes = match bytes {
            bytes if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
            bytes => format!("{} KiB", bytes >> 10),
        };
        Some(format!("partitions of {bytes}{rounded}"))
    }
}

/// Frames in random order.
struct Shuffle {
    sizes: Sizes,
    /// Whether data that PDNN could shuffle as a whole are streamed.
    stream: bool,
    rng: Rng,
}

impl Shuffle {
    /// Returns `true` if all frames of a file are shuffled together, as PDNN does with a pickle, and
    /// with a PFile that is not streamed.
    fn is_whole(&self, partitioning: Partitioning) -> bool {
        let is_pdnn = matches!(self.sizes, Sizes::Pdnn(_));
        match partitioning {
            Partitioning::Whole => is_pdnn,
            Partitioning::Batches(_) => is_pdnn && !self.stream,
            Partitioning::Partitions => false,
        }
    }
}

impl Operation for Shuffle {
    fn reach(&self) -> Reach {
        Reach::Others
    }

    fn columns(&self) -> &[&'static str] {
        &[]
    }

    fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        let whole = self.is_whole(at.partitioning);
        let size = self.sizes.size(at.partitioning).filter(|_| !whole);
        let rng = self.rng.of_pass(at.pass);
        Ok(Box::new(ShuffleFrames::new(
            reader,
            size,
            rng,
            at.env.limits,
        )))
    }

    fn describe(&self, partitioning: Partitioning) -> Option<String> {
        let partitions = self.sizes.describe(partitioning)?;
        let extent = match self.is_whole(partitioning) {
            true => "as a whole".to_owned(),
            false => format!("in {partitions}"),
        };
        Some(format!("shuffled {extent}, seed {}", self.rng.seed()))
    }
}

/// Utterances cut where a partition is full.
struct Cut(Sizes);

impl Operation for Cut {
    fn reach(&self) -> Reach {
        Reach::Others
    }

    fn columns(&self) -> &[&'static str] {
        &[]
    }

    fn over(&self, reader: Box<dyn Reader>, at: &Surroundings<'_>) -> Result<Box<dyn Reader>> {
        let size = self.0.size(at.partitioning);
        Ok(Box::new(Partition::new(reader, size, at.env.limits)))
    }

    fn describe(&self, partitioning: Partitioning) -> Option<String> {
        let partitions = self.0.describe(partitioning)?;
        Some(match partitioning {
            Partitioning::Whole => "one partition a file".to_owned(),
            _ => format!("cut into {partitions}"),
        })
    }
}

/// A warning that `stream` asks for what does not happen to data that PDNN goes through by
/// `partitioning`.
pub(crate) fn stream_ignored(stream: bool, partitioning: Partitioning) -> Option<Error> {
    let (asked, always) = match (stream, partitioning) {
        (true, Partitioning::Whole) => ("stream=True", "taken as a whole"),
        (false, Partitioning::Partitions) => ("stream=False", "taken partition by partition"),
        _ => return None,
    };
    Some(Error::unfit(format!(
        "{asked} does nothing here: such data are always {always}, as PDNN does it"
    )))
}
