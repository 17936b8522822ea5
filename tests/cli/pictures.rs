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
