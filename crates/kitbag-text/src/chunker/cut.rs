//! From units to pieces: what fits stays whole, what does not is taken apart, what is small joins
//! its neighbours.

use super::ruler::{Rows, Ruler};
use super::seams::Seams;
use super::split::split;
use super::units::{Unit, stronger};
use crate::{ChunkKind, Part};

/// A chunk to be.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub rows: Rows,
    pub kind: ChunkKind,
    pub symbol: Option<String>,
    pub part: Option<Part>,
    pub tokens: u32,
    /// Whether neighbours of its level may join it.
    joins: bool,
}

/// How units become pieces.
pub(super) struct Cutter<'a> {
    pub ruler: Ruler<'a>,
    /// Classes that cost more are taken apart.
    pub class: u32,
    /// Pieces that cost less join a neighbour.
    pub min: u32,
    /// Code between items is joined as far as this.
    pub code: u32,
    /// Finds where to split. It is asked for rows in order.
    pub find_seams: &'a mut dyn FnMut(Rows) -> Seams,
}

impl Cutter<'_> {
    /// Cuts the units of one level, which together stand for `rows`: each unit reaches to the
    /// next one, and the first begins where the rows begin. `head` is what stands before them.
    pub fn level(
        &mut self,
        units: &[Unit],
        rows: Rows,
        head: Option<Piece>,
        container: Option<&str>,
    ) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = head.into_iter().collect();
        for (place, unit) in units.iter().enumerate() {
            if self.ruler.cancel.is_cancelled() {
                return pieces;
            }
            let start = if place == 0 { rows.start } else { unit.first };
            let end = units.get(place + 1).map_or(rows.end, |next| next.first.min(rows.end));
            let Some(rows) = self.ruler.trimmed(start..end) else { continue };
            self.unit(unit, rows, container, &mut pieces);
        }
        self.join(pieces, container)
    }

    fn unit(&mut self, unit: &Unit, rows: Rows, container: Option<&str>, pieces: &mut Vec<Piece>) {
        let symbol = unit.symbol.as_deref().or(container);
        let first = unit.members.iter().position(Unit::is_item);
        let most = if first.is_some() { self.class } else { self.ruler.max };
        match (self.whole(rows.clone(), unit.kind, symbol), first) {
            (Some(piece), _) if piece.tokens <= most => pieces.push(piece),
            (_, Some(first)) => self.class(unit, first, rows, symbol, pieces),
            (_, None) => self.parts(rows, unit.kind, symbol, pieces),
        }
    }

    /// A class that is too large: its header, which reaches to the first member that is an item,
    /// and its members.
    fn class(
        &mut self,
        unit: &Unit,
        first: usize,
        rows: Rows,
        symbol: Option<&str>,
        pieces: &mut Vec<Piece>,
    ) {
        let members = &unit.members[first..];
        let start = members[0].first.clamp(rows.start, rows.end);
        let kind = match unit.kind {
            ChunkKind::Section => ChunkKind::Section,
            _ => ChunkKind::ClassHeader,
        };
        let mut head = None;
        if let Some(header) = self.ruler.trimmed(rows.start..start) {
            head = self.whole(header.clone(), kind, symbol);
            if head.is_none() {
                self.parts(header, kind, symbol, pieces);
            }
        }
        let inner = self.level(members, start..rows.end, head, symbol);
        pieces.extend(inner.into_iter().map(|piece| Piece { joins: false, ..piece }));
    }

    /// A piece of all of `rows`, if they fit. They have no blank rows at their ends.
    fn whole(&self, rows: Rows, kind: ChunkKind, symbol: Option<&str>) -> Option<Piece> {
        let tokens = self.ruler.tokens(rows.clone());
        (tokens <= self.ruler.max).then(|| Piece {
            rows,
            kind,
            symbol: symbol.map(str::to_owned),
            part: None,
            tokens,
            joins: true,
        })
    }

    /// The parts of something that is too large and cannot be taken apart otherwise.
    fn parts(
        &mut self,
        rows: Rows,
        kind: ChunkKind,
        symbol: Option<&str>,
        pieces: &mut Vec<Piece>,
    ) {
        let seams = (self.find_seams)(rows.clone());
        let parts = split(&self.ruler, &seams, rows);
        let of = parts.len() as u32;
        for (number, rows) in (1..).zip(parts) {
            let tokens = self.ruler.tokens(rows.clone());
            pieces.push(Piece {
                kind: if tokens > self.ruler.max { ChunkKind::LongLine } else { kind },
                rows,
                symbol: symbol.map(str::to_owned),
                part: (of > 1).then_some(Part { number, of }),
                tokens,
                joins: false,
            });
        }
    }

    /// Joins small neighbours, and code with code; then what is still small with the smaller of
    /// its neighbours.
    fn join(&self, pieces: Vec<Piece>, container: Option<&str>) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let both = joined.last().and_then(|last| self.joined_early(last, &piece, container));
            match (both, joined.last_mut()) {
                (Some(both), Some(last)) => *last = both,
                _ => joined.push(piece),
            }
        }
        self.join_rest(joined, container)
    }

    fn join_rest(&self, pieces: Vec<Piece>, container: Option<&str>) -> Vec<Piece> {
        let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
        let mut rest = pieces.into_iter().peekable();
        while let Some(piece) = rest.next() {
            if piece.tokens >= self.min {
                joined.push(piece);
                continue;
            }
            let before = joined.last().and_then(|last| self.joined(last, &piece, container));
            let after = rest.peek().and_then(|next| self.joined(&piece, next, container));
            match (before, after) {
                (Some(before), after)
                    if after.as_ref().is_none_or(|a| before.tokens <= a.tokens) =>
                {
                    joined.pop();
                    joined.push(before);
                }
                (_, Some(after)) => {
                    if let Some(next) = rest.peek_mut() {
                        *next = after;
                    }
                }
                _ => joined.push(piece),
            }
        }
        joined
    }

    /// Two neighbours in one, if they are both small, or both code.
    fn joined_early(&self, a: &Piece, b: &Piece, container: Option<&str>) -> Option<Piece> {
        let small = a.tokens < self.min && b.tokens < self.min;
        let code = a.kind == ChunkKind::Code && b.kind == ChunkKind::Code;
        if !small && !code {
            return None;
        }
        self.joined(a, b, container).filter(|both| small || both.tokens <= self.code)
    }

    /// Two neighbours in one, if that fits.
    fn joined(&self, a: &Piece, b: &Piece, container: Option<&str>) -> Option<Piece> {
        if !a.joins || !b.joins {
            return None;
        }
        let symbol = match container {
            _ if a.symbol == b.symbol => a.symbol.as_deref(),
            Some(container) => Some(container),
            None if a.kind != ChunkKind::Code => a.symbol.as_deref(),
            None if b.kind != ChunkKind::Code => b.symbol.as_deref(),
            None => None,
        };
        self.whole(a.rows.start..b.rows.end, stronger(a.kind, b.kind), symbol)
    }
}
