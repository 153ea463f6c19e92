//! The denylist: names of files that are never read, whatever asks for them.
//!
//! A pattern is one or more path components, in which `*` and `?` stand for characters of that
//! component; it denies whatever it matches and everything beneath. Case is ignored.

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denylist {
    patterns: Vec<String>,
    /// Single names without wildcards, in lower case, and the pattern each comes from.
    names: FxHashMap<String, usize>,
    /// Extensions `x` of the patterns `*.x`.
    extensions: FxHashMap<String, usize>,
    /// Everything else.
    rules: Vec<Rule>,
}

/// A pattern that is not a mere name or extension.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    components: Vec<String>,
    /// Whether it begins at the file system's root.
    absolute: bool,
    pattern: usize,
}

impl Default for Denylist {
    fn default() -> Self {
        Self::new(DEFAULT_PATTERNS)
    }
}

impl Denylist {
    /// A list of exactly these patterns. `.env`, `*.pem` and `id_rsa` match any component of a
    /// path, `.aws/credentials` matches two in a row, `/etc/passwd` an absolute path.
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Self {
        let mut list = Self {
            patterns: Vec::new(),
            names: FxHashMap::default(),
            extensions: FxHashMap::default(),
            rules: Vec::new(),
        };
        for pattern in patterns {
            list.add(pattern.as_ref());
        }
        list
    }

    /// This list and more patterns.
    #[must_use]
    pub fn with<S: AsRef<str>>(mut self, patterns: impl IntoIterator<Item = S>) -> Self {
        for pattern in patterns {
            self.add(pattern.as_ref());
        }
        self
    }

    /// The patterns, in the order in which they were given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// The pattern that denies `path`, if one does. Patterns that begin with `/` are held against
    /// the path as it stands, so they only match absolute ones.
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
        let mut rules = self.rules.iter().filter(|rule| rule.absolute);
        let denying = rules.find(|rule| rule.matches(&components, true))?;
        Some(&self.patterns[denying.pattern])
    }

    fn add(&mut self, pattern: &str) {
        let lower = pattern.trim().to_ascii_lowercase().replace('\\', "/");
        let mut components: Vec<String> =
            lower.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        // Whatever a pattern matches is denied with everything beneath, and at any depth.
        while components.last().is_some_and(|name| name == "**") {
            components.pop();
        }
        while components.first().is_some_and(|name| name == "**") {
            components.remove(0);
        }
        let Some(first) = components.first() else { return };
        let index = self.patterns.len();
        let absolute = lower.starts_with('/');
        let single = !absolute && components.len() == 1;
        let wild = |name: &str| name.contains(['*', '?']);
        match first.strip_prefix("*.").filter(|rest| !wild(rest) && !rest.contains('.')) {
            Some(extension) if single => {
                self.extensions.entry(extension.to_owned()).or_insert(index);
            }
            _ if single && !wild(first) => {
                self.names.entry(first.clone()).or_insert(index);
            }
            _ => self.rules.push(Rule { components, absolute, pattern: index }),
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

impl Rule {
    fn matches(&self, path: &[&str], absolute: bool) -> bool {
        let here = |names: &[&str]| {
            names.iter().zip(&self.components).all(|(name, part)| wildcard(part, name))
        };
        if self.absolute {
            return absolute
                && path.len() >= self.components.len()
                && here(&path[..self.components.len()]);
        }
        path.windows(self.components.len()).any(here)
    }
}

/// Whether `name` matches `pattern`, in which `*` stands for any characters and `?` for one.
fn wildcard(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, n));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                // The last star takes one character more.
                let Some((star, from)) = retry else { return false };
                retry = Some((star, from + 1));
                p = star + 1;
                n = from + 1;
            }
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
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

    #[test]
    fn own_patterns_may_span_components_and_hold_wildcards() {
        let list = Denylist::new(["secrets/**", "**/private/*.txt", "*token*", "  "]);
        assert_eq!(list.patterns().len(), 3);
        assert_eq!(list.denies("a/Secrets/b/c.rs"), Some("secrets/**"));
        assert_eq!(list.denies("x/private/a.txt"), Some("**/private/*.txt"));
        assert_eq!(list.denies("x/private/b/a.txt"), None);
        assert_eq!(list.denies("my_tokens.rs"), Some("*token*"));
        assert_eq!(list.denies(".env"), None);
        assert_eq!(Denylist::default().with(["*.bak"]).denies("a.bak"), Some("*.bak"));
    }

    #[test]
    fn wildcards_take_back_what_a_star_took_too_early() {
        assert!(wildcard("*ab*c", "aabxabc"));
        assert!(wildcard("?*", "x"));
        assert!(!wildcard("?*", ""));
        assert!(!wildcard("*.a", "x.ab"));
    }
}
