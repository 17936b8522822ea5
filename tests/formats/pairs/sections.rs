//! What is expected of each format, as `formats/NAME/tests/pairs.txt` says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use spr_convert::builtin;
use spr_convert::core::loss::LossKind;

use super::data::DATA;

/// What should come of writing a data set in a format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expect {
    /// Everything comes back.
    Same,
    /// The loss of this name is refused; header lines and the like go with a warning.
    Loss(String),
    /// Refused, and no flag helps.
    Refused,
    /// Refused, as sound can't be loaded from the file that is not there.
    Missing,
}
pub(crate) use Expect::{Loss, Missing, Refused, Same};

impl Expect {
    fn parse(text: &str) -> Option<Self> {
        Some(match text.split_once(' ') {
            None if text == "same" => Same,
            None if text == "refused" => Refused,
            None if text == "missing" => Missing,
            Some(("loss", kind)) => Loss(kind.parse::<LossKind>().ok()?.name().to_owned()),
            _ => return None,
        })
    }
}

/// A sort of output.
pub(crate) struct Section {
    /// `FORMAT` or `WHAT of FORMAT`.
    pub(crate) name: String,
    /// What names of such outputs end in.
    pub(crate) ending: String,
    /// By data set.
    pub(crate) expect: BTreeMap<String, Expect>,
}

impl Section {
    fn format(&self) -> &str {
        self.name.rsplit(' ').next().unwrap()
    }
}

/// The sections of all formats, and what is wrong with them.
pub(crate) fn sections() -> (Vec<Section>, Vec<String>) {
    let (mut all, mut faults) = (Vec::<Section>::new(), Vec::new());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("formats");
    let crates = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = crates
        .map(|entry| entry.unwrap().path().join("tests/pairs.txt"))
        .collect();
    files.sort();
    for file in files {
        let place = file.display();
        let Ok(text) = fs::read_to_string(&file) else {
            faults.push(format!("{place}: is missing"));
            continue;
        };
        let lines = text.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let heading = line.strip_prefix('[').and_then(|l| l.strip_suffix(']'));
            if let Some((name, ending)) = heading.and_then(|h| h.rsplit_once(' ')) {
                all.push(Section {
                    name: name.to_owned(),
                    ending: ending.to_owned(),
                    expect: BTreeMap::new(),
                });
                continue;
            }
            let expect = line.split_once(": ");
            let expect = expect.and_then(|(data, e)| Some((data, Expect::parse(e)?)));
            match (all.last_mut(), expect) {
                (Some(section), Some((data, expect))) => {
                    if !DATA.iter().any(|(name, _)| *name == data) {
                        let name = &section.name;
                        faults.push(format!("{place}: {name}: no data set is called '{data}'"));
                    } else if section.expect.insert(data.to_owned(), expect).is_some() {
                        faults.push(format!("{place}: {}: '{data}' twice", section.name));
                    }
                }
                _ => faults.push(format!("{place}: not understood: {line}")),
            }
        }
    }
    for section in &all {
        for (data, _) in DATA.iter().filter(|d| !section.expect.contains_key(d.0)) {
            faults.push(format!("{}: nothing is said of '{data}'", section.name));
        }
    }
    let registry = builtin::registry();
    let said: BTreeSet<_> = all.iter().map(Section::format).collect();
    let known: BTreeSet<_> = registry.names().into_iter().collect();
    let missing = known.difference(&said);
    faults.extend(missing.map(|f| format!("the format {f} has no section in a pairs.txt")));
    let unknown = said.difference(&known);
    faults.extend(unknown.map(|f| format!("a section for {f}, which is not registered")));
    (all, faults)
}
