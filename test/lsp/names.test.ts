/** Requests about names: where they are declared and used, and other names for them. */
import { describe, expect, test } from "@jest/globals";
import type { DocumentSymbol, Location, SemanticTokens, WorkspaceEdit } from "vscode-languageserver";
import { edited } from "./client.js";
import { FUNCTION, SAMPLER, SETS, useServer } from "./requests.js";

const { client, openMarked, at } = useServer();

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
    const uri = client().write("shared.ggsl", "sampler shared(p: f32 = 0.1) {\n  keep prob > p\n}\n");
    client().write("other.ggsl", 'import { shared } from "./shared.ggsl"\n\nchain other = shared(p: 0.2)\n');
    const { params } = await openMarked(
      'import { shared } from "./shared.ggsl"\n\nchain c = ¦shared() |> shared(0.3)\n',
    );
    expect(await client().request("textDocument/definition", params)).toMatchObject({
      uri,
      range: { start: { line: 0, character: 8 } },
    });
    const context = { includeDeclaration: true };
    const uses = await client().request<Location[]>("textDocument/references", { ...params, context });
    expect(uses).toHaveLength(6);
    const others = await client().request<Location[]>("textDocument/references", {
      ...params,
      context: { includeDeclaration: false },
    });
    expect(others).toHaveLength(5);
    const { params: file } = await openMarked('import { shared } from "./¦shared.ggsl"\n');
    expect(await client().request("textDocument/definition", file)).toMatchObject({ uri });
  });
});

describe("rename", () => {
  const rename = (given: string, newName: string): Promise<{ text: string; edit: WorkspaceEdit; uri: string }> =>
    openMarked(given).then(async ({ name, text, params }) => ({
      text,
      uri: client().uri(name),
      edit: await client().request<WorkspaceEdit>("textDocument/rename", { ...params, newName }),
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
    const lib = client().write("alias.ggsl", "fn first(x: f32) -> f32 = x\n");
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
    const lib = client().write("renamed.ggsl", "sampler before() {\n  sort\n}\n");
    const user = client().write("renames.ggsl", 'import { before } from "./renamed.ggsl"\n\nchain c = before\n');
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

test("semantic tokens distinguish names", async () => {
  const { text, params } = await openMarked(`¦${SAMPLER}`);
  const { data } = await client().request<SemanticTokens>("textDocument/semanticTokens/full", params);
  const { legend } = client().capabilities.semanticTokensProvider as { legend: { tokenTypes: string[] } };
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
