//! Puts checks into a compiled template: wherever a value is made, it is weighed.
//!
//! The engine bounds the steps of a template but not the size of its values, and a handful of steps
//! can double a text until memory is gone. So instructions are added to those that the engine has
//! compiled: before what may make much of little, after what makes anything, and in every turn of a
//! loop, where a pack that is cancelled stops.

use super::limits::Refusal;
use super::meter::Meter;
use minijinja::machinery::{Instruction, Instructions};
use minijinja::value::{Rest, Value, ValueKind, ValueOrKwargs};
use minijinja::{Environment, Error, escape_formatter};
use std::sync::Arc;

/// The names of the checks. No template can call them: they are no names of its language.
const BEFORE: &str = "\0before";
const AFTER: &str = "\0after";
const TURN: &str = "\0turn";
const ASSIGN: &str = "\0assign";

/// No place to remember a filter in.
const NOT_KEPT: u8 = u8::MAX;

/// Gives an environment the checks.
pub fn install(environment: &mut Environment<'_>, meter: &Arc<Meter>) {
    let it = Arc::clone(meter);
    environment.add_filter(BEFORE, move |values: Rest<ValueOrKwargs>| before(&it, values));
    let it = Arc::clone(meter);
    environment.add_filter(AFTER, move |value: Rest<ValueOrKwargs>| after(&it, value));
    let it = Arc::clone(meter);
    environment
        .add_filter(TURN, move |value: Rest<ValueOrKwargs>| it.go_on().map(|()| only(value)));
    environment.add_filter(ASSIGN, |values: Rest<ValueOrKwargs>| {
        let [value, target] = values.into_values().try_into().unwrap_or_default();
        // The first of a list comes to lie on top.
        Value::from(vec![target.clone(), value, target])
    });
    let it = Arc::clone(meter);
    environment.set_formatter(move |out, state, value| {
        it.made(value)?;
        escape_formatter(out, state, value)
    });
}

/// The values that an operation is about to have, and its name after them, in the order in which
/// `UnpackList` takes them: the last first.
fn before(meter: &Meter, values: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let mut values = values.into_values();
    let name = values.pop().unwrap_or_default();
    meter.before(name.as_str().unwrap_or_default(), &values)?;
    values.reverse();
    Ok(Value::from(values))
}

/// A value that was made. What would be worked out later, and again each time, is worked out now.
fn after(meter: &Meter, value: Rest<ValueOrKwargs>) -> Result<Value, Error> {
    let value = only(value);
    meter.made(&value)?;
    let is_plain = value.downcast_object_ref::<Vec<Value>>().is_some() || value.is_tuple();
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable if !is_plain => {
            Ok(Value::from(value.try_iter()?.collect::<Vec<Value>>()))
        }
        _ => Ok(value),
    }
}

fn only(value: Rest<ValueOrKwargs>) -> Value {
    value.into_values().pop().unwrap_or_default()
}

/// The same instructions, with checks among them.
pub fn guarded<'s>(old: &Instructions<'s>) -> Result<Instructions<'s>, Refusal> {
    let count = (0..).take_while(|&at| old.get(at).is_some()).count() as u32;
    let each = (0..count).filter_map(|at| Some((at, old.get(at)?)));
    let each = each.map(|(at, it)| {
        let detail = "arguments cannot be unpacked into a call".to_owned();
        checked(it).ok_or_else(|| Refusal { line: old.get_line(at), detail })
    });
    let each = each.collect::<Result<Vec<Vec<Instruction<'s>>>, Refusal>>()?;
    let mut starts = vec![0u32];
    for instructions in &each {
        starts.push(starts[starts.len() - 1] + instructions.len() as u32);
    }
    let moved = |to: u32| starts.get(to as usize).copied().unwrap_or(to);
    let mut new = Instructions::new(old.name(), old.source());
    for (at, instructions) in (0..).zip(each) {
        for instruction in instructions {
            let instruction = retarget(instruction, moved);
            match (old.get_span(at), old.get_line(at)) {
                (Some(span), _) => new.add_with_span(instruction, span),
                (None, Some(line)) => new.add_with_line(instruction, line as u16),
                (None, None) => new.add(instruction),
            };
        }
    }
    Ok(new)
}

/// An instruction with its checks; `None` where there are none for it. Where it is jumped to, the
/// checks before it come too.
fn checked<'s>(instruction: &Instruction<'s>) -> Option<Vec<Instruction<'s>>> {
    use Instruction as I;
    let after = || I::ApplyFilter(AFTER, Some(1), NOT_KEPT);
    let before = |name: &str, count: u16| {
        vec![
            I::LoadConst(Value::from(name)),
            I::ApplyFilter(BEFORE, Some(count + 1), NOT_KEPT),
            I::UnpackList(usize::from(count)),
            instruction.clone(),
        ]
    };
    let around = |name: &str, count: u16| {
        let mut instructions = before(name, count);
        instructions.push(after());
        instructions
    };
    Some(match instruction {
        I::ApplyFilter(_, None, _)
        | I::PerformTest(_, None, _)
        | I::CallFunction(_, None)
        | I::CallMethod(_, None)
        // How much an unpacked argument holds is not known before.
        | I::CallObject(None) => return None,
        // Its numbers are made one by one, and there are never many.
        I::CallFunction("range", _) => vec![instruction.clone()],
        I::EmitRaw(text) => vec![I::LoadConst(Value::from(*text)), I::Emit],
        I::Add => around("+", 2),
        I::Mul => around("*", 2),
        I::StringConcat => around("~", 2),
        I::Slice => around("[:]", 4),
        I::ApplyFilter(name, Some(count), _) => around(name, *count),
        // These make nothing, but go through what they are given.
        I::PerformTest(name, Some(count), _) => before(name, *count),
        I::Eq | I::Ne | I::Gt | I::Gte | I::Lt | I::Lte | I::In | I::CompareAndPreserve(_) => {
            before("==", 2)
        }
        I::BuildMap(_)
        | I::BuildList(_)
        | I::BuildTuple(_)
        | I::EndCapture
        | I::CallFunction(..)
        | I::CallMethod(..)
        | I::CallObject(_) => vec![instruction.clone(), after()],
        I::Iterate(_) => {
            vec![instruction.clone(), I::ApplyFilter(TURN, Some(1), NOT_KEPT)]
        }
        // What a namespace has in it is weighed with it, so that none has itself in it.
        I::SetAttr(_) => vec![
            I::ApplyFilter(ASSIGN, Some(2), NOT_KEPT),
            I::UnpackList(3),
            instruction.clone(),
            after(),
            I::DiscardTop,
        ],
        other => vec![other.clone()],
    })
}

/// An instruction that leads to where its target has moved.
fn retarget<'s>(instruction: Instruction<'s>, moved: impl Fn(u32) -> u32) -> Instruction<'s> {
    use Instruction as I;
    match instruction {
        I::Iterate(to) => I::Iterate(moved(to)),
        I::Jump(to) => I::Jump(moved(to)),
        I::JumpIfFalse(to) => I::JumpIfFalse(moved(to)),
        I::JumpIfFalseOrPop(to) => I::JumpIfFalseOrPop(moved(to)),
        I::JumpIfTrueOrPop(to) => I::JumpIfTrueOrPop(moved(to)),
        I::BuildMacro(name, to, flags) => I::BuildMacro(name, moved(to), flags),
        other => other,
    }
}
