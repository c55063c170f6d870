/** Damaged and hostile grammars of a host tail, on the demo model: parsed, and asked for the allowed tokens of a few steps. */
import * as fc from "fast-check";
import type { NativeModel } from "../../../runtime/backends/native/binding.js";
import { loadBinding } from "../../../runtime/backends/native/loader.js";
import { translated } from "../../../runtime/core/errors.js";
import { DEMO_MODEL } from "../../model/file.js";
import { defineGenerator } from "../core/generator.js";
import { lower, shorterTexts } from "../core/shrink.js";
import { edits, mutated } from "./mutate.js";

export const GRAMMARS = [
  'root ::= "yes" | "no"',
  'root ::= item+\nitem ::= "- " [^\\n]+ "\\n"',
  'root ::= "{" pair ("," pair)* "}"\npair ::= text ":" value\ntext ::= "\\"" [a-z]* "\\""\nvalue ::= text | [0-9]+ | root',
  'root ::= expr\nexpr ::= term ([-+*/] term)*\nterm ::= [0-9]{1,5} | "(" expr ")"',
  'root ::= [a-z]{2,3} " " [^a-z"\\\\] # comment\n',
  'root ::= ("a" | "b"){0,4} "\\x41" "\\u00e9" "\\U0001F600" .',
];

const repeat = (text: string, n: number): string => text.repeat(Math.min(n, 500_000 / text.length));

/** Grammars that are too large in one way. */
const SIZES: readonly ((n: number) => string)[] = [
  (n) => `root ::= ${repeat("(", n)}"a"${repeat(")", n)}`,
  (n) => `root ::= "a"{${n}}`,
  (n) => `root ::= "a"{0,${n}}`,
  (n) => `root ::= ("a" | "b"){${n},}`,
  (n) => `root ::= ${repeat('"a" | ', n)}"b"`,
  (n) => `root ::= ${repeat("[a-z]* ", n)}`,
  (n) => `root ::= ${repeat('"a"? ', n)}`,
  (n) => `root ::= "${repeat("a", n)}"`,
  (n) => `root ::= [${repeat("a-z", n)}]`,
  (n) =>
    `${Array.from({ length: Math.min(n, 5000) }, (_, i) => `r${i} ::= r${i + 1} r${i + 1}`).join("\n")}\nr${n} ::= "a"\nroot ::= r0`,
  (n) => `root ::= "a" root | [a-z] root root | ""\n# ${repeat("x", n)}`,
  (n) => `root ::= ${repeat("a", n)}`,
];

interface Grammar {
  readonly text: string;
  readonly steps: number;
}

const steps = fc.integer({ min: 0, max: 12 });
const damaged = fc
  .tuple(fc.constantFrom(...GRAMMARS), fc.constantFrom(...GRAMMARS), edits)
  .map(([text, other, all]) => mutated(text, other, all));
const sized = fc
  .tuple(fc.constantFrom(...SIZES), fc.constantFrom(1, 3, 10, 30, 100, 1000, 10_000, 100_000))
  .map(([make, n]) => make(n));
const texts = fc.oneof({ weight: 9, arbitrary: damaged }, { weight: 1, arbitrary: sized });

let opened: Promise<NativeModel> | undefined;

export const grammars = defineGenerator<Grammar>({
  name: "grammars",
  doc: "damaged grammars, and grammars that are too large in one way: the allowed tokens of some steps",
  cases: fc.record({ text: texts, steps }),
  async run({ text, steps: count }) {
    const model = await (opened ??= loadBinding().loadModel(DEMO_MODEL, {}));
    const all = Int32Array.from({ length: model.info.vocabSize }, (_, token) => token);
    const rows = { tokens: all, logits: new Float32Array(all.length) };
    translated(() => {
      const tail = new (loadBinding().Tail)([{ name: "grammar", text }], model);
      try {
        for (let step = 0; step < count; step++) {
          const { tokens } = tail.apply(rows);
          tail.accept(tokens[(step * 7919) % tokens.length]!);
        }
      } catch (error) {
        // a character that the vocabulary does not have
        if ((error as { readonly code?: string }).code !== "NO_CANDIDATE") throw error;
      } finally {
        tail.dispose();
      }
    });
  },
  *smaller(c) {
    for (const fewer of lower(c.steps)) yield { ...c, steps: fewer };
    for (const text of shorterTexts(c.text)) yield { ...c, text };
  },
  show: ({ text }) => ({ ending: "gbnf", text }),
});
