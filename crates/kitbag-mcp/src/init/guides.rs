//! What clients read beside their configuration: instructions for the model, and a sub-agent that
//! searches. Each is a file of Markdown that has Kitbag's part between two markers.

use super::clients::{Client, ConfigDirs, Scope, claude, codex, zed};
use std::path::{Path, PathBuf};

/// The name of the sub-agent, and of its file.
const AGENT_NAME: &str = "kitbag-search";

/// When a model should use the tools. It is part of every conversation, so it is short.
const INSTRUCTIONS: &str = "## Finding code with Kitbag

If the `kitbag` MCP tools are available, use them before grep or whole files when you do not know yet \
where the code is: `pack_context` with the task in plain words returns the relevant code within a token \
budget, `search_code` lists ranked places, `find_symbol` shows where a name is defined and used, and \
`repo_overview` describes an unknown repository. Read a file directly if you know that you need it.
";

/// When the calling agent should use the sub-agent.
const AGENT_DESCRIPTION: &str = "Finds the code that is relevant to a task or a question and reports \
    places and findings. Use it before changing unfamiliar code. It never edits files.";

/// The prompt of the sub-agent.
const AGENT_PROMPT: &str = "You find code; you never change it.

1. Call `pack_context` of the `kitbag` server with the task in plain words and a budget of 8,000 to \
16,000 tokens.
2. Follow up with `find_symbol` for names that matter and `search_code` for what is missing. Read a file \
only for lines that these did not show.
3. Answer with the places that matter (`path:first-last`, each with one sentence why), how they work \
together, and what you could not find. Quote only the lines that decide.
";

/// A file of Markdown with a part of Kitbag.
pub(super) struct GuideFile {
    pub path: PathBuf,
    /// The text before the part in a new file, such as front matter.
    pub head: String,
    pub body: &'static str,
}

impl GuideFile {
    fn new(path: PathBuf, head: impl Into<String>, body: &'static str) -> Self {
        Self { path, head: head.into(), body }
    }
}

impl Client {
    /// Returns the file with instructions for the client's model; `None` if it has none in this scope.
    pub(super) fn instructions(self, dirs: &ConfigDirs, scope: &Scope) -> Option<GuideFile> {
        let home = &dirs.home;
        let shared = |path| GuideFile::new(path, "", INSTRUCTIONS);
        let own = |path, head: &str| GuideFile::new(path, head, INSTRUCTIONS);
        Some(match (self, scope) {
            (Self::ClaudeCode, Scope::User) => shared(claude(dirs).join("CLAUDE.md")),
            (Self::ClaudeCode, Scope::Project(root)) => shared(root.join("CLAUDE.md")),
            (Self::Cursor, Scope::Project(root)) => {
                let head = "---\ndescription: Finding code with Kitbag\nalwaysApply: true\n---\n\n";
                own(root.join(".cursor/rules/kitbag.mdc"), head)
            }
            (Self::VsCode, Scope::User) => {
                let path = dirs.applications.join("Code/User/prompts/kitbag.instructions.md");
                own(path, "---\napplyTo: \"**\"\n---\n\n")
            }
            (Self::Zed, Scope::User) => shared(zed(dirs).join("AGENTS.md")),
            // Zed reads the first of several files.
            (Self::Zed, Scope::Project(root)) if root.join(".rules").exists() => {
                shared(root.join(".rules"))
            }
            (Self::Codex, Scope::User) => shared(codex(dirs).join("AGENTS.md")),
            (Self::Gemini, Scope::User) => shared(home.join(".gemini/GEMINI.md")),
            (Self::Gemini, Scope::Project(root)) => shared(root.join("GEMINI.md")),
            (Self::Opencode, Scope::User) => shared(dirs.config.join("opencode/AGENTS.md")),
            (Self::Windsurf, Scope::User) => {
                shared(home.join(".codeium/windsurf/memories/global_rules.md"))
            }
            (Self::Windsurf, Scope::Project(root)) => {
                own(root.join(".windsurf/rules/kitbag.md"), "---\ntrigger: always_on\n---\n\n")
            }
            (Self::VsCode | Self::Zed | Self::Codex | Self::Opencode, Scope::Project(root)) => {
                shared(root.join("AGENTS.md"))
            }
            // Cursor keeps the user's rules in its settings.
            (Self::Cursor, Scope::User) | (Self::ClaudeDesktop, _) => return None,
        })
    }

    /// Returns the file of the sub-agent; `None` if the client has no sub-agents.
    pub(super) fn agent(self, dirs: &ConfigDirs, scope: &Scope) -> Option<GuideFile> {
        let in_project = |folder: &str| match scope {
            Scope::User => None,
            Scope::Project(root) => Some(root.join(folder)),
        };
        let (folder, fields) = match self {
            Self::ClaudeCode => {
                let folder = in_project(".claude").unwrap_or_else(|| claude(dirs));
                let tools = "Read, Grep, Glob, mcp__kitbag__pack_context, mcp__kitbag__search_code, \
                             mcp__kitbag__find_symbol, mcp__kitbag__repo_overview";
                (folder, format!("name: {AGENT_NAME}\n{}tools: {tools}\n", description()))
            }
            Self::Cursor => {
                let folder = in_project(".cursor").unwrap_or_else(|| dirs.home.join(".cursor"));
                let fields = "model: inherit\nreadonly: true\n";
                (folder, format!("name: {AGENT_NAME}\n{}{fields}", description()))
            }
            Self::Gemini => {
                let folder = in_project(".gemini").unwrap_or_else(|| dirs.home.join(".gemini"));
                let tools = "kind: local\ntools:\n  - read_file\n  - grep_search\n  - glob\n  - mcp_kitbag_*\n";
                (folder, format!("name: {AGENT_NAME}\n{}{tools}", description()))
            }
            Self::Opencode => {
                let folder = in_project(".opencode");
                let folder = folder.unwrap_or_else(|| dirs.config.join("opencode"));
                let config = self.config_file(dirs, scope)?;
                (folder, format!("{}mode: subagent\n{}", description(), opencode_rules(&config)))
            }
            Self::VsCode | Self::Zed | Self::Codex | Self::Windsurf | Self::ClaudeDesktop => {
                return None;
            }
        };
        let path = folder.join("agents").join(format!("{AGENT_NAME}.md"));
        Some(GuideFile::new(path, format!("---\n{fields}---\n\n"), AGENT_PROMPT))
    }
}

fn description() -> String {
    format!("description: {AGENT_DESCRIPTION}\n")
}

/// Returns the permissions of a sub-agent that only reads. opencode 2 has a list of rules.
fn opencode_rules(config: &Path) -> String {
    if !super::is_opencode_2(config) {
        return "permission:\n  edit: deny\n  bash: deny\n".to_owned();
    }
    let rule = |action| format!("  - {{ action: {action}, resource: \"*\", effect: deny }}\n");
    format!("permissions:\n{}{}", rule("edit"), rule("shell"))
}
