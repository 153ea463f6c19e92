//! The denylist: paths that are never read.
//!
//! A pattern consists of path components, in which `*`, `?` and `[0-9]` match characters, `{a,b}` matches
//! either, and a `**` of its own matches any folders. It denies the paths that it matches and
//! everything beneath. Case is ignored.

use crate::deny_pattern::parse;
use crate::glob_list::to_regex;
use crate::{GlobError, GlobList};
use std::sync::{Arc, LazyLock};

/// The built-in patterns.
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
    "appsettings.json",
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
    /// The number of built-in patterns, whose leading `/` means something else.
    built_in: usize,
    /// One for the patterns of each call to [`Self::with`].
    matchers: Vec<Arc<DenyMatcher>>,
}

#[derive(Debug)]
struct DenyMatcher {
    all: GlobList,
    /// The globs that begin with `/`.
    absolute: GlobList,
}

impl PartialEq for Denylist {
    fn eq(&self, other: &Self) -> bool {
        (&self.patterns, self.built_in) == (&other.patterns, other.built_in)
    }
}

impl Eq for Denylist {}

impl Default for Denylist {
    fn default() -> Self {
        static BUILT_IN: LazyLock<Denylist> = LazyLock::new(|| {
            let list = Denylist::empty().add(DEFAULT_PATTERNS, true);
            let list = list.expect("a test compiles the built-in patterns");
            Denylist { built_in: list.patterns.len(), ..list }
        });
        BUILT_IN.clone()
    }
}

impl Denylist {
    /// Creates a list of exactly these patterns. `.env`, `*.pem` and `id_rsa` match any component of a
    /// path, `.aws/credentials` two in a row, `./vault` one at the root of the repository, and
    /// `/vault` also an absolute path.
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Result<Self, GlobError> {
        Self::empty().with(patterns)
    }

    /// Adds patterns.
    pub fn with<S: AsRef<str>>(
        self,
        patterns: impl IntoIterator<Item = S>,
    ) -> Result<Self, GlobError> {
        self.add(patterns, false)
    }

    /// Returns the pattern that denies `path`, which is absolute or relative to the repository's root.
    pub fn denies(&self, path: &str) -> Option<&str> {
        let normalized = normalize(path)?;
        self.find(|matcher| matcher.all.first_match(&normalized))
    }

    /// Returns the pattern with a leading `/` that denies an absolute path. Other patterns do not apply
    /// to the folders above the root.
    pub(crate) fn denies_absolute(&self, path: &str) -> Option<&str> {
        let normalized = normalize(path)?;
        self.find(|matcher| matcher.absolute.first_match(&normalized))
    }

    fn find(&self, index: impl Fn(&DenyMatcher) -> Option<usize>) -> Option<&str> {
        self.matchers.iter().find_map(|it| index(it)).map(|index| self.patterns[index].as_str())
    }

    fn empty() -> Self {
        Self { patterns: Vec::new(), built_in: 0, matchers: Vec::new() }
    }

    fn add<S: AsRef<str>>(
        mut self,
        patterns: impl IntoIterator<Item = S>,
        is_built_in: bool,
    ) -> Result<Self, GlobError> {
        let (mut all, mut absolute) = (Vec::new(), Vec::new());
        for pattern in patterns {
            let (pattern, index) = (pattern.as_ref().trim(), self.patterns.len());
            for glob in parse(pattern, is_built_in)? {
                let regex = to_regex(&glob, pattern, true)?;
                if glob.starts_with('/') {
                    absolute.push((index, regex.clone()));
                }
                all.push((index, regex));
            }
            self.patterns.push(pattern.to_owned());
        }
        let (all, absolute) = (GlobList::compile(all)?, GlobList::compile(absolute)?);
        self.matchers.push(Arc::new(DenyMatcher { all, absolute }));
        Ok(self)
    }
}

/// Returns a path in lower case without empty and `.` components, which the system ignores; `None` if
/// nothing is left.
fn normalize(path: &str) -> Option<String> {
    let lower = path.to_ascii_lowercase();
    let names: Vec<&str> = lower.split('/').filter(|it| !it.is_empty() && *it != ".").collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    (!names.is_empty()).then(|| root.to_owned() + &names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // Shows: AC-023 to AC-026
    #[test]
    fn default_list_denies_secrets_but_not_similar_names() {
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
            ("src/Api/appsettings.json", "appsettings.json"),
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
    fn custom_patterns_may_span_components_and_contain_wildcards() {
        let list = list(&["secrets/**", "**/private/*.txt", "*token*"]);
        assert_eq!(list.denies("a/Secrets/b/c.rs"), Some("secrets/**"));
        assert_eq!(list.denies("x/private/a.txt"), Some("**/private/*.txt"));
        assert_eq!(list.denies("x/private/b/a.txt"), None);
        assert_eq!(list.denies("my_tokens.rs"), Some("*token*"));
        assert_eq!(list.denies(".env"), None);
        let more = Denylist::default().with(["*.bak"]).unwrap();
        assert_eq!(more.denies("a.bak"), Some("*.bak"));
        assert_eq!(more.denies("etc/passwd"), None, "the built-in pattern is absolute");
    }

    #[test]
    fn patterns_deny_what_a_gitignore_would_ignore() {
        for (pattern, denied, allowed) in [
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
            ("a}b]", &["a}b]", "x/A}b]/c"], &["ab"]),
            ("[id].tsx", &["app/[id].tsx", "app/i.tsx"], &["app/id.tsx"]),
            ("a/./b//c", &["a/b/c"], &["a/c"]),
            ("**", &["a", "a/b"], &[""]),
        ] {
            let list = list(&[pattern]);
            denied.iter().for_each(|it| assert_eq!(list.denies(it), Some(pattern), "{it}"));
            allowed.iter().for_each(|it| assert_eq!(list.denies(it), None, "{pattern}: {it}"));
        }
    }

    #[test]
    fn repository_patterns_do_not_apply_to_absolute_paths() {
        assert_eq!(list(&["./src/**"]).denies_absolute("/src/a"), None);
        assert_eq!(list(&["src/**"]).denies_absolute("/src/a"), None);
        assert_eq!(list(&["/src/[a-c]"]).denies_absolute("/src/a"), Some("/src/[a-c]"));
    }

    #[test]
    fn invalid_patterns_are_rejected() {
        for pattern in ["[", "", "  ", "/", "./", "!x", "{a", "a/[", "../x", "[z-a]"] {
            let error = Denylist::default().with([pattern]).unwrap_err().to_string();
            let expected = format!("invalid glob `{}`: ", pattern.trim());
            assert!(error.starts_with(&expected), "{error}");
        }
    }

    #[test]
    fn components_that_the_system_ignores_do_not_hide_a_path() {
        let list = list(&[".aws/credentials", "./vault"]);
        for path in [".aws//credentials", ".aws/./credentials", "./.aws/credentials/"] {
            assert_eq!(list.denies(path), Some(".aws/credentials"), "{path}");
        }
        assert_eq!(list.denies("./vault/x"), Some("./vault"));
        assert_eq!(list.denies("."), None);
    }
}
