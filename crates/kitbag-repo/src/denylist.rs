//! The denylist: names of files that are never read, whatever asks for them.
//!
//! A pattern is one or more path components, in which `*`, `?` and `[0-9]` stand for characters of
//! that component, `{a,b}` for either, and a `**` of its own for any folders. It denies whatever it
//! matches and everything beneath. Case is ignored. What cannot be understood is an error.

use crate::GlobError;
use crate::deny_rule::{Rule, Written};
use rustc_hash::FxHashMap;

/// What is denied unless the user says otherwise.
const DEFAULT_PATTERNS: &[&str] = &[
    ".env",
    ".env.*",
    ".envrc",
    ".git/**",
    ".hg/**",
    ".svn/**",
    ".ssh/**",
    ".gnupg/**",
    ".password-store/**",
    ".aws/credentials",
    ".azure/**",
    ".boto",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".config/gcloud/**",
    ".config/gh/hosts.yml",
    ".docker/config.json",
    ".dockercfg",
    ".gem/credentials",
    ".git-credentials",
    ".htpasswd",
    ".kube/config",
    ".m2/settings-security.xml",
    ".my.cnf",
    ".mylogin.cnf",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".s3cfg",
    ".terraform.d/credentials.tfrc.json",
    ".terraformrc",
    ".vault-token",
    ".bash_history",
    ".mysql_history",
    ".node_repl_history",
    ".psql_history",
    ".python_history",
    ".zsh_history",
    "application_default_credentials.json",
    "credentials.json",
    "serviceAccountKey.json",
    "ssh_host_*_key",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "*.agekey",
    "*.jks",
    "*.kdbx",
    "*.key",
    "*.keystore",
    "*.keytab",
    "*.kubeconfig",
    "*.ovpn",
    "*.p12",
    "*.p8",
    "*.pem",
    "*.pfx",
    "*.ppk",
    "*.tfstate",
    "*.tfstate.backup",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/sudoers.d/**",
    "/etc/ssl/private/**",
    "/proc/**",
    "/run/secrets/**",
    "/var/run/secrets/**",
];

/// Patterns of paths that are rejected, reported and never read.
#[derive(Debug, Clone)]
pub struct Denylist {
    patterns: Vec<String>,
    /// So many of them are built in.
    built_in: usize,
    /// Single names without wildcards, in lower case, and the pattern each comes from.
    names: FxHashMap<String, usize>,
    /// Extensions `x` of the patterns `*.x`.
    extensions: FxHashMap<String, usize>,
    /// Everything else.
    rules: Vec<Rule>,
}

/// Lists that have the same patterns are the same.
impl PartialEq for Denylist {
    fn eq(&self, other: &Self) -> bool {
        (&self.patterns, self.built_in) == (&other.patterns, other.built_in)
    }
}

impl Eq for Denylist {}

impl Default for Denylist {
    fn default() -> Self {
        let mut list = Self::empty();
        for pattern in DEFAULT_PATTERNS {
            let written = Written::read(pattern, true);
            list.add(pattern, written.expect("a test reads the patterns that are built in"));
        }
        list.built_in = list.patterns.len();
        list
    }
}

impl Denylist {
    /// A list of exactly these patterns. `.env`, `*.pem` and `id_rsa` match any component of a path,
    /// `.aws/credentials` matches two in a row, `./vault` one at the root of the repository, and
    /// `/vault` also an absolute path.
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Result<Self, GlobError> {
        Self::empty().with(patterns)
    }

    /// This list and more patterns.
    pub fn with<S: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = S>,
    ) -> Result<Self, GlobError> {
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let written = Written::read(pattern, false)?;
            if written.is_glob() {
                self.rules.push(Rule::glob(&written, pattern, self.patterns.len())?);
            }
            // A file may be called `[id].tsx`, and denying it is what such a pattern is for, too.
            self.add(pattern, written);
        }
        Ok(self)
    }

    /// The patterns, in the order in which they were given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The pattern that denies `path`, if one does. The path is relative to the root of the
    /// repository, or absolute.
    pub fn denies(&self, path: &str) -> Option<&str> {
        let lower = path.to_ascii_lowercase();
        let absolute = lower.starts_with('/');
        let components: Vec<&str> = lower.split('/').filter(|name| !name.is_empty()).collect();
        let simple = components.iter().find_map(|name| self.name_pattern(name));
        let index = simple.or_else(|| {
            let denying = self.rules.iter().find(|rule| rule.matches(&components, absolute));
            denying.map(|rule| rule.pattern)
        });
        index.map(|index| self.patterns[index].as_str())
    }

    /// The pattern with a leading `/` that denies this absolute path, if one does. The names above
    /// the root are the user's own business, so other patterns are not held against them.
    pub(crate) fn denies_absolute(&self, path: &str) -> Option<&str> {
        let lower = path.to_ascii_lowercase();
        let components: Vec<&str> = lower.split('/').filter(|name| !name.is_empty()).collect();
        let mut rules = self.rules.iter().filter(|rule| rule.is_of_file_system());
        let denying = rules.find(|rule| rule.matches(&components, true))?;
        Some(&self.patterns[denying.pattern])
    }

    fn empty() -> Self {
        Self {
            patterns: Vec::new(),
            built_in: 0,
            names: FxHashMap::default(),
            extensions: FxHashMap::default(),
            rules: Vec::new(),
        }
    }

    /// Adds a pattern, in which brackets and braces stand for themselves.
    fn add(&mut self, pattern: &str, written: Written) {
        let index = self.patterns.len();
        let wild = |name: &str| name.contains(['*', '?']);
        let extension = |name: &str| {
            let extension = name.strip_prefix("*.")?;
            (!wild(extension) && !extension.contains('.')).then(|| extension.to_owned())
        };
        match written.name().map(|name| (name, extension(name))) {
            Some((_, Some(extension))) => {
                self.extensions.entry(extension).or_insert(index);
            }
            Some((name, None)) if !wild(name) => {
                self.names.entry(name.to_owned()).or_insert(index);
            }
            _ => self.rules.push(Rule::plain(written, index)),
        }
        self.patterns.push(pattern.trim().to_owned());
    }

    fn name_pattern(&self, name: &str) -> Option<usize> {
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        self.names
            .get(name)
            .or_else(|| extension.and_then(|extension| self.extensions.get(extension)))
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows: AC-023 to AC-026
    #[test]
    fn the_default_list_denies_secrets_and_nothing_that_looks_like_them() {
        let list = Denylist::default();
        for (path, pattern) in [
            (".env", ".env"),
            ("app/.ENV", ".env"),
            (".env.local", ".env.*"),
            ("a/.env.example", ".env.*"),
            (".git/config", ".git/**"),
            ("vendor/x/.git", ".git/**"),
            ("home/ID_RSA", "id_rsa"),
            ("id_ed25519", "id_ed25519"),
            ("certs/server.PEM", "*.pem"),
            ("server.key", "*.key"),
            ("old.key/readme", "*.key"),
            ("conf/credentials.json", "credentials.json"),
            (".netrc", ".netrc"),
            (".npmrc", ".npmrc"),
            (".pypirc", ".pypirc"),
            ("home/.aws/credentials", ".aws/credentials"),
            ("/etc/passwd", "/etc/passwd"),
            ("/etc/shadow", "/etc/shadow"),
            ("/proc/self/environ", "/proc/**"),
            ("home/.config/gcloud/x.db", ".config/gcloud/**"),
            ("etc/ssh_host_ed25519_key", "ssh_host_*_key"),
            ("infra/terraform.tfstate.backup", "*.tfstate.backup"),
            ("serviceaccountkey.json", "serviceAccountKey.json"),
        ] {
            assert_eq!(list.denies(path), Some(pattern), "{path}");
        }
        for path in [
            ".environment.md",
            "env",
            "src/env.rs",
            "x.env",
            "git/config",
            ".gitignore",
            ".github/x.yml",
            "id_rsa.rs",
            "monkey",
            "keys.rs",
            "pem.txt",
            "my_credentials.json",
            "etc/passwd",
            "aws/credentials",
            ".aws/config",
            "ssh_host_ed25519_key.pub",
            "tfstate.rs",
            "cmd/kubeconfig/main.go",
            ".config/settings.json",
            "",
        ] {
            assert_eq!(list.denies(path), None, "{path}");
        }
    }

    fn list(patterns: &[&str]) -> Denylist {
        Denylist::new(patterns).unwrap()
    }

    #[test]
    fn own_patterns_may_span_components_and_hold_wildcards() {
        let list = list(&["secrets/**", "**/private/*.txt", "*token*"]);
        assert_eq!(list.patterns().len(), 3);
        assert_eq!(list.denies("a/Secrets/b/c.rs"), Some("secrets/**"));
        assert_eq!(list.denies("x/private/a.txt"), Some("**/private/*.txt"));
        assert_eq!(list.denies("x/private/b/a.txt"), None);
        assert_eq!(list.denies("my_tokens.rs"), Some("*token*"));
        assert_eq!(list.denies(".env"), None);
        let more = Denylist::default().with(["*.bak"]).unwrap();
        assert_eq!(more.denies("a.bak"), Some("*.bak"));
        assert_eq!(more.denies("etc/passwd"), None, "built in for the file system alone");
    }

    #[test]
    fn a_pattern_denies_what_it_would_ignore_in_a_gitignore() {
        for (pattern, denied, others) in [
            ("src/**/*.txt", &["src/a.txt", "src/a/b.TXT", "x/src/a/b/c.txt/d"][..], &["a.txt"]),
            ("s[0-9].txt", &["s1.txt", "a/S2.txt", "s3.txt/b"], &["sx.txt"]),
            ("[!a]b", &["cb"], &["ab"]),
            ("{s1,sX}.txt", &["s1.txt", "a/sx.txt"], &["s2.txt"]),
            ("{a/b,c}/*.md", &["a/b/x.md", "y/c/x.md"], &["b/x.md"]),
            ("./src/**", &["src/a", "src/a/b", "src"], &["x/src/a"]),
            ("/vault/**", &["vault/a", "Vault/a/b", "vault", "/vault/a"], &["x/vault/a"]),
            ("/vault/**/*.txt", &["vault/a.txt", "vault/b/a.txt"], &["x/vault/a.txt"]),
            ("/**/vault", &["vault/a", "b/vault"], &["vaults"]),
            ("vault/", &["vault/a", "b/vault/a"], &["vaults/a"]),
            ("[id].tsx", &["app/[id].tsx", "app/i.tsx"], &["app/id.tsx"]),
            ("a/./b//c", &["a/b/c"], &["a/c"]),
            ("**", &["a", "a/b"], &[""]),
        ] {
            let list = list(&[pattern]);
            denied.iter().for_each(|it| assert_eq!(list.denies(it), Some(pattern), "{it}"));
            others.iter().for_each(|it| assert_eq!(list.denies(it), None, "{pattern}: {it}"));
        }
    }

    #[test]
    fn a_pattern_from_the_repositorys_root_says_nothing_of_the_file_system() {
        assert_eq!(list(&["./src/**"]).denies_absolute("/src/a"), None);
        assert_eq!(list(&["src/**"]).denies_absolute("/src/a"), None);
        assert_eq!(list(&["/src/[a-c]"]).denies_absolute("/src/a"), Some("/src/[a-c]"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["[", "", "  ", "/", "./", "!x", "{a", "a/[", "../x", "[z-a]"] {
            let error = Denylist::default().with([pattern]).unwrap_err().to_string();
            assert!(error.ends_with(&format!(" in the glob `{}`", pattern.trim())), "{error}");
        }
    }
}
