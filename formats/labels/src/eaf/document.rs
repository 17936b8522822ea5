//! The elements of a document that say what is annotated when. The facts are from the schema, EAF 3.0.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use spr_core::{Error, Result};

use super::{ROOT, UNIT};

/// The most elements inside one another. The schema has six.
const DEPTH: usize = 32;

/// A document as it is stored.
#[derive(Default)]
pub(super) struct Document {
    /// The milliseconds of the time slots, some of which have none.
    pub(super) slots: HashMap<String, Option<u64>>,
    pub(super) tiers: Vec<StoredTier>,
    /// Set if a recording starts at another time than the document.
    pub(super) is_shifted: bool,
}

/// A tier as it is stored.
#[derive(Default)]
pub(super) struct StoredTier {
    pub(super) name: String,
    pub(super) participant: Option<String>,
    pub(super) has_parent: bool,
    pub(super) annotations: Vec<Annotation>,
}

/// An annotation as it is stored.
pub(super) struct Annotation {
    pub(super) id: String,
    pub(super) times: Times,
    pub(super) value: String,
}

/// The source of an annotation's times.
pub(super) enum Times {
    /// Two time slots.
    Slots(String, String),
    /// Another annotation.
    Parent(String),
}

impl Document {
    /// Parses a document. Entities other than those of XML itself are refused, and nothing is expanded.
    ///
    /// # Errors
    /// It is not one, or cut off.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self> {
        let mut document = Self::default();
        let mut reader = Reader::from_reader(bytes);
        let (mut depth, mut has_root, mut value) = (0, false, None::<String>);
        loop {
            let event = reader.read_event();
            let at = reader.buffer_position();
            let wrong = |why: String| Error::malformed(format!("byte {at}: {why}"));
            match event.map_err(|e| wrong(format!("not XML: {e}")))? {
                Event::Start(element) => {
                    if depth == 0 && (has_root || element.name().as_ref() != ROOT.as_bytes()) {
                        return Err(wrong(format!("expected one element {ROOT}")));
                    }
                    (depth, has_root) = (depth + 1, true);
                    if depth > DEPTH {
                        return Err(wrong(format!("more than {DEPTH} elements in one another")));
                    }
                    if element.name().as_ref() == b"ANNOTATION_VALUE" {
                        value = Some(String::new());
                    }
                    document.element(&element).map_err(wrong)?;
                }
                Event::Empty(element) => document.element(&element).map_err(wrong)?,
                Event::End(element) => {
                    depth -= 1;
                    if element.name().as_ref() == b"ANNOTATION_VALUE"
                        && let Some(value) = value.take()
                        && let Some(tier) = document.tiers.last_mut()
                        && let Some(annotation) = tier.annotations.last_mut()
                    {
                        annotation.value = value;
                    }
                }
                Event::Text(text) => {
                    let text = text.xml10_content().map_err(|_| wrong(NOT_UTF8.into()))?;
                    match &mut value {
                        Some(value) => value.push_str(&text),
                        None if depth == 0 && !text.trim_ascii().is_empty() => {
                            return Err(wrong("text outside of the document".to_owned()));
                        }
                        None => {}
                    }
                }
                Event::CData(text) => {
                    let text = text.xml10_content().map_err(|_| wrong(NOT_UTF8.into()))?;
                    value.iter_mut().for_each(|value| value.push_str(&text));
                }
                Event::GeneralRef(name) => {
                    let number = name.resolve_char_ref();
                    let number = number.map_err(|e| wrong(format!("not XML: {e}")))?;
                    let name = name.xml10_content().map_err(|_| wrong(NOT_UTF8.into()))?;
                    let text = match number {
                        Some(c) => c.to_string(),
                        None => resolve_predefined_entity(&name)
                            .ok_or_else(|| wrong(format!("the entity '{name}' is not of XML")))?
                            .to_owned(),
                    };
                    value.iter_mut().for_each(|value| value.push_str(&text));
                }
                Event::DocType(_) => {
                    return Err(wrong(
                        "a definition of entities, which ELAN has none of".into(),
                    ));
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
                Event::Eof if depth == 0 && has_root => return Ok(document),
                Event::Eof => {
                    return Err(Error::truncated("the file ends inside the document"));
                }
            }
        }
    }

    /// Takes what the attributes of an element say.
    fn element(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let attribute = |name: &str| -> Result<Option<String>, String> {
            let found = element.try_get_attribute(name);
            let found = found.map_err(|e| format!("not XML: {e}"))?;
            let value = found.map(|found| found.normalized_value(quick_xml::XmlVersion::default()));
            let value = value.transpose().map_err(|e| format!("not XML: {e}"))?;
            Ok(value.map(std::borrow::Cow::into_owned))
        };
        let name = element.name();
        let name = String::from_utf8_lossy(name.as_ref());
        let required =
            |own: &str| attribute(own)?.ok_or_else(|| format!("an element {name} without {own}"));
        match &*name {
            "HEADER" => match attribute("TIME_UNITS")? {
                Some(unit) if unit != UNIT => {
                    return Err(format!("times in {unit}, which are not read; {UNIT} are"));
                }
                _ => {}
            },
            "MEDIA_DESCRIPTOR" => {
                let origin = attribute("TIME_ORIGIN")?;
                self.is_shifted |= origin.is_some_and(|origin| origin.trim() != "0");
            }
            "TIME_SLOT" => {
                let (id, value) = (required("TIME_SLOT_ID")?, attribute("TIME_VALUE")?);
                let number = |text: String| {
                    let number = text.parse::<u64>().ok();
                    number.ok_or_else(|| format!("the time '{text}' is not whole milliseconds"))
                };
                let value = value.map(number).transpose()?;
                if self.slots.insert(id.clone(), value).is_some() {
                    return Err(format!("a second time slot '{id}'"));
                }
            }
            "TIER" => {
                let name = required("TIER_ID")?;
                if self.tiers.iter().any(|tier| tier.name == name) {
                    return Err(format!("a second tier '{name}'"));
                }
                self.tiers.push(StoredTier {
                    name,
                    participant: attribute("PARTICIPANT")?.filter(|name| !name.is_empty()),
                    has_parent: attribute("PARENT_REF")?.is_some(),
                    annotations: Vec::new(),
                });
            }
            "ALIGNABLE_ANNOTATION" | "REF_ANNOTATION" => {
                let times = match &*name {
                    "REF_ANNOTATION" => Times::Parent(required("ANNOTATION_REF")?),
                    _ => Times::Slots(required("TIME_SLOT_REF1")?, required("TIME_SLOT_REF2")?),
                };
                let annotation = Annotation {
                    id: required("ANNOTATION_ID")?,
                    times,
                    value: String::new(),
                };
                let tier = self.tiers.last_mut();
                let tier = tier.ok_or("an annotation outside of a tier")?;
                tier.annotations.push(annotation);
            }
            _ => {}
        }
        Ok(())
    }
}

const NOT_UTF8: &str = "text that is not UTF-8";
