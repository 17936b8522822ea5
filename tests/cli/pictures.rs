//! What pictures say in words: names of labels, colours, values beyond them.

use super::{Scratch, sample};

#[test]
fn labels_have_the_names_of_a_table() {
    let s = Scratch::new();
    let (ark, ali) = (sample("fbank.ark"), sample("ali.txt"));
    s.ok(&format!("{ark} --labels {ali} a.pfile"));
    let phones: String = (0..23).map(|i| format!("ph{i} {i}\n")).collect();
    s.write("phones.txt", phones);
    let names = "--symbols phones.txt";
    s.ok(&format!("plot a.pfile ann-001 {names} -o a.svg"));
    s.ok(&format!("plot a.pfile --kind labels {names} -o all.svg"));
    s.ok(&format!("report a.pfile {names} -o a.html"));
    for (name, shown) in [
        ("a.svg", ">ph4</text>"),
        ("all.svg", ">ph0</text>"),
        ("a.html", ">ph4</text>"),
    ] {
        let text = String::from_utf8(s.read(name)).unwrap();
        assert!(text.contains(shown), "{name}: {text}");
    }
    let bars = s.ok(&format!("plot a.pfile --kind labels {names}")).out;
    // A label that the table does not have keeps its number.
    assert!(
        bars.contains(" ph22  ") && bars.contains("   23  "),
        "{bars}"
    );
    let track = s.ok(&format!("plot a.pfile ann-001 {names}")).out;
    assert!(track.contains("|ph4 "), "{track}");
    let fault = s.run("plot a.pfile ann-001 --symbols nowhere.txt");
    assert!(fault.err.contains("nowhere.txt"), "{}", fault.err);
}

#[test]
fn values_far_out_and_no_values_are_told() {
    let s = Scratch::new();
    let row = "[1,2,3,1e30],[4,5,6,1e30]";
    s.write(
        "f.jsonl",
        format!(
            "{{\"key\":\"whole\",\"features\":{{\"dtype\":\"f64\",\"shape\":[2,4],\"data\":[{row}]}}}}\n\
             {{\"key\":\"torn\",\"features\":{{\"dtype\":\"f64\",\"shape\":[3,4],\"data\":[{row},[\"nan\",1,1,1]]}}}}\n"
        ),
    );
    let (whole, torn) = (
        s.ok("plot f.jsonl whole").out,
        s.ok("plot f.jsonl torn").out,
    );
    assert!(whole.contains(" 6.0  1.0e0 to 1.0e30 in all\n"), "{whole}");
    assert!(torn.contains("  ? NaN/inf\n"), "{torn}");
    let svg = s.ok("plot f.jsonl whole torn -o - --to svg").out;
    assert_eq!(svg.matches(">NaN/inf</text>").count(), 1, "{svg}");
    assert_eq!(svg.matches("in all</text>").count(), 2, "{svg}");
    let all = s.ok("plot f.jsonl --kind dims").out;
    let named = "NaN or infinite values in one utterance: torn\n";
    assert!(all.starts_with(named), "{all}");
}
