//! The list of all languages: how their files are recognised, and their fence hints.

use super::{Headings, Language, Structure, data, objects, scripts, systems};

/// One line of the list.
macro_rules! language {
    ($name:literal, $fence:literal, $endings:expr, $files:expr, $interpreters:expr, $structure:expr) => {
        Language {
            name: $name,
            fence: $fence,
            endings: &$endings,
            file_names: &$files,
            interpreters: &$interpreters,
            structure: $structure,
        }
    };
}

pub(super) static LANGUAGES: &[Language] = &[
    language!("rust", "rust", ["rs"], [], ["rust-script"], Structure::Items(&systems::RUST)),
    language!(
        "python",
        "python",
        ["py", "pyi", "pyw", "pyx"],
        ["SConstruct", "SConscript", "wscript"],
        ["python", "pypy", "uv"],
        Structure::Items(&scripts::PYTHON)
    ),
    language!(
        "javascript",
        "javascript",
        ["js", "mjs", "cjs", "jsx"],
        ["Jakefile"],
        ["node", "nodejs", "bun"],
        Structure::Items(&scripts::JAVASCRIPT)
    ),
    language!(
        "typescript",
        "typescript",
        ["ts", "mts", "cts"],
        [],
        ["deno", "ts-node", "tsx"],
        Structure::Items(&scripts::TYPESCRIPT)
    ),
    language!("tsx", "tsx", ["tsx"], [], [], Structure::Items(&scripts::TSX)),
    language!("java", "java", ["java"], [], [], Structure::Items(&objects::JAVA)),
    language!(
        "kotlin",
        "kotlin",
        ["kt", "kts"],
        [],
        ["kotlin"],
        Structure::Items(&objects::KOTLIN)
    ),
    language!(
        "scala",
        "scala",
        ["scala", "sc", "sbt"],
        [],
        ["scala"],
        Structure::Items(&objects::SCALA)
    ),
    language!("csharp", "csharp", ["cs", "csx"], [], [], Structure::Items(&objects::CSHARP)),
    language!(
        "php",
        "php",
        ["php", "phtml", "php5", "inc"],
        [],
        ["php"],
        Structure::Items(&objects::PHP)
    ),
    language!("go", "go", ["go"], [], [], Structure::Items(&systems::GO)),
    language!("c", "c", ["c", "h"], [], [], Structure::Items(&systems::C)),
    language!(
        "cpp",
        "cpp",
        ["cc", "cpp", "cxx", "hh", "hpp", "hxx", "ipp", "inl", "tpp", "cu", "cuh", "ino"],
        [],
        [],
        Structure::Items(&systems::CPP)
    ),
    language!("swift", "swift", ["swift"], [], ["swift"], Structure::Items(&systems::SWIFT)),
    language!(
        "ruby",
        "ruby",
        ["rb", "rake", "gemspec", "ru", "podspec", "jbuilder"],
        [
            "Gemfile",
            "Rakefile",
            "Guardfile",
            "Vagrantfile",
            "Brewfile",
            "Podfile",
            "Fastfile",
            "Capfile",
            "Berksfile"
        ],
        ["ruby", "jruby", "rake"],
        Structure::Items(&scripts::RUBY)
    ),
    language!(
        "lua",
        "lua",
        ["lua", "rockspec"],
        [],
        ["lua", "luajit"],
        Structure::Items(&scripts::LUA)
    ),
    language!(
        "bash",
        "bash",
        ["sh", "bash", "zsh", "ksh", "bats", "ebuild"],
        [".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD", "gradlew", "configure"],
        ["sh", "bash", "zsh", "dash", "ksh", "ash"],
        Structure::Items(&scripts::BASH)
    ),
    language!(
        "json",
        "json",
        ["json", "jsonc", "geojson", "webmanifest", "ipynb", "code-workspace", "avsc"],
        [".babelrc", ".eslintrc", ".prettierrc", "composer.lock", "Pipfile.lock"],
        [],
        Structure::Items(&data::JSON)
    ),
    language!(
        "yaml",
        "yaml",
        ["yml", "yaml", "cff"],
        [".clang-format", ".clang-tidy"],
        [],
        Structure::Items(&data::YAML)
    ),
    language!(
        "toml",
        "toml",
        ["toml"],
        ["Cargo.lock", "poetry.lock", "Pipfile", "uv.lock"],
        [],
        Structure::Items(&data::TOML)
    ),
    language!("html", "html", ["html", "htm", "xhtml"], [], [], Structure::Items(&data::HTML)),
    language!("css", "css", ["css"], [], [], Structure::Items(&data::CSS)),
    language!(
        "markdown",
        "markdown",
        ["md", "markdown", "mdx", "mkd", "mdc"],
        [],
        [],
        Structure::Sections(Headings::Markdown)
    ),
    language!(
        "restructuredtext",
        "rst",
        ["rst", "rest"],
        [],
        [],
        Structure::Sections(Headings::Underlined)
    ),
    language!(
        "asciidoc",
        "asciidoc",
        ["adoc", "asciidoc", "asc"],
        [],
        [],
        Structure::Sections(Headings::EqualSigns)
    ),
    language!("org", "org", ["org"], [], [], Structure::Sections(Headings::Stars)),
    language!("json5", "json5", ["json5"], [], [], Structure::Lines),
    language!(
        "text",
        "text",
        ["txt", "text", "log"],
        [
            "README",
            "LICENSE",
            "LICENCE",
            "COPYING",
            "AUTHORS",
            "NOTICE",
            "CHANGES",
            "CHANGELOG",
            "INSTALL",
            "TODO",
            "CONTRIBUTORS",
            "CODEOWNERS"
        ],
        [],
        Structure::Lines
    ),
    language!("sql", "sql", ["sql", "ddl", "psql"], [], [], Structure::Lines),
    language!(
        "dockerfile",
        "dockerfile",
        ["dockerfile"],
        ["Dockerfile", "Containerfile"],
        [],
        Structure::Lines
    ),
    language!(
        "makefile",
        "makefile",
        ["mk", "mak", "make"],
        ["Makefile", "makefile", "GNUmakefile", "Kbuild"],
        ["make"],
        Structure::Lines
    ),
    language!("cmake", "cmake", ["cmake"], ["CMakeLists.txt"], [], Structure::Lines),
    language!("meson", "meson", [], ["meson.build", "meson_options.txt"], [], Structure::Lines),
    language!("ninja", "ninja", ["ninja"], [], [], Structure::Lines),
    language!(
        "starlark",
        "python",
        ["bzl", "bazel", "star"],
        ["BUILD", "WORKSPACE", "BUILD.bazel", "WORKSPACE.bazel", "Tiltfile"],
        [],
        Structure::Lines
    ),
    language!("just", "just", ["just"], ["justfile", "Justfile"], ["just"], Structure::Lines),
    language!(
        "ini",
        "ini",
        ["ini", "cfg", "conf", "cnf", "properties", "editorconfig", "desktop", "service"],
        [".gitconfig", ".npmrc", ".pylintrc", ".flake8"],
        [],
        Structure::Lines
    ),
    language!(
        "ignore",
        "gitignore",
        ["gitignore", "dockerignore", "npmignore"],
        [".gitattributes", ".eslintignore"],
        [],
        Structure::Lines
    ),
    language!("dotenv", "dotenv", ["env"], [], [], Structure::Lines),
    language!(
        "xml",
        "xml",
        [
            "xml",
            "xsd",
            "xsl",
            "xslt",
            "svg",
            "plist",
            "csproj",
            "vbproj",
            "fsproj",
            "props",
            "targets",
            "resx",
            "xaml",
            "pom",
            "nuspec",
            "wsdl",
            "storyboard",
            "xib",
            "config"
        ],
        [],
        [],
        Structure::Lines
    ),
    language!("csv", "csv", ["csv", "tsv"], [], [], Structure::Lines),
    language!("diff", "diff", ["diff", "patch"], [], [], Structure::Lines),
    language!("protobuf", "protobuf", ["proto"], [], [], Structure::Lines),
    language!("thrift", "thrift", ["thrift"], [], [], Structure::Lines),
    language!("graphql", "graphql", ["graphql", "gql", "graphqls"], [], [], Structure::Lines),
    language!("hcl", "hcl", ["tf", "tfvars", "hcl", "nomad"], [], [], Structure::Lines),
    language!("nix", "nix", ["nix"], [], [], Structure::Lines),
    language!(
        "groovy",
        "groovy",
        ["groovy", "gradle", "gvy"],
        ["Jenkinsfile"],
        ["groovy"],
        Structure::Lines
    ),
    language!("vue", "vue", ["vue"], [], [], Structure::Lines),
    language!("svelte", "svelte", ["svelte"], [], [], Structure::Lines),
    language!("astro", "astro", ["astro"], [], [], Structure::Lines),
    language!("scss", "scss", ["scss"], [], [], Structure::Lines),
    language!("sass", "sass", ["sass"], [], [], Structure::Lines),
    language!("less", "less", ["less"], [], [], Structure::Lines),
    language!("stylus", "stylus", ["styl"], [], [], Structure::Lines),
    language!(
        "handlebars",
        "handlebars",
        ["hbs", "handlebars", "mustache"],
        [],
        [],
        Structure::Lines
    ),
    language!("jinja", "jinja", ["j2", "jinja", "jinja2"], [], [], Structure::Lines),
    language!("erb", "erb", ["erb"], [], [], Structure::Lines),
    language!("pug", "pug", ["pug", "jade"], [], [], Structure::Lines),
    language!("haml", "haml", ["haml"], [], [], Structure::Lines),
    language!("razor", "razor", ["cshtml", "razor"], [], [], Structure::Lines),
    language!("twig", "twig", ["twig"], [], [], Structure::Lines),
    language!("elixir", "elixir", ["ex", "exs"], [], ["elixir"], Structure::Lines),
    language!("erlang", "erlang", ["erl", "hrl"], ["rebar.config"], ["escript"], Structure::Lines),
    language!("haskell", "haskell", ["hs", "lhs"], [], ["runhaskell", "stack"], Structure::Lines),
    language!("ocaml", "ocaml", ["ml", "mli"], [], ["ocaml"], Structure::Lines),
    language!("fsharp", "fsharp", ["fs", "fsi", "fsx"], [], [], Structure::Lines),
    language!("visualbasic", "vb", ["vb", "bas", "vbs"], [], [], Structure::Lines),
    language!("dart", "dart", ["dart"], [], ["dart"], Structure::Lines),
    language!("zig", "zig", ["zig", "zon"], [], [], Structure::Lines),
    language!("nim", "nim", ["nim", "nims"], [], [], Structure::Lines),
    language!("crystal", "crystal", ["cr"], [], ["crystal"], Structure::Lines),
    language!("v", "v", ["v"], [], [], Structure::Lines),
    language!("d", "d", ["d", "di"], [], [], Structure::Lines),
    language!("perl", "perl", ["pl", "pm", "t", "pod"], [], ["perl"], Structure::Lines),
    language!("raku", "raku", ["raku", "rakumod", "p6"], [], ["raku"], Structure::Lines),
    language!("r", "r", ["r", "rmd"], [], ["Rscript"], Structure::Lines),
    language!("julia", "julia", ["jl"], [], ["julia"], Structure::Lines),
    language!("matlab", "matlab", ["m", "mlx"], [], ["octave"], Structure::Lines),
    language!("objectivecpp", "objectivec", ["mm"], [], [], Structure::Lines),
    language!(
        "clojure",
        "clojure",
        ["clj", "cljs", "cljc", "edn", "bb"],
        [],
        ["bb"],
        Structure::Lines
    ),
    language!("lisp", "lisp", ["lisp", "cl", "lsp", "asd"], [], ["sbcl"], Structure::Lines),
    language!("scheme", "scheme", ["scm", "ss", "rkt"], [], ["guile", "racket"], Structure::Lines),
    language!("elisp", "elisp", ["el"], [], ["emacs"], Structure::Lines),
    language!(
        "fortran",
        "fortran",
        ["f", "f90", "f95", "f03", "f08", "for"],
        [],
        [],
        Structure::Lines
    ),
    language!("pascal", "pascal", ["pas", "pp", "dpr", "lpr"], [], [], Structure::Lines),
    language!("ada", "ada", ["adb", "ads"], [], [], Structure::Lines),
    language!("cobol", "cobol", ["cob", "cbl"], [], [], Structure::Lines),
    language!("prolog", "prolog", ["pro", "prolog"], [], ["swipl"], Structure::Lines),
    language!("assembly", "asm", ["asm", "s", "nasm"], [], [], Structure::Lines),
    language!("verilog", "verilog", ["vh", "sv", "svh"], [], [], Structure::Lines),
    language!("vhdl", "vhdl", ["vhd", "vhdl"], [], [], Structure::Lines),
    language!("llvm", "llvm", ["ll"], [], [], Structure::Lines),
    language!("wasm", "wat", ["wat", "wast"], [], [], Structure::Lines),
    language!("glsl", "glsl", ["glsl", "vert", "frag", "comp", "geom"], [], [], Structure::Lines),
    language!("wgsl", "wgsl", ["wgsl"], [], [], Structure::Lines),
    language!("hlsl", "hlsl", ["hlsl", "fx"], [], [], Structure::Lines),
    language!("metal", "metal", ["metal"], [], [], Structure::Lines),
    language!("solidity", "solidity", ["sol"], [], [], Structure::Lines),
    language!("move", "move", ["move"], [], [], Structure::Lines),
    language!("cairo", "cairo", ["cairo"], [], [], Structure::Lines),
    language!(
        "powershell",
        "powershell",
        ["ps1", "psm1", "psd1"],
        [],
        ["pwsh", "powershell"],
        Structure::Lines
    ),
    language!("batch", "batch", ["bat", "cmd"], [], [], Structure::Lines),
    language!("fish", "fish", ["fish"], [], ["fish"], Structure::Lines),
    language!("nushell", "nu", ["nu"], [], ["nu"], Structure::Lines),
    language!("awk", "awk", ["awk"], [], ["awk", "gawk"], Structure::Lines),
    language!("sed", "sed", ["sed"], [], ["sed"], Structure::Lines),
    language!("tcl", "tcl", ["tcl"], [], ["tclsh", "wish"], Structure::Lines),
    language!("vim", "vim", ["vim"], [".vimrc"], [], Structure::Lines),
    language!("latex", "latex", ["tex", "sty", "cls", "ltx"], [], [], Structure::Lines),
    language!("bibtex", "bibtex", ["bib"], [], [], Structure::Lines),
    language!("typst", "typst", ["typ"], [], [], Structure::Lines),
    language!(
        "coffeescript",
        "coffeescript",
        ["coffee"],
        ["Cakefile"],
        ["coffee"],
        Structure::Lines
    ),
    language!("gomod", "go", ["mod"], ["go.sum", "go.work"], [], Structure::Lines),
];
