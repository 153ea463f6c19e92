//! Records as bytes: the length of a record, the record, and a checksum that also covers all that
//! came before.
//!
//! A record refers back where it can: its time and its parents to earlier records, its words and
//! paths to names. A name is written out in the record in which it first occurs.

use super::records::Records;
use crate::terms::WORDS_VERSION;
use crc32fast::Hasher;
use kitbag_repo::ObjectId;
use std::sync::Arc;

/// What a file begins with.
const MAGIC: &[u8; 6] = b"kbhist";
/// Changes whenever the same commits would be written differently.
const FORMAT_VERSION: u8 = 1;
/// How long the beginning of a file is, with versions and checksum.
pub(super) const HEADER_BYTES: usize = MAGIC.len() + 2 + SUM_BYTES;
/// How long a checksum is.
pub(super) const SUM_BYTES: usize = 4;

const IS_CUT: u8 = 1;

/// The end of what was written or read, on which the next record builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tail {
    /// The checksum of everything up to here.
    pub sum: u32,
    time: i64,
    /// How many names are written.
    words: usize,
    paths: usize,
}

impl Default for Tail {
    fn default() -> Self {
        Self { sum: sum(0, &versions()), time: 0, words: 0, paths: 0 }
    }
}

fn versions() -> [u8; MAGIC.len() + 2] {
    let mut bytes = [0; MAGIC.len() + 2];
    bytes[..MAGIC.len()].copy_from_slice(MAGIC);
    bytes[MAGIC.len()..].copy_from_slice(&[FORMAT_VERSION, WORDS_VERSION as u8]);
    bytes
}

/// What a file of this version begins with.
pub(super) fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..HEADER_BYTES - SUM_BYTES].copy_from_slice(&versions());
    bytes[HEADER_BYTES - SUM_BYTES..].copy_from_slice(&Tail::default().sum.to_le_bytes());
    bytes
}

/// The checksum of what came before, continued.
fn sum(before: u32, bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new_with_initial(before);
    hasher.update(bytes);
    hasher.finalize()
}

/// Writes the record at `place`, which must be the one after those written before.
pub(super) fn encode(records: &Records, place: u32, tail: &mut Tail, out: &mut Vec<u8>) {
    let entry = records.entry(place);
    let mut payload = vec![if entry.is_cut { IS_CUT } else { 0 }];
    put_id(&mut payload, &entry.id);
    put_signed(&mut payload, entry.time.wrapping_sub(tail.time));
    tail.time = entry.time;
    let parents = records.parents(place);
    put(&mut payload, parents.len() as u64);
    for parent in parents {
        match records.place(parent).filter(|&earlier| earlier < place) {
            Some(earlier) => put(&mut payload, u64::from(place - earlier)),
            None => {
                put(&mut payload, 0);
                put_id(&mut payload, parent);
            }
        }
    }
    encode_paths(records, place, tail, &mut payload);
    encode_words(records, place, tail, &mut payload);
    tail.sum = sum(tail.sum, &payload);
    put(out, payload.len() as u64);
    out.extend(payload);
    out.extend(tail.sum.to_le_bytes());
}

fn encode_paths(records: &Records, place: u32, tail: &mut Tail, payload: &mut Vec<u8>) {
    let (paths, names) = (records.paths(place), &records.path_names.list);
    put(payload, paths.len() as u64);
    for &path in paths {
        put(payload, u64::from(path));
        if path as usize == tail.paths {
            // Most new paths are near the one before.
            let before = tail.paths.checked_sub(1).map_or("", |before| &names[before]).as_bytes();
            let name = names[path as usize].as_bytes();
            let same = name.iter().zip(before).take_while(|(left, right)| left == right).count();
            put(payload, same as u64);
            put(payload, (name.len() - same) as u64);
            payload.extend(&name[same..]);
            tail.paths += 1;
        }
    }
}

fn encode_words(records: &Records, place: u32, tail: &mut Tail, payload: &mut Vec<u8>) {
    put(payload, u64::from(records.entry(place).title_words));
    put(payload, records.words(place).len() as u64);
    for &word in records.words(place) {
        let name = records.word_names.find(&word).unwrap_or_default();
        put(payload, u64::from(name));
        if name as usize == tail.words {
            payload.extend(word.to_le_bytes());
            tail.words += 1;
        }
    }
}

/// Why reading stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// The bytes end within a record.
    Short,
    /// The bytes are not those that were written.
    Damaged,
}

/// Reads one record and gives the bytes after it.
pub(super) fn decode<'a>(
    bytes: &'a [u8],
    records: &mut Records,
    tail: &mut Tail,
) -> Result<&'a [u8], Stop> {
    let mut reader = Reader { bytes };
    let length = reader.number().ok_or(Stop::Short)?;
    let payload = reader.take(length).ok_or(Stop::Short)?;
    let written = reader.take(SUM_BYTES as u64).ok_or(Stop::Short)?;
    let expected = sum(tail.sum, payload);
    if written != expected.to_le_bytes() {
        return Err(Stop::Damaged);
    }
    let mut fields = Reader { bytes: payload };
    decode_fields(&mut fields, records, tail).ok_or(Stop::Damaged)?;
    tail.sum = expected;
    Ok(reader.bytes)
}

fn decode_fields(reader: &mut Reader, records: &mut Records, tail: &mut Tail) -> Option<()> {
    let flags = reader.byte()?;
    let id = reader.id()?;
    let time = tail.time.wrapping_add(reader.signed()?);
    for _ in 0..reader.number()? {
        let parent = match reader.number()? {
            0 => reader.id()?,
            back => {
                let place = (records.len() as u64).checked_sub(back)?;
                records.entry(place as u32).id
            }
        };
        records.push_parent(parent);
    }
    for _ in 0..reader.number()? {
        let path = reader.number()? as usize;
        if path == tail.paths {
            let name = decode_path(reader, records.path_names.list.last())?;
            records.path_names.list.push(name);
            tail.paths += 1;
        }
        records.push_path(path)?;
    }
    let title_words = reader.number()?;
    let words = reader.number()?;
    for _ in 0..words {
        let word = reader.number()? as usize;
        if word == tail.words {
            let name = reader.take(4)?.try_into().ok()?;
            records.word_names.list.push(u32::from_le_bytes(name));
            tail.words += 1;
        }
        records.push_word(word)?;
    }
    let is_whole = reader.bytes.is_empty() && title_words <= words;
    is_whole.then(|| records.finish(id, time, flags & IS_CUT != 0, title_words as u32))?;
    tail.time = time;
    Some(())
}

fn decode_path(reader: &mut Reader, before: Option<&Arc<str>>) -> Option<Arc<str>> {
    let before = before.map_or("", |before| before).as_bytes();
    let mut name = before.get(..usize::try_from(reader.number()?).ok()?)?.to_vec();
    let rest = reader.number()?;
    name.extend(reader.take(rest)?);
    String::from_utf8(name).ok().map(Arc::from)
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(usize::try_from(count).ok()?)?;
        self.bytes = rest;
        Some(taken)
    }

    fn id(&mut self) -> Option<ObjectId> {
        let length = self.byte()?;
        ObjectId::from_bytes(self.take(u64::from(length))?)
    }

    /// A number, seven bits a byte, the lowest first; the highest bit says that more follow.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn put_id(out: &mut Vec<u8>, id: &ObjectId) {
    out.push(id.as_bytes().len() as u8);
    out.extend(id.as_bytes());
}

fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, (number << 1 ^ number >> 63) as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive() {
        let mut bytes = Vec::new();
        let numbers = [0, 1, -1, 63, -64, 64, 1 << 40, i64::MAX, i64::MIN];
        numbers.iter().for_each(|&number| put_signed(&mut bytes, number));
        let mut reader = Reader { bytes: &bytes };
        assert_eq!(numbers.map(|_| reader.signed()), numbers.map(Some));
        assert_eq!(reader.number(), None);
        assert_eq!(Reader { bytes: &[0xff; 11] }.number(), None);
    }
}
