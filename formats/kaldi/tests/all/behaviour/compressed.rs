//! Compressed matrices.

use super::*;

/// Made by Kaldi's own code from one matrix of 6 rows and 2 columns.
const COMPRESSED: [(&str, &[u8], [u32; 12]); 3] = [
    (
        "CM",
        b"a \0BCM \0\0\x10\xc0\0\0\x44\x41\x06\0\0\0\x02\0\0\0\x1f\x1a\x1c\x31\x5e\x4e\x4e\xc1\0\0\
          \x36\x1c\xd1\x58\xff\xff\xc0\x40\xff\0\xcb\x77\0\xc8\x75\xff\xc0\x40",
        [
            0x3fc0_01a0, 0xc010_0000, 0x3dcc_cac0, 0x4041_050c, 0x40e0_0098, 0x3e9a_0084,
            0xbf80_0180, 0x4120_0000, 0x401d_76b8, 0x4000_0120, 0x3f33_9ada, 0xbf66_6926,
        ],
    ),
    (
        "CM2",
        b"a \0BCM2 \0\0\x10\xc0\0\0\x44\x41\x06\0\0\0\x02\0\0\0\x5e\x4e\0\0\x1c\x31\xb6\x6d\x4e\xc1\
          \x4a\x35\x1f\x1a\xff\xff\x44\x63\xd1\x58\xa6\x3d\x36\x1c",
        [
            0x3fc0_01a0, 0xc010_0000, 0x3dcc_cac0, 0x403f_feb0, 0x40e0_0098, 0x3e99_9a18,
            0xbf80_0180, 0x4120_0000, 0x4020_0170, 0x4000_0120, 0x3f33_3474, 0xbf66_6926,
        ],
    ),
    (
        "CM3",
        b"a \0BCM3 \0\0\x10\xc0\0\0\x44\x41\x06\0\0\0\x02\0\0\0\x4e\0\x31\x6d\xc1\x35\x1a\xff\x63\
          \x58\x3d\x1c",
        [
            0x3fbf_9fa0, 0xc010_0000, 0x3dd4_d4e0, 0x403f_1f20, 0x40e0_b0b2, 0x3e97_9798,
            0xbf80_2020, 0x4120_0000, 0x4020_6060, 0x3ffd_1d1c, 0x3f2e_2e30, 0xbf67_a7a8,
        ],
    ),
];

#[test]
fn compressed_matrices_decode_to_kaldis_bits() {
    for (name, bytes, expected) in COMPRESSED {
        let source = Source::from_bytes("x", bytes.to_vec()).unwrap();
        let options = spr_testkit::options(&FORMAT, &[]).unwrap();
        let opened = Request::all().open(&FORMAT, source, &options, &Env::default());
        let mut reader = opened.and_then(|opened| opened.into_stream()).unwrap();
        let mut utt = Utterance::default();
        assert!(reader.read(&mut utt).unwrap());
        let (rank, rows, cols, values) = floats(&utt);
        assert_eq!((rank, rows, cols), (Rank::Matrix, 6, 2));
        let bits: Vec<_> = values.iter().map(|v| v.to_bits()).collect();
        assert_eq!(bits, expected, "{name}");
        assert_eq!(utt.origin.coding.as_deref(), Some(name));
        assert_eq!(utt.origin.file.as_deref(), Some("x"));
        assert_eq!(utt.origin.at, None, "a stream has no places to point to");
        assert_eq!(reader.info().compression, None);
        assert_eq!(reader.info().byte_order, Some(ByteOrder::Little));
        for n in 3..bytes.len() {
            assert_eq!(
                error(&bytes[..n], &[]).kind(),
                ErrorKind::Truncated,
                "{name} {n}"
            );
        }
    }
}

#[test]
fn empty_compressed_matrices_may_be_four_bytes_too_long() {
    for extra in [&[][..], &[0; 4]] {
        let bytes = [b"a \0BCM ", &[0; 16][..], extra, b"b  [ 1 ]\n"].concat();
        let utts = read_memory(&FORMAT, &[], &bytes).unwrap();
        assert_eq!(floats(&utts[0]), (Rank::Matrix, 0, 0, vec![]));
        assert_eq!(utts[1].key.as_bytes(), b"b");
    }
}
