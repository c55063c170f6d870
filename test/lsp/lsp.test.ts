/** Requests of an editor to the language server, sent to the built command: what is said of a text. */
import { describe, expect, test } from "@jest/globals";
import type { CodeAction, CompletionItem, Hover, InlayHint, SignatureHelp, TextEdit } from "vscode-languageserver";
import { edited } from "./client.js";
import { FUNCTION, SAMPLER, SETS, useServer, valueOf } from "./requests.js";

const { client, openMarked, at } = useServer();

test("the server announces its capabilities", () => {
  expect(Object.keys(client().capabilities).sort()).toEqual(
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
    const found = await client().open("d.ggsl", "sampler s(p: f32) {\n  keep prob > limt\n}\n");
    expect(found.map((d) => [d.code, d.severity, d.range.start])).toEqual([
      ["W0504", 2, { line: 0, character: 10 }],
      ["E0201", 1, { line: 1, character: 14 }],
    ]);
    const range = { start: { line: 1, character: 14 }, end: { line: 1, character: 18 } };
    expect(await client().change("d.ggsl", "p", range)).toEqual([]);
    const twice = await client().change("d.ggsl", "const a = 1\nconst a = 2\n");
    expect(twice[0]).toMatchObject({ code: "E0207", relatedInformation: [{ message: "first declared here" }] });
  });

  test("of chains appear once they are lowered", async () => {
    const found = await client().open("l.ggsl", 'import { top_p, dist } from "std"\n\nchain c = top_p(1) |> dist()\n');
    expect(found.map((d) => d.code)).toEqual(["W0503"]);
  });

  test("follow files that are imported, unsaved and on the disk", async () => {
    client().write("lib.ggsl", "sampler half(p: f32 in [0, 0.5] = 0.25) {\n  keep prob >= p\n}\n");
    const text = 'import { half } from "./lib.ggsl"\n\nchain c = half(0.4)\n';
    expect(await client().open("user.ggsl", text)).toEqual([]);
    const next = client().diagnostics("user.ggsl");
    await client().open("lib.ggsl", "sampler half(p: f32 in [0, 0.3] = 0.25) {\n  keep prob >= p\n}\n");
    expect((await next).map((d) => d.code)).toEqual(["E0401"]);
    const broken = client().diagnostics("user.ggsl");
    await client().change("lib.ggsl", "sampler half(p: f32) {\n  keep\n}\n");
    expect((await broken).map((d) => d.message)).toEqual([
      expect.stringMatching(/lib\.ggsl", which this file needs, has errors/),
    ]);
    const again = client().diagnostics("user.ggsl");
    client().notify("textDocument/didClose", { textDocument: { uri: client().uri("lib.ggsl") } });
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
    const actions = await client().request<CodeAction[]>("textDocument/codeAction", {
      ...params,
      range,
      context: { diagnostics: [] },
    });
    const action = actions.find((a) => a.title === title)!;
    expect(actions.map((a) => a.title)).toContain(title);
    const fixed = edited(text, action.edit!.changes![client().uri(name)]!);
    expect(fixed).toBe(expected);
    const after = await client().change(name, fixed);
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
      ["max(number, [number], [last: number]) -> f32", "the largest value over the rows left"],
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
    const items = await client().request<CompletionItem[]>("textDocument/completion", params);
    const found = items.find((i) => i.label === "min_p")!;
    expect(found.documentation).toMatchObject({ kind: "markdown", value: expect.stringContaining("2407.01082") });
    expect(edited(text, found.additionalTextEdits!)).toContain('import { dist, min_p } from "std"');
  });

  test("names of another file", async () => {
    client().write("names.ggsl", "const limit = 1\nsampler mine() {\n  sort\n}\n");
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

test("inlay hints say how many rows are left", async () => {
  const given = `¦import { top_k, temp, dist } from "std"\n\nchain c = temp(2) |> top_k(40) |> temp(3) |> top_k(8) |> dist()\n`;
  const { params } = await openMarked(given);
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
  const hints = await client().request<InlayHint[]>("textDocument/inlayHint", { ...params, range });
  expect(hints.map((h) => [h.label, h.position.character])).toEqual([
    ["40 rows", 30],
    ["8 rows", 53],
  ]);
});

test("formatting", async () => {
  const { text, params } = await openMarked("¦chain  c=top_k( 4 ) // c\n\n\n");
  const edits = await client().request<TextEdit[]>("textDocument/formatting", { ...params, options: {} });
  expect(edited(text, edits)).toBe("chain c = top_k(4) // c\n");
  await expect(at("formatting", "¦chain c =", { options: {} })).rejects.toThrow("syntax errors");
});
