/**
 * Where chains run when texts have drafts, guides, log-probabilities and other texts beside them: the table of docs/speculation.md, which
 * GGSL_BLESS=1 writes. What a context is asked for says it.
 */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import type { SequenceRequest } from "../../runtime/generation/request.js";
import { InputError, loadModel, type Model } from "../../runtime/index.js";
import { EXACT, writeExactModel } from "../model/demo.js";
import { recorded, type Recorded } from "../model/recorded.js";
import { CHAINS, PROMPT } from "./chains.js";

const PAGE = "docs/speculation.md";
const TOKENS = 10;

let folder: string;
let model: Model;
let record: Recorded;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-table-"));
  const path = writeExactModel(folder);
  model = await loadModel(path, { backend: "cpu", threads: 1, contextSize: 128, ...EXACT });
  const native = await loadBinding().loadModel(path, { gpuLayers: 0 });
  record = recorded(native, { ...EXACT, threads: 1, contextSize: 128 });
});
afterAll(() => {
  record.native.dispose();
  model.dispose();
  rmSync(folder, { recursive: true });
});

const ngram = { min: 1, tokens: 4, adapt: false };

/** What a text has besides its chain. */
const COLUMNS: Readonly<
  Record<string, { readonly texts?: number; readonly request?: () => Partial<SequenceRequest> }>
> = {
  alone: {},
  "4 texts": { texts: 4 },
  lookup: { request: () => ({ speculate: { ngram } }) },
  "draft model": { request: () => ({ speculate: { draft: model, tokens: 3, adapt: false } }) },
  "`logprobs`": { request: () => ({ logprobs: 3 }) },
  "lookup, `logprobs`, 4 texts": { texts: 4, request: () => ({ logprobs: 3, speculate: { ngram } }) },
};

const ROWS: Readonly<Record<string, string>> = {
  greedy: "`greedy()`",
  default: "top_k, top_p, min_p, temp, dist",
  penalties: "penalties",
  grammar: "a grammar",
  states: "a state that counts",
  uniforms: "`last(1)`, `step`",
  measure: "a measure",
  guide: "a guide",
  phrases: "banned phrases",
  mirostat_v2: "a state that depends on the pick",
  tail: "a host tail",
};

/** What 2 stands for in the outputs of a batch. */
const WITH_LOGITS = 2;

/** Where the chain of texts is computed. */
async function placeOf(name: string, column: string): Promise<string> {
  const { texts = 1, request } = COLUMNS[column]!;
  const { chain, request: own, isByRow = false } = CHAINS[name]!;
  const asked = { ...own, ...request?.(), chain, maxTokens: TOKENS };
  const sequences = texts * (name === "guide" ? 2 : 1);
  record.batches.length = 0;
  using batch = record.open({ sequences, contextSize: 128 });
  const generations = Array.from({ length: texts }, () => batch.add(PROMPT, asked));
  await Promise.all(
    generations.map(async (generation) => {
      for await (const _ of generation);
    }),
  );
  const stats = generations.map((generation) => generation.stats());
  if (asked.speculate) for (const { drafted } of stats) expect(drafted).toBeGreaterThan(0);
  const isRead = record.batches.some(({ outputs }) => outputs.includes(WITH_LOGITS));
  if (stats.some(({ split }) => split !== undefined)) return "in part";
  if (asked.speculate && isByRow) return "row by row";
  return isRead ? "graph, logits" : "graph";
}

test("the table of docs/speculation.md", async () => {
  const columns = Object.keys(COLUMNS);
  const rows: string[][] = [];
  for (const name of Object.keys(ROWS)) {
    const cells = [ROWS[name]!];
    for (const column of columns)
      cells.push(
        await placeOf(name, column).catch((error: unknown) => {
          if (error instanceof InputError) return error.code;
          throw error;
        }),
      );
    rows.push(cells);
  }
  const head = ["chain with", ...columns];
  const table = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const page = readFileSync(PAGE, "utf8").split("\n");
  const start = page.findIndex((line) => line.startsWith("| chain with |"));
  const length = page.slice(start).findIndex((line) => !line.startsWith("|"));
  if (process.env["GGSL_BLESS"] === "1") {
    page.splice(start, length, ...table);
    writeFileSync(PAGE, page.join("\n"));
  } else expect(page.slice(start, start + length)).toEqual(table);
});
