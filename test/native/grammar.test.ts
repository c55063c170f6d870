import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { NativeGrammar, NativeModel } from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { thrownBy } from "./batches.js";
import { DEMO_MODEL } from "../model/demo.js";

const { Grammar } = loadBinding();
let model: NativeModel;

beforeAll(async () => {
  model = await loadBinding().loadModel(DEMO_MODEL, {});
});

afterAll(() => model.dispose());

const open = (text: string, root?: string): NativeGrammar => new Grammar(model, text, root);
const tokenOf = (text: string): number => model.tokenize(text, false, false)[0]!;

/** The texts of the allowed next tokens. */
function next(grammar: NativeGrammar): string[] {
  const texts = [...grammar.allowed().entries()].filter(([, flag]) => flag === 1);
  return texts.map(([token]) => Buffer.from(model.piece(token, true)).toString("utf8")).sort();
}

test("a grammar allows what it accepts, and the end token where it may end", () => {
  const grammar = open('root ::= ("yes" | "no") "!"?');
  expect(grammar.allowed()).toHaveLength(model.info.vocabSize);
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

test("a token that is not allowed changes nothing", () => {
  const grammar = open('root ::= "ab"');
  const before = grammar.allowed();
  for (const token of [tokenOf("b"), model.info.eos, -1, 2048, 2 ** 31 - 1]) {
    expect(thrownBy(() => grammar.accept(token))).toBe(
      `INVALID_ARGUMENT: the grammar does not accept token ${token} here`,
    );
    expect(grammar.allowed()).toEqual(before);
  }
  expect(thrownBy(() => grammar.accept("a" as never))).toMatch(/^INVALID_ARGUMENT: token: expected an integer/);
});

test("a clone is independent, and outlives the original and the model", async () => {
  const own = await loadBinding().loadModel(DEMO_MODEL, {});
  const grammar = new Grammar(own, 'root ::= "a" "b" | "c"');
  const copy = grammar.clone();
  copy.accept(tokenOf("a"));
  expect(next(grammar)).toEqual(["a", "ab", "c"]);
  grammar.dispose();
  grammar.dispose();
  own.dispose();
  expect(next(copy)).toEqual(["b"]);
  expect(thrownBy(() => grammar.allowed())).toMatch(/^DISPOSED/);
  expect(thrownBy(() => grammar.clone())).toMatch(/^DISPOSED/);
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

test("what is no model is refused", () => {
  const { Graph, Tail } = loadBinding();
  for (const other of [undefined, null, {}, Graph, new Tail([])]) {
    expect(thrownBy(() => new Grammar(other as never, 'root ::= "a"'))).toBe(
      "INVALID_ARGUMENT: model: expected a Model",
    );
  }
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
  let flags: Float32Array = new Float32Array(model.info.vocabSize).fill(1);
  let thrown = NONE;
  let worst = 0;
  // a search that forgets what it has seen doubles with each of these tokens
  for (let i = 0; i < 400 && thrown === NONE; i++) {
    const start = performance.now();
    thrown = thrownBy(() => {
      flags = grammar.allowed();
      grammar.accept(a);
    });
    worst = Math.max(worst, performance.now() - start);
    expect(flags[tokenOf("z")]).toBe(1);
  }
  expect(thrown).toMatch(/^no error$|^LIMIT_EXCEEDED: .*\(max_grammar_(steps|stacks)\)/);
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

test("open brackets are limited, too", () => {
  // each bracket leaves 40 rules open
  const rules = Array.from({ length: 40 }, (_, i) => `r${i} ::= r${i + 1} ")"`);
  const grammar = open(`root ::= "(" r0 | ""\n${rules.join("\n")}\nr40 ::= root`);
  const bracket = tokenOf("(");
  let thrown = NONE;
  let depth = 0;
  for (; depth < 1000 && thrown === NONE; depth++) thrown = thrownBy(() => grammar.accept(bracket));
  expect(thrown).toMatch(/^LIMIT_EXCEEDED: .*\(max_grammar_stacks\)/);
  expect(depth).toBeGreaterThan(300);
  // the state is that of the last accepted token
  expect(next(grammar)).toContain(")");
});
