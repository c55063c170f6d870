/** Several outputs of a sequence in one batch of libggsl: texts with drafts are those without. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeExactModel } from "../model/file.js";
import { KNOWN, runDrafts, UNKNOWN, type DraftedText } from "./drafts.js";

const COUNT = 32;
const ROWS = 5;

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-c-drafts-"));
  path = writeExactModel(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

const graphs = [...Object.values(KNOWN), UNKNOWN];
const write = (device: string): DraftedText[] =>
  JSON.parse(runDrafts(folder, ["texts", path, device, String(ROWS), String(COUNT)], graphs)) as DraftedText[];

test("the same text with drafts and without, in the graph and on the host", () => {
  const [inGraph, onHost] = [write("CPU"), write("host")];
  for (const [i, text] of inGraph.entries()) {
    expect(text.tokens).toEqual(onHost[i]!.tokens);
    // states of logits differ in their last digits
    if (i < Object.keys(KNOWN).length) expect(text.saved[0]).toEqual(text.saved[1]);
    expect(new Set(text.tokens).size).toBeGreaterThan(8);
    // four of five drafted tokens are right, so a batch brings more than two
    expect(text.decodes).toBeLessThan(COUNT / 2);
  }
  // what one output of a sequence reads is known in each chain but the last
  expect(inGraph.map((text) => text.inGraph)).toEqual([...Object.keys(KNOWN).map(() => COUNT), 0]);
  expect(inGraph.every((text) => text.plainInGraph === COUNT)).toBe(true);
  expect(inGraph.at(-1)!.refusal).toMatch(
    /states of the chain `.*` depend on logits.*set .*n_outputs_max_per_seq to 1$/,
  );
  expect(onHost.every((text) => text.inGraph === 0)).toBe(true);
});

test("what a program does wrong is a fault that says what to do", () => {
  expect(runDrafts(folder, ["faults", path], [KNOWN["repetition"]!])).toBe("all faults are as expected\n");
});
