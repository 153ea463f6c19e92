//! All languages: how their files are recognized, and their fence hints.

use super::grammar::Grammar;
use super::{
    EmbeddingStyle, HeadingStyle, Language, LanguageStructure, data, functional, objects, scripts,
    systems,
};

/// Describes a language whose fence hint is its name and whose texts are split by lines. Lists are
/// separated by spaces.
const fn language(name: &'static str, extensions: &'static str) -> Language {
    Language {
        name,
        fence: name,
        extensions,
        file_names: "",
        interpreters: "",
        structure: LanguageStructure::Lines,
    }
}

impl Language {
    const fn with_fence(self, fence: &'static str) -> Self {
        Self { fence, ..self }
    }

    const fn file_names(self, file_names: &'static str) -> Self {
        Self { file_names, ..self }
    }

    const fn interpreters(self, interpreters: &'static str) -> Self {
        Self { interpreters, ..self }
    }

    const fn items(self, grammar: &'static Grammar) -> Self {
        Self { structure: LanguageStructure::Items(grammar), ..self }
    }

    const fn embeds(self, style: EmbeddingStyle) -> Self {
        Self { structure: LanguageStructure::Embedded(style), ..self }
    }

    const fn sections(self, style: HeadingStyle) -> Self {
        Self { structure: LanguageStructure::Sections(style), ..self }
    }
}

pub(super) static LANGUAGES: &[Language] = &[
    language("rust", "rs").interpreters("rust-script").items(&systems::RUST),
    language("python", "py pyi pyw pyx")
        .file_names("SConstruct SConscript wscript")
        .interpreters("python pypy uv")
        .items(&scripts::PYTHON),
    language("javascript", "js mjs cjs jsx")
        .file_names("Jakefile")
        .interpreters("node nodejs bun")
        .items(&scripts::JAVASCRIPT),
    language("typescript", "ts mts cts")
        .interpreters("deno ts-node tsx")
        .items(&scripts::TYPESCRIPT),
    language("tsx", "tsx").items(&scripts::TSX),
    language("java", "java").items(&objects::JAVA),
    language("kotlin", "kt kts").interpreters("kotlin").items(&objects::KOTLIN),
    language("scala", "scala sc sbt").interpreters("scala").items(&objects::SCALA),
    language("csharp", "cs csx").items(&objects::CSHARP),
    language("php", "php phtml php5 inc").interpreters("php").items(&objects::PHP),
    language("go", "go").items(&systems::GO),
    language("c", "c h").items(&systems::C),
    language(
        "cpp",
        "cc cpp cxx hh hpp hxx ipp inl tpp cu cuh ino",
    )
    .items(&systems::CPP),
    language("swift", "swift").interpreters("swift").items(&systems::SWIFT),
    language("zig", "zig zon").items(&systems::ZIG),
    language("elixir", "ex exs").interpreters("elixir").items(&functional::ELIXIR),
    language("haskell", "hs").interpreters("runhaskell stack").items(&functional::HASKELL),
    language("ruby", "rb rake gemspec ru podspec jbuilder")
        .file_names("Gemfile Rakefile Guardfile Vagrantfile Brewfile Podfile Fastfile Capfile Berksfile")
        .interpreters("ruby jruby rake")
        .items(&scripts::RUBY),
    language("lua", "lua rockspec").interpreters("lua luajit").items(&scripts::LUA),
    language("bash", "sh bash zsh ksh bats ebuild")
        .file_names(".bashrc .bash_profile .profile .zshrc PKGBUILD gradlew configure")
        .interpreters("sh bash zsh dash ksh ash")
        .items(&scripts::BASH),
    language(
        "json",
        "json jsonc geojson webmanifest code-workspace avsc",
    )
    .file_names(".babelrc .eslintrc .prettierrc composer.lock Pipfile.lock")
    .items(&data::JSON),
    language("jupyter", "ipynb").with_fence("json").embeds(EmbeddingStyle::Cells),
    language("yaml", "yml yaml cff")
        .file_names(".clang-format .clang-tidy")
        .items(&data::YAML),
    language("toml", "toml")
        .file_names("Cargo.lock poetry.lock Pipfile uv.lock")
        .items(&data::TOML),
    language("html", "html htm xhtml").items(&data::HTML),
    language("css", "css").items(&data::CSS),
    language("markdown", "md markdown mdx mkd mdc").sections(HeadingStyle::Markdown),
    language("restructuredtext", "rst rest")
        .with_fence("rst")
        .sections(HeadingStyle::Underlined),
    language("asciidoc", "adoc asciidoc asc").sections(HeadingStyle::EqualSigns),
    language("org", "org").sections(HeadingStyle::Stars),
    language("json5", "json5"),
    language("text", "txt text log").file_names("README LICENSE LICENCE COPYING AUTHORS NOTICE CHANGES CHANGELOG INSTALL TODO CONTRIBUTORS CODEOWNERS"),
    language("sql", "sql ddl psql"),
    language("dockerfile", "dockerfile")
        .file_names("Dockerfile Containerfile")
        .items(&data::DOCKERFILE),
    language("makefile", "mk mak make")
        .file_names("Makefile makefile GNUmakefile Kbuild")
        .interpreters("make"),
    language("cmake", "cmake").file_names("CMakeLists.txt"),
    language("meson", "").file_names("meson.build meson_options.txt"),
    language("ninja", "ninja"),
    language("starlark", "bzl bazel star").with_fence("python").file_names("BUILD WORKSPACE BUILD.bazel WORKSPACE.bazel Tiltfile"),
    language("just", "just").file_names("justfile Justfile").interpreters("just"),
    language(
        "ini",
        "ini cfg conf cnf properties editorconfig desktop service",
    )
    .file_names(".gitconfig .npmrc .pylintrc .flake8"),
    language("ignore", "gitignore dockerignore npmignore")
        .with_fence("gitignore")
        .file_names(".gitattributes .eslintignore"),
    language("dotenv", "env"),
    language(
        "xml",
        "xml xsd xsl xslt svg plist csproj vbproj fsproj props targets resx xaml pom nuspec wsdl storyboard xib config",
    ),
    language("csv", "csv tsv"),
    language("diff", "diff patch"),
    language("protobuf", "proto").items(&data::PROTOBUF),
    language("thrift", "thrift"),
    language("graphql", "graphql gql graphqls"),
    language("hcl", "tf tfvars hcl nomad").items(&data::HCL),
    language("nix", "nix"),
    language("groovy", "groovy gradle gvy")
        .file_names("Jenkinsfile")
        .interpreters("groovy"),
    language("vue", "vue").embeds(EmbeddingStyle::Sections),
    language("svelte", "svelte").embeds(EmbeddingStyle::Markup),
    language("astro", "astro"),
    language("scss", "scss"),
    language("sass", "sass"),
    language("less", "less"),
    language("stylus", "styl"),
    language("handlebars", "hbs handlebars mustache"),
    language("jinja", "j2 jinja jinja2"),
    language("erb", "erb"),
    language("pug", "pug jade"),
    language("haml", "haml"),
    language("razor", "cshtml razor"),
    language("twig", "twig"),
    language("erlang", "erl hrl").file_names("rebar.config").interpreters("escript"),
    // The grammar does not support literate programs.
    language("literatehaskell", "lhs").with_fence("haskell"),
    language("ocaml", "ml mli").interpreters("ocaml"),
    language("fsharp", "fs fsi fsx"),
    language("visualbasic", "vb bas vbs").with_fence("vb"),
    language("dart", "dart").interpreters("dart").items(&objects::DART),
    language("nim", "nim nims"),
    language("crystal", "cr").interpreters("crystal"),
    language("v", "v"),
    language("d", "d di"),
    language("perl", "pl pm t pod").interpreters("perl"),
    language("raku", "raku rakumod p6").interpreters("raku"),
    language("r", "r").interpreters("Rscript").items(&scripts::R),
    language("rmarkdown", "rmd qmd").with_fence("markdown").sections(HeadingStyle::Markdown),
    language("julia", "jl").interpreters("julia"),
    language("matlab", "m mlx").interpreters("octave"),
    language("objectivecpp", "mm").with_fence("objectivec"),
    language("clojure", "clj cljs cljc edn bb").interpreters("bb"),
    language("lisp", "lisp cl lsp asd").interpreters("sbcl"),
    language("scheme", "scm ss rkt").interpreters("guile racket"),
    language("elisp", "el").interpreters("emacs"),
    language("fortran", "f f90 f95 f03 f08 for"),
    language("pascal", "pas pp dpr lpr"),
    language("ada", "adb ads"),
    language("cobol", "cob cbl"),
    language("prolog", "pro prolog").interpreters("swipl"),
    language("assembly", "asm s nasm").with_fence("asm"),
    language("verilog", "vh sv svh"),
    language("vhdl", "vhd vhdl"),
    language("llvm", "ll"),
    language("wasm", "wat wast").with_fence("wat"),
    language("glsl", "glsl vert frag comp geom"),
    language("wgsl", "wgsl"),
    language("hlsl", "hlsl fx"),
    language("metal", "metal"),
    language("solidity", "sol"),
    language("move", "move"),
    language("cairo", "cairo"),
    language("powershell", "ps1 psm1 psd1").interpreters("pwsh powershell"),
    language("batch", "bat cmd"),
    language("fish", "fish").interpreters("fish"),
    language("nushell", "nu").with_fence("nu").interpreters("nu"),
    language("awk", "awk").interpreters("awk gawk"),
    language("sed", "sed").interpreters("sed"),
    language("tcl", "tcl").interpreters("tclsh wish"),
    language("vim", "vim").file_names(".vimrc"),
    language("latex", "tex sty cls ltx"),
    language("bibtex", "bib"),
    language("typst", "typ"),
    language("coffeescript", "coffee").file_names("Cakefile").interpreters("coffee"),
    language("gomod", "mod").with_fence("go").file_names("go.sum go.work"),
];
