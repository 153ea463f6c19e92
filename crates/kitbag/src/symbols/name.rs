//! Names as callers write them: `login`, `UserService.get_user`, `Rack::Response`, `Foo#bar()`.

use kitbag_index::word_id;

/// How the case of letters is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseMode {
    Exact,
    Ignore,
}

impl CaseMode {
    pub fn equals(self, a: &str, b: &str) -> bool {
        match self {
            Self::Exact => a == b,
            Self::Ignore => a.to_lowercase() == b.to_lowercase(),
        }
    }
}

/// A name, with the names that it is qualified by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolName {
    pub base: String,
    /// Enclosing names, outermost first.
    pub scope: Vec<String>,
}

impl SymbolName {
    /// Parses a name; `None` if it has no identifier.
    pub fn parse(text: &str) -> Option<Self> {
        // Arguments and type parameters are not part of the name.
        let text = text.trim().split(['(', '<', '[', ' ', '\n']).next()?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let parts = text.split(|c| !is_part(c)).filter(|part| !part.is_empty());
        let mut parts: Vec<String> = parts.map(str::to_owned).collect();
        let base = parts.pop()?;
        Some(Self { base, scope: parts })
    }

    /// Returns the id of the name in the index.
    pub fn word_id(&self) -> u32 {
        word_id(&self.base.trim_matches(['_', '$']).to_lowercase())
    }

    /// Returns the name with its qualifiers.
    pub fn full(&self) -> String {
        let parts: Vec<&str> =
            self.scope.iter().map(String::as_str).chain([self.base.as_str()]).collect();
        parts.join(".")
    }

    /// Whether a symbol path ends in this name, and whether also in its qualifiers.
    pub fn matches(&self, symbol: &str, case: CaseMode) -> Option<bool> {
        let own = Self::parse(symbol)?;
        case.equals(&own.base, &self.base).then(|| {
            let mut scope = own.scope.iter().rev();
            // Symbol paths may have further names in between, such as that of a module.
            let mut wanted = self.scope.iter().rev();
            wanted.all(|want| scope.any(|name| CaseMode::Ignore.equals(name, want)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> String {
        SymbolName::parse(text).map(|name| name.full()).unwrap_or_default()
    }

    #[test]
    fn names_are_parsed_as_they_are_written() {
        assert_eq!(parse("login"), "login");
        assert_eq!(parse(" UserService.get_user() "), "UserService.get_user");
        assert_eq!(parse("Rack::Response"), "Rack.Response");
        assert_eq!(parse("Foo#bar"), "Foo.bar");
        assert_eq!(parse("Vec<T>"), "Vec");
        assert_eq!(parse("crate::a::b::<T>(x)"), "crate.a.b");
        assert_eq!(parse("  "), "");
        assert_eq!(parse("::"), "");
    }

    #[test]
    fn qualifiers_match_the_end_of_a_symbol_path() {
        let name = SymbolName::parse("Response.write").expect("a name");
        assert_eq!(name.matches("Rack.Response.write", CaseMode::Exact), Some(true));
        assert_eq!(name.matches("Request.write", CaseMode::Exact), Some(false));
        assert_eq!(name.matches("Response.Write", CaseMode::Exact), None);
        assert_eq!(name.matches("Response.Write", CaseMode::Ignore), Some(true));
        assert_eq!(name.matches("Response.writer", CaseMode::Ignore), None);
    }
}
