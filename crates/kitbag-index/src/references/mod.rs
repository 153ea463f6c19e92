//! References between definitions: which chunks mention a name, and which definitions the rest of a
//! repository depends on most.
//!
//! Names are resolved by their spelling alone, without types or imports, so a name that many files
//! define counts little for each of them.

mod centrality;
mod pagerank;

pub use centrality::{CentralSymbol, Centrality};

use crate::record::split_symbol;
use crate::terms::for_each_id;
use crate::view::IndexView;

/// A chunk of a file of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkPlace {
    /// Position of the file in the view.
    pub file: usize,
    /// Position of the chunk in the file.
    pub chunk: usize,
}

/// A chunk that contains a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameMention {
    /// The chunk.
    pub place: ChunkPlace,
    /// Number of occurrences.
    pub count: u32,
    /// Whether a name that it defines has the same words.
    pub is_definition: bool,
}

impl IndexView {
    /// Returns the chunks that contain an identifier in any case, sorted by file and chunk, or `None` if
    /// there are more than `max`.
    pub fn mentions(&self, name: &str, max: usize) -> Option<Vec<NameMention>> {
        let postings = self.postings_up_to(name_id(name)?, max)?;
        let mention = |(file, posting): (u32, crate::segment::Posting)| NameMention {
            place: ChunkPlace { file: file as usize, chunk: posting.chunk as usize },
            count: posting.counts.body,
            is_definition: posting.counts.symbol > 0,
        };
        Some(postings.into_iter().map(mention).collect())
    }
}

/// Returns the id of an identifier as a whole.
fn name_id(name: &str) -> Option<u32> {
    let mut first = None;
    for_each_id(name, |id| {
        first.get_or_insert(id);
    });
    first
}

/// Returns the last name of a symbol path: `get_user` of `UserService.get_user`.
pub fn last_name(symbol: &str) -> &str {
    split_symbol(symbol).0
}
