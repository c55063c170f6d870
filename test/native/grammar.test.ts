/** Grammars of a host tail: llama.cpp's parser reads them, and the engine of native/grammar follows the text. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { NativeModel, NativeTail } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { thrownBy } from "./batches.js";
import { DEMO_MODEL } from "../model/demo.js";

const { Tail } = loadBinding();
let model: NativeModel;

beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
});

afterAll(() => model.dispose());

const open = (text: string, root = "root", of = model): NativeTail => new Tail([{ name: "grammar", text, root }], of);
const tokenOf = (text: string): number => model.tokenize(text, false, false)[0]!;

/** Those of the given tokens that are allowed next. */
const kept = (grammar: NativeTail, tokens: Int32Array): Int32Array =>
  grammar.apply({ tokens, logits: new Float32Array(tokens.length) }).tokens;

const all = (of = model): Int32Array => Int32Array.from({ length: of.info.vocabSize }, (_, token) => token);
const allowed = (grammar: NativeTail): Int32Array => kept(grammar, all());

/** The texts of the allowed next tokens. */
const next = (grammar: NativeTail): string[] =>
  [...allowed(grammar)].map((token) => Buffer.from(model.piece(token, true)).toString("utf8")).sort();

test("a grammar allows what it accepts, and the end token where it may end", () => {
  const grammar = open('root ::= ("yes" | "no") "!"?');
  expect(next(grammar)).toEqual(["n", "y", "ye"]);
  for (const letter of "no") grammar.accept(tokenOf(letter));
  expect(next(grammar)).toEqual(["!", "<|endoftext|>"]);
  grammar.accept(tokenOf("!"));
  expect(next(grammar)).toEqual(["<|endoftext|>"]);
  grammar.accept(model.info.eos);
  grammar.reset();
  expect(next(grammar)).toContain("y");
  expect(next(open('start ::= "q"', "start"))).toEqual(["q"]);
});

test("a few rows are judged as all are", () => {
  const grammar = open("root ::= [a-m]+ [^a-m]*");
  for (const text of ["a", "b", "é"]) {
    const whole = new Set(allowed(grammar));
    for (let from = 0; from < model.info.vocabSize; from += 100) {
      const few = all().subarray(from, from + 100);
      const expected = [...few].filter((token) => whole.has(token));
      if (expected.length > 0) expect([...kept(grammar, few)]).toEqual(expected);
      else expect(thrownBy(() => kept(grammar, few))).toMatch(/^NO_CANDIDATE/);
    }
    grammar.accept(tokenOf(text));
  }
});

test("a token that is not allowed changes nothing", () => {
  const grammar = open('root ::= "ab"');
  const before = allowed(grammar);
  for (const token of [tokenOf("b"), model.info.eos]) {
    expect(thrownBy(() => grammar.accept(token))).toBe(
      `INVALID_ARGUMENT: the grammar does not accept token ${token} here`,
    );
    expect(allowed(grammar)).toEqual(before);
  }
});

test("a clone is independent, and outlives the original and the model", async () => {
  const own = await loadBinding().loadModel(DEMO_MODEL, {});
  const grammar = open('root ::= "a" "b" | "c"', "root", own);
  const copy = grammar.clone();
  copy.accept(tokenOf("a"));
  expect(next(grammar)).toEqual(["a", "ab", "c"]);
  grammar.dispose();
  own.dispose();
  expect(next(copy)).toEqual(["b"]);
});

test("a grammar names tokens by their numbers and texts, control tokens too", async () => {
  const words = await loadBinding().loadModel("build/llama.cpp/models/ggml-vocab-llama-bpe.gguf", {
    gpuLayers: 0,
    vocabOnly: true,
  });
  const control = words.tokenize("<|start_header_id|>", false, true)[0]!;
  const [text] = words.tokenize("text", false, false) as unknown as [number];
  const named = open(`root ::= <|start_header_id|> "text" <[${control}]> | "<|" [a-z]+`, "root", words);
  expect([...kept(named, Int32Array.of(control, text))]).toEqual([control]);
  named.accept(control);
  expect([...kept(named, Int32Array.of(control, text))]).toEqual([text]);
  named.accept(text);
  expect([...kept(named, all(words))]).toEqual([control]);
  // the name of a control token is no text
  const byText = open('root ::= "<|start_header_id|>"', "root", words);
  expect([...kept(byText, all(words))]).not.toContain(control);
  words.dispose();
});

test.each([
  ['line 3: expecting name at "?"', 'root ::= a\na ::= "x"\n  ?'],
  ["line 1: expecting name at", "::= a"],
  ["unknown escape", 'root ::= "\\q"'],
  ['has no rule "a"', "root ::= a"],
  ["has no rules", "  # a comment"],
  ["expected a text of at least one character", ""],
  ["expected a text of at least one character", 'root ::= "a"\0'],
  ['rule "root" is left-recursive', 'root ::= root "a" | "b"'],
  ['rule "root" is left-recursive', 'root ::= a root "x" | "y"\na ::= b\nb ::= ""'],
  ["maximum is below its minimum", 'root ::= "a"{3,1}'],
  ["groups nested deeper than", `root ::= ${"(".repeat(1e5)}`],
  ["too large", `root ::= "${"long ".repeat(1e4)}"{2000}`],
  ["bytes, expected at most", `root ::= "${"x".repeat(2e6)}"`],
])("refuses: %s", (message, text) => {
  const thrown = thrownBy(() => open(text));
  expect(thrown).toMatch(/^INVALID_ARGUMENT: /);
  expect(thrown).toContain(message);
});

const NONE = "no error";

/** Short texts with very many ways to read the same text. */
const AMBIGUOUS = {
  doubling: 'root ::= "a" root | [a-zA-Z ] root root | ""',
  "many stars": `root ::= ${"[a-zA-Z ]* ".repeat(200)}`,
  "very many stars": `root ::= ${"[a-zA-Z ]* ".repeat(2000)}`,
};

test.each(Object.entries(AMBIGUOUS))("the work for a token is limited: %s", (_, text) => {
  const grammar = open(text);
  const a = tokenOf("a");
  let thrown = NONE;
  let worst = 0;
  // a search that forgets what it has seen doubles with each of these tokens
  for (let i = 0; i < 400 && thrown === NONE; i++) {
    const start = performance.now();
    thrown = thrownBy(() => {
      expect(allowed(grammar)).toContain(tokenOf("z"));
      grammar.accept(a);
    });
    worst = Math.max(worst, performance.now() - start);
  }
  expect(thrown).toMatch(
    /^no error$|^LIMIT_EXCEEDED: the grammar (has more than 16384 open stacks|is too complex) here/,
  );
  // without limits it is hours
  expect(worst).toBeLessThan(60_000);
  // a new text can begin
  if (text !== AMBIGUOUS["very many stars"]) {
    grammar.reset();
    expect(next(grammar)).toContain("z");
  }
});

test("a limit that the empty text exceeds is an error of the constructor", () => {
  const stars = Array.from({ length: 3000 }, (_, i) => `r${i} ::= "a"* r${i + 1} | r${i + 1}`);
  const nested = `root ::= r0\n${stars.join("\n")}\nr3000 ::= "b"`;
  expect(thrownBy(() => open(nested))).toMatch(/^(no error|LIMIT_EXCEEDED|INVALID_ARGUMENT)/);
  expect(thrownBy(() => open('root ::= x{1000000}\nx ::= "a"'))).toMatch(/^INVALID_ARGUMENT: the grammar/);
});

test("what no text matches is refused", () => {
  expect(thrownBy(() => open('root ::= "a" root'))).toBe("INVALID_ARGUMENT: no text matches the grammar");
});

test("open brackets are many", () => {
  // each bracket leaves 40 rules open
  const rules = Array.from({ length: 40 }, (_, i) => `r${i} ::= r${i + 1} ")"`);
  const grammar = open(`root ::= "(" r0 | ""\n${rules.join("\n")}\nr40 ::= root`);
  for (let depth = 0; depth < 1000; depth++) grammar.accept(tokenOf("("));
  for (let depth = 0; depth < 40_000; depth++) grammar.accept(tokenOf(")"));
  expect(next(grammar)).toEqual(["<|endoftext|>"]);
});
