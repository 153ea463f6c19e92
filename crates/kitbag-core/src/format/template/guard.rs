//! Inserts memory checks into a compiled template.
//!
//! Checks are inserted before operations whose result can be much larger than their operands, after
//! operations that create values, and in every iteration of a loop, where a cancelled pack stops.

use super::meter::MemoryMeter;
use super::{Template, TemplateError};
use minijinja::machinery::{Instruction, Instructions};
use minijinja::value::{Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, escape_formatter};
use std::sync::Arc;

// The checks are filters, with names that a template cannot spell.
const CHECK_OPERANDS: &str = "\0check_operands";
const CHECK_RESULT: &str = "\0check_result";
const CHECK_CANCELLED: &str = "\0check_cancelled";
const KEEP_TARGET: &str = "\0keep_target";

/// Disables the cache for looking up a filter.
const NO_CACHE_SLOT: u8 = u8::MAX;

/// Registers the checks.
pub fn install(environment: &mut Environment<'_>, meter: &Arc<MemoryMeter>) {
    let it = Arc::clone(meter);
    environment
        .add_filter(CHECK_OPERANDS, move |values: Rest<ValueOrKwargs>| check_operands(&it, values));
    let it = Arc::clone(meter);
    environment
        .add_filter(CHECK_RESULT, move |value: Rest<ValueOrKwargs>| check_result(&it, value));
    let it = Arc::clone(meter);
    environment.add_filter(CHECK_CANCELLED, move |value: Rest<ValueOrKwargs>| {
        it.check_cancelled().map(|()| only_value(value))
    });
    environment.add_filter(KEEP_TARGET, |values: Rest<ValueOrKwargs>| {
        let [value, target] = values.into_values().try_into().unwrap_or_default();
        // `UnpackList` leaves the first item on top of the stack.
        Value::from(vec![target.clone(), value, target])
    });
    let it = Arc::clone(meter);
    environment.set_formatter(move |out, state, value| {
        it.record(value)?;
        escape_formatter(out, state, value)
    });
}

/// Checks the operands of an operation, which are followed by its name, and returns them in the order
/// in which `UnpackList` restores them.
fn check_operands(meter: &MemoryMeter, values: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut values = values.into_values();
    let name = values.pop().unwrap_or_default();
    meter.check_operands(name.as_str().unwrap_or_default(), &values)?;
    values.reverse();
    Ok(Value::from(values))
}

/// Records a new value. Lazy sequences are evaluated, so that their memory is known.
fn check_result(meter: &MemoryMeter, value: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let value = only_value(value);
    meter.record(&value)?;
    let is_evaluated = value.downcast_object_ref::<Vec<Value>>().is_some() || value.is_tuple();
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable if !is_evaluated => {
            Ok(Value::from(value.try_iter()?.collect::<Vec<Value>>()))
        }
        _ => Ok(value),
    }
}

fn only_value(value: Rest<ValueOrKwargs>) -> Value {
    value.into_values().pop().unwrap_or_default()
}

/// Returns the instructions with checks inserted.
pub fn guarded<'s>(
    template: &Template,
    old: &Instructions<'s>,
) -> Result<Instructions<'s>, TemplateError> {
    let mut checked = Vec::new();
    let mut starts = vec![0u32];
    while let Some(instruction) = old.get(checked.len() as u32) {
        let with_checks = with_checks(instruction).ok_or_else(|| {
            let line = old.get_line(checked.len() as u32);
            template.rejected(line, "arguments cannot be unpacked into a call")
        })?;
        starts.push(starts[starts.len() - 1] + with_checks.len() as u32);
        checked.push(with_checks);
    }
    let moved = |target: u32| starts.get(target as usize).copied().unwrap_or(target);
    let mut new = Instructions::new(old.name(), old.source());
    for (index, instructions) in (0..).zip(checked) {
        for instruction in instructions {
            let instruction = retarget(instruction, moved);
            match (old.get_span(index), old.get_line(index)) {
                (Some(span), _) => new.add_with_span(instruction, span),
                (None, Some(line)) => new.add_with_line(instruction, line as u16),
                (None, None) => new.add(instruction),
            };
        }
    }
    Ok(new)
}

/// Returns an instruction with its checks; `None` if it cannot be checked. Jumps to the instruction
/// lead to the first check.
fn with_checks<'s>(instruction: &Instruction<'s>) -> Option<Vec<Instruction<'s>>> {
    use Instruction as I;
    let check_result = || I::ApplyFilter(CHECK_RESULT, Some(1), NO_CACHE_SLOT);
    let after_check = |name: &str, operands: u16| {
        vec![
            I::LoadConst(Value::from(name)),
            I::ApplyFilter(CHECK_OPERANDS, Some(operands + 1), NO_CACHE_SLOT),
            I::UnpackList(usize::from(operands)),
            instruction.clone(),
        ]
    };
    let between_checks = |name: &str, operands: u16| {
        let mut instructions = after_check(name, operands);
        instructions.push(check_result());
        instructions
    };
    Some(match instruction {
        // The size of unpacked arguments is not known in advance.
        I::ApplyFilter(_, None, _)
        | I::PerformTest(_, None, _)
        | I::CallFunction(_, None)
        | I::CallMethod(_, None)
        | I::CallObject(None) => return None,
        // A range is lazy, and the engine limits its length.
        I::CallFunction("range", _) => vec![instruction.clone()],
        I::EmitRaw(text) => vec![I::LoadConst(Value::from(*text)), I::Emit],
        I::Add => between_checks("+", 2),
        I::Mul => between_checks("*", 2),
        I::StringConcat => between_checks("~", 2),
        I::Slice => between_checks("[:]", 4),
        I::ApplyFilter(name, Some(operands), _) => between_checks(name, *operands),
        // Tests and comparisons create no values, but traverse their operands.
        I::PerformTest(name, Some(operands), _) => after_check(name, *operands),
        I::Eq | I::Ne | I::Gt | I::Gte | I::Lt | I::Lte | I::In | I::CompareAndPreserve(_) => {
            after_check("==", 2)
        }
        I::BuildMap(_)
        | I::BuildList(_)
        | I::BuildTuple(_)
        | I::EndCapture
        | I::CallFunction(..)
        | I::CallMethod(..)
        | I::CallObject(_) => vec![instruction.clone(), check_result()],
        I::Iterate(_) => {
            vec![instruction.clone(), I::ApplyFilter(CHECK_CANCELLED, Some(1), NO_CACHE_SLOT)]
        }
        // The namespace is checked with its new attribute, so that none can contain itself.
        I::SetAttr(_) => vec![
            I::ApplyFilter(KEEP_TARGET, Some(2), NO_CACHE_SLOT),
            I::UnpackList(3),
            instruction.clone(),
            check_result(),
            I::DiscardTop,
        ],
        other => vec![other.clone()],
    })
}

/// Adjusts the target of a jump.
fn retarget<'s>(instruction: Instruction<'s>, moved: impl Fn(u32) -> u32) -> Instruction<'s> {
    use Instruction as I;
    match instruction {
        I::Iterate(target) => I::Iterate(moved(target)),
        I::Jump(target) => I::Jump(moved(target)),
        I::JumpIfFalse(target) => I::JumpIfFalse(moved(target)),
        I::JumpIfFalseOrPop(target) => I::JumpIfFalseOrPop(moved(target)),
        I::JumpIfTrueOrPop(target) => I::JumpIfTrueOrPop(moved(target)),
        I::BuildMacro(name, target, flags) => I::BuildMacro(name, moved(target), flags),
        other => other,
    }
}
