//! Which counter a model wants, and how large its window is.

use crate::Vocabulary;

/// A model that Kitbag knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Model {
    /// Its name, as its provider writes it. Dated and longer names match by this prefix.
    pub name: &'static str,
    /// The name of its counter.
    pub counter: &'static str,
    /// The tokens of its context window.
    pub window: usize,
    /// Whether the counter is the model's own.
    pub exact: bool,
}

const O200K: &str = Vocabulary::O200kBase.name();
const CL100K: &str = Vocabulary::Cl100kBase.name();

const MODELS: &[Model] = &[
    Model { name: "gpt-5", counter: O200K, window: 400_000, exact: true },
    Model { name: "gpt-4.1", counter: O200K, window: 1_047_576, exact: true },
    Model { name: "gpt-4o", counter: O200K, window: 128_000, exact: true },
    Model { name: "gpt-4-turbo", counter: CL100K, window: 128_000, exact: true },
    Model { name: "gpt-4", counter: CL100K, window: 8_192, exact: true },
    Model { name: "gpt-3.5-turbo", counter: CL100K, window: 16_385, exact: true },
    Model { name: "o1", counter: O200K, window: 200_000, exact: true },
    Model { name: "o3", counter: O200K, window: 200_000, exact: true },
    Model { name: "o4-mini", counter: O200K, window: 200_000, exact: true },
];

/// No model of that name is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown model `{name}`")]
pub struct UnknownModel {
    /// What was asked for.
    pub name: String,
    /// The known model whose name is nearest.
    pub nearest: &'static str,
}

/// Every model that is known by name.
pub fn models() -> &'static [Model] {
    MODELS
}

/// The model of that name: `gpt-4o`, and `gpt-4o-2024-11-20` or `gpt-4o-mini` as well.
pub fn model(name: &str) -> Result<Model, UnknownModel> {
    let belongs = |model: &&Model| {
        name.strip_prefix(model.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    MODELS
        .iter()
        .filter(belongs)
        .max_by_key(|model| model.name.len())
        .copied()
        .ok_or_else(|| UnknownModel { name: name.to_owned(), nearest: nearest(name) })
}

fn nearest(name: &str) -> &'static str {
    let distance = |model: &&Model| strsim::damerau_levenshtein(name, model.name);
    MODELS.iter().min_by_key(distance).map_or("", |model| model.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dated_and_sized_names_find_their_family() {
        assert_eq!(model("gpt-4o").map(|m| m.counter), Ok("o200k_base"));
        assert_eq!(model("gpt-4o-mini").map(|m| m.name), Ok("gpt-4o"));
        assert_eq!(model("gpt-4-turbo-2024-04-09").map(|m| m.window), Ok(128_000));
        assert_eq!(model("gpt-4").map(|m| m.counter), Ok("cl100k_base"));
    }

    #[test]
    fn an_unknown_model_names_the_nearest() {
        let error = model("gpt4o").expect_err("not a name");
        assert_eq!(error.nearest, "gpt-4o");
    }
}
