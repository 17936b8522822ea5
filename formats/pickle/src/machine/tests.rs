use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_pickle::{HashableValue, SerOptions, Value as Oracle, value_to_vec};

use super::*;

fn run(bytes: &[u8]) -> Result<(Heap, Value)> {
    let mut source = Source::from_bytes("x.pkl", bytes.to_vec())?.into_seekable()?;
    let mut loader = Loader::new(&source, &Limits::default());
    let value = loader.next(&mut source)?;
    let loaded = loader.end(vec![value])?;
    assert!(source.at_end()?, "stops at STOP");
    Ok(loaded)
}

fn error(bytes: &[u8]) -> String {
    match run(bytes) {
        Err(e) => e.to_string(),
        Ok((heap, value)) => panic!("loaded {}", heap.describe(value)),
    }
}

fn word(bytes: &[u8]) -> Vec<u8> {
    let (heap, value) = run(bytes).unwrap();
    heap.word(value).unwrap().to_vec()
}

/// Compares a value with the oracle.
fn same(heap: &Heap, value: Value, oracle: &Oracle) -> bool {
    let all = |items: &[Value], oracles: &[Oracle]| {
        items.len() == oracles.len()
            && items
                .iter()
                .zip(oracles)
                .all(|(&item, oracle)| same(heap, item, oracle))
    };
    match (value, heap.node(value), oracle) {
        (Value::None, _, Oracle::None) => true,
        (Value::Bool(a), _, Oracle::Bool(b)) => a == *b,
        (Value::Int(a), _, Oracle::I64(b)) => a == *b,
        (Value::Float(a), _, Oracle::F64(b)) => a.to_bits() == b.to_bits(),
        (_, Some(Node::Bytes(a)), Oracle::Bytes(b)) => a.inline() == Some(b),
        (_, Some(Node::Text(a)), Oracle::String(b)) => a.inline() == Some(b.as_bytes()),
        (_, Some(Node::Tuple(a)), Oracle::Tuple(b)) => all(a, b),
        (_, Some(Node::List(a)), Oracle::List(b)) => all(a, b),
        (_, Some(Node::Set(a)), Oracle::Set(b) | Oracle::FrozenSet(b)) => {
            let b: Vec<_> = b.iter().cloned().map(HashableValue::into_value).collect();
            all(a, &b)
        }
        (_, Some(Node::Dict(a)), Oracle::Dict(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|((k, v), (key, value))| {
                    same(heap, *k, &key.clone().into_value()) && same(heap, *v, value)
                })
        }
        _ => false,
    }
}

fn hashable() -> impl Strategy<Value = HashableValue> {
    prop_oneof![
        Just(HashableValue::None),
        any::<bool>().prop_map(HashableValue::Bool),
        any::<i64>().prop_map(HashableValue::I64),
        ".{0,20}".prop_map(HashableValue::String),
        prop::collection::vec(any::<i64>().prop_map(HashableValue::I64), 0..5)
            .prop_map(HashableValue::Tuple),
    ]
}

fn oracle() -> impl Strategy<Value = Oracle> {
    let leaf = prop_oneof![
        Just(Oracle::None),
        any::<bool>().prop_map(Oracle::Bool),
        any::<i64>().prop_map(Oracle::I64),
        (-300i64..300).prop_map(Oracle::I64),
        any::<u64>().prop_map(|bits| Oracle::F64(f64::from_bits(bits))),
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Oracle::Bytes),
        ".{0,300}".prop_map(Oracle::String),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Oracle::List),
            prop::collection::vec(inner.clone(), 0..8).prop_map(Oracle::Tuple),
            prop::collection::btree_set(hashable(), 0..5).prop_map(Oracle::Set),
            prop::collection::btree_set(hashable(), 0..5).prop_map(Oracle::FrozenSet),
            prop::collection::btree_map(hashable(), inner, 0..5).prop_map(Oracle::Dict),
        ]
    })
}

proptest! {
    #[test]
    fn reads_what_another_implementation_writes(value in oracle(), old: bool) {
        let options = if old { SerOptions::new().proto_v2() } else { SerOptions::new() };
        let bytes = value_to_vec(&value, options).unwrap();
        let (heap, top) = run(&bytes).unwrap();
        prop_assert!(same(&heap, top, &value), "{} for {value:?}", heap.describe(top));
    }

    #[test]
    fn survives_any_opcodes(
        words in prop::collection::vec((any::<prop::sample::Index>(), any::<[u8; 3]>()), 0..60)
    ) {
        let codes: Vec<u8> = (0..=255).filter(|&c| opcode_name(c).is_some()).collect();
        let mut bytes = Vec::new();
        for (code, argument) in words {
            bytes.push(codes[code.index(codes.len())]);
            bytes.extend_from_slice(&argument[..usize::from(argument[0]) % 4]);
            bytes.extend_from_slice(b"\n");
        }
        let mut source = Source::from_bytes("x.pkl", bytes).unwrap().into_seekable().unwrap();
        let _ = Loader::new(&source, &Limits::default()).next(&mut source);
    }
}

#[test]
fn strings_of_every_sort() {
    for (bytes, want) in [
        (&b"S'a\\'\\n\\x00'\n."[..], &b"a'\n\0"[..]),
        (b"S\"it's\"\r\n.", b"it's"),
        (b"V\xe9\\u0416\n.", "\u{e9}\u{416}".as_bytes()),
        (b"U\x02\xff\x00.", b"\xff\0"),
        (b"T\x01\0\0\0a.", b"a"),
        (b"X\x02\0\0\0\xc3\xa9.", "\u{e9}".as_bytes()),
        (b"C\x01a.", b"a"),
        (b"B\x01\0\0\0a.", b"a"),
        (b"\x8c\x01a.", b"a"),
        (b"\x8d\x01\0\0\0\0\0\0\0a.", b"a"),
        (b"\x8e\x01\0\0\0\0\0\0\0a.", b"a"),
        (b"\x96\x01\0\0\0\0\0\0\0a.", b"a"),
        (b"c_codecs\nencode\n(V\xe9\\u000a\nVlatin1\ntR.", b"\xe9\n"),
        (b"c__builtin__\nbytes\n)R.", b""),
        (b"cbuiltins\r\nbytearray\r\nC\x02ab\x85R.", b"ab"),
    ] {
        assert_eq!(word(bytes), want, "{}", bytes.escape_ascii());
    }
}

#[test]
fn long_strings_stay_in_the_file() {
    let body = "ab\\n".repeat(500);
    for (end, quote) in [("\n", '\''), ("\r\n", '"')] {
        let text = format!("S{quote}{body}{quote}{end}.");
        let (heap, value) = run(text.as_bytes()).unwrap();
        let Some(Node::Bytes(payload)) = heap.node(value) else {
            panic!("{value:?}");
        };
        let range = Payload::Range {
            at: 2,
            len: body.len() as u64,
            coding: StringCoding::Escaped,
        };
        assert_eq!(*payload, range);
    }
    assert!(error(format!("S'{body}\"\n.").as_bytes()).contains("without its quotes"));
}

#[test]
fn numbers_of_every_sort() {
    for (bytes, want) in [
        (&b"I01\n."[..], Value::Bool(true)),
        (b"I00\n.", Value::Bool(false)),
        (b"I-7\r\n.", Value::Int(-7)),
        (b"L123L\n.", Value::Int(123)),
        (b"L99999999999999999999L\n.", Value::BigInt),
        (b"F-1.5e3\n.", Value::Float(-1500.0)),
        (b"Finf\n.", Value::Float(f64::INFINITY)),
        (b"G\x3f\xf0\0\0\0\0\0\0.", Value::Float(1.0)),
        (b"J\xff\xff\xff\xff.", Value::Int(-1)),
        (b"K\xff.", Value::Int(255)),
        (b"M\xff\xff.", Value::Int(65535)),
        (b"\x8a\x00.", Value::Int(0)),
        (b"\x8a\x01\xff.", Value::Int(-1)),
        (b"\x8a\x02\xff\x00.", Value::Int(255)),
        (
            b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.",
            Value::BigInt,
        ),
        (
            b"\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\x00.",
            Value::Int(i64::MAX),
        ),
        (b"\x8b\x01\0\0\0\x05.", Value::Int(5)),
    ] {
        assert_eq!(run(bytes).unwrap().1, want, "{}", bytes.escape_ascii());
    }
    for bytes in [
        &b"I\n."[..],
        b"Iseven\n.",
        b"F1.0.0\n.",
        b"L--1L\n.",
        b"F1e999\n.",
    ] {
        assert!(
            error(bytes).contains("is not a number"),
            "{}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn marks_and_the_memo() {
    for (bytes, want) in [
        (
            &b"(K\x01K\x02t."[..],
            "a tuple of 2 items (an integer, an integer)",
        ),
        (b"K\x01(K\x020K\x0310.", "an error"),
        (b"(K\x01K\x021K\x05.", "an integer"),
        (
            b"K\x072\x86.",
            "a tuple of 2 items (an integer, an integer)",
        ),
        (
            b"]q\x00(K\x01h\x00e.",
            "a list of 2 items (an integer, a list of 2 items)",
        ),
        (b"(K\x01K\x02K\x03K\x04d.", "a dict of 2 entries"),
        (b"}K\x01NsN0.", "a dict of 1 entry"),
        (b"]\x94K\x01a0h\x00.", "a list of 1 item (an integer)"),
        (b"\x8f(K\x01K\x02\x90.", "a set of 2 items"),
        (
            b"ccollections\nOrderedDict\n(((lp0\nK\x01aNalp1\n(lp2\ng1\natR.",
            "an error",
        ),
        (
            b"ccollections\nOrderedDict\n]]K\x01aNaa\x85R.",
            "a dict of 1 entry",
        ),
        (
            b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85RK\x01Ns.",
            "a dict of 1 entry",
        ),
        (
            b"c__builtin__\nset\n](K\x01K\x02e\x85R.",
            "a set of 2 items",
        ),
    ] {
        let got = match run(bytes) {
            Ok((heap, value)) => heap.describe(value),
            Err(_) => "an error".to_owned(),
        };
        assert_eq!(got, want, "{}", bytes.escape_ascii());
    }
}

#[test]
fn nothing_is_called() {
    for (bytes, want) in [
        (
            &b"cos\nsystem\n(S'true'\ntR."[..],
            "x.pkl@21: refused to call os.system",
        ),
        (
            b"\x8c\x05posix\x8c\x06system\x93)R.",
            "x.pkl@17: refused to call posix.system",
        ),
        (b"(ios\nsystem\n.", "x.pkl@1: refused to call os.system"),
        (b"(cos\nsystem\nS'true'\no.", "refused to call os.system"),
        (b"cos\nsystem\n)\x81.", "refused to call os.system"),
        (b"cos\nsystem\n)}\x92.", "refused to call os.system"),
        (
            b"cnumpy.core.multiarray\n_reconstruct\ncos\nsystem\nK\0\x85C\x01b\x87R.",
            "os.system",
        ),
        (b"cos\nsystem\n}b.", "refused to set the state of os.system"),
        (
            b"c__builtin__\neval\n(S'1'\ntR.",
            "refused to call __builtin__.eval",
        ),
        (b"c_codecs\nencode\n(Va\nVrot13\ntR.", "other than latin1"),
        (
            b"cjoblib.numpy_pickle\nNDArrayWrapper\n)\x81.",
            "joblib.numpy_pickle.NDArrayWrapper",
        ),
        (
            b"Pname\n.",
            "x.pkl@0: opcode PERSID asks for something outside the file",
        ),
        (b"NQ.", "opcode BINPERSID"),
        (b"\x82\x01.", "opcode EXT1"),
        (b"\x83\x01\0.", "opcode EXT2"),
        (b"\x84\x01\0\0\0.", "opcode EXT4"),
        (b"\x97.", "opcode NEXT_BUFFER"),
        (b"\x98.", "opcode READONLY_BUFFER"),
    ] {
        let error = error(bytes);
        assert!(error.contains(want), "{error}");
    }
    let (heap, value) = run(b"cos\nsystem\n.").unwrap();
    assert_eq!(heap.describe(value), "os.system");
}

#[test]
fn broken_pickles_are_errors() {
    for code in 0..=255u8 {
        if !matches!(code, STOP | PROTO | FRAME) {
            assert!(run(&[code, STOP]).is_err() || b"N)]}\x88\x89\x8f".contains(&code));
        }
    }
    for (bytes, want) in [
        (&b""[..], "before its STOP"),
        (b".", "STOP with 0 values"),
        (b"NN.", "STOP with 2 values"),
        (b"(N.", "STOP with 1 values"),
        (b"N(\x85.", "too few values"),
        (b"t.", "no mark"),
        (b"g7\n.", "place 7 of the memo was never set"),
        (b"gx\n.", "not a number"),
        (b"}(Nu.", "has no value"),
        (b"NNa.", "None can't be extended by APPEND"),
        (b"\x80\x06N.", "pickle protocol 6"),
        (b"zN.", "0x7a is not a pickle opcode"),
        (b"N)R.", "None can't be called"),
        (
            b"cnumpy\ndtype\n)R.",
            "numpy.dtype can't be called with 0 arguments",
        ),
        (b"Snone\n.", "without its quotes"),
        (b"S'\n.", "without its quotes"),
    ] {
        let error = error(bytes);
        assert!(error.contains(want), "{}: {error}", bytes.escape_ascii());
    }
}

#[test]
fn bombs_end_soon() {
    let long = |start: &[u8], step: &[u8], n: usize| [start, &step.repeat(n)].concat();
    let mut laughs = b"](NNNNNNNNNNeq\x00".to_vec();
    for _ in 0..5000 {
        laughs.extend_from_slice(b"0](h\0h\0h\0h\0h\0eq\0");
    }
    laughs.push(b'.');
    let copies = [
        long(b"](", b"N", 100_000),
        b"eq\x000".to_vec(),
        b"c__builtin__\nlist\nh\0\x85R0".repeat(100_000),
    ]
    .concat();
    let beside = "objects beside the arrays take more than";
    for (name, bytes, want) in [
        ("nested tuples", long(b")", b"\x85", 3 << 20), beside),
        ("nested lists", long(b"", b"]", 3 << 20), beside),
        ("marks", long(b"", b"(", 8 << 20), beside),
        ("values", long(b"", b"N", 8 << 20), beside),
        ("memo", long(b"N", b"\x94", 4 << 20), beside),
        ("appends", long(b"]", b"Na", 4 << 20), beside),
        ("globals", long(b"", b"ca\nb\n", 1 << 20), beside),
        ("copies", copies, beside),
        (
            "digits",
            long(b"L", b"9", 2 << 20),
            "before its STOP|ends in a line",
        ),
        (
            "line",
            [long(b"L", b"9", 2 << 20), b"L\n.".to_vec()].concat(),
            "a line of 2097153",
        ),
        (
            "claim 8",
            b"\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.".to_vec(),
            "only 1 are left",
        ),
        ("claim 4", b"B\xff\xff\xff\xff.".to_vec(), "only 1 are left"),
        ("text", b"X\0\0\0\x80.".to_vec(), "only 1 are left"),
        (
            "negative",
            b"T\xff\xff\xff\xff.".to_vec(),
            "negative length",
        ),
        (
            "frame",
            b"\x80\x04\x95\xff\xff\xff\xff\0\0\0\0.".to_vec(),
            "only 1 are left",
        ),
        (
            "integer",
            b"\x8b\xff\xff\xff\x7f.".to_vec(),
            "an integer of 2147483647 bytes",
        ),
    ] {
        let start = Instant::now();
        let error = error(&bytes);
        assert!(
            want.split('|').any(|w| error.contains(w)),
            "{name}: {error}"
        );
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{name} takes too long"
        );
    }
    let (heap, value) = run(&laughs).unwrap();
    assert!(heap.describe(value).starts_with("a list of 5 items"));
    let (_, value) = run(b"Nr\xff\xff\xff\xff0j\xff\xff\xff\xff.").unwrap();
    assert_eq!(value, Value::None);
}
