//! The order of frames.

use super::frame::{Frame, Number};
use super::stream_info::StreamInfo;

/// The order of frames by their numbers.
pub(super) struct Order {
    /// Allows frames numbered by their first sample although their headers state otherwise, as in
    /// files from before 2007 with frames of several sizes.
    old: bool,
    /// The number of the next frame if frames are counted, and if their samples are.
    next: Option<[Option<Number>; 2]>,
}

impl Order {
    /// Takes any frame as the first one.
    pub(super) fn new(info: &StreamInfo) -> Self {
        Self {
            old: info.blocks.0 != info.blocks.1,
            next: None,
        }
    }

    /// Returns `true` if no frame is missing before this one.
    pub(super) fn holds(&mut self, frame: Frame) -> bool {
        let rows = frame.rows as u64;
        let next = match frame.number {
            Number::Sample(n) => [None, Some(Number::Sample(n + rows))],
            Number::Frame(n) => [
                Some(Number::Frame(n + 1)),
                self.old.then_some(Number::Frame(n + rows)),
            ],
        };
        let [by_frame, by_sample] = match self.next {
            None => [true; 2],
            Some(expected) => expected.map(|number| number == Some(frame.number)),
        };
        let [frames, samples] = next;
        self.next = Some([frames.filter(|_| by_frame), samples.filter(|_| by_sample)]);
        by_frame || by_sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the order of frames with these numbers and sizes, up to the first that does not follow.
    fn holds(blocks: (u16, u16), frames: &[(Number, usize)]) -> usize {
        let info = StreamInfo {
            blocks,
            ..StreamInfo::default()
        };
        let mut order = Order::new(&info);
        let follows = |(number, rows): &&(Number, usize)| {
            order.holds(Frame {
                len: 0,
                rows: *rows,
                number: *number,
            })
        };
        frames.iter().take_while(follows).count()
    }

    #[test]
    fn frames_are_in_order() {
        use Number::{Frame, Sample};
        let (fixed, variable) = ((64, 64), (16, 64));
        for blocks in [fixed, variable] {
            assert_eq!(
                holds(blocks, &[(Frame(0), 64), (Frame(1), 64), (Frame(2), 9)]),
                3
            );
            assert_eq!(
                holds(
                    blocks,
                    &[(Sample(0), 64), (Sample(64), 16), (Sample(80), 9)]
                ),
                3
            );
            // One is missing, and the ways of counting change.
            assert_eq!(holds(blocks, &[(Frame(0), 64), (Frame(2), 64)]), 1);
            assert_eq!(holds(blocks, &[(Sample(0), 64), (Sample(80), 9)]), 1);
            assert_eq!(holds(blocks, &[(Frame(0), 64), (Sample(64), 64)]), 1);
            assert_eq!(holds(blocks, &[(Sample(0), 64), (Frame(64), 64)]), 1);
        }
        // The old form, which a file with frames of one size can't have.
        let old = [(Frame(0), 64), (Frame(64), 16), (Frame(80), 9)];
        assert_eq!((holds(variable, &old), holds(fixed, &old)), (3, 1));
        assert_eq!(holds(variable, &[(Frame(0), 64), (Frame(80), 9)]), 1);
        assert_eq!(
            holds(variable, &[(Frame(0), 64), (Frame(1), 16), (Frame(17), 9)]),
            2
        );
        assert_eq!(
            holds(variable, &[(Frame(0), 64), (Frame(64), 16), (Frame(65), 9)]),
            2
        );
        assert_eq!(
            holds(variable, &[(Frame(0), 1), (Frame(1), 16), (Frame(2), 9)]),
            3
        );
        assert_eq!(
            holds(variable, &[(Frame(0), 1), (Frame(1), 16), (Frame(17), 9)]),
            3
        );
    }
}
