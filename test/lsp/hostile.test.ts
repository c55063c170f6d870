/** Requests that no editor sends, and texts that are broken, long or deep. */
import { describe, expect, test } from "@jest/globals";
import type { Hover } from "vscode-languageserver";
import { SAMPLER, useServer, valueOf } from "./requests.js";

const { client, openMarked, at } = useServer();

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
      await client()
        .request(`textDocument/${method}`, { ...params, position: { line, character } })
        .catch((error: Error) => {
          expect(error.message).toMatch(/no name here|cannot be renamed/);
        });
    for (const position of [undefined, null, {}, { line: "1", character: 2 }, { line: 0.5, character: 0 }])
      await expect(client().request(`textDocument/${method}`, { ...params, position })).rejects.toThrow(
        /position|failed/,
      );
  });

  test.each([...METHODS, ...WHOLE, "rename"])("%s of a file that is not open", async (method) => {
    const textDocument = { uri: "file:///nowhere/at_all.ggsl" };
    const position = { line: 0, character: 0 };
    await expect(client().request(`textDocument/${method}`, { textDocument, position, newName: "x" })).rejects.toThrow(
      "is not open",
    );
    await expect(client().request(`textDocument/${method}`, {})).rejects.toThrow();
  });

  test("completion and hover at every position of a broken text", async () => {
    const text = `${SAMPLER}\nchain c(x: f32 = ) = likely(p: , 2) |> host\ntest "t" { run  expect\nsampler ((({ let = [ ) }\nimport { from "`;
    await client().open("broken.ggsl", text);
    const textDocument = { uri: client().uri("broken.ggsl") };
    for (let line = 0; line < text.split("\n").length; line++)
      for (let character = 0; character <= text.split("\n")[line]!.length; character += 3)
        for (const method of ["hover", "completion", "signatureHelp"])
          await client().request(`textDocument/${method}`, { textDocument, position: { line, character } });
  });

  test("a text that is too long, and one that nests too deep", async () => {
    expect((await client().open("long.ggsl", " ".repeat((1 << 20) + 1))).map((d) => d.code)).toEqual(["E0102"]);
    expect((await client().open("deep.ggsl", `const x = ${"(".repeat(5000)}`)).map((d) => d.code)).toEqual(["E0103"]);
    const { params } = await openMarked(`chain c = dist(${"1, ".repeat(2000)}¦`);
    expect(await client().request("textDocument/signatureHelp", params)).toMatchObject({ activeParameter: 2000 });
  });

  test("a document without a file cannot import one", async () => {
    const found = await client().open("untitled:Untitled-1", 'import { a } from "./lib.ggsl"\n');
    expect(found.map((d) => d.code)).toEqual(["E0205"]);
  });

  test("bad notifications", async () => {
    client().notify("textDocument/didChange", {});
    client().notify("textDocument/didOpen", { textDocument: 3 });
    client().notify("workspace/didChangeWatchedFiles", {});
    client().notify("textDocument/didClose", { textDocument: { uri: "file:///nowhere" } });
    await expect(client().request("textDocument/nothing", {})).rejects.toThrow();
    expect(valueOf(await at<Hover | null>("hover", "const a = 1\nconst b = ¦a\n"))).toContain("const a = 1");
  });
});
