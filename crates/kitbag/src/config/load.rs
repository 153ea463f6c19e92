//! The configurations of the repositories that an engine packs: read for every request, parsed when
//! they have changed.
//!
//! What is wrong at first is an error. What goes wrong later, while a person edits a file, costs no
//! pack: the last configuration that was right is used, with a warning.

use super::layer::{Authority, Layer, piece_of};
use super::names::Names;
use super::problem::{ConfigError, ConfigProblem};
use super::resolve::Layers;
use super::sources::{self, ConfigSources, MOST_BYTES, Outcome, PROJECT_FILE};
use crate::trust::{Trust, TrustPiece, TrustStanding};
use kitbag_repo::{PathError, Root};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What people call the repository's file by mistake.
const MISSPELT: [&str; 5] = [
    ".agent/config.yaml",
    ".agent/configuration.yml",
    ".agent/configuration.yaml",
    ".agent/conf.yml",
    ".agent/kitbag.yml",
];

/// The configurations of an engine.
#[derive(Default)]
pub(crate) struct Configurations {
    sources: ConfigSources,
    names: Names,
    last: Mutex<FxHashMap<PathBuf, Arc<Loaded>>>,
}

/// How pieces stand that a repository wants, by their names.
type Standings = Vec<(&'static str, TrustStanding)>;

/// A configuration that was right when it was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub layers: Layers,
    /// The files that were there, as they are shown.
    pub files: Vec<String>,
    /// What the files had in them.
    contents: [Option<Vec<u8>>; 2],
    /// How each piece stood that the repository wants.
    standings: Standings,
}

impl Loaded {
    /// What a person should know of it.
    pub fn warnings(&self) -> Vec<String> {
        let Layers { user, project, environment, set, .. } = &self.layers;
        let layers = [user, project, environment, set];
        let told = layers.iter().flat_map(|layer| layer.warnings.iter().cloned());
        told.chain(self.untrusted()).collect()
    }

    /// What the repository wants and needs trust for.
    pub fn wants(&self) -> impl Iterator<Item = TrustPiece> {
        wants(&self.layers).map(|(_, piece)| piece)
    }

    /// What is not used, since it is not trusted: the first key of each piece.
    fn untrusted(&self) -> impl Iterator<Item = String> {
        self.standings.iter().filter_map(|&(what, standing)| {
            let why = match standing {
                TrustStanding::Trusted => return None,
                TrustStanding::Changed => "it has changed since you trusted it",
                TrustStanding::NotTrusted => "you have not trusted it",
            };
            let mut wanting = self.layers.project.wanting.iter();
            let (key, entry) = wanting.find(|(key, _)| piece_of(key) == what)?;
            let hint = "`kitbag trust` shows and trusts it";
            let told = format!("`{key}` of the repository is not used, since {why}; {hint}");
            Some(format!("{}: {told}", entry.place))
        })
    }
}

/// A file: how it is shown, and what is in it. `None` where it is not there.
struct Found {
    name: PathBuf,
    content: Option<Result<Vec<u8>, String>>,
}

impl Configurations {
    pub fn new(sources: ConfigSources) -> Self {
        Self { sources, ..Self::default() }
    }

    /// The same with settings from elsewhere.
    pub fn with_sources(&self, sources: ConfigSources) -> Self {
        Self { sources, names: self.names.clone(), last: Mutex::default() }
    }

    /// The same, with settings for one more provider.
    pub fn with_provider(&self, id: &str) -> Self {
        let mut names = self.names.clone();
        names.own.push(id.to_owned());
        Self { sources: self.sources.clone(), names, last: Mutex::default() }
    }

    /// The names that may stand in keys beside those of the table.
    pub(super) fn names(&self) -> &Names {
        &self.names
    }

    /// The user-wide file.
    pub fn user_file(&self) -> Option<&Path> {
        self.sources.user_file.as_deref()
    }

    /// The configuration of a repository, and what a person should know of it. `shown` is how the
    /// caller calls its folder.
    pub fn load(
        &self,
        root: &Root,
        shown: &Path,
    ) -> Result<(Arc<Loaded>, Vec<String>), ConfigError> {
        let lock = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let last = lock().get(root.path()).cloned();
        let found = [user(self.user_file()), project(root, shown)];
        let unread = self.unread(root, shown, &found);
        let and_unread = |warnings: Vec<String>| warnings.into_iter().chain(unread).collect();
        let contents = found.each_ref().map(|file| match &file.content {
            Some(Ok(content)) => Some(content.clone()),
            _ => None,
        });
        let is_readable = !found.iter().any(|file| matches!(file.content, Some(Err(_))));
        let is_same = |last: &&Arc<Loaded>| {
            let standings = self.standings(root, &last.layers);
            is_readable && last.contents == contents && last.standings == standings
        };
        if let Some(last) = last.as_ref().filter(is_same) {
            return Ok((Arc::clone(last), and_unread(last.warnings())));
        }
        match (self.read(root, found, contents), last) {
            (Ok(loaded), _) => {
                let loaded = Arc::new(loaded);
                lock().insert(root.path().to_owned(), Arc::clone(&loaded));
                let warnings = and_unread(loaded.warnings());
                Ok((loaded, warnings))
            }
            (Err(error), Some(last)) => {
                let told = error.problems.iter().map(ConfigProblem::to_string);
                let kept = "the configuration as it was before is used, since it is now wrong";
                let mut warnings: Vec<String> =
                    told.map(|problem| format!("{kept}: {problem}")).collect();
                warnings.extend(last.warnings());
                Ok((last, and_unread(warnings)))
            }
            (Err(error), None) => Err(error),
        }
    }

    /// Files that look like a configuration where there is none, and are not read.
    fn unread(&self, root: &Root, shown: &Path, [user, project]: &[Found; 2]) -> Vec<String> {
        let mut unread = Vec::new();
        if let Some(path) = self.user_file().filter(|_| user.content.is_none()) {
            let misspelt = path.with_extension("yaml");
            if misspelt.is_file() {
                unread.push(not_read(&misspelt, path));
            }
        }
        if project.content.is_none() {
            let there = |name: &&str| root.resolve(Path::new(name)).is_ok();
            let misspelt = MISSPELT.iter().copied().filter(there);
            unread.extend(misspelt.map(|name| not_read(&named(shown, name), &project.name)));
        }
        unread
    }

    /// The user's own layers.
    pub fn load_user(&self) -> Result<Layers, ConfigError> {
        let failed = |problems| ConfigError { problems };
        let (own, names) = (user(self.user_file()), &self.names);
        let own = own.layer(Authority::User, names).map_err(failed)?;
        let environment = sources::environment(&self.sources.environment, names).map_err(failed)?;
        let set = sources::set(&self.sources.set, names).map_err(failed)?;
        let layers = Layers {
            user: Arc::new(own),
            environment: Arc::new(environment),
            set: Arc::new(set),
            ..Layers::default()
        };
        layers.check()?;
        Ok(layers)
    }

    /// Reads all layers; everything that is wrong with any of them is told.
    fn read(
        &self,
        root: &Root,
        [user, project]: [Found; 2],
        contents: [Option<Vec<u8>>; 2],
    ) -> Result<Loaded, ConfigError> {
        let there = [&user, &project].into_iter().filter(|file| file.content.is_some());
        let files = there.map(|file| file.name.to_string_lossy().into_owned()).collect();
        let mut problems = Vec::new();
        let mut take = |outcome: Outcome| {
            let layer = outcome.unwrap_or_else(|wrong| {
                problems.extend(wrong);
                Layer::default()
            });
            Arc::new(layer)
        };
        let names = &self.names;
        let mut layers = Layers {
            user: take(user.layer(Authority::User, names)),
            project: take(project.layer(Authority::Repository, names)),
            environment: take(sources::environment(&self.sources.environment, names)),
            set: take(sources::set(&self.sources.set, names)),
            trusted: Vec::new(),
        };
        ConfigError::unless_empty(problems)?;
        let standings = self.standings(root, &layers);
        let trusted = standings.iter().filter(|(_, it)| *it == TrustStanding::Trusted);
        layers.trusted = trusted.map(|(what, _)| *what).collect();
        layers.check()?;
        Ok(Loaded { layers, files, contents, standings })
    }

    /// The user's records of trust.
    pub fn trust(&self) -> Option<Trust> {
        self.sources.trust_folder.as_ref().map(Trust::new)
    }

    /// An environment variable of the user.
    pub fn variable(&self, name: &str) -> Option<String> {
        let mut variables = self.sources.environment.iter();
        let (_, value) = variables.find(|(variable, _)| variable == name)?;
        value.to_str().map(str::to_owned)
    }

    /// How each piece stands that the repository wants.
    fn standings(&self, root: &Root, layers: &Layers) -> Standings {
        let trust = self.trust();
        let standing = |piece: &TrustPiece| match &trust {
            Some(trust) => trust.standing(root, piece),
            None => TrustStanding::NotTrusted,
        };
        wants(layers).map(|(what, piece)| (what, standing(&piece))).collect()
    }
}

/// What a repository's file sets and may set with trust only, in pieces.
fn wants(layers: &Layers) -> impl Iterator<Item = (&'static str, TrustPiece)> {
    let mut pieces: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (key, entry) in &layers.project.wanting {
        let line = format!("{key}: {}", entry.value);
        pieces.entry(piece_of(key)).or_default().push(line);
    }
    pieces.into_iter().map(|(what, lines)| (what, TrustPiece::new(what, lines.join("\n"))))
}

impl Found {
    fn layer(&self, authority: Authority, names: &Names) -> Outcome {
        match &self.content {
            None => Ok(Layer::default()),
            Some(Ok(content)) => sources::file(&self.name, content, authority, names),
            Some(Err(message)) => sources::unreadable(&self.name, message.clone()),
        }
    }
}

fn not_read(misspelt: &Path, right: &Path) -> String {
    let (misspelt, right) = (misspelt.display(), right.display());
    format!("`{misspelt}` is not read: the configuration is called `{right}`")
}

/// How a file of the repository is shown.
fn named(shown: &Path, name: &str) -> PathBuf {
    let name = shown.join(name);
    name.strip_prefix(".").map(Path::to_owned).unwrap_or(name)
}

/// The repository's file. Paths that lead out of it are not followed.
fn project(root: &Root, shown: &Path) -> Found {
    let name = named(shown, PROJECT_FILE);
    let content = match root.read(PROJECT_FILE, MOST_BYTES) {
        Ok(content) => Some(Ok(content)),
        Err(PathError::NotFound { .. }) => None,
        Err(PathError::TooLarge { .. }) => Some(Err(too_large())),
        Err(error) => Some(Err(error.to_string())),
    };
    Found { name, content }
}

/// The user-wide file.
fn user(file: Option<&Path>) -> Found {
    let Some(path) = file else { return Found { name: PathBuf::new(), content: None } };
    let content = match read_bounded(path) {
        Ok(content) if content.len() as u64 > MOST_BYTES => Some(Err(too_large())),
        Ok(content) => Some(Ok(content)),
        Err(error) if is_missing(&error) => None,
        Err(error) => Some(Err(format!("cannot be read: {error}"))),
    };
    Found { name: path.to_owned(), content }
}

/// One byte more than may be shows that there are too many. What is no file is not waited for.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a file"));
    }
    let mut content = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut content)?;
    Ok(content)
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn too_large() -> String {
    format!("larger than {} kB", MOST_BYTES >> 10)
}
