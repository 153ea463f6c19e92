//! Whether counts are the owners' own, and whether a tally's sums are what counting gives.

mod known;
mod properties;
mod texts;
