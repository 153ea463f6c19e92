//! Measures the memory of the values that a rendering creates.
//!
//! Every value that an expression creates counts, whether it is kept or not. This limits both the
//! memory and the time for copying, without a clock: the same template and pack always give the same
//! result.

use kitbag_text::Cancel;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};
use std::sync::atomic::{AtomicU64, Ordering};

/// Maximum total size of the values that one rendering creates, in bytes.
pub const MAX_CREATED_BYTES: u64 = 64 << 20;

/// Maximum number of visits to values: one per item, and one per [`BYTES_PER_VISIT`].
const MAX_VISITS: u64 = 1 << 26;
const BYTES_PER_VISIT: u64 = 64;

/// Maximum nesting of a value, because the engine traverses values recursively.
const MAX_DEPTH: usize = 32;

/// Size of a value in addition to its text, in bytes.
const VALUE_OVERHEAD: u64 = 16;

/// Filters that look only at the beginning of a value.
const CONSTANT_TIME: [&str; 9] =
    ["attr", "count", "d", "default", "first", "float", "int", "last", "length"];

/// Measures the values of one rendering at a time.
#[derive(Debug, Default)]
pub struct MemoryMeter {
    created_bytes: AtomicU64,
    visits: AtomicU64,
    cancel: Cancel,
}

impl MemoryMeter {
    pub fn new(cancel: &Cancel) -> Self {
        Self { cancel: cancel.clone(), ..Self::default() }
    }

    /// Starts another rendering.
    pub fn reset(&self) {
        self.created_bytes.store(0, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
    }

    pub fn check_cancelled(&self) -> Result<(), Error> {
        self.cancel.check().map_err(|cancelled| refused(cancelled.to_string()))
    }

    /// Records a new value.
    pub fn record(&self, value: &Value) -> Result<(), Error> {
        self.check_cancelled()?;
        let size = self.size(value, 1)?;
        let created = self.created_bytes.fetch_add(size, Ordering::Relaxed).saturating_add(size);
        check_bytes(created)
    }

    /// Fails if the result of an operation may be too large. `name` is a filter or an operator.
    pub fn check_operands(&self, name: &str, values: &[Value]) -> Result<(), Error> {
        self.check_cancelled()?;
        if CONSTANT_TIME.contains(&name) {
            return self.visit(values.iter().map(own_visits).sum());
        }
        let sizes =
            values.iter().map(|value| self.size(value, 1)).collect::<Result<Vec<_>, _>>()?;
        // `map` takes the name of the filter that it applies to each item.
        let mapped = values.get(1).and_then(Value::as_str).filter(|_| name == "map");
        check_bytes(match (mapped, values) {
            (Some(filter), [_, _, rest @ ..]) => max_result_size(filter, sizes[0], None, rest),
            (_, [first, rest @ ..]) => max_result_size(name, sizes[0], Some(first), rest),
            _ => 0,
        })
    }

    /// Returns the size of a value with all its items, in bytes.
    fn size(&self, value: &Value, depth: usize) -> Result<u64, Error> {
        self.visit(own_visits(value))?;
        let mut size = VALUE_OVERHEAD + byte_len(value);
        if !matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable | ValueKind::Map) {
            return check_bytes(size).map(|()| size);
        }
        if depth > MAX_DEPTH {
            return Err(refused(format!("a value is nested more than {MAX_DEPTH} deep")));
        }
        for item in value.try_iter().into_iter().flatten() {
            size = size.saturating_add(self.size(&item, depth + 1)?);
            if value.kind() == ValueKind::Map
                && let Ok(map_value) = value.get_item(&item)
            {
                size = size.saturating_add(self.size(&map_value, depth + 1)?);
            }
            check_bytes(size)?;
        }
        Ok(size)
    }

    fn visit(&self, visits: u64) -> Result<(), Error> {
        let before = self.visits.fetch_add(visits, Ordering::Relaxed);
        if before.saturating_add(visits) > MAX_VISITS {
            return Err(refused("the template visits too many values".to_owned()));
        }
        Ok(())
    }
}

fn refused(detail: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, detail)
}

fn check_bytes(bytes: u64) -> Result<(), Error> {
    if bytes > MAX_CREATED_BYTES {
        let max = MAX_CREATED_BYTES >> 20;
        return Err(refused(format!("the template's values exceed {max} MB")));
    }
    Ok(())
}

/// Returns an upper bound on the result of operations that can create much more than a few times
/// their operands; 0 for all others. `size` is the size of the first operand.
fn max_result_size(name: &str, size: u64, first: Option<&Value>, rest: &[Value]) -> u64 {
    let number = rest.iter().map(largest_number).max().unwrap_or(0);
    let lengths: u64 = rest.iter().map(|value| byte_len(value) + argument_bytes(value)).sum();
    match name {
        "replace" | "join" | "indent" => {
            size.saturating_mul(lengths.saturating_add(number).saturating_add(1))
        }
        "format" => {
            let width = first.and_then(Value::as_str).map_or(u64::MAX, largest_written_number);
            let each = lengths.saturating_add(number).saturating_add(width);
            size.saturating_mul(each.saturating_add(1))
        }
        // Every item may be on its own line, indented by its depth.
        "tojson" | "pprint" => {
            let indent = number.max(4).saturating_mul(MAX_DEPTH as u64) / VALUE_OVERHEAD;
            size.saturating_mul(indent.saturating_add(1))
        }
        "batch" | "slice" => number.saturating_mul(2 * VALUE_OVERHEAD),
        "*" => {
            let times = first.map_or(0, largest_number).max(number);
            size.max(lengths).saturating_mul(times)
        }
        _ => 0,
    }
}

/// Returns the largest number in a format string, which may be a width.
fn largest_written_number(text: &str) -> u64 {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    numbers.map(|digits| digits.parse().unwrap_or(u64::MAX)).max().unwrap_or(0)
}

/// Returns the values of a map, such as keyword arguments; nothing for other values.
fn map_values(value: &Value) -> impl Iterator<Item = Value> {
    let map = Some(value).filter(|value| value.kind() == ValueKind::Map);
    let keys = map.and_then(|map| map.try_iter().ok()).into_iter().flatten();
    keys.filter_map(|key| value.get_item(&key).ok())
}

fn argument_bytes(value: &Value) -> u64 {
    map_values(value)
        .map(|it| it.as_bytes().map_or(VALUE_OVERHEAD, |bytes| bytes.len() as u64))
        .sum()
}

fn largest_number(value: &Value) -> u64 {
    let number = |value: &Value| value.as_usize().map_or(0, |number| number as u64);
    map_values(value).map(|it| number(&it)).max().unwrap_or(0).max(number(value))
}

fn byte_len(value: &Value) -> u64 {
    value.as_bytes().map_or(0, |bytes| bytes.len() as u64)
}

/// Returns the visits for a value without its items.
fn own_visits(value: &Value) -> u64 {
    1 + byte_len(value) / BYTES_PER_VISIT
}
