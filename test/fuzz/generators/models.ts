/** Damaged model files: the demo model with other bytes, or cut, loaded, and asked for a few tokens. */
import * as fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compilePipeline } from "../../../runtime/chain/chain.js";
import { loadModel } from "../../../runtime/models/model.js";
import { KINDS, withKeys } from "../../model/damaged.js";
import { DEMO_MODEL } from "../../model/file.js";
import { defineGenerator } from "../core/generator.js";
import { shorter } from "../core/shrink.js";

interface Damage {
  /** Fractions of the file, of its first bytes (the header) for most. */
  readonly at: number;
  readonly inHeader: boolean;
  readonly bytes: readonly number[];
}

interface Damaged {
  readonly damage: readonly Damage[];
  /** What kind of vocabulary the file says it has, if another. */
  readonly kind?: string | undefined;
  /** How much of the file is left, as a fraction. */
  readonly left: number;
}

/** Metadata and the descriptions of tensors; the weights follow. */
const HEADER = 60_000;

const odd = fc.oneof(
  fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 4 }),
  fc.constantFrom<number[]>(
    [0, 0, 0, 0],
    [255, 255, 255, 255],
    [255, 255, 255, 127],
    [0, 0, 0, 0, 0, 0, 0, 128],
    [1, 0, 0, 0],
  ),
);
const fractions = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

function bytesOf({ damage, kind, left }: Damaged): Uint8Array {
  const good = readFileSync(DEMO_MODEL);
  const bytes = Uint8Array.from(kind === undefined ? good : withKeys(good, { "tokenizer.ggml.model": kind }));
  for (const { at, inHeader, bytes: put } of damage) {
    const place = Math.floor(at * ((inHeader ? Math.min(HEADER, bytes.length) : bytes.length) - put.length));
    bytes.set(put, place);
  }
  return bytes.slice(0, Math.ceil(left * bytes.length));
}

export const models = defineGenerator<Damaged>({
  name: "models",
  doc: "damaged files of the demo model: loaded, and asked for a few tokens",
  cases: fc.record({
    damage: fc.array(fc.record({ at: fractions, inHeader: fc.constantFrom(true, true, true, false), bytes: odd }), {
      minLength: 1,
      maxLength: 4,
      size: "max",
    }),
    kind: fc.option(fc.constantFrom(...KINDS), { freq: 4, nil: undefined }),
    left: fc.oneof({ weight: 6, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: fractions }),
  }),
  // loading takes a few threads
  seconds: 5,
  async run(c) {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-fuzz-"));
    try {
      const file = join(folder, "model.gguf");
      writeFileSync(file, bytesOf(c));
      const model = await loadModel(file, { backend: "cpu", contextSize: 64 });
      try {
        const chain = compilePipeline("top_k(5) |> dist(1)");
        for await (const _ of model.generate("In the", { chain, maxTokens: 4 })) continue;
      } finally {
        model.dispose();
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
  *smaller(c) {
    if (c.kind !== undefined) yield { ...c, kind: undefined };
    if (c.left < 1) yield { ...c, left: 1 };
    for (const damage of shorter(c.damage)) yield { ...c, damage };
  },
});
