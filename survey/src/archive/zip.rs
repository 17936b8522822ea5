//! The members of zip archives.

use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use flate2::read::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ReaderAt, ZipLocator};
use spr_core::bytes::{Env, Location, MemoryCounter, OpenedFile};
use spr_core::{Error, Result};

use super::mount::{Mount, Place, Room};

/// An archive with random access.
struct Places(Mutex<Box<dyn OpenedFile>>);

impl ReaderAt for Places {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read(buf)
    }
}

/// Reads the names and places of all members from the directory of the archive. Those that are
/// deflated are kept in a temporary file.
///
/// # Errors
/// The archive cannot be opened, or has no directory.
pub(super) fn mount(at: &Location, room: &Arc<Room>, env: &Env) -> Result<Mount> {
    let failed = |e: io::Error| Error::io("cannot open", e).file(at.to_string());
    let broken = |e: rawzip::Error| {
        Error::malformed(format!("is not a whole zip archive: {e}")).file(at.to_string())
    };
    let file = env.store().open(at).map_err(failed)?;
    let length = file.length().unwrap_or_default();
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let places = Places(Mutex::new(file));
    let located = ZipLocator::new().locate_in_reader(places, &mut buffer, length);
    let zip = located.map_err(|(_, e)| broken(e))?;
    let mut mount = Mount::new(at, room);
    let mut held = MemoryCounter::new("the members of an archive");
    let mut found = Vec::new();
    let mut entries = zip.entries(&mut buffer);
    while let Some(entry) = entries.next_entry().map_err(broken)? {
        if entry.is_dir() {
            continue;
        }
        let path = entry.file_path();
        let Some(name) = mount.name(path.as_bytes()) else {
            let error =
                Error::malformed("a member has a name that leads out of the archive, or too deep");
            mount.damage.push(error.file(at.to_string()));
            continue;
        };
        held.keep(
            name.as_os_str().len() + size_of_val(&entry.wayfinder()),
            &env.limits,
        )?;
        found.push((name, entry.wayfinder(), entry.compression_method()));
    }
    for (name, way, method) in found {
        let size = way.uncompressed_size_hint();
        let place = zip
            .get_entry(way)
            .map(|entry| entry.compressed_data_range());
        let (start, end) = match place {
            Ok(range) => range,
            Err(error) => {
                mount.damage.push(broken(error).file(name.to_string()));
                continue;
            }
        };
        let place = match method {
            CompressionMethod::STORE => Place::Slice { at: start },
            CompressionMethod::DEFLATE => {
                let mut packed = env.store().open(at).map_err(failed)?;
                packed.seek(SeekFrom::Start(start)).map_err(failed)?;
                let mut inner = DeflateDecoder::new(packed.take(end.saturating_sub(start)));
                let kept = mount.keep(&name, size, |most| {
                    let mut bytes = Vec::new();
                    let read = (&mut inner).take(most as u64).read_to_end(&mut bytes);
                    read.map_err(|e| Error::malformed(format!("cannot be unpacked: {e}")))?;
                    Ok(bytes)
                });
                match kept {
                    Ok(place) => place,
                    Err(error) => {
                        mount.damage.push(error.file(name.to_string()));
                        continue;
                    }
                }
            }
            _ => {
                let error = Error::unsupported("is packed in a way that is not read");
                mount.damage.push(error.file(name.to_string()));
                continue;
            }
        };
        mount.add(name, size, place, (&mut held, &env.limits))?;
    }
    Ok(mount)
}
