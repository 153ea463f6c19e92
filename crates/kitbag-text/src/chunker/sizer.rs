//! Turns units into chunk drafts: units that fit are kept whole, larger ones are split, and small
//! neighbors are merged.

use super::context::ChunkContext;
use super::split::split;
use crate::chunk::{ChunkKind, ChunkPart};
use crate::syntax::{FindSplitPoints, Rows, SyntaxUnit, dominant_kind};

/// A chunk before its definitions and outline are known.
#[derive(Debug, Clone)]
pub(super) struct ChunkDraft {
    pub rows: Rows,
    pub kind: ChunkKind,
    pub symbol: Option<String>,
    pub part: Option<ChunkPart>,
    pub tokens: u32,
    /// Whether it may be merged with its neighbors on the same level.
    is_mergeable: bool,
}

pub(super) struct Sizer<'a> {
    pub context: ChunkContext<'a>,
    /// Larger classes are split into their header and members.
    pub max_class_tokens: u32,
    /// Adjacent code between items is merged up to this size.
    pub max_code_tokens: u32,
    /// Finds split points in the given rows. Must be called in ascending order of rows.
    pub find_split_points: &'a mut FindSplitPoints<'a>,
}

impl Sizer<'_> {
    /// Sizes the units of one level, which together cover `rows`: each unit extends to the next one,
    /// and the first begins at `rows.start`. `header` is the draft before them.
    pub fn level(
        &mut self,
        units: &[SyntaxUnit],
        rows: Rows,
        header: Option<ChunkDraft>,
        container: Option<&str>,
    ) -> Vec<ChunkDraft> {
        let mut drafts: Vec<ChunkDraft> = header.into_iter().collect();
        for (index, unit) in units.iter().enumerate() {
            if self.context.cancel.is_cancelled() {
                return drafts;
            }
            let start = if index == 0 { rows.start } else { unit.first };
            let end = units.get(index + 1).map_or(rows.end, |next| next.first.min(rows.end));
            let Some(rows) = self.context.trimmed(start..end) else { continue };
            drafts.extend(self.unit(unit, rows, unit.symbol.as_deref().or(container)));
        }
        self.merge(drafts, container)
    }

    fn unit(&mut self, unit: &SyntaxUnit, rows: Rows, symbol: Option<&str>) -> Vec<ChunkDraft> {
        let first_item = unit.members.iter().position(SyntaxUnit::is_item);
        let max_tokens =
            if first_item.is_some() { self.max_class_tokens } else { self.context.max_tokens };
        match (self.whole(rows.clone(), unit.kind, symbol), first_item) {
            (Some(draft), _) if draft.tokens <= max_tokens => vec![draft],
            (_, Some(first)) => self.class(unit.kind, &unit.members[first..], rows, symbol),
            (_, None) => self.parts(rows, unit.kind, symbol),
        }
    }

    /// Splits a class into its header, which extends to the first member that is an item, and `members`
    /// from there on.
    fn class(
        &mut self,
        kind: ChunkKind,
        members: &[SyntaxUnit],
        rows: Rows,
        symbol: Option<&str>,
    ) -> Vec<ChunkDraft> {
        let start = members[0].first.clamp(rows.start, rows.end);
        let kind = match kind {
            ChunkKind::Section => ChunkKind::Section,
            _ => ChunkKind::ClassHeader,
        };
        let (mut header, mut drafts) = (None, Vec::new());
        if let Some(rows) = self.context.trimmed(rows.start..start) {
            header = self.whole(rows.clone(), kind, symbol);
            if header.is_none() {
                drafts = self.parts(rows, kind, symbol);
            }
        }
        let inner = self.level(members, start..rows.end, header, symbol);
        drafts.extend(inner.into_iter().map(|draft| ChunkDraft { is_mergeable: false, ..draft }));
        drafts
    }

    /// Creates a draft of `rows`, which must be trimmed, if they fit.
    fn whole(&self, rows: Rows, kind: ChunkKind, symbol: Option<&str>) -> Option<ChunkDraft> {
        let tokens = self.context.tokens(rows.clone());
        (tokens <= self.context.max_tokens).then(|| ChunkDraft {
            rows,
            kind,
            symbol: symbol.map(str::to_owned),
            part: None,
            tokens,
            // Otherwise a small cell would join a large output.
            is_mergeable: kind != ChunkKind::Output,
        })
    }

    /// Splits a unit that is too large and has no members into parts.
    fn parts(&mut self, rows: Rows, kind: ChunkKind, symbol: Option<&str>) -> Vec<ChunkDraft> {
        let split_points = (self.find_split_points)(rows.clone());
        let parts = split(&self.context, &split_points, rows);
        let of = parts.len() as u32;
        let draft = |(number, rows): (u32, Rows)| {
            let tokens = self.context.tokens(rows.clone());
            let is_long = tokens > self.context.max_tokens;
            ChunkDraft {
                kind: if is_long { ChunkKind::LongLine } else { kind },
                rows,
                symbol: symbol.map(str::to_owned),
                part: (of > 1).then_some(ChunkPart { number, of }),
                tokens,
                is_mergeable: false,
            }
        };
        (1..).zip(parts).map(draft).collect()
    }

    /// Merges small neighbors and adjacent code, then each remaining small draft with its smaller neighbor.
    fn merge(&self, drafts: Vec<ChunkDraft>, container: Option<&str>) -> Vec<ChunkDraft> {
        let mut merged: Vec<ChunkDraft> = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let both = merged.last().and_then(|last| self.merge_alike(last, &draft, container));
            match (both, merged.last_mut()) {
                (Some(both), Some(last)) => *last = both,
                _ => merged.push(draft),
            }
        }
        self.merge_small(merged, container)
    }

    fn merge_small(&self, drafts: Vec<ChunkDraft>, container: Option<&str>) -> Vec<ChunkDraft> {
        let mut merged: Vec<ChunkDraft> = Vec::with_capacity(drafts.len());
        let mut rest = drafts.into_iter().peekable();
        while let Some(draft) = rest.next() {
            if draft.tokens >= self.context.min_tokens {
                merged.push(draft);
                continue;
            }
            let before = merged.last().and_then(|last| self.merge_pair(last, &draft, container));
            let after = rest.peek().and_then(|next| self.merge_pair(&draft, next, container));
            match (before, after) {
                (Some(before), after)
                    if after.as_ref().is_none_or(|a| before.tokens <= a.tokens) =>
                {
                    merged.pop();
                    merged.push(before);
                }
                (_, Some(after)) => {
                    if let Some(next) = rest.peek_mut() {
                        *next = after;
                    }
                }
                _ => merged.push(draft),
            }
        }
        merged
    }

    /// Merges two neighbors if both are small or both are code.
    fn merge_alike(
        &self,
        a: &ChunkDraft,
        b: &ChunkDraft,
        container: Option<&str>,
    ) -> Option<ChunkDraft> {
        let min = self.context.min_tokens;
        let are_small = a.tokens < min && b.tokens < min;
        let are_code = a.kind == ChunkKind::Code && b.kind == ChunkKind::Code;
        if !are_small && !are_code {
            return None;
        }
        self.merge_pair(a, b, container)
            .filter(|both| are_small || both.tokens <= self.max_code_tokens)
    }

    /// Merges two neighbors if the result fits.
    fn merge_pair(
        &self,
        a: &ChunkDraft,
        b: &ChunkDraft,
        container: Option<&str>,
    ) -> Option<ChunkDraft> {
        if !a.is_mergeable || !b.is_mergeable {
            return None;
        }
        let symbol = match container {
            _ if a.symbol == b.symbol => a.symbol.as_deref(),
            Some(container) => Some(container),
            None if a.kind != ChunkKind::Code => a.symbol.as_deref(),
            None if b.kind != ChunkKind::Code => b.symbol.as_deref(),
            None => None,
        };
        self.whole(a.rows.start..b.rows.end, dominant_kind(a.kind, b.kind), symbol)
    }
}
