//! What a rendering has made, weighed value by value.
//!
//! Everything counts that an expression makes, whether it is kept or not, so memory is bounded
//! however a template goes about it, and so is the time that copying takes. Nothing depends on the
//! clock: the same template and the same pack give the same result.

use kitbag_text::Cancel;
use minijinja::value::{ValueIter, ValueKind};
use minijinja::{Error, ErrorKind, Value};
use std::sync::atomic::{AtomicU64, Ordering};

/// The bytes that the values of one rendering may take, one after the other.
pub const MOST_MADE: u64 = 64 << 20;

/// How often values may be looked at, counted by items and by so many bytes.
const MOST_SEEN: u64 = 1 << 26;
const BYTES_AT_ONCE: u64 = 64;

/// The lists within lists that a value may have: the engine descends into them.
const DEEPEST: usize = 32;

/// What a value costs beside its text.
const HEAD: u64 = 16;

/// What looks at no more than the beginning of a value.
const GLANCE: [&str; 9] =
    ["attr", "count", "d", "default", "first", "float", "int", "last", "length"];

/// Weighs what a rendering makes.
#[derive(Debug, Default)]
pub struct Meter {
    made: AtomicU64,
    seen: AtomicU64,
    cancel: Cancel,
}

impl Meter {
    pub fn new(cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..Self::default() }
    }

    /// Another rendering begins.
    pub fn reset(&self) {
        self.made.store(0, Ordering::Relaxed);
        self.seen.store(0, Ordering::Relaxed);
    }

    /// Fails once the pack is cancelled.
    pub fn go_on(&self) -> Result<(), Error> {
        self.cancel.check().map_err(|cancelled| refused(cancelled.to_string()))
    }

    /// Counts a value that was made.
    pub fn made(&self, value: &Value) -> Result<(), Error> {
        self.go_on()?;
        let weight = self.weigh(value)?;
        let made = self.made.fetch_add(weight, Ordering::Relaxed).saturating_add(weight);
        if made > MOST_MADE { Err(too_much()) } else { Ok(()) }
    }

    /// Fails where what an operation makes of `values` might be too large. `name` is that of a
    /// filter, or a sign.
    pub fn before(&self, name: &str, values: &[Value]) -> Result<(), Error> {
        self.go_on()?;
        if GLANCE.contains(&name) {
            return self.look(values.iter().map(glance).sum());
        }
        let weights =
            values.iter().map(|value| self.weigh(value)).collect::<Result<Vec<_>, _>>()?;
        let inner = values.get(1).and_then(Value::as_str).filter(|_| name == "map");
        let most = match (inner, values) {
            // `map` is given the name of what it applies to each.
            (Some(inner), [_, _, rest @ ..]) => bound(inner, weights[0], None, rest),
            (_, [first, rest @ ..]) => bound(name, weights[0], Some(first), rest),
            _ => 0,
        };
        if most > MOST_MADE { Err(too_much()) } else { Ok(()) }
    }

    /// What a value takes, with all that is in it.
    fn weigh(&self, value: &Value) -> Result<u64, Error> {
        let mut within: Vec<Level> = Vec::new();
        let mut weight = own(value);
        within.extend(Level::of(value));
        let mut seen = glance(value);
        while let Some(level) = within.last_mut() {
            let Some(item) = level.next() else {
                within.pop();
                continue;
            };
            weight = weight.saturating_add(own(&item));
            seen += glance(&item);
            if weight > MOST_MADE {
                return Err(too_much());
            }
            if let Some(level) = Level::of(&item) {
                if within.len() == DEEPEST {
                    return Err(refused(format!("more than {DEEPEST} values within each other")));
                }
                within.push(level);
            }
        }
        self.look(seen)?;
        if weight > MOST_MADE { Err(too_much()) } else { Ok(weight) }
    }

    fn look(&self, seen: u64) -> Result<(), Error> {
        let before = self.seen.fetch_add(seen, Ordering::Relaxed);
        let is_too_often = before.saturating_add(seen) > MOST_SEEN;
        if is_too_often { Err(refused("it looks at too many values".to_owned())) } else { Ok(()) }
    }
}

fn refused(detail: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, detail)
}

fn too_much() -> Error {
    refused(format!("its values take more than {} MB", MOST_MADE >> 20))
}

/// The most that an operation can make of a value of some weight, where that is more than a few times
/// what it is given; 0 where it is not.
fn bound(name: &str, weight: u64, first: Option<&Value>, rest: &[Value]) -> u64 {
    let length = |value: &Value| value.as_bytes().map_or(0, |bytes| bytes.len() as u64);
    let number = rest.iter().map(largest_number).max().unwrap_or(0);
    let lengths: u64 = rest.iter().map(|value| length(value) + longest_within(value)).sum();
    match name {
        "replace" | "join" | "indent" => {
            weight.saturating_mul(lengths.saturating_add(number).saturating_add(1))
        }
        "format" => {
            let width = first.and_then(Value::as_str).map_or(u64::MAX, largest_written);
            let each = lengths.saturating_add(number).saturating_add(width);
            weight.saturating_mul(each.saturating_add(1))
        }
        // Every item may stand on a line of its own, as deep as it is.
        "tojson" | "pprint" => {
            let indent = number.max(4).saturating_mul(DEEPEST as u64) / HEAD;
            weight.saturating_mul(indent.saturating_add(1))
        }
        "batch" | "slice" => number.saturating_mul(2 * HEAD),
        "*" => {
            let times = first.map_or(0, largest_number).max(number);
            weight.max(lengths).saturating_mul(times)
        }
        _ => 0,
    }
}

/// The largest number in a text: widths stand in formats.
fn largest_written(text: &str) -> u64 {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    numbers.map(|digits| digits.parse().unwrap_or(u64::MAX)).max().unwrap_or(0)
}

/// The longest text among the values of a map: keyword arguments are one.
fn longest_within(value: &Value) -> u64 {
    if value.kind() != ValueKind::Map {
        return 0;
    }
    let keys = value.try_iter().into_iter().flatten();
    let values = keys.filter_map(|key| value.get_item(&key).ok());
    values.map(|it| it.as_bytes().map_or(HEAD, |bytes| bytes.len() as u64)).sum()
}

/// What it takes to go through a value, without what is in it.
fn glance(value: &Value) -> u64 {
    1 + value.as_bytes().map_or(0, |bytes| bytes.len() as u64) / BYTES_AT_ONCE
}

/// What a value takes without what is in it.
fn own(value: &Value) -> u64 {
    HEAD + value.as_bytes().map_or(0, |bytes| bytes.len() as u64)
}

fn largest_number(value: &Value) -> u64 {
    let named = |value: &Value| value.as_usize().map_or(0, |number| number as u64);
    match value.kind() {
        ValueKind::Map => {
            let keys = value.try_iter().into_iter().flatten();
            keys.filter_map(|key| value.get_item(&key).ok()).map(|it| named(&it)).max().unwrap_or(0)
        }
        _ => named(value),
    }
}

/// The items of a value, or the keys and the values of a map.
struct Level {
    map: Option<Value>,
    items: ValueIter,
    pending: Option<Value>,
}

impl Level {
    fn of(value: &Value) -> Option<Self> {
        let map = match value.kind() {
            ValueKind::Seq | ValueKind::Iterable => None,
            ValueKind::Map => Some(value.clone()),
            _ => return None,
        };
        Some(Self { map, items: value.try_iter().ok()?, pending: None })
    }

    fn next(&mut self) -> Option<Value> {
        if let Some(pending) = self.pending.take() {
            return Some(pending);
        }
        let item = self.items.next()?;
        if let Some(map) = &self.map {
            self.pending = map.get_item(&item).ok();
        }
        Some(item)
    }
}
