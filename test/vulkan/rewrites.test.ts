/** Vulkan with and without the rewrites of native/graph/legalize.cc. */
import { expect } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ggsl, node, vulkanTest } from "./vulkan.js";

interface Found {
  readonly plain: number | null;
  readonly rewritten: number;
  readonly names: readonly string[];
}

interface Top {
  readonly name: string;
  readonly k: number;
  /** The keys of the best rows of each sequence, descending. */
  readonly wanted: readonly (readonly string[])[];
  readonly plain: { readonly best: Top["wanted"] };
  readonly right: { readonly best: Top["wanted"]; readonly distinct: readonly number[] };
}

vulkanTest("top_k of huge keys: other rows without its rewrite, the best ones with it", () => {
  const found = JSON.parse(node("test/vulkan/top_k.mjs")) as Top[];
  for (const { name, k, wanted, right } of found) {
    expect([name, right.best]).toEqual([name, wanted]);
    expect([name, right.distinct]).toEqual([name, wanted.map(() => k)]);
  }
  // if this fails, Vulkan's top_k was fixed and the rewrite can be removed
  expect(found.some(({ plain, wanted }) => JSON.stringify(plain.best) !== JSON.stringify(wanted))).toBe(true);
});

vulkanTest("the best rows by a key that is huge: logits, and the surprise of tokens of probability 0", () => {
  const tokens = (...args: readonly string[]): number[] => {
    const { candidates } = JSON.parse(ggsl("eval", ...args, "--backend", "vulkan", "--json")) as Evaluated;
    return candidates.map(({ token }) => token).sort();
  };
  expect(tokens("-e", "top_k(2)", "--logits", "1e20,1e20,1e20,1e20,2e20,2e20,0,0")).toEqual([4, 5]);
  const folder = mkdtempSync(join(tmpdir(), "ggsl-"));
  const file = join(folder, "surprise.ggsl");
  writeFileSync(file, "sampler surprise() { top 3 by -log(prob) }\nchain c = surprise()\n");
  expect(tokens(file, "--logits", "1,2,3,-300,-500,5,6,-400")).toEqual([3, 4, 7]);
  rmSync(folder, { recursive: true });
});

interface Evaluated {
  readonly candidates: readonly { readonly token: number }[];
}

vulkanTest("a wide softmax with few rows left: NaN without its rewrite, right with it", () => {
  const found = JSON.parse(node("test/vulkan/softmax.mjs")) as Found[];
  for (const { rewritten, names } of found) {
    expect(names).toEqual(["softmax by steps"]);
    expect(rewritten).toBeLessThan(1e-6);
  }
  // JSON has null for NaN; if this fails, Vulkan's softmax was fixed and the rewrite can be removed
  expect(found.some(({ plain }) => plain === null)).toBe(true);
});
