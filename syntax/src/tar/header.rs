//! Headers of members.

use super::{BLOCK, number};

/// The fields of a header by their places.
mod place {
    use std::ops::Range;

    pub(super) const NAME: Range<usize> = 0..100;
    pub(super) const MODE: Range<usize> = 100..108;
    pub(super) const UID: Range<usize> = 108..116;
    pub(super) const GID: Range<usize> = 116..124;
    pub(super) const SIZE: Range<usize> = 124..136;
    pub(super) const TIME: Range<usize> = 136..148;
    pub(super) const SUM: Range<usize> = 148..156;
    pub(super) const KIND: usize = 156;
    pub(super) const MAGIC: Range<usize> = 257..263;
    pub(super) const VERSION: Range<usize> = 263..265;
    pub(super) const PREFIX: Range<usize> = 345..500;
}

/// The magic of POSIX, behind which the prefix of a name counts. GNU's ends in a blank.
const USTAR: &[u8; 6] = b"ustar\0";

/// A header block.
pub(super) struct Header([u8; BLOCK]);

impl Header {
    /// Wraps a block whose sum is right.
    pub(super) fn of(block: [u8; BLOCK]) -> Option<Self> {
        let header = Self(block);
        let stored = number::read(&header.0[place::SUM])?;
        let (unsigned, signed) = header.sums();
        let right = stored == unsigned || i64::try_from(stored) == Ok(signed);
        right.then_some(header)
    }

    /// Returns the sum of all bytes, with blanks in place of the sum, of unsigned and of signed bytes.
    /// Old programs wrote the second.
    fn sums(&self) -> (u64, i64) {
        let bytes = self.0.iter().enumerate().map(|(at, byte)| match at {
            at if place::SUM.contains(&at) => b' ',
            _ => *byte,
        });
        let both = |(unsigned, signed): (u64, i64), byte: u8| {
            let as_signed = i64::from(i8::from_ne_bytes([byte]));
            (unsigned + u64::from(byte), signed + as_signed)
        };
        bytes.fold((0, 0), both)
    }

    /// The size of the data, unless the field is no number.
    pub(super) fn size(&self) -> Option<u64> {
        number::read(&self.0[place::SIZE])
    }

    /// The kind of member.
    pub(super) fn kind(&self) -> u8 {
        self.0[place::KIND]
    }

    /// The name, with the prefix before it.
    pub(super) fn name(&self) -> Vec<u8> {
        let name = text(&self.0[place::NAME]);
        let prefix = match self.0[place::MAGIC] == *USTAR {
            true => text(&self.0[place::PREFIX]),
            false => &[],
        };
        match prefix {
            [] => name.to_vec(),
            prefix => [prefix, b"/", name].concat(),
        }
    }

    /// Returns the header of a member that is written.
    ///
    /// The name is cut to its field, and the size to 0 if it has too many digits: a PAX header has both.
    pub(super) fn new(name: &[u8], mode: u64, size: u64, kind: u8) -> Self {
        let mut header = Self([0; BLOCK]);
        let block = &mut header.0;
        let short = name.len().min(place::NAME.len());
        block[..short].copy_from_slice(&name[..short]);
        number::write(mode, &mut block[place::MODE]);
        number::write(0, &mut block[place::UID]);
        number::write(0, &mut block[place::GID]);
        if !number::write(size, &mut block[place::SIZE]) {
            number::write(0, &mut block[place::SIZE]);
        }
        number::write(0, &mut block[place::TIME]);
        block[place::KIND] = kind;
        block[place::MAGIC].copy_from_slice(USTAR);
        block[place::VERSION].copy_from_slice(b"00");
        let (sum, _) = header.sums();
        let (digits, blank) = (place::SUM.start..place::SUM.end - 1, place::SUM.end - 1);
        number::write(sum, &mut header.0[digits]);
        header.0[blank] = b' ';
        header
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The largest size that the field can hold.
    pub(super) const MOST: u64 = (1 << 33) - 1;

    /// The longest name that the field can hold.
    pub(super) const NAME: usize = place::NAME.end;
}

/// Returns the bytes of a field before the first NUL.
fn text(field: &[u8]) -> &[u8] {
    let end = field.iter().position(|byte| *byte == 0);
    field.get(..end.unwrap_or(field.len())).unwrap_or(field)
}

/// Returns `true` if these first bytes of a file are the header of a tar archive.
pub fn is_tar(head: &[u8]) -> bool {
    let Some(block) = head.first_chunk::<BLOCK>() else {
        return false;
    };
    Header::of(*block).is_some_and(|header| header.0[0] != 0 && header.size().is_some())
}

/// Returns `true` if there are two folders or more among the members of an archive whose headers are in
/// `head`, its first bytes.
pub fn begins_with_folders(head: &[u8]) -> bool {
    let (blocks, _) = head.as_chunks::<BLOCK>();
    let (mut at, mut folders) = (0, 0);
    while let Some(header) = blocks.get(at).and_then(|block| Header::of(*block)) {
        folders += usize::from(header.0[place::KIND] == b'5');
        let size = header.size().and_then(|size| usize::try_from(size).ok());
        let Some(size) = size else { break };
        at = at.saturating_add(1 + size.div_ceil(BLOCK));
    }
    folders > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_behind_files() {
        let member = |kind: u8, size: usize| {
            let header = Header::new(b"a", 0, size as u64, kind);
            [header.bytes(), &vec![b'5'; size.next_multiple_of(BLOCK)]].concat()
        };
        let (folder, file) = (member(b'5', 0), member(b'0', 700));
        for (members, are_folders) in [
            (vec![&folder, &folder], true),
            (vec![&folder, &file, &file, &folder], true),
            (vec![&file, &folder, &file], false),
            (vec![&file, &file], false),
            (vec![], false),
        ] {
            let archive: Vec<u8> = members.into_iter().flatten().copied().collect();
            assert_eq!(begins_with_folders(&archive), are_folders);
        }
        assert!(!begins_with_folders(&member(b'0', 1 << 20)[..4096]));
    }
}
