// Syntax highlighting by highlight.js, in a worker, so that a long file never delays a frame. It returns names of
// classes and texts, never markup.

import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cmake from "highlight.js/lib/languages/cmake";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import elixir from "highlight.js/lib/languages/elixir";
import go from "highlight.js/lib/languages/go";
import haskell from "highlight.js/lib/languages/haskell";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import protobuf from "highlight.js/lib/languages/protobuf";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scala from "highlight.js/lib/languages/scala";
import scss from "highlight.js/lib/languages/scss";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import { toLines, type HighlightJob, type HighlightResult } from "./highlight-lines";

const lowlight = createLowlight({
  bash, c, cmake, cpp, csharp, css, diff, dockerfile, elixir, go, haskell, ini, java, javascript, json, kotlin, lua, makefile, markdown, php, protobuf,
  python, ruby, rust, scala, scss, sql, swift, typescript, xml, yaml,
});
/** Languages of the server that highlight.js knows by another name, or whose syntax is close to another's. */
const ALIASES: Record<string, string> = {
  tsx: "typescript", html: "xml", vue: "xml", svelte: "xml", toml: "ini", dotenv: "ini", json5: "javascript", zig: "rust", starlark: "python", sass: "scss",
  less: "scss", objectivecpp: "cpp", literatehaskell: "haskell", groovy: "java", dart: "java", fish: "bash", gomod: "go", erb: "ruby",
};

addEventListener("message", ({ data }: MessageEvent<HighlightJob>) => {
  const language = ALIASES[data.language] ?? data.language;
  const lines = lowlight.registered(language) ? toLines(lowlight.highlight(language, data.text)) : null;
  postMessage({ id: data.id, lines } satisfies HighlightResult);
});
