//! Fragments of random files: items of several languages, and difficult lines.

/// Items of one language, and paths of its files.
pub struct Dialect {
    pub paths: &'static [&'static str],
    pub items: &'static [&'static str],
}

pub const DIALECTS: &[Dialect] = &[
    Dialect {
        paths: &["src/login.rs", "src/größe/käse.rs", "a\\b.rs", "x (lines 1-2).rs"],
        items: &[
            "use std::fmt;\n",
            "/// Logs a user in.\n///\n/// Twice.\nfn login(user: &str) -> bool {\n    check(user)\n}\n",
            "fn check(user: &str) -> bool {\n    let a = 1;\n\n    let b = a + 2;\n    !user.is_empty()\n}\n",
            "impl Session {\n    /// Opens it.\n    fn open(&self) {\n        self.token();\n    }\n\n    fn token(&self) -> u64 {\n        let mut sum = 0;\n        for i in 0..9 {\n            sum += i;\n        }\n        sum\n    }\n}\n",
            "/// Renews the token.\npub fn renew(session: &mut Session, now: u64) -> Option<u64> {\n    let mut left = session.at;\n    if left > now {\n        return None;\n    }\n\n    left += 3600;\n    session.count += 1;\n    session.log(\"renewed\");\n\n    for user in session.users() {\n        user.notify(left);\n        user.touch();\n    }\n    session.at = left;\n    Some(left)\n}\n",
            "struct Session {\n    user: String,\n    at: u64,\n}\n",
            "const A: [u8; 3] = [\n    1,\n    2,\n    3,\n];\n",
            "fn\nf\n(\n)\n{\nlet x = 1;\nlet y = 2;\nlet z = 3;\nlet w = 4;\nlet v = 5;\n}\n",
        ],
    },
    Dialect {
        paths: &["app/session.py", "tools/run\n### evil.py (lines 1-9)", "\u{202e}yp.nigol.py"],
        items: &[
            "import os\n",
            "def login(user):\n    \"\"\"Logs in.\"\"\"\n    if user:\n        return True\n    return False\n",
            "class Session:\n    \"\"\"Holds a token.\"\"\"\n\n    def open(self):\n        token = self.token()\n        return token\n\n    def token(self):\n        total = 0\n        for i in range(9):\n            total += i\n        return total\n",
            "class Store:\n    def get(self, key):\n        row = self.find(key)\n        if row is None:\n            raise KeyError(key)\n        self.hits += 1\n        return row.value\n\n    def put(self, key, value):\n        row = self.find(key)\n        if row is None:\n            row = self.insert(key)\n        row.value = value\n        self.writes += 1\n        return row\n\n    def drop(self, key):\n        row = self.find(key)\n        self.rows.remove(row)\n        self.drops += 1\n        self.notify(key)\n",
            "@decorated\ndef oauth_callback(request, *, state=None):\n    pass\n",
            "x = {\n    'a': 1,\n    'b': 2,\n}\n",
        ],
    },
    Dialect {
        paths: &["web/session.ts", "web/a.js", "include/session.h"],
        items: &[
            "// A comment.\n// And another;\n///\n////\n",
            "/* a */\n/* b */\n",
            "export function login(user) {\n  return check(user);\n}\n",
            "class Session {\n  open() {\n    return this.token();\n  }\n\n  token() {\n    let sum = 0;\n    for (let i = 0; i < 9; i++) sum += i;\n    return sum;\n  }\n}\n",
            "/** Renews. */\nfunction renew(session, now) {\n  let left = session.at;\n  if (left > now) return null;\n\n  left += 3600;\n  session.count += 1;\n  session.log('renewed');\n\n  for (const user of session.users()) {\n    user.notify(left);\n    user.touch();\n  }\n  session.at = left;\n  return left;\n}\n",
            "const route = (request) => {\n  const ok = `a${request}`;\n  return ok;\n};\n",
        ],
    },
    Dialect {
        paths: &["README.md", "docs/`tick`.md", "#1 (line 3).md"],
        items: &[
            "# Login\n\nHow users log in.\n",
            "## OAuth\n\n```rust\nfn main() {}\n```\n",
            "### src/fake.rs (lines 1-2)\n````\n```\nnested\n```\n````\n",
            "Title\n=====\n\n- one\n- two\n\n    indented\n",
            "~~~\ntilde\n~~~\n",
            "`````````````````````` many ticks\n",
            "... lines 2-9 not shown ...\n",
        ],
    },
    Dialect {
        paths: &["log.txt", "noext", "", "data\u{7f}\u{200b}.zzz"],
        items: &[
            "12:00 login failed for user 7\n",
            "Caused by: oauth callback refused\n\tat main\n",
            "/var/log/app.log\n/var/log\n",
            "ok\nok\nok\n",
            "{\"a\": [1, 2, 3]}\n",
            "日本語の行です。\n",
        ],
    },
];

/// Difficult lines: blank, long, unusual, or imitating headers and fences.
pub const HARD: &[&str] = &[
    "\n",
    "\n\n\n",
    "    \n",
    "\t\n \n",
    "/\n",
    "/\n/\n//\n",
    "// slash\n",
    "////////////////\n",
    "};\n",
    "---------------------------------\n",
    "```\n",
    "````\n",
    "    ```\n",
    "`````rust\ncode\n`````\n",
    "### a.rs (lines 1-3)\n",
    "... line 2 not shown ...\n",
    "é 😀 中文 ไทย نص\n",
    "e\u{301}\u{301} 👨\u{200d}👩\u{200d}👧\n",
    "\u{feff}bom\n",
    "\u{2028}sep\u{2029}\n",
    "\rlone return\r\n",
    "\u{85}\u{a0}\u{3000}\n",
    "nul \0 here\n",
    "<|endoftext|>\n",
    "<!-- html -->\n",
    "#!/usr/bin/env python3\n",
    "login oauth session\n",
];

/// Empty, matching, unrelated and wordless tasks.
pub const TASKS: &[&str] =
    &["", "why does login fail?", "oauth callback of the session", "zebra", "?!", "登录 login"];
