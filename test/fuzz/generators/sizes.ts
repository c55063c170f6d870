/** Programs that are too large in one way: at each limit, one above, and a thousand times above. */
import * as fc from "fast-check";
import { LIMITS } from "../../../compiler/limits/format.js";
import { LIMIT_PRESETS } from "../../../compiler/limits/limits.js";
import { defineGenerator } from "../core/generator.js";
import { lower } from "../core/shrink.js";
import { PARTS, runProgram, type Part } from "./program.js";

interface Size {
  readonly family: string;
  readonly size: number;
  /** Each takes its own time. */
  readonly part: Part;
}

const USUAL = LIMIT_PRESETS.default;

/** The longest text that a family makes; the compiler refuses much shorter ones. */
const MOST_TEXT = 3 * 2 ** 20;

const many = (n: number, piece: (i: number) => string, separator = "\n"): string => {
  const parts: string[] = [];
  let length = 0;
  for (let i = 0; i < n && length < MOST_TEXT; i++) {
    const part = piece(i);
    parts.push(part);
    length += part.length + separator.length;
  }
  return parts.join(separator);
};

/** As `many` without separators, for what closes brackets. */
const repeat = (n: number, text: string): string => text.repeat(Math.min(n, Math.floor(MOST_TEXT / text.length)));

const chainOf = (body: string, rest = ""): string => `${rest}sampler s() {\n${body}\n}\nchain c = s()\n`;
const name = (n: number): string => repeat(n, "a");

/** A limit of the compiler, or a size that is ordinary in one direction. */
interface Family {
  readonly text: (n: number) => string;
  readonly limit: number;
}

const FAMILIES: Readonly<Record<string, Family>> = {
  "doubling constants": {
    limit: 20,
    text: (n) => `const x0 = 1\n${many(n, (i) => `const x${i + 1} = x${i} + x${i}`)}\n${chainOf(`logit *= x${n}`)}`,
  },
  "constants of many terms": {
    limit: 100,
    text: (n) =>
      `const x0 = 1\n${many(Math.min(n, 200), (i) => `const x${i + 1} = ${many(100, () => `x${i}`, " + ")}`)}\n${chainOf("logit *= x1")}`,
  },
  "an unknown long name": {
    limit: USUAL.nameLength,
    text: (n) => `sampler ${name(n)}() { logit *= 2 }\nchain c = ${name(n)}b()\n`,
  },
  "unknown names": { limit: 1000, text: (n) => chainOf(many(n, (i) => `let v${i} = unknown${i}`)) },
  "unknown imports": { limit: 1000, text: (n) => `import { ${many(n, (i) => `nothing${i}`, ", ")} } from "std"\n` },
  "missing files": { limit: USUAL.files, text: (n) => many(n, (i) => `import { x${i} } from "file${i}.ggsl"`) },
  "faulty declarations": { limit: 1000, text: (n) => many(n, (i) => `sampler s${i}() { nothing }`) },
  "unclosed brackets": { limit: 100, text: (n) => `const x = ${repeat(n, "(")}` },
  "nested brackets": {
    limit: 100,
    text: (n) => `const x = ${repeat(n, "(")}1${repeat(n, ")")}\n${chainOf("logit *= x")}`,
  },
  "nested minus": { limit: 250, text: (n) => chainOf(`logit *= ${repeat(n, "- ")}1`) },
  "nested if": { limit: 100, text: (n) => chainOf(`${repeat(n, "if n > 1 { ")}logit *= 2${repeat(n, " }")}`) },
  "nested conditionals": { limit: 250, text: (n) => chainOf(`logit = ${repeat(n, "n > 1 ? logit : ")}logit`) },
  "a cycle of chains": { limit: 66, text: (n) => many(n, (i) => `chain c${i} = c${(i + 1) % n}()`) },
  "a chain of chains": {
    limit: 64,
    text: (n) => `import { temp } from "std"\nchain c0 = temp(2)\n${many(n, (i) => `chain c${i + 1} = c${i}()`)}`,
  },
  "doubling chains": {
    limit: 8,
    text: (n) =>
      `import { temp } from "std"\nchain c0 = temp(2)\n${many(n, (i) => `chain c${i + 1} = c${i}() |> c${i}()`)}`,
  },
  stages: {
    limit: USUAL.stages,
    text: (n) => `import { temp } from "std"\nchain c = ${many(n, () => "temp(2)", " |> ")}\n`,
  },
  "terms of numbers": { limit: 1000, text: (n) => chainOf(`logit *= ${many(n, () => "1", "+")}`) },
  "terms of columns": { limit: 1000, text: (n) => chainOf(`logit = ${many(n, () => "logit", " + ")}`) },
  conditions: { limit: 1000, text: (n) => chainOf(`keep ${many(n, (i) => `token != ${i}`, " and ")}`) },
  statements: { limit: 1000, text: (n) => chainOf(many(n, () => "logit *= 2")) },
  // 11 tokens around the statements, and 4 in each
  tokens: { limit: (USUAL.tokens - 11) >> 2, text: (n) => chainOf(many(n, () => "sort by n")) },
  "nodes of stages": {
    limit: 79,
    text: (n) => chainOf(many(250, () => "logit = tanh(logit)")).replace("= s()", `= ${many(n, () => "s", " |> ")}`),
  },
  "sparse inputs": {
    limit: LIMITS.inputs >> 1,
    text: (n) =>
      chainOf(
        many(n, (i) => `logit += x${i} * prob`),
        `${many(n, (i) => `input x${i}: f32 sparse(64) = 0`)}\n`,
      ),
  },
  "branches of many lets": {
    limit: 200,
    text: (n) =>
      chainOf(`${many(n, (i) => `let v${i} = prob * ${i}`)}\n${many(n, () => "if n > 2 { logit *= 2 }")}\nlogit += v0`),
  },
  nodes: { limit: LIMITS.nodes, text: (n) => chainOf(many(n, () => "logit = tanh(logit)")) },
  "doubling lets": {
    limit: 12,
    text: (n) => chainOf(`let v0 = n\n${many(n, (i) => `let v${i + 1} = v${i} * v${i} + v${i}`)}\nlogit *= v${n}`),
  },
  sorts: { limit: 256, text: (n) => chainOf(many(n, (i) => `sort by ${i % 2 ? "-" : ""}token`)) },
  states: {
    limit: LIMITS.states,
    text: (n) =>
      chainOf(
        `${many(n, (i) => `state x${i}: f32 = ${i}`)}\nlogit *= ${many(n, (i) => `x${i}`, " + ")}\nafter pick { ${many(n, (i) => `x${i} = 2`, "\n")} }`,
      ),
  },
  draws: { limit: LIMITS.draws, text: (n) => chainOf(`logit *= ${many(n, (i) => `uniform(${i})`, " + ")}`) },
  inputs: {
    limit: LIMITS.inputs,
    text: (n) => chainOf(`logit += ${many(n, (i) => `x${i}`, " + ")}`, `${many(n, (i) => `input x${i}: f32`)}\n`),
  },
  features: { limit: LIMITS.features, text: (n) => chainOf(`logit += ${many(n, (i) => `occurrences(${i})`, " + ")}`) },
  parameters: {
    limit: LIMITS.params,
    text: (n) => `import { temp } from "std"\nchain c(${many(n, (i) => `p${i}: f32 = 1`, ", ")}) = temp(p0)\n`,
  },
  arguments: {
    limit: 256,
    text: (n) => `import { temp } from "std"\nchain c = temp(${many(n, (i) => String(i), ", ")})\n`,
  },
  "a list": {
    limit: LIMITS.list,
    text: (n) => chainOf(`logit -= repeat_len(64, [${many(n, (i) => String(i), ", ")}])`),
  },
  "a list of texts": {
    limit: LIMITS.list,
    text: (n) => chainOf(`logit -= repeat_len(64, [${many(n, (i) => `"t${i}"`, ", ")}])`),
  },
  "a text": { limit: USUAL.textLength - 2, text: (n) => chainOf(`logit -= repeat_len(64, ["${name(n)}"])`) },
  "a number": { limit: 400, text: (n) => chainOf(`logit *= 1${repeat(n, "0")}`) },
  digits: { limit: 400, text: (n) => chainOf(`logit *= 0.${repeat(n, "3")}`) },
  "a comment": { limit: USUAL.sourceLength - 45, text: (n) => chainOf(`// ${name(n)}\nlogit *= 2`) },
  blanks: { limit: USUAL.sourceLength - 45, text: (n) => chainOf(`${repeat(n, " ")}logit *= 2`) },
  lines: { limit: USUAL.sourceLength - 45, text: (n) => chainOf(`${repeat(n, "\n")}logit *= 2`) },
  declarations: { limit: 1000, text: (n) => many(n, (i) => `sampler s${i}() { logit *= ${i} }`) },
  "the same declaration": { limit: 1000, text: (n) => many(n, () => "sampler s() { logit *= 2 }") },
  tests: {
    limit: 1000,
    text: (n) =>
      `import { temp } from "std"\n${many(n, (i) => `test "t${i}" { logits [1, 2] run temp(2) expect logits [0.5, 1] }`)}`,
  },
  "logits of a test": {
    limit: 1000,
    text: (n) =>
      `import { temp } from "std"\ntest "t" { logits [${many(n, () => "1", ", ")}] run temp(2) expect kept [0] }`,
  },
  "a function of functions": {
    limit: 100,
    text: (n) =>
      `fn f0(x: f32) -> f32 = x + 1\n${many(n, (i) => `fn f${i + 1}(x: f32) -> f32 = f${i}(x) * 2`)}\n${chainOf(`logit = f${n}(logit)`)}`,
  },
  "doubling functions": {
    limit: 12,
    text: (n) =>
      `fn f0(x: f32) -> f32 = tanh(x)\n${many(n, (i) => `fn f${i + 1}(x: f32) -> f32 = f${i}(x) + f${i}(x * 2)`)}\n${chainOf(`logit = f${n}(logit)`)}`,
  },
  "a cycle of functions": {
    limit: 64,
    text: (n) => `${many(n, (i) => `fn f${i}(x: f32) -> f32 = f${(i + 1) % n}(x)`)}\n${chainOf("logit = f0(logit)")}`,
  },
  "nested calls": {
    limit: 95,
    text: (n) => `fn f(x: f32) -> f32 = x + 1\n${chainOf(`logit = ${repeat(n, "f(")}logit${repeat(n, ")")}`)}`,
  },
  "lets of a function": {
    limit: 1000,
    text: (n) =>
      `fn f(x: f32) -> f32 {\n${many(n, (i) => `let v${i} = ${i === 0 ? "x" : `v${i - 1}`} + 1;`)}\nv${n - 1}\n}\n${chainOf("logit = f(logit)")}`,
  },
  "parameters of a function": {
    limit: 256,
    text: (n) =>
      `fn f(${many(n, (i) => `p${i}: f32`, ", ")}) -> f32 = p0\n${chainOf(`logit = f(${many(n, () => "logit", ", ")})`)}`,
  },
  rounds: { limit: 64, text: (n) => chainOf(`logit += sum i in 1..${n}: logit * i`) },
  "rounds of repeat": { limit: 64, text: (n) => chainOf(`logit = repeat ${n} with x = logit: tanh(x)`) },
  "folds of folds": {
    limit: 4,
    text: (n) => chainOf(`logit += ${many(n, (i) => `sum i${i} in 1..12:`, " ")} tanh(logit * i0)`),
  },
  "repeats of repeats": {
    limit: 4,
    text: (n) => chainOf(`logit = ${many(n, (i) => `repeat 12 with x${i} = logit:`, " ")} tanh(x0)`),
  },
  "repeats in the starts of repeats": {
    limit: 60,
    text: (n) =>
      chainOf(
        `logit = ${many(n, (i) => `repeat 2 with x${i} = (`, " ")}logit${many(n, (i) => `): x${n - 1 - i} + 1`, " ")}`,
      ),
  },
  "doubling uniforms": {
    limit: 8,
    text: (n) =>
      `sampler s(a: f32) { logit *= repeat ${Math.min(n, 64)} with x = a: x * x + x }\nchain c(a: f32 = 1) = s(a)\n`,
  },
  folds: { limit: 300, text: (n) => chainOf(many(n, (i) => `logit += sum i in 0..8: logit * (i + ${i})`)) },
  "ids of a set": {
    limit: LIMITS.list,
    text: (n) => chainOf(`keep token in tokens(${many(n, (i) => String(i % 16), ", ")})`),
  },
  "texts of a set": {
    limit: LIMITS.list,
    text: (n) => chainOf(`keep token in tokens(${many(n, (i) => `"t${i}"`, ", ")})`),
  },
  "a set that changes": {
    limit: 2 ** 16,
    text: (n) => `sampler s(q: tokens) { keep token in q }\nchain c(q: tokens(${n}) = tokens(1)) = s(q)\n`,
  },
  sets: {
    limit: LIMITS.sets,
    text: (n) => chainOf(many(n, (i) => `logit += token in tokens(${i % 16}, ${i >> 4}) ? 1 : 0`)),
  },
  "a pattern": { limit: 1000, text: (n) => chainOf(`keep token in tokens(/${name(n)}/)`) },
  "a pattern of many repetitions": {
    limit: 1000,
    text: (n) => chainOf(`keep token in tokens(/${repeat(Math.ceil(n / 8), "(a|b*)+?")}/)`),
  },
  "a pattern of counted repetitions": {
    limit: 100,
    text: (n) =>
      chainOf(`keep token in tokens(/${repeat(Math.ceil(n / 10), "(")}a${repeat(Math.ceil(n / 10), "){9}")}/)`),
  },
  "a pattern of brackets": {
    limit: 900,
    text: (n) => chainOf(`keep token in tokens(/${repeat(n >> 1, "(")}a${repeat(n >> 1, ")")}/)`),
  },
  patterns: { limit: 200, text: (n) => chainOf(`keep token in tokens(${many(n, (i) => `/a${i}/`, ", ")})`) },
  "an ending": { limit: USUAL.textLength - 2, text: (n) => chainOf(`keep ends_with("${name(n)}") or prob > 0.5`) },
  "ids of an ending": {
    limit: LIMITS.list,
    text: (n) => chainOf(`logit *= since([${many(n, (i) => String(i % 16), ", ")}])`),
  },
  endings: { limit: 256, text: (n) => chainOf(many(n, (i) => `logit += since([${i % 16}, ${i >> 4}])`)) },
  "last tokens": { limit: 2 ** 24, text: (n) => chainOf(`logit += last(${n})`) },
  sequences: {
    limit: LIMITS.list,
    text: (n) => chainOf(`keep completes([${many(n, (i) => `[${i % 16}, ${(i >> 4) % 16}]`, ", ")}]) == 0`),
  },
  "ids of a sequence": {
    limit: LIMITS.list,
    text: (n) => chainOf(`keep completes([[${many(n, (i) => String(i % 16), ", ")}]]) == 0`),
  },
  windows: { limit: USUAL.windows, text: (n) => chainOf(many(n, (i) => `logit *= mean(max(prob), last: ${i + 2})`)) },
  stops: { limit: USUAL.stops, text: (n) => chainOf(many(n, (i) => `stop when max(logit) > ${i} as "s${i}"`)) },
  writes: { limit: USUAL.writes, text: (n) => chainOf(many(n, (i) => `write "${i}" when step == ${i}`)) },
  rules: {
    limit: USUAL.rules,
    text: (n) =>
      chainOf(`keep allowed("root ::= [a]")\n${many(n, (i) => `logit *= in_rule("root ::= [a]", "r${i}") ? 2 : 1`)}`),
  },
  measures: { limit: USUAL.measures, text: (n) => chainOf(many(n, (i) => `measure m${i} = max(logit) * ${i}`)) },
  guides: {
    limit: 16,
    text: (n) => chainOf(`logit += ${many(n, (i) => `x${i}`, " + ")}`, `${many(n, (i) => `input x${i}: logits`)}\n`),
  },
  "a block comment": { limit: USUAL.sourceLength - 47, text: (n) => chainOf(`/* ${name(n)} */ logit *= 2`) },
  "unclosed comments": { limit: 1000, text: (n) => chainOf(`${repeat(n, "/* ")} logit *= 2`) },
  "vocabulary of a test": {
    limit: 1000,
    text: (n) =>
      `import { temp } from "std"\ntest "t" { logits [1, 2] vocab [${many(n, (i) => `"t${i}"`, ", ")}] text "t0t1" run temp(2) expect kept [0] }`,
  },
  "host stages": { limit: LIMITS.tail, text: (n) => `chain c = ${many(n, () => "host top_k(40)", " |> ")}\n` },
  rows: { limit: LIMITS.dim, text: (n) => `import { top_k } from "std"\nchain c = top_k(${n})\n` },
  "a static seed": {
    limit: 2 ** 32 - 1,
    text: (n) => `sampler s(static p: i32) { logit *= uniform(p) }\nchain c = s(${n})\n`,
  },
};

const FACTORS = fc.constantFrom(-1, 0, 1, 1, 2, 10, 100, 1000);
const families = fc.constantFrom(...Object.keys(FAMILIES));

export const sizes = defineGenerator<Size>({
  name: "sizes",
  doc: "programs that are too large in one way: at each limit, one above, and up to a thousand times above",
  // a program is formatted twice
  seconds: 2,
  cases: fc.tuple(families, FACTORS, fc.constantFrom(...PARTS)).map(([family, factor, part]) => {
    const { limit } = FAMILIES[family]!;
    return {
      family,
      part,
      size: factor === -1 ? limit - 1 : factor === 0 ? limit : factor === 1 ? limit + 1 : limit * factor,
    };
  }),
  run: ({ family, size, part }) => runProgram(FAMILIES[family]!.text(size), [part]),
  group: ({ family }) => family,
  *smaller({ family, size, part }) {
    for (const less of lower(size)) yield { family, size: less, part };
  },
  show: ({ family, size }) => ({ ending: "ggsl", text: FAMILIES[family]!.text(size) }),
});
