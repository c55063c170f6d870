/** Every request of the language server, sent to the built command as by an editor. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type {
  CodeAction,
  CompletionItem,
  Diagnostic,
  DocumentSymbol,
  Hover,
  InlayHint,
  Location,
  SemanticTokens,
  SignatureHelp,
  TextEdit,
  WorkspaceEdit,
} from "vscode-languageserver";
import { edited, marked, startClient, type Client } from "./client.js";

let client: Client;
beforeAll(async () => {
  client = await startClient();
});
afterAll(async () => {
  expect(await client.stop()).toBe(0);
});

let count = 0;
/** Opens a text under a new name, with `¦` at the position of the request. */
async function openMarked(
  given: string,
): Promise<{ name: string; text: string; params: object; diagnostics: readonly Diagnostic[] }> {
  const name = `t${count++}.ggsl`;
  const { text, position } = marked(given);
  const diagnostics = await client.open(name, text);
  return { name, text, params: { textDocument: { uri: client.uri(name) }, position }, diagnostics };
}

async function at<T>(method: string, given: string, more: object = {}): Promise<T> {
  const { params } = await openMarked(given);
  return client.request<T>(`textDocument/${method}`, { ...params, ...more });
}

const valueOf = (hover: Hover | null): string => (hover ? (hover.contents as { value: string }).value : "");
const SAMPLER = `/// Keeps the likely ones.
sampler likely(p: f32 in [0, 1] = 0.1, static k: i32 = 4) {
  top k
  let share = prob / max(prob)
  keep share >= p
}
`;

const SETS = `input source: tokens(8)
const digits = tokens(/^[0-9]+$/, 7)

sampler counting(banned: tokens(4), n: i32 in [0, 8] = 4) {
  keep token in digits and token not in banned
  logit -= occurrences(n, in: source) + occurrences(n, in: generated)
  keep token not in tokens.control
  if n > 2 { measure rows = n }
  state total: i32 = 0
  after pick { total += 1 }
}

chain c(banned: tokens(4)) = counting(banned)

test "t" {
  logits [1, 2]
  input source [1]
  run c(tokens(1))
  expect measure rows [2]
  expect state total [1]
}
`;

const FUNCTION = `/// How near.
fn near(
  /// What is compared.
  x: f32,
  best: f32 = 1,
) -> f32 {
  let ratio = x / best
  ratio * sum i in 1..3: i * repeat 2 with y = ratio: y / i
}

sampler s() {
  keep near(prob, max(prob)) >= 0.1
}
`;

test("the server announces its capabilities", () => {
  expect(Object.keys(client.capabilities).sort()).toEqual(
    [
      ...["codeActionProvider", "codeLensProvider", "completionProvider", "definitionProvider"],
      ...["documentFormattingProvider", "executeCommandProvider"],
      ...["documentSymbolProvider", "hoverProvider", "inlayHintProvider", "referencesProvider", "renameProvider"],
      ...["semanticTokensProvider", "signatureHelpProvider", "textDocumentSync"],
    ].sort(),
  );
});

describe("diagnostics", () => {
  test("follow edits, with code, help and related places", async () => {
    const found = await client.open("d.ggsl", "sampler s(p: f32) {\n  keep prob > limt\n}\n");
    expect(found.map((d) => [d.code, d.severity, d.range.start])).toEqual([
      ["W0504", 2, { line: 0, character: 10 }],
      ["E0201", 1, { line: 1, character: 14 }],
    ]);
    const range = { start: { line: 1, character: 14 }, end: { line: 1, character: 18 } };
    expect(await client.change("d.ggsl", "p", range)).toEqual([]);
    const twice = await client.change("d.ggsl", "const a = 1\nconst a = 2\n");
    expect(twice[0]).toMatchObject({ code: "E0207", relatedInformation: [{ message: "first declared here" }] });
  });

  test("of chains appear once they are lowered", async () => {
    const found = await client.open("l.ggsl", 'import { top_p, dist } from "std"\n\nchain c = top_p(1) |> dist()\n');
    expect(found.map((d) => d.code)).toEqual(["W0503"]);
  });

  test("follow files that are imported, unsaved and on the disk", async () => {
    client.write("lib.ggsl", "sampler half(p: f32 in [0, 0.5] = 0.25) {\n  keep prob >= p\n}\n");
    const text = 'import { half } from "./lib.ggsl"\n\nchain c = half(0.4)\n';
    expect(await client.open("user.ggsl", text)).toEqual([]);
    const next = client.diagnostics("user.ggsl");
    await client.open("lib.ggsl", "sampler half(p: f32 in [0, 0.3] = 0.25) {\n  keep prob >= p\n}\n");
    expect((await next).map((d) => d.code)).toEqual(["E0401"]);
    const broken = client.diagnostics("user.ggsl");
    await client.change("lib.ggsl", "sampler half(p: f32) {\n  keep\n}\n");
    expect((await broken).map((d) => d.message)).toEqual([
      expect.stringMatching(/lib\.ggsl", which this file needs, has errors/),
    ]);
    const again = client.diagnostics("user.ggsl");
    client.notify("textDocument/didClose", { textDocument: { uri: client.uri("lib.ggsl") } });
    expect(await again).toEqual([]);
  });
});

describe("quick fixes", () => {
  test.each<[string, string, string, string]>([
    [
      "did you mean",
      "sampler s(limit: f32) {\n  keep prob > ¦limt + limit\n}\n",
      "Change to `limit`",
      "sampler s(limit: f32) {\n  keep prob > limit + limit\n}\n",
    ],
    [
      "one more import",
      'import { dist } from "std"\n\nchain c = ¦temp(1.5) |> dist\n',
      'Import `temp` from "std"',
      'import { dist, temp } from "std"\n\nchain c = temp(1.5) |> dist\n',
    ],
    [
      "the first import",
      "// A chain.\n\nchain c = ¦greedy\n",
      'Import `greedy` from "std"',
      '// A chain.\n\nimport { greedy } from "std"\n\nchain c = greedy\n',
    ],
    [
      "a misspelt statement",
      "sampler s() {\n  ¦kep prob > 0.1\n}\n",
      "Change to `keep`",
      "sampler s() {\n  keep prob > 0.1\n}\n",
    ],
    [
      "a ban by minus infinity",
      "sampler s() {\n  ¦logit = token == 3 ? -inf : logit\n}\n\nchain c = s()\n",
      "Change to `keep not (token == 3)`",
      "sampler s() {\n  keep not (token == 3)\n}\n\nchain c = s()\n",
    ],
    [
      "static",
      'import { top_k } from "std"\n\nchain c(k: i32 = 4) = top_k(¦k)\n',
      "Mark `k` `static`",
      'import { top_k } from "std"\n\nchain c(static k: i32 = 4) = top_k(k)\n',
    ],
    [
      "a static count",
      "sampler s(k: i32) {\n  top ¦k\n}\n",
      "Mark `k` `static`",
      "sampler s(static k: i32) {\n  top k\n}\n",
    ],
    [
      "no effect",
      'import { top_p, dist } from "std"\n\nchain c = ¦top_p(1) |> dist()\n',
      "Remove the stage",
      'import { top_p, dist } from "std"\n\nchain c = dist()\n',
    ],
    [
      "after the pick",
      'import { temp, dist } from "std"\n\nchain c = dist() |> ¦temp(2)\n',
      "Remove the stage",
      'import { temp, dist } from "std"\n\nchain c = dist()\n',
    ],
  ])("%s", async (_, given, title, expected) => {
    const { name, text, params } = await openMarked(given);
    const { position } = params as { position: object };
    const range = { start: position, end: position };
    const actions = await client.request<CodeAction[]>("textDocument/codeAction", {
      ...params,
      range,
      context: { diagnostics: [] },
    });
    const action = actions.find((a) => a.title === title)!;
    expect(actions.map((a) => a.title)).toContain(title);
    const fixed = edited(text, action.edit!.changes![client.uri(name)]!);
    expect(fixed).toBe(expected);
    const after = await client.change(name, fixed);
    expect(after.map((d) => d.code)).not.toContain(action.diagnostics![0]!.code);
  });
});

describe("hover", () => {
  test.each<[string, string, string[]]>([
    ["a parameter", SAMPLER.replace("keep share >= p", "keep share >= ¦p"), ["p: f32 in [0, 1] = 0.1", "a uniform"]],
    ["a static parameter", SAMPLER.replace("top k", "top ¦k"), ["static k: i32 = 4", "known when compiling"]],
    ["a let", SAMPLER.replace("keep share", "keep ¦share"), ["let share", "f32, a column"]],
    [
      "a sampler",
      `${SAMPLER}\nchain c = ¦likely(k: 8)\n`,
      [
        "likely(p: f32 in [0, 1] = 0.1, static k: i32 = 4)",
        "Keeps the likely ones.",
        "rows: V → 8",
        "nodes of the graph",
      ],
    ],
    [
      "a standard sampler",
      'import { min_p } from "std"\n\nchain c = ¦min_p(0.1)\n',
      ["Keep tokens at least `p` times as likely", "rows: V → V"],
    ],
    ["a column", SAMPLER.replace("/ max(prob)", "/ max(¦prob)"), ["softmax of `logit`"]],
    [
      "a function",
      SAMPLER.replace("max(", "¦max("),
      ["max(number, [number]) -> f32", "the largest value over the rows left"],
    ],
    ["a keyword", SAMPLER.replace("  keep", "  ¦keep"), ["drops the rows where the condition is false"]],
    ["a host stage", "chain c = host ¦top_k(4)\n", ["host top_k(k: i32)", "runs on the host"]],
    ["a constant", "const third = 1 / 3\nconst x = ¦third\n", ["const third = 1 / 3"]],
    ["a state", "sampler s() {\n  state mu: f32 = 1\n  keep prob < ¦mu\n}\n", ["state mu: f32"]],
    [
      "a function of the program",
      FUNCTION.replace("keep near", "keep ¦near"),
      ["fn near(x: f32, best: f32 = 1) -> f32", "How near.", "`x`: What is compared."],
    ],
    ["a documented parameter", FUNCTION.replace("= x /", "= ¦x /"), ["x: f32", "What is compared."]],
    ["a value of a function", FUNCTION.replace("  ratio *", "  ¦ratio *"), ["let ratio"]],
    ["a counter", FUNCTION.replace(": i *", ": ¦i *"), ["A counter"]],
    ["a value of the rounds", FUNCTION.replace(": y /", ": ¦y /"), ["changes with each round"]],
    ["a word of a loop", FUNCTION.replace("repeat", "¦repeat"), ["a value after a number of rounds"]],
    ["a set", SETS.replace("token in digits", "token in ¦digits"), ["const digits = tokens(/^[0-9]+$/, 7)"]],
    [
      "a set that changes",
      SETS.replace("not in banned", "not in ¦banned"),
      ["banned: tokens(4)", "at most 4", "a uniform"],
    ],
    ["a class of tokens", SETS.replace("tokens.control", "tokens.con¦trol"), ["tokens.control", "control tokens"]],
    ["the word of sets", SETS.replace("= tokens(/", "= ¦tokens(/"), ["a set of tokens"]],
    [
      "a text of the sequence",
      SETS.replace("in: generated", "in: gene¦rated"),
      ["in: generated", "without the prompt"],
    ],
    ["a text from outside", SETS.replace("in: source", "in: so¦urce"), ["input source: tokens(8)"]],
    ["a measure", SETS.replace("measure rows = n", "measure ¦rows = n"), ["measure rows", "reported with each token"]],
    ["an expected measure", SETS.replace("expect measure rows", "expect measure ¦rows"), ["reported with each token"]],
    ["an expected state", SETS.replace("expect state total", "expect state ¦total"), ["state total: i32"]],
    ["an expected measure of a chain in itself", 'chain c = c()\ntest "t" { run c() expect measure ¦m [1] }\n', []],
    ["nothing", "¦\n", []],
    ["a block comment", "/* keep\n ¦keep this */\n", []],
    ["a comment", "// keep ¦keep this\n", []],
  ])("%s", async (_, given, expected) => {
    const value = valueOf(await at<Hover | null>("hover", given));
    if (expected.length === 0) expect(value).toBe("");
    for (const part of expected) expect(value).toContain(part);
  });
});

describe("completion", () => {
  const labels = (items: readonly CompletionItem[]): string[] => items.map((i) => i.label);
  test.each<[string, string, string[], string[]]>([
    ["declarations", "¦", ["sampler", "chain", "import", "test"], ["keep", "prob"]],
    ["stages", `${SAMPLER}\nchain c = ¦`, ["likely", "min_p", "host"], ["prob", "keep"]],
    ["stages after a stage", `${SAMPLER}\nchain c = likely() |> m¦`, ["likely", "min_p"], ["prob"]],
    ["stages of a test", `${SAMPLER}\ntest "t" {\n  probs [1]\n  run ¦`, ["likely", "top_k"], ["prob"]],
    ["host stages", "chain c = host ¦", ["top_k", "grammar"], ["prob", "likely"]],
    ["arguments", `${SAMPLER}\nchain c(x: f32) = likely(¦`, ["p", "k", "x", "random"], ["keep"]],
    ["arguments not given yet", `${SAMPLER}\nchain c = likely(p: 1, ¦`, ["k"], ["p"]],
    ["statements", "sampler s() {\n  ¦\n}\n", ["keep", "let", "logit", "sort"], ["prob", "sampler"]],
    [
      "expressions",
      "sampler s(p: f32) {\n  let x = 1\n  keep ¦\n}\n",
      ["prob", "p", "x", "max", "inf"],
      ["keep", "likely"],
    ],
    ["expressions, half written", "sampler s(p: f32) {\n  keep pr¦", ["prob", "p"], ["let"]],
    ["in a call", "sampler s(p: f32) {\n  keep max(¦", ["prob", "p"], ["let"]],
    ["in a fold", "sampler s(p: f32) {\n  keep any i in 1..3: ¦", ["prob", "p", "i"], ["f32"]],
    ["in a repeat", "sampler s(p: f32) {\n  keep 1 < repeat 3 with y = p: ¦", ["prob", "p", "y"], ["f32"]],
    ["functions of the program", `${FUNCTION}\nsampler t() {\n  keep ¦`, ["near", "prob"], ["s"]],
    ["arguments of a function", `${FUNCTION}\nsampler t() {\n  keep near(¦`, ["x", "best", "prob"], []],
    ["values of a function", "fn f(x: f32) -> f32 {\n  let y = x\n  ¦", ["x", "y", "prob", "repeat"], ["f32"]],
    ["an expression of a function", "fn f(x: f32) -> f32 = ¦", ["x", "prob", "max"], ["f32"]],
    ["types of functions", "fn f(x: f32) -> ¦", ["f32", "bool"], ["prob"]],
    ["classes of tokens", "sampler s() {\n  keep token in tokens.¦", ["control", "end"], ["prob", "tokens"]],
    ["classes of tokens, half written", "sampler s() {\n  keep token in tokens.en¦", ["control", "end"], ["prob"]],
    [
      "texts",
      `${SETS}\nsampler t() {\n  logit += occurrences(4, in: ¦`,
      ["all", "prompt", "generated", "source"],
      ["digits", "prob", "in"],
    ],
    ["the name of a text's argument", "sampler t() {\n  logit += occurrences(4, ¦", ["in", "prob"], ["generated"]],
    ["no text as a value", `${SETS}\nsampler t() {\n  logit += ¦`, ["prob", "digits"], ["source"]],
    ["a set's parameter", "sampler t(banned: tokens(4)) {\n  keep token not in ¦", ["banned"], ["keep"]],
    ["types of inputs", "input a: ¦", ["f32", "logits", "tokens"], ["seed", "prob"]],
    ["nothing in a block comment", "sampler s() {\n  /* ¦\n}\n", [], ["keep"]],
    ["types", "sampler s(p: ¦", ["f32", "seed"], ["prob"]],
    ["clauses", 'test "t" {\n  ¦', ["probs", "run", "expect", "input"], ["keep"]],
    ["expected outputs", 'test "t" {\n  expect ¦', ["probs", "kept", "tokens"], ["run"]],
    ["imports", 'import { ¦ } from "std"', ["top_k", "dist"], ["keep"]],
    ["nothing in a comment", "sampler s() {\n  // ¦\n}\n", [], ["keep"]],
    ["nothing in a text", 'chain c = host grammar("¦', [], ["keep"]],
  ])("%s", async (_, given, expected, others) => {
    const found = labels(await at<CompletionItem[]>("completion", given));
    for (const label of expected) expect(found).toContain(label);
    for (const label of others) expect(found).not.toContain(label);
    expect(new Set(found).size).toBe(found.length);
    if (expected.length === 0) expect(found).toEqual([]);
  });

  test("a standard sampler is imported with its name, and documented", async () => {
    const { text, params } = await openMarked('import { dist } from "std"\n\nchain c = ¦ |> dist\n');
    const items = await client.request<CompletionItem[]>("textDocument/completion", params);
    const found = items.find((i) => i.label === "min_p")!;
    expect(found.documentation).toMatchObject({ kind: "markdown", value: expect.stringContaining("2407.01082") });
    expect(edited(text, found.additionalTextEdits!)).toContain('import { dist, min_p } from "std"');
  });

  test("names of another file", async () => {
    client.write("names.ggsl", "const limit = 1\nsampler mine() {\n  sort\n}\n");
    const found = labels(await at<CompletionItem[]>("completion", 'import { ¦ } from "./names.ggsl"\n'));
    expect(found).toEqual(["limit", "mine"]);
  });
});

describe("signature help", () => {
  test.each<[string, string, string, number]>([
    ["a stage", `${SAMPLER}\nchain c = likely(0.5, ¦`, "likely(p: f32 in [0, 1] = 0.1, static k: i32 = 4)", 1],
    [
      "an argument by name",
      `${SAMPLER}\nchain c = likely(k: ¦`,
      "likely(p: f32 in [0, 1] = 0.1, static k: i32 = 4)",
      1,
    ],
    ["a standard sampler", "chain c = temp(¦", "temp(t: f32 = 0.8)", 0],
    ["a function", "sampler s() {\n  let x = clamp(prob, max(1, 2), ¦", "clamp(number, number, number) -> f32", 2],
    ["a function of the program", `${FUNCTION}\nsampler t() {\n  keep near(1, ¦`, "near(x: f32, best: f32 = 1)", 1],
    ["a pick", "sampler s(seed: seed) {\n  pick sample(seed, ¦", "pick sample(seed, at)", 1],
    ["a host stage", "chain c = host top_p(¦", "host top_p(p: f32, min_keep: i32)", 0],
  ])("%s", async (_, given, label, active) => {
    const found = (await at<SignatureHelp | null>("signatureHelp", given))!;
    expect([found.signatures[0]!.label, found.activeParameter]).toEqual([label, active]);
  });
  test("none outside of calls", async () => {
    expect(await at("signatureHelp", `${SAMPLER}\nchain c = likely() ¦`)).toBeNull();
  });
});

describe("definition and references", () => {
  test("of a parameter, in its sampler", async () => {
    const { start } = (await at<Location>("definition", SAMPLER.replace(">= p", ">= ¦p"))).range;
    expect(start).toEqual({ line: 1, character: 15 });
  });

  test("in the standard library", async () => {
    const { uri, range } = await at<Location>("definition", 'import { min_p } from "std"\n\nchain c = ¦min_p(0.1)\n');
    expect(uri).toMatch(/^file:.*compiler\/std\/min_p\.ggsl$/);
    expect(range.start).toEqual({ line: 2, character: 8 });
  });

  test("across files, saved and unsaved", async () => {
    const uri = client.write("shared.ggsl", "sampler shared(p: f32 = 0.1) {\n  keep prob > p\n}\n");
    client.write("other.ggsl", 'import { shared } from "./shared.ggsl"\n\nchain other = shared(p: 0.2)\n');
    const { params } = await openMarked(
      'import { shared } from "./shared.ggsl"\n\nchain c = ¦shared() |> shared(0.3)\n',
    );
    expect(await client.request("textDocument/definition", params)).toMatchObject({
      uri,
      range: { start: { line: 0, character: 8 } },
    });
    const context = { includeDeclaration: true };
    const uses = await client.request<Location[]>("textDocument/references", { ...params, context });
    expect(uses).toHaveLength(6);
    const others = await client.request<Location[]>("textDocument/references", {
      ...params,
      context: { includeDeclaration: false },
    });
    expect(others).toHaveLength(5);
    const { params: file } = await openMarked('import { shared } from "./¦shared.ggsl"\n');
    expect(await client.request("textDocument/definition", file)).toMatchObject({ uri });
  });
});

describe("rename", () => {
  const rename = (given: string, newName: string): Promise<{ text: string; edit: WorkspaceEdit; uri: string }> =>
    openMarked(given).then(async ({ name, text, params }) => ({
      text,
      uri: client.uri(name),
      edit: await client.request<WorkspaceEdit>("textDocument/rename", { ...params, newName }),
    }));

  test("a parameter in its scope, and where arguments name it", async () => {
    const given = `sampler a(p: f32) {\n  keep prob > ¦p\n}\n\nsampler b(p: f32) {\n  keep prob > p\n}\n\nchain c = a(p: 1) |> b(p: 1)\n`;
    const { text, edit, uri } = await rename(given, "lowest");
    expect(edited(text, edit.changes![uri]!)).toBe(
      "sampler a(lowest: f32) {\n  keep prob > lowest\n}\n\nsampler b(p: f32) {\n  keep prob > p\n}\n\nchain c = a(lowest: 1) |> b(p: 1)\n",
    );
  });

  test("a measure and a state, where tests expect them", async () => {
    for (const [old, given] of [
      ["rows", SETS.replace("expect measure rows", "expect measure ¦rows")],
      ["total", SETS.replace("state total:", "state ¦total:")],
    ] as const) {
      const { text, edit, uri } = await rename(given, "other");
      expect(edited(text, edit.changes![uri]!)).toBe(SETS.replaceAll(new RegExp(`\\b${old}\\b`, "g"), "other"));
    }
  });

  test("a text from outside, wherever it is counted in or fed", async () => {
    const { text, edit, uri } = await rename(SETS.replace("in: source", "in: ¦source"), "document");
    expect(edited(text, edit.changes![uri]!)).toBe(SETS.replaceAll("source", "document"));
  });

  test("a counter, and no text of the sequence", async () => {
    const given = FUNCTION.replace("i in 1..3", "¦i in 1..3");
    const { text, edit, uri } = await rename(given, "k");
    expect(edited(text, edit.changes![uri]!)).toBe(
      FUNCTION.replace("i in 1..3: i *", "k in 1..3: k *").replace("y / i", "y / k"),
    );
    await expect(rename(SETS.replace("in: generated", "in: gene¦rated"), "x")).rejects.toThrow("cannot be renamed");
  });

  test("values of a function and of rounds", async () => {
    const given = FUNCTION.replace("with y", "with ¦y");
    const { text, edit, uri } = await rename(given, "z");
    expect(edited(text, edit.changes![uri]!)).toBe(FUNCTION.replace("with y", "with z").replace(": y /", ": z /"));
  });

  test("an import under another name: either name where it is used", async () => {
    const lib = client.write("alias.ggsl", "fn first(x: f32) -> f32 = x\n");
    const given = 'import { first as second } from "./alias.ggsl"\n\nsampler s() {\n  keep ¦second(prob) > 0.1\n}\n';
    const own = await rename(given, "third");
    expect(Object.keys(own.edit.changes!)).toEqual([own.uri]);
    expect(edited(own.text, own.edit.changes![own.uri]!)).toBe(own.text.replaceAll("second", "third"));
    const other = await rename(given.replace("¦", "").replace("first", "¦first"), "third");
    expect(other.edit.changes![lib]).toHaveLength(1);
    expect(edited(other.text, other.edit.changes![other.uri]!)).toBe(other.text.replaceAll("first", "third"));
    expect(await at("definition", given)).toMatchObject({ uri: lib, range: { start: { line: 0, character: 3 } } });
  });

  test("a let inside a block only there", async () => {
    const given =
      "sampler a(p: f32) {\n  if p > 0 {\n    let x = 1\n    keep prob > x\n  } else {\n    let x = 2\n    keep prob > ¦x\n  }\n}\n";
    const { text, edit, uri } = await rename(given, "y");
    expect(edited(text, edit.changes![uri]!)).toBe(
      "sampler a(p: f32) {\n  if p > 0 {\n    let x = 1\n    keep prob > x\n  } else {\n    let y = 2\n    keep prob > y\n  }\n}\n",
    );
  });

  test("a sampler in every file", async () => {
    const lib = client.write("renamed.ggsl", "sampler before() {\n  sort\n}\n");
    const user = client.write("renames.ggsl", 'import { before } from "./renamed.ggsl"\n\nchain c = before\n');
    const { edit } = await rename('import { before } from "./renamed.ggsl"\n\nchain d = ¦before\n', "behind");
    expect(Object.fromEntries(Object.entries(edit.changes!).map(([uri, edits]) => [uri, edits.length]))).toMatchObject({
      [lib]: 1,
      [user]: 2,
    });
  });

  test.each([
    ["a keyword", "sampler a(¦p: f32) {\n  keep prob > p\n}\n", "keep", "`keep` is a keyword"],
    ["no name", "sampler a(¦p: f32) {\n  keep prob > p\n}\n", "2p", '"2p" is not a name'],
    ["a built-in", "sampler a(¦p: f32) {\n  keep prob > p\n}\n", "logit", "`logit` is the name of a built-in column"],
    ["taken", "sampler a(¦p: f32, q: f32) {\n  keep prob > p * q\n}\n", "q", "`q` is used already where `p` is"],
    ["taken at the top level", "const ¦a = 1\nconst b = a\n", "b", "is declared in"],
    ["of the language", "sampler a() {\n  keep ¦prob > 1\n}\n", "q", "`prob` is a name of the language"],
    [
      "of the standard library",
      'import { temp } from "std"\n\nchain c = ¦temp(2)\n',
      "t",
      "`temp` is declared in the standard library",
    ],
    ["nothing", "¦\n", "x", "there is no name here"],
  ])("is refused: %s", async (_, given, newName, message) => {
    await expect(rename(given, newName)).rejects.toThrow(message);
  });

  test("is prepared", async () => {
    expect(await at("prepareRename", "const ¦abc = 1\n")).toMatchObject({
      placeholder: "abc",
      range: { end: { character: 9 } },
    });
    await expect(at("prepareRename", "sampler a() {\n  keep ¦prob > 1\n}\n")).rejects.toThrow("cannot be renamed");
  });
});

test("document symbols", async () => {
  const found = await at<DocumentSymbol[]>(
    "documentSymbol",
    `¦const a = 1\n\n${SAMPLER}\nchain c = likely()\n\ntest "t" { }\n`,
  );
  expect(found.map((s) => s.name)).toEqual(["a", "likely", "c", "t"]);
  expect(found[1]!.children!.map((s) => s.name)).toEqual(["p", "k", "share"]);
});

test("inlay hints say how many rows are left", async () => {
  const given = `¦import { top_k, temp, dist } from "std"\n\nchain c = temp(2) |> top_k(40) |> temp(3) |> top_k(8) |> dist()\n`;
  const { params } = await openMarked(given);
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
  const hints = await client.request<InlayHint[]>("textDocument/inlayHint", { ...params, range });
  expect(hints.map((h) => [h.label, h.position.character])).toEqual([
    ["40 rows", 30],
    ["8 rows", 53],
  ]);
});

test("formatting", async () => {
  const { text, params } = await openMarked("¦chain  c=top_k( 4 ) // c\n\n\n");
  const edits = await client.request<TextEdit[]>("textDocument/formatting", { ...params, options: {} });
  expect(edited(text, edits)).toBe("chain c = top_k(4) // c\n");
  await expect(at("formatting", "¦chain c =", { options: {} })).rejects.toThrow("syntax errors");
});

test("semantic tokens distinguish names", async () => {
  const { text, params } = await openMarked(`¦${SAMPLER}`);
  const { data } = await client.request<SemanticTokens>("textDocument/semanticTokens/full", params);
  const { legend } = client.capabilities.semanticTokensProvider as { legend: { tokenTypes: string[] } };
  let [line, column] = [0, 0];
  const tokens = Array.from({ length: data.length / 5 }, (_, i) => {
    const [down, right, length, type] = data.slice(5 * i, 5 * i + 4) as [number, number, number, number];
    [line, column] = down > 0 ? [line + down, right] : [line, column + right];
    return `${text.split("\n")[line]!.slice(column, column + length)} ${legend.tokenTypes[type]}`;
  });
  expect(tokens).toEqual([
    ...["likely function", "p parameter", "k parameter", "k parameter"],
    ...["share variable", "prob property", "max function", "prob property", "share variable", "p parameter"],
  ]);
});

describe("hostile input", () => {
  const METHODS = ["hover", "completion", "signatureHelp", "definition", "references", "prepareRename"];
  const WHOLE = ["documentSymbol", "formatting", "semanticTokens/full", "inlayHint", "codeAction", "codeLens"];

  test.each(METHODS)("%s at positions outside the text, and without a position", async (method) => {
    const { params } = await openMarked(`¦${SAMPLER}`);
    for (const [line, character] of [
      [1e6, 0],
      [0, 1e6],
      [-1, -1],
      [3, 2 ** 31 - 1],
    ])
      await client
        .request(`textDocument/${method}`, { ...params, position: { line, character } })
        .catch((error: Error) => {
          expect(error.message).toMatch(/no name here|cannot be renamed/);
        });
    for (const position of [undefined, null, {}, { line: "1", character: 2 }, { line: 0.5, character: 0 }])
      await expect(client.request(`textDocument/${method}`, { ...params, position })).rejects.toThrow(
        /position|failed/,
      );
  });

  test.each([...METHODS, ...WHOLE, "rename"])("%s of a file that is not open", async (method) => {
    const textDocument = { uri: "file:///nowhere/at_all.ggsl" };
    const position = { line: 0, character: 0 };
    await expect(client.request(`textDocument/${method}`, { textDocument, position, newName: "x" })).rejects.toThrow(
      "is not open",
    );
    await expect(client.request(`textDocument/${method}`, {})).rejects.toThrow();
  });

  test("completion and hover at every position of a broken text", async () => {
    const text = `${SAMPLER}\nchain c(x: f32 = ) = likely(p: , 2) |> host\ntest "t" { run  expect\nsampler ((({ let = [ ) }\nimport { from "`;
    await client.open("broken.ggsl", text);
    const textDocument = { uri: client.uri("broken.ggsl") };
    for (let line = 0; line < text.split("\n").length; line++)
      for (let character = 0; character <= text.split("\n")[line]!.length; character += 3)
        for (const method of ["hover", "completion", "signatureHelp"])
          await client.request(`textDocument/${method}`, { textDocument, position: { line, character } });
  });

  test("a text that is too long, and one that nests too deep", async () => {
    expect((await client.open("long.ggsl", " ".repeat((1 << 20) + 1))).map((d) => d.code)).toEqual(["E0102"]);
    expect((await client.open("deep.ggsl", `const x = ${"(".repeat(5000)}`)).map((d) => d.code)).toEqual(["E0103"]);
    const { params } = await openMarked(`chain c = dist(${"1, ".repeat(2000)}¦`);
    expect(await client.request("textDocument/signatureHelp", params)).toMatchObject({ activeParameter: 2000 });
  });

  test("a document without a file cannot import one", async () => {
    const found = await client.open("untitled:Untitled-1", 'import { a } from "./lib.ggsl"\n');
    expect(found.map((d) => d.code)).toEqual(["E0205"]);
  });

  test("bad notifications", async () => {
    client.notify("textDocument/didChange", {});
    client.notify("textDocument/didOpen", { textDocument: 3 });
    client.notify("workspace/didChangeWatchedFiles", {});
    client.notify("textDocument/didClose", { textDocument: { uri: "file:///nowhere" } });
    await expect(client.request("textDocument/nothing", {})).rejects.toThrow();
    expect(valueOf(await at<Hover | null>("hover", "const a = 1\nconst b = ¦a\n"))).toContain("const a = 1");
  });
});
