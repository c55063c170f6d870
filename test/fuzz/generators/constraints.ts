/** Grammars, regular expressions, choices and structural tags that take much: prepared and followed in threads. */
import * as fc from "fast-check";
import type { GrammarSource } from "../../../runtime/grammars/types.js";
import { defineGenerator } from "../core/generator.js";
import { lower, shorterTexts } from "../core/shrink.js";
import { followed } from "./followed.js";
import { GRAMMARS } from "./grammars.js";
import { edits, mutated } from "./mutate.js";

const repeated = (text: string, n: number): string => text.repeat(Math.min(n, Math.floor(2 ** 20 / text.length)));
const listed = (n: number, of: (i: number) => string, by: string): string =>
  Array.from({ length: Math.min(n, 2 ** 15) }, (_, i) => of(i)).join(by);

/** Each has many positions at once, many rules, or much to write. */
const REGEX: readonly ((n: number) => string)[] = [
  (n) => `^.*a.{${n}}$`,
  (n) => `(.*a){${n}}`,
  (n) => `(a|aa)*b{${n}}`,
  (n) => `${repeated("(a?", n)}${repeated(")", n)}`,
  (n) => `(${repeated("a*", n)})*b`,
  (n) => listed(n, (i) => `[a-z${i}]{1,2000}${i}`, ""),
  (n) => `(${listed(n, (i) => `w${i}`, "|")})+`,
  (n) => `${repeated("[^\\x00-\\x1f]{0,50}", n)}x`,
  (n) => `(${repeated("\\w\\W?", n)}){0,${n}}`,
  (n) => `[${listed(n, (i) => `\\u{${(0x100 + 2 * i).toString(16)}}`, "")}]{0,${n}}`,
  (n) => `((((.{0,${n}}){0,${n}}){0,${n}}){0,${n}})`,
];

const GBNF: readonly ((n: number) => string)[] = [
  (n) => `root ::= .* "a" .{${n}}`,
  (n) => `root ::= "a" root | [a-zA-Z ] root root | ""\n# ${n}`,
  (n) => `root ::= ${repeated("[a-zA-Z ]* ", n)}`,
  (n) => `root ::= x{0,${n}}\nx ::= y{0,${n}}\ny ::= [a-z]{0,${n}} " "?`,
  (n) =>
    `${listed(n, (i) => `r${i} ::= r${i + 1} r${i + 1} | "${i}"`, "\n")}\nr${Math.min(n, 2 ** 15)} ::= "a"?\nroot ::= r0`,
  (n) =>
    `${listed(n, (i) => `r${i} ::= "a" r${(i * 7 + 1) % Math.max(1, n)} | [^a] r${(i * 3 + 2) % Math.max(1, n)} | "."`, "\n")}\nroot ::= r0`,
  (n) => `root ::= ${listed(n, (i) => `"${"a".repeat(i % 500)}b"`, " | ")} | "c"`,
  (n) => `root ::= (${repeated('("a" | "b")? ', n)})* "c"`,
  (n) => `root ::= [${repeated("a-z", n)}]{${n}}`,
  (n) => `root ::= root "a" | "b"{${n}}`,
];

const content = (n: number): object => ({ type: "regex", pattern: `a{0,${Math.min(n, 2000)}}b` });
const tag = (i: number, n: number): object => ({ begin: `<t${i}>`, content: content(n), end: "</t>" });
const many = <T>(n: number, of: (i: number) => T): T[] => Array.from({ length: Math.min(n, 20_000) }, (_, i) => of(i));
const nested = (n: number, of: (inner: object) => object): object =>
  many(Math.min(n, 1500), (i) => i).reduce<object>(of, content(1));

const TAGS: readonly ((n: number) => object)[] = [
  (n) => ({ type: "triggered_tags", triggers: ["<t"], tags: many(n, (i) => tag(i, n)) }),
  (n) => ({ type: "triggered_tags", triggers: many(n, (i) => `<t${i}`), tags: many(n, (i) => tag(i, 1)) }),
  (n) => ({ type: "tags_with_separator", tags: many(n, (i) => tag(i, 1)), separator: ",", at_least_one: true }),
  (n) => ({ type: "or", elements: many(n, (i) => ({ type: "regex", pattern: `a${i}[b-z]{3,30}` })) }),
  (n) => ({ type: "sequence", elements: many(n, () => content(n)) }),
  (n) => nested(n, (inner) => ({ type: "sequence", elements: [inner] })),
  (n) => nested(n, (inner) => ({ type: "or", elements: [inner, { type: "const_string", value: "x" }] })),
  (n) => ({ type: "tag", begin: "<", content: { type: "grammar", grammar: GBNF[n % GBNF.length]!(n) }, end: ">" }),
  (n) => ({ type: "json_schema", json_schema: { type: "array", items: { type: "string" }, maxItems: n } }),
  (n) => ({ type: "sequence", elements: [{ type: "any_text" }, content(n), { type: "any_text" }] }),
];

type Form = "regex" | "gbnf" | "choices" | "structuralTag";

interface Case {
  readonly form: Form;
  /** Of a structural tag it is JSON; choices are its lines. */
  readonly text: string;
  readonly steps: number;
}

const sizes = fc.constantFrom(0, 1, 2, 8, 12, 30, 100, 400, 2000, 20_000);
const sized = (form: Form, of: readonly ((n: number) => string)[]) =>
  fc.tuple(fc.constantFrom(...of), sizes).map(([make, n]) => ({ form, text: make(n) }));
/** Costly ones with edits. */
const edited = (form: Form, of: readonly string[]) =>
  fc.tuple(fc.constantFrom(...of), fc.constantFrom(...of), edits).map(([text, other, all]) => ({
    form,
    text: mutated(text, other, all),
  }));
const SOME = [3, 20] as const;

const texts = fc.oneof(
  { weight: 3, arbitrary: sized("regex", REGEX) },
  { weight: 3, arbitrary: sized("gbnf", GBNF) },
  {
    weight: 3,
    arbitrary: sized(
      "structuralTag",
      TAGS.map((make) => (n: number) => JSON.stringify(make(n))),
    ),
  },
  { weight: 1, arbitrary: sized("choices", [(n) => listed(n, (i) => "a".repeat(i % 800), "\n")]) },
  {
    weight: 2,
    arbitrary: edited(
      "regex",
      SOME.flatMap((n) => REGEX.map((make) => make(n))),
    ),
  },
  { weight: 2, arbitrary: edited("gbnf", [...GRAMMARS, ...SOME.flatMap((n) => GBNF.map((make) => make(n)))]) },
);

function sourceOf({ form, text }: Case): GrammarSource {
  switch (form) {
    case "regex":
      return { regex: text };
    case "gbnf":
      return { gbnf: text };
    case "choices":
      return { choices: text.split("\n") };
    case "structuralTag":
      return { structuralTag: JSON.parse(text) as object };
  }
}

export const constraints = defineGenerator<Case>({
  name: "constraints",
  doc: "costly grammars, regular expressions, choices and structural tags, prepared and followed in threads",
  cases: fc.tuple(texts, fc.integer({ min: 0, max: 20 })).map(([one, steps]) => ({ ...one, steps })),
  run: (c) => followed(sourceOf(c), c.steps),
  *smaller(c) {
    for (const steps of lower(c.steps)) yield { ...c, steps };
    if (c.form !== "structuralTag") for (const text of shorterTexts(c.text)) yield { ...c, text };
  },
  show: ({ form, text }) => ({ ending: form === "structuralTag" ? "json" : "txt", text }),
  // 10 s to prepare, and 2 s for each of some tokens
  seconds: 30,
  bytes: 2 ** 30,
});
