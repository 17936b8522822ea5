//! The objects, and what becomes of requests for them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::answer::Answer;
use super::fault::Fault;
use super::request::Request;

/// An object.
#[derive(Clone)]
pub(super) struct Object {
    pub(super) bytes: Arc<Vec<u8>>,
    tag: u64,
}

/// All objects by `bucket/name`, and uploads in parts by their numbers.
#[derive(Default)]
pub(super) struct Bucket {
    objects: BTreeMap<String, Object>,
    uploads: BTreeMap<u64, BTreeMap<u32, Vec<u8>>>,
    count: u64,
}

impl Bucket {
    pub(super) fn put(&mut self, name: &str, bytes: Vec<u8>) -> u64 {
        self.count += 1;
        let object = Object {
            bytes: Arc::new(bytes),
            tag: self.count,
        };
        self.objects.insert(name.to_owned(), object);
        self.count
    }

    pub(super) fn get(&self, name: &str) -> Option<&Object> {
        self.objects.get(name)
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.objects.keys().cloned().collect()
    }

    pub(super) fn uploads(&self) -> usize {
        self.uploads.len()
    }

    /// Gives an object other bytes of the same number.
    pub(super) fn change(&mut self, name: &str) {
        if let Some(object) = self.objects.get(name) {
            let bytes = object.bytes.iter().map(|byte| byte ^ 1).collect();
            self.put(name, bytes);
        }
    }

    pub(super) fn answer(&mut self, request: &Request, fault: Option<&Fault>) -> Answer {
        let upload = request.field("uploadId").and_then(|id| id.parse().ok());
        match (request.method.as_str(), upload) {
            ("GET", _) if request.field("list-type").is_some() => self.list(request),
            ("GET" | "HEAD", _) => self.give(request, fault),
            ("POST", None) if request.field("uploads").is_some() => {
                self.count += 1;
                self.uploads.insert(self.count, BTreeMap::new());
                xml(&format!(
                    "<InitiateMultipartUploadResult><UploadId>{}</UploadId></InitiateMultipartUploadResult>",
                    self.count
                ))
            }
            ("POST", None) if request.field("delete").is_some() => self.delete_all(request),
            ("PUT", Some(id)) => self.take_part(id, request),
            ("POST", Some(id)) => self.complete(id, &request.name),
            ("DELETE", Some(id)) => match self.uploads.remove(&id) {
                Some(_) => Answer::status(204),
                None => Answer::status(404),
            },
            ("PUT", None) => {
                // As S3 says that there is to be none, and as Google does.
                let conditions = ["if-none-match", "x-goog-if-generation-match"];
                if conditions.iter().any(|name| request.header(name).is_some())
                    && self.objects.contains_key(&request.name)
                {
                    return Answer::status(412);
                }
                let tag = self.put(&request.name, request.body.clone());
                Answer::status(200).with("ETag", &quoted(tag))
            }
            ("DELETE", None) => {
                self.objects.remove(&request.name);
                Answer::status(204)
            }
            _ => Answer::status(405),
        }
    }

    fn give(&self, request: &Request, fault: Option<&Fault>) -> Answer {
        let Some(object) = self.objects.get(&request.name) else {
            return Answer::status(404);
        };
        let tag = quoted(object.tag);
        if request
            .header("if-match")
            .is_some_and(|wanted| wanted != tag)
        {
            return Answer::status(412);
        }
        let length = object.bytes.len();
        let range = request.range(length);
        let range = range.filter(|_| !matches!(fault, Some(Fault::Whole | Fault::Bare)));
        let answer = match range {
            Some((first, _)) if first >= length => return Answer::status(416),
            Some((first, end)) => {
                let short = match fault {
                    Some(Fault::Short) => (end - first) / 2,
                    _ => 0,
                };
                let status = match fault {
                    Some(Fault::Unsaid) => 200,
                    _ => 206,
                };
                Answer::of(status, object.bytes[first..end - short].to_vec()).with(
                    "Content-Range",
                    &format!("bytes {first}-{}/{length}", end - 1),
                )
            }
            None => Answer::of(200, object.bytes.to_vec()),
        };
        let answer = match fault {
            Some(Fault::Packed) => answer.with("Content-Encoding", "gzip"),
            _ => answer,
        };
        match fault {
            Some(Fault::Bare) => answer,
            Some(Fault::Tagless | Fault::TaglessCut(_)) => {
                answer.with("Last-Modified", &moment(object.tag))
            }
            _ => answer
                .with("ETag", &tag)
                .with("Last-Modified", &moment(object.tag)),
        }
    }

    fn take_part(&mut self, id: u64, request: &Request) -> Answer {
        let number = request.field("partNumber").and_then(|n| n.parse().ok());
        match (self.uploads.get_mut(&id), number) {
            (Some(parts), Some(number)) => {
                parts.insert(number, request.body.clone());
                Answer::status(200).with("ETag", &quoted(u64::from(number)))
            }
            _ => Answer::status(404),
        }
    }

    fn delete_all(&mut self, request: &Request) -> Answer {
        let text = String::from_utf8_lossy(&request.body);
        let keys = text
            .split("<Key>")
            .skip(1)
            .filter_map(|rest| rest.split_once("</Key>"));
        let bucket = request.name.trim_end_matches('/');
        let mut deleted = String::new();
        for (key, _) in keys {
            self.objects.remove(&format!("{bucket}/{key}"));
            deleted.push_str(&format!("<Deleted><Key>{key}</Key></Deleted>"));
        }
        xml(&format!("<DeleteResult>{deleted}</DeleteResult>"))
    }

    fn complete(&mut self, id: u64, name: &str) -> Answer {
        let Some(parts) = self.uploads.remove(&id) else {
            return Answer::status(404);
        };
        let bytes = parts.into_values().flatten().collect();
        let tag = quoted(self.put(name, bytes));
        xml(&format!(
            "<CompleteMultipartUploadResult><ETag>{tag}</ETag></CompleteMultipartUploadResult>"
        ))
    }

    fn list(&self, request: &Request) -> Answer {
        let bucket = request.name.trim_end_matches('/');
        let prefix = request.field("prefix").unwrap_or_default();
        let apart = request.field("delimiter").is_some();
        let (mut files, mut folders) = (String::new(), BTreeSet::new());
        for (name, object) in &self.objects {
            let Some(key) = name.strip_prefix(&format!("{bucket}/")) else {
                continue;
            };
            let Some(rest) = key.strip_prefix(&prefix) else {
                continue;
            };
            match rest.split_once('/').filter(|_| apart) {
                Some((folder, _)) => drop(folders.insert(format!("{prefix}{folder}/"))),
                None => files.push_str(&format!(
                    "<Contents><Key>{key}</Key><LastModified>2020-01-01T00:00:00.000Z</LastModified>\
                     <ETag>{}</ETag><Size>{}</Size></Contents>",
                    quoted(object.tag),
                    object.bytes.len()
                )),
            }
        }
        let folders: String = folders
            .iter()
            .map(|folder| format!("<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>"))
            .collect();
        xml(&format!(
            "<ListBucketResult><IsTruncated>false</IsTruncated>{files}{folders}</ListBucketResult>"
        ))
    }
}

fn xml(text: &str) -> Answer {
    Answer::of(200, text.as_bytes().to_vec()).with("Content-Type", "application/xml")
}

fn quoted(tag: u64) -> String {
    format!("\"{tag}\"")
}

/// A time that is another one for each tag.
fn moment(tag: u64) -> String {
    format!(
        "Wed, 01 Jan 2020 00:{:02}:{:02} GMT",
        tag / 60 % 60,
        tag % 60
    )
}
