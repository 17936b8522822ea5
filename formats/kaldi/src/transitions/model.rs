//! The model itself: its topology and its tuples.

use std::collections::HashMap;

use spr_core::bytes::Source;
use spr_core::format::LabelTable;
use spr_core::{Error, Limits, Result};

use super::scan::Scanner;

/// What a transition id is mapped to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Phones,
    Pdfs,
}

/// The targets of the transitions out of each state of a phone's HMM.
type Entry = Vec<Vec<i32>>;

/// A state of the HMM of a phone, with its pdfs.
struct Tuple {
    phone: i32,
    state: i32,
    /// The pdf of transitions to other states.
    forward: i32,
    /// The pdf of the transition to the state itself.
    own: i32,
}

/// The part of a transition model that gives transition ids their meaning.
pub(super) struct Model {
    entries: Vec<Entry>,
    /// The entry of each phone.
    phones: HashMap<i32, usize>,
    tuples: Vec<Tuple>,
    /// The name of the file.
    name: String,
}

impl Model {
    /// Reads a model up to `</TransitionModel>`; what follows is the acoustic model.
    pub(super) fn read(source: Source, limits: &Limits) -> Result<Self> {
        let name = source.name().to_owned();
        let mut scan = Scanner::new(source, limits)?;
        scan.expect("<TransitionModel>")?;
        scan.expect("<Topology>")?;
        let mut model = Self {
            entries: Vec::new(),
            phones: HashMap::new(),
            tuples: Vec::new(),
            name,
        };
        match scan.is_binary {
            true => model.binary_topology(&mut scan)?,
            false => model.text_topology(&mut scan)?,
        }
        model.read_tuples(&mut scan)?;
        scan.expect("<LogProbs>")?;
        let values = scan.vector_length()?;
        scan.expect("</LogProbs>")?;
        scan.expect("</TransitionModel>")?;
        let ids = model.check(&scan)?;
        // Id 0 has a value that is not used.
        match values == ids + 1 {
            true => Ok(model),
            false => {
                let message = format!("has {values} log probabilities for {ids} transition ids");
                Err(Error::malformed(message).file(model.name))
            }
        }
    }

    /// Adds an entry of the topology for these phones.
    fn add(&mut self, scan: &Scanner, phones: &[i32], entry: Entry) -> Result<()> {
        for phone in phones {
            scan.hold("the phones of a topology", (self.phones.len() + 1) * 48)?;
            if self.phones.insert(*phone, self.entries.len()).is_some() {
                return Err(scan.malformed(format!("phone {phone} has two entries")));
            }
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Reads entries of `<ForPhones> … </ForPhones>` and `<State> … </State>`.
    fn text_topology(&mut self, scan: &mut Scanner) -> Result<()> {
        loop {
            match scan.word()?.as_str() {
                "</Topology>" => return Ok(()),
                "<TopologyEntry>" => {}
                other => {
                    return Err(scan.malformed(format!("expected </Topology>, found '{other}'")));
                }
            }
            scan.expect("<ForPhones>")?;
            let mut phones = Vec::new();
            loop {
                let word = scan.word()?;
                if word == "</ForPhones>" {
                    break;
                }
                scan.hold("the phones of an entry", (phones.len() + 1) * 4)?;
                phones.push(scan.parsed(&word)?);
            }
            let entry = text_entry(scan)?;
            self.add(scan, &phones, entry)?;
        }
    }

    /// Reads the phones, the entry of each phone by number, and the entries.
    fn binary_topology(&mut self, scan: &mut Scanner) -> Result<()> {
        let phones = scan.packed_integers("phones")?;
        let entry_of = scan.packed_integers("entries of phones")?;
        let mut count = scan.integer()?;
        // A count of -1 says that self-loops have pdf classes of their own.
        let has_own = count == -1;
        if has_own {
            count = scan.integer()?;
        }
        for n in 0..count {
            let states = scan.count("states")?;
            let mut entry = Entry::new();
            for _ in 0..states {
                scan.integer()?;
                if has_own {
                    scan.integer()?;
                }
                let transitions = scan.count("transitions")?;
                let mut targets = Vec::new();
                for _ in 0..transitions {
                    scan.hold("the transitions of a state", (targets.len() + 1) * 4)?;
                    targets.push(scan.integer()?);
                    scan.pass_probability()?;
                }
                scan.hold(
                    "the states of an entry",
                    (entry.len() + 1) * size_of::<Vec<i32>>(),
                )?;
                entry.push(targets);
            }
            let is_own = |phone: &&i32| {
                let at = usize::try_from(**phone).ok();
                at.and_then(|at| entry_of.get(at)) == Some(&n)
            };
            let own: Vec<_> = phones.iter().filter(is_own).copied().collect();
            self.add(scan, &own, entry)?;
        }
        scan.expect("</Topology>")
    }

    /// Reads `<Triples>`, or `<Tuples>` with a second pdf, of models whose self-loops have their own.
    fn read_tuples(&mut self, scan: &mut Scanner) -> Result<()> {
        let (has_own, end) = match scan.word()?.as_str() {
            "<Triples>" => (false, "</Triples>"),
            "<Tuples>" => (true, "</Tuples>"),
            other => return Err(scan.malformed(format!("expected <Triples>, found '{other}'"))),
        };
        for n in 1..=scan.count("tuples")? {
            scan.hold("the tuples of a model", n * size_of::<Tuple>())?;
            let [phone, state, forward] = [scan.integer()?, scan.integer()?, scan.integer()?];
            let own = match has_own {
                true => scan.integer()?,
                false => forward,
            };
            self.tuples.push(Tuple {
                phone,
                state,
                forward,
                own,
            });
        }
        scan.expect(end)
    }

    /// Returns the targets of the transitions out of the state of a tuple.
    fn transitions(&self, tuple: &Tuple) -> Option<&[i32]> {
        let entry = self.entries.get(*self.phones.get(&tuple.phone)?)?;
        let state = entry.get(usize::try_from(tuple.state).ok()?)?;
        Some(state)
    }

    /// Checks that each tuple is of a state in the topology, and returns the number of transition
    /// ids.
    fn check(&self, scan: &Scanner) -> Result<usize> {
        let mut ids = 0usize;
        for (tuple, number) in self.tuples.iter().zip(1..) {
            let Some(targets) = self.transitions(tuple) else {
                let (phone, state) = (tuple.phone, tuple.state);
                let message =
                    format!("tuple {number}: the topology has no state {state} of phone {phone}");
                return Err(Error::malformed(message).file(&self.name));
            };
            ids = ids.saturating_add(targets.len());
            scan.hold("the transition ids of a model", ids.saturating_mul(4))?;
        }
        Ok(ids)
    }

    /// Returns the phone or the pdf of each transition id.
    pub(super) fn table(&self, unit: Unit, limits: &Limits) -> Result<LabelTable> {
        let mut values = Vec::new();
        for tuple in &self.tuples {
            let targets = self.transitions(tuple).unwrap_or_default();
            let bytes = (values.len() + targets.len()) as u64 * 4;
            limits.bytes("the transition ids of a model", bytes)?;
            values.extend(targets.iter().map(|target| match unit {
                Unit::Phones => tuple.phone,
                Unit::Pdfs if *target == tuple.state => tuple.own,
                Unit::Pdfs => tuple.forward,
            }));
        }
        Ok(LabelTable::new(1, values))
    }
}

/// Reads the states of an entry up to `</TopologyEntry>`.
fn text_entry(scan: &mut Scanner) -> Result<Entry> {
    let mut entry = Entry::new();
    loop {
        match scan.word()?.as_str() {
            "</TopologyEntry>" => return Ok(entry),
            "<State>" => {}
            other => return Err(scan.malformed(format!("expected <State>, found '{other}'"))),
        }
        if scan.count("a state")? != entry.len() {
            let message = format!("expected state {}: states come in order", entry.len());
            return Err(scan.malformed(message));
        }
        scan.hold(
            "the states of an entry",
            (entry.len() + 1) * size_of::<Vec<i32>>(),
        )?;
        entry.push(text_state(scan)?);
    }
}

/// Reads a state up to `</State>`, and returns the targets of its transitions.
fn text_state(scan: &mut Scanner) -> Result<Vec<i32>> {
    let mut targets = Vec::new();
    loop {
        match scan.word()?.as_str() {
            "</State>" => return Ok(targets),
            "<PdfClass>" | "<ForwardPdfClass>" | "<SelfLoopPdfClass>" if targets.is_empty() => {
                scan.integer()?;
            }
            "<Transition>" => {
                scan.hold("the transitions of a state", (targets.len() + 1) * 4)?;
                targets.push(scan.integer()?);
                scan.pass_probability()?;
            }
            other => return Err(scan.malformed(format!("expected </State>, found '{other}'"))),
        }
    }
}
