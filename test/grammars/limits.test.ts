/** Hostile grammars: bounded, and the thread that uses them goes on. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { openGrammar } from "../../runtime/grammars/open.js";
import { EXPENSIVE } from "./hostile.js";
import type { GrammarSource } from "../../runtime/grammars/types.js";
import { thrownBy } from "../native/batches.js";
import { DEMO_MODEL } from "../model/file.js";
import { randomIntegers, tokensOf, walk, wordsOf, type Words } from "./walk.js";

let words: Words;
let model: Model;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
  model = await loadModel(DEMO_MODEL, { contextSize: 256 });
});
afterAll(() => {
  words.model.dispose();
  model.dispose();
});

const chain = compile(
  `import { constrain, temp, dist } from "std"\nchain c(g: grammar) = constrain(g) |> temp(0.9) |> dist(5)`,
);

async function textOf(g: GrammarSource, maxTokens: number, options = {}) {
  const generation = model.generate("In the beginning", { chain, uniforms: { g }, maxTokens, ...options });
  let text = "";
  const tokens: number[] = [];
  for await (const piece of generation) {
    text += piece.text;
    tokens.push(piece.token);
  }
  return { text, tokens, stats: generation.stats() };
}

test.each(Object.entries(EXPENSIVE))("the main thread goes on: %s", async (_, g) => {
  const before = performance.eventLoopUtilization();
  const outcome = await textOf(g, 40).catch((error: unknown) => error);
  const { utilization, active } = performance.eventLoopUtilization(before);
  if (outcome instanceof Error) expect(outcome).toMatchObject({ name: "InputError", code: "LIMIT_EXCEEDED" });
  // a share of the time, which depends little on how busy the machine is; 1 if the search ran in this thread. Where all takes a fraction of a
  // second, this thread may get a processor so late that nothing is left to wait for
  if (active > 300) expect(utilization).toBeLessThan(0.9);
  expect((await textOf({ choices: [" yes"] }, 9)).text).toBe(" yes");
});

const at = () => ({ vocabulary: words.vocabulary, now: true });

test.each<[string, GrammarSource]>([
  ["levels", { gbnf: `root ::= ${"(".repeat(1e5)}` }],
  ["characters", { gbnf: `root ::= "${"x".repeat(3e5)}"` }],
  [
    "more than 4000 rules",
    { gbnf: Array.from({ length: 5000 }, (_, i) => `${i ? `r${i}` : "root"} ::= "a"`).join("\n") },
  ],
  ["repetitions are too large", { gbnf: 'root ::= (("a"{2000}){2000}){2000}' }],
  ["nested too deeply", { jsonSchema: JSON.parse(`${'{"allOf":['.repeat(9999)}true${"]}".repeat(9999)}`) as object }],
  ["characters", { choices: ["x".repeat(3e5)] }],
])("too large: %s", (message, source) => {
  expect(() => openGrammar(source, at()).bits()).toThrow(
    expect.objectContaining({ code: "LIMIT_EXCEEDED", message: expect.stringContaining(message) as unknown }),
  );
});

test.each<[string, unknown]>([
  ["column 12: this text has no closing", { gbnf: 'root ::= x "a' }],
  ['the grammar has no rule "x"', { gbnf: "root ::= x" }],
  ['the grammar has no rule "root"', { gbnf: 'r ::= "a"' }],
  ['the rule "root" is left-recursive', { gbnf: 'root ::= root "a" | "b"' }],
  ["column 2: this `(` is not closed", { regex: "a(b" }],
  ["column 4: a grammar cannot express a reference to a group", { regex: "(a)\\1" }],
  ["`choices` must be a list of at least one text, found an empty list", { choices: [] }],
  ["`choices` must be a list of at least one text, found 3", { choices: 3 }],
  ["`choices[1]` must be a text, found 1", { choices: ["a", 1] }],
  ["`choices[0]` must be a text, found a list", { choices: [["a"]] }],
  ['unknown type "nope"', { structuralTag: { type: "nope" } }],
  ["`tag` needs `content`", { structuralTag: { type: "tag", begin: "a", end: "b" } }],
  ["`any_text` has no `x`", { structuralTag: { type: "any_text", x: 1 } }],
  ["a grammar must be an object with one of `gbnf`", {}],
  ["a grammar must be an object with one of `gbnf`", { gbnf: "root ::= []", regex: "a" }],
  ["a grammar must be an object with one of `gbnf`", { lark: "a" }],
  ["a grammar must be an object with one of `gbnf`", null],
  ["`gbnf` must be a text of at least one character", { gbnf: "" }],
])("bad input: %s", async (message, source) => {
  expect(thrownBy(() => void openGrammar(source as never, at()).bits())).toContain(message);
  await expect(textOf(source as never, 3)).rejects.toMatchObject({ name: "InputError" });
});

test("the model is usable after bad grammars, and others go on while the engine is replaced", async () => {
  const texts = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      textOf({ regex: ` [a-z]{20,30}\\.` }, 40, { seed: i }).then(({ text }) => text),
    ),
  );
  for (const text of texts) expect(text).toMatch(/^ [a-z]{20,30}\.$/);
});

test("positions are immutable, and can be returned to", async () => {
  const start = openGrammar({ regex: "a{1,3}b" }, at());
  const { vocabulary } = words;
  const [a] = vocabulary.tokenize("a");
  const [b] = vocabulary.tokenize("b");
  const first = start.accept(a!);
  const before = first.bits().slice();
  const second = first.accept(a!).accept(a!);
  expect([...second.bits()]).not.toEqual([...before]);
  expect([...first.bits()]).toEqual([...before]);
  expect(thrownBy(() => void second.accept(a!))).toContain("the grammar does not accept token");
  expect(first.accept(b!).bits().length).toBe(before.length);
  const followed = await start.follow([a!, a!, a!, a!, b!]);
  expect(followed).toHaveLength(3);
  expect([...followed[2]!.bits()]).toEqual([...second.bits()]);
  start.release();
  expect([...start.accept(a!).bits()]).toEqual([...before]);
});

/** The places of a text, but the first, where its grammar allows one token alone. */
function placesWithOne(source: GrammarSource, tokens: readonly number[]): number {
  let state = openGrammar(source, at());
  let count = 0;
  for (const [i, token] of tokens.entries()) {
    if (i > 0 && tokensOf(state.bits()).length === 1) count++;
    state = state.accept(token);
  }
  return count;
}

test("forced tokens are the tokens that the chain picks", async () => {
  const g = {
    jsonSchema: {
      type: "object",
      properties: { "a long name of a property": { enum: ["first", "second"] } },
      required: ["a long name of a property"],
    },
  };
  const forced = await textOf(g, 80);
  // with alternatives, the model is asked for each token
  const asked = await textOf(g, 80, { alternatives: 1 });
  expect(forced.tokens).toEqual(asked.tokens);
  expect(asked.stats.forcedTokens).toBeUndefined();
  expect(placesWithOne(g, forced.tokens)).toBeGreaterThan(3);
  expect(forced.stats.forcedTokens).toBe(placesWithOne(g, forced.tokens));
  const other = await textOf({ choices: ["Methuselah", "Abraham"] }, 80);
  expect(["Methuselah", "Abraham"]).toContain(other.text);
  const alone = await textOf({ regex: "x(only this can be written here)y" }, 80);
  expect(alone.text).toBe("xonly this can be written herey");
  const one = placesWithOne({ regex: "x(only this can be written here)y" }, alone.tokens);
  expect(alone.stats.forcedTokens).toBe(one === 0 ? undefined : one);
  expect(walk(openGrammar({ choices: ["ab"] }, at()), words, randomIntegers(1), 4).text).toBe("ab");
});
