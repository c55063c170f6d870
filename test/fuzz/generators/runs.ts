/** Texts of long runs for tokenizers: of one character, of a few in turn, with others between. Each becomes tokens or is refused. */
import * as fc from "fast-check";
import type { Model } from "../../../runtime/index.js";
import { loadModel } from "../../../runtime/models/model.js";
import { DEMO_MODEL } from "../../model/file.js";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter } from "../core/shrink.js";

interface Run {
  readonly of: string;
  readonly count: number;
}

interface Case {
  readonly runs: readonly Run[];
  /** The most that the caller can use. */
  readonly most: number;
}

const PARTS = [
  ...[
    "a",
    "A",
    " ",
    "\n",
    "\t",
    "\r\n",
    "é",
    "e\u0301",
    "1",
    "'",
    "<",
    "</s>",
    "<s>",
    "字",
    "😀",
    "\u200d",
    "\0",
    "▁",
    "\ufffd",
  ],
  ...["ab", " a", "a ", "1,", "it's", "\n\n ", " \n", "<|", "\u00a0", "Ⅷ", "ﷺ"],
];

let opened: Promise<Model> | undefined;

export const runs = defineGenerator<Case>({
  name: "runs",
  doc: "texts of long runs of one character or a few, for the tokenizer",
  cases: fc.record({
    runs: fc.array(
      fc.record({ of: fc.constantFrom(...PARTS), count: fc.constantFrom(1, 2, 127, 128, 129, 5000, 25_000, 200_000) }),
      { minLength: 1, maxLength: 4 },
    ),
    most: fc.constantFrom(1, 512, 2 ** 20),
  }),
  async run({ runs: all, most }) {
    const model = await (opened ??= loadModel(DEMO_MODEL, { backend: "cpu" }));
    const text = all.map(({ of, count }) => of.repeat(Math.min(count, 2 ** 20 / of.length))).join("");
    const tokens = await model.tokenizeLater(text, { special: false, mostTokens: most });
    if (tokens.length > most) throw new Wrong(`${tokens.length} tokens, at most ${most}`);
    if (text.length <= 2 ** 16) {
      const again = model.tokenize(text, { special: false });
      if (again.length !== tokens.length || again.some((token, i) => token !== tokens[i]))
        throw new Wrong("other tokens on another thread");
    }
  },
  *smaller(c) {
    for (const fewer of shorter(c.runs)) if (fewer.length > 0) yield { ...c, runs: fewer };
    for (const [i, one] of c.runs.entries())
      if (one.count > 1) yield { ...c, runs: c.runs.with(i, { ...one, count: Math.floor(one.count / 2) }) };
  },
  seconds: 10,
});
