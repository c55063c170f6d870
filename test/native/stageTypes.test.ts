/** Types of host chain stages: those of llama.cpp's table, which the runtime checks a graph's tail against. */
import { expect, test } from "@jest/globals";
import { InputError } from "../../runtime/core/errors.js";
import type { NativeTailStage } from "../../runtime/backends/native/binding.js";
import { openTail } from "../../runtime/sequence/tail.js";

/** `npm run types` fails if a marked line has no error, or any other line has one. */
export const STAGES: readonly NativeTailStage[] = [
  { name: "greedy" },
  { name: "top_p", p: 0.5, min_keep: 2 },
  { name: "dist", seed: "random" },
  { name: "penalties", last_n: 5, n_vocab: 300 },
  { name: "dry", breakers: ["a", "b"] },
  { name: "grammar", text: 'root ::= "a"' },
  { name: "logit_bias", biases: [[1, -Infinity]] },
  // @ts-expect-error no such sampler
  { name: "top_q" },
  // @ts-expect-error no such parameter
  { name: "top_p", q: 0.5 },
  // @ts-expect-error a text for a number
  { name: "top_p", p: "high" },
  // @ts-expect-error a number for a text
  { name: "grammar", text: 5 },
  // @ts-expect-error the parameter has no default
  { name: "grammar" },
  // @ts-expect-error the vocabulary size is not a parameter
  { name: "top_k", n_vocab: 300 },
  // @ts-expect-error a bias is a pair
  { name: "logit_bias", biases: [1] },
];

const rows = { logits: Float32Array.of(1, 2, 3) };

test("a tail's seeds follow the chain's parameters", () => {
  const open = (seed: number) => openTail([{ name: "dist", args: { seed: { param: "s" } } }], new Map([["s", seed]]))!;
  const picks = Array.from({ length: 20 }, (_, seed) => {
    using a = open(seed);
    using b = open(seed);
    const { selected } = a.pick(rows);
    expect(b.pick(rows).selected).toBe(selected);
    return selected;
  });
  expect(new Set(picks).size).toBeGreaterThan(1);
});

test.each([
  [{ name: "top_q", args: {} }, "the tail stage `top_q`: unknown tail stage"],
  [{ name: "top_p", args: { q: 1 } }, 'the tail stage `top_p`: unknown argument "q"'],
  [{ name: "top_p", args: { p: "high" } }, 'the tail stage `top_p`: `p` must be a finite number, found "high"'],
  [{ name: "grammar", args: {} }, "the tail stage `grammar`: the argument `text` is missing"],
  [{ name: "penalties", args: { last_n: 2 ** 24 + 1 } }, "`last_n` must be in [0, 16777216], found 16777217"],
  [{ name: "dist", args: { seed: { param: "unset" } } }, '`seed` must be an integer from 0 to 4294967295, "random"'],
])("a stage that llama.cpp does not have is refused: %j", (stage, message) => {
  const open = () => openTail([stage], new Map());
  expect(open).toThrow(InputError);
  expect(open).toThrow(message);
});
