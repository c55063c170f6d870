/** The extension's grammar, run with the editor's engine on the programs of this project. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { IGrammar } from "vscode-textmate";
import { FUNCTIONS } from "../../compiler/builtins/builtins.js";
import { KEYWORDS } from "../../compiler/source/keywords.js";
import { programFiles, readSource, tokensOf } from "../syntax/corpus.js";

const require = createRequire(import.meta.url);
const textmate = require("vscode-textmate") as typeof import("vscode-textmate");
const oniguruma = require("vscode-oniguruma") as typeof import("vscode-oniguruma");
const FILE = "editors/vscode/syntaxes/ggsl.tmLanguage.json";

let grammar: IGrammar;
beforeAll(async () => {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: () => Promise.resolve(textmate.parseRawGrammar(readFileSync(FILE, "utf8"), FILE)),
  });
  grammar = (await registry.loadGrammar("source.ggsl"))!;
});

/** Every token with its innermost scope. */
function scopesOf(text: string): { text: string; scope: string }[] {
  let stack = textmate.INITIAL;
  return text.split("\n").flatMap((line) => {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    return tokens.map(({ startIndex, endIndex, scopes }) => ({
      text: line.slice(startIndex, endIndex).trim(),
      scope: scopes.at(-1)!,
    }));
  });
}

test("the grammar is up to date", () => {
  const { status, stderr } = spawnSync(process.execPath, ["tools/run.mjs", "vscode-grammar", "--check"], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});

describe("scopes", () => {
  const PROGRAM = `import { top_k } from "std"
/// Doc.
// comment
sampler cut(static p: f32 in [0, 1] = 0.5e-3, s: seed = random) {
  state mu: i32 = 2
  let share = max(prob)
  if not known(p > 0) { } else { keep share >= p and mu < inf at least 2 }
  sort by logit asc
  pick sample(s)
  after pick { mu += 1 }
}
chain c = top_k(k: 40) |> cut |> host dist(seed: 1)
input green: f32 sparse(64) = 0
/* block
comment */
import { trim as sliced } from "./a.ggsl"
fn near(x: f32) -> f32 = 1 + sum i in 1..8: repeat 40 with y = i: y
test "a \\"quoted\\" title" {
  probs [0.1]
  bias [1: 2]
  run cut
  expect kept [0]
}`;
  test.each<[string, string]>([
    ["import", "keyword.declaration"],
    ["as", "keyword.other"],
    ["fn", "keyword.declaration"],
    ["near", "entity.name.function"],
    ["sum", "keyword.control.fold"],
    ["repeat", "keyword.control.fold"],
    ["with", "keyword.control.fold"],
    ["..", "keyword.operator"],
    ["8", "constant.numeric"],
    ["block", "comment.block"],
    ["->", "keyword.operator"],
    ["from", "keyword.other"],
    ["std", "string.quoted.double"],
    ["/// Doc.", "comment.line.documentation"],
    ["// comment", "comment.line.double-slash"],
    ["sampler", "keyword.declaration"],
    ["cut", "entity.name.function"],
    ["static", "storage.modifier"],
    ["p", "variable.parameter|variable.other"],
    ["f32", "storage.type"],
    ["in", "storage.modifier"],
    ["0.5e-3", "constant.numeric"],
    ["random", "constant.language"],
    ["state", "keyword.declaration"],
    ["mu", "variable.other"],
    ["max", "support.function"],
    ["prob", "support.variable"],
    ["if", "keyword.control"],
    ["not", "keyword.operator.word"],
    ["known", "support.function"],
    ["keep", "keyword.control"],
    [">=", "keyword.operator"],
    ["inf", "constant.language"],
    ["at", "storage.modifier"],
    ["least", "storage.modifier"],
    ["asc", "storage.modifier"],
    ["pick", "keyword.control"],
    ["sample", "support.function"],
    ["after", "keyword.control"],
    ["chain", "keyword.declaration"],
    ["c", "entity.name.function"],
    ["|>", "keyword.operator"],
    ["host", "storage.modifier"],
    ["dist", "entity.name.function.host"],
    ["input", "keyword.declaration"],
    ["sparse", "storage.modifier"],
    ["test", "keyword.declaration"],
    ['\\"', "constant.character.escape"],
    ["probs", "keyword.control.test"],
    ["bias", "keyword.control.test"],
    ["run", "keyword.control.test"],
    ["expect", "keyword.control.test"],
    ["kept", "keyword.other.test"],
  ])("%s", (text, scope) => {
    const found = scopesOf(PROGRAM).filter((token) => token.text === text);
    expect(found.length).toBeGreaterThan(0);
    for (const token of found) expect(token.scope).toMatch(new RegExp(`^(?:${scope})`));
  });
});

test.each(["naïve", "épsilon", "名前", "𝒳1", "_x", "N"])("the name %s is one lexeme", (name) => {
  const found = scopesOf(`sampler ${name}(${name}: f32) { let ${name}1 = ${name}1 * ${name} }\nchain c = ${name}(1)`);
  const scoped = found.filter(({ text }) => text.includes(name)).map(({ text, scope }) => [text, scope]);
  expect(scoped).toEqual([
    [name, "entity.name.function.ggsl"],
    [name, "variable.parameter.ggsl"],
    [`${name}1`, "variable.other.definition.ggsl"],
    [`${name}1`, "variable.other.ggsl"],
    [name, "variable.other.ggsl"],
    [name, "entity.name.function.call.ggsl"],
  ]);
});

/** Contextual keywords, which are also names. */
/** Some words are also the names of arguments. */
const isName = ({ text, scope }: { readonly text: string; readonly scope: string }): boolean =>
  NAMES_TOO.test(text) || (["in", "last"].includes(text) && scope === "variable.parameter.ggsl");
const NAMES_TOO =
  /^(?:token|probs|logits|order|tokens|kept|bias|history|steps|run|expect|from|sparse|sample|argmax|fn|as|with|repeat|stop|when)$/;
const COLOURED = /^(?:keyword|storage|constant|support|comment|string|entity)/;

test.each(programFiles().filter((name) => /^(?:compiler|examples)/.test(name)))(
  "%s: nothing is left without a scope",
  (name) => {
    const { text } = readSource(name);
    const found = scopesOf(text).filter((token) => token.text !== "");
    expect(found.filter((token) => token.scope === "source.ggsl")).toEqual([]);
    // the grammar and the language agree on keywords
    const words = new Set(tokensOf(text).filter((t) => Object.hasOwn(KEYWORDS, t) || Object.hasOwn(FUNCTIONS, t)));
    for (const token of found)
      if (words.has(token.text) && KEYWORDS[token.text]?.group !== "type" && !isName(token))
        expect(`${token.text} ${token.scope}`).toMatch(new RegExp(`^${token.text} ${COLOURED.source.slice(1)}`));
  },
);
