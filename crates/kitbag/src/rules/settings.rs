//! What can be set about rules.

/// What can be set about rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RulesSettings {
    /// What becomes of a rule whose condition nobody could judge.
    pub undecided: Undecided,
    /// In which order the instructions of nested folders stand.
    pub order: Order,
}

/// What becomes of a rule whose condition nobody could judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Undecided {
    /// Its name and description are offered to whoever reads the pack.
    #[default]
    List,
    /// It is injected.
    Inject,
}

/// In which order the instructions of nested folders stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The root's first, the nearest last.
    #[default]
    RootFirst,
    /// The nearest first, the root's last.
    LeafFirst,
}
