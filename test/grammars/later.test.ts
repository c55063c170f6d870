/** The engine's calls that are quick, and those on other threads, beside the plain ones. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  hasThreads,
  type ThreadedAutomaton,
  type ThreadedPosition,
  type TokenTrie,
} from "../../runtime/backends/native/automatonBinding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import { readGbnf } from "../../runtime/grammars/text/gbnf.js";
import { tokenBytes } from "../../runtime/grammars/tokenBytes.js";
import { tableOf } from "../../runtime/grammars/words.js";
import { DEMO_MODEL } from "../model/file.js";
import { CONSTRUCTS } from "./constructs.js";
import { endsOf, randomIntegers, tokensOf, wordsOf, type Words } from "./walk.js";

const FOLDER = "build/llama.cpp/grammars";
const FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".gbnf"))
  .map((file) => [file, readFileSync(`${FOLDER}/${file}`, "utf8")] as const);

/** Many options in a row, each of which opens the whole: a mask takes more steps than one may. */
const SLOW = `root ::= ${"r? ".repeat(4000)}\nr ::= [a-z]{1,3} ("(" root ")")?`;
/** Its masks take many steps, and not too many. */
const LONG = `root ::= ${Array.from({ length: 2000 }, (_, i) => `([a-z]{${i}} "x")*`).join(" ")}`;

const wordsOfGbnf = (gbnf: string): Uint32Array => tableOf(readGbnf(gbnf)).words;

let words: Words;
let trie: TokenTrie;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
  const { bytes, offsets } = tokenBytes(words.vocabulary);
  trie = new (loadBinding().TokenTrie)(bytes, new Uint32Array(offsets), Uint32Array.from(endsOf(words.vocabulary)));
});
afterAll(() => words.model.dispose());

const open = (gbnf: string): Promise<ThreadedAutomaton> => loadBinding().openAutomaton(trie, wordsOfGbnf(gbnf));
const emptyBits = (): Uint32Array => new Uint32Array(Math.ceil(words.texts.length / 32));
function maskOf(position: ThreadedPosition): Uint32Array {
  const bits = emptyBits();
  position.allowed(bits);
  return bits;
}

/** Works in every round of the event loop until a promise settles: how many there were, and the times of the longest and of all. */
async function rounds(until: Promise<unknown>, work: () => void): Promise<Record<"count" | "longest" | "all", number>> {
  let isSettled = false;
  const settled = (): void => void (isSettled = true);
  until.then(settled, settled);
  const start = performance.now();
  let [count, longest, last] = [0, 0, start];
  for (; !isSettled; count++) {
    work();
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    [longest, last] = [Math.max(longest, now - last), now];
  }
  return { count, longest, all: last - start };
}

describe("the same answers", () => {
  test.each([...FILES, ...Object.entries(CONSTRUCTS)])("%s", async (_, gbnf) => {
    const [plain, other] = [new (loadBinding().Automaton)(trie, wordsOfGbnf(gbnf)), await open(gbnf)];
    const random = randomIntegers(3);
    let steps = 0;
    for (let text = 0; text < 2; text++) {
      let [expected, found] = [plain.begin(), other.begin()];
      for (let i = 0; i < 10; i++, steps++) {
        const mask = maskOf(expected);
        const bits = emptyBits().fill(0xffffffff);
        // quickly or not, as it comes
        expect(found.allowedQuickly(bits) ? bits : await found.allowedLater()).toEqual(mask);
        expect(await found.allowedLater()).toEqual(mask);
        // now that it is known
        expect([found.allowedQuickly(bits), bits]).toEqual([true, mask]);
        expect(found.mayEnd).toBe(expected.mayEnd);
        const refused = tokensOf(mask.map((word) => ~word)).filter((token) => token < words.texts.length);
        const one = refused[random(refused.length)];
        if (one !== undefined) {
          expect(found.afterQuickly(one)).toBeUndefined();
          expect(await found.afterLater(one)).toBeUndefined();
        }
        const allowed = tokensOf(mask).filter((token) => !endsOf(words.vocabulary).has(token));
        if (allowed.length === 0) break;
        const token = allowed[random(allowed.length)]!;
        expected = expected.after(token)!;
        const [quick, later] = [found.afterQuickly(token), await found.afterLater(token)];
        found = quick ?? later!;
        expect(maskOf(later!)).toEqual(maskOf(expected));
      }
    }
    expect(steps).toBeGreaterThan(0);
  });

  test("the binding says that it has threads", () => {
    expect(hasThreads(loadBinding())).toBe(true);
  });

  test("bad input", async () => {
    const binding = loadBinding();
    const position = (await open('root ::= "a"')).begin();
    const error = (message: RegExp): unknown =>
      expect.objectContaining({ code: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
    expect(() => binding.openAutomaton({}, wordsOfGbnf('root ::= "a"'))).toThrow("trie: expected a TokenTrie");
    expect(() => binding.openAutomaton(trie, [] as never)).toThrow("words: expected a Uint32Array");
    await expect(binding.openAutomaton(trie, new Uint32Array(3))).rejects.toEqual(error(/table is damaged/));
    await expect(open('root ::= "a" root')).rejects.toEqual(error(/no text matches/));
    expect(() => position.allowedQuickly(new Uint32Array(1))).toThrow(/bits: expected \d+ words, found 1/);
    expect(() => position.afterQuickly(0.5)).toThrow("token: expected an integer");
    expect(() => position.afterLater("a" as never)).toThrow("token: expected");
  });

  test("the words are copied", async () => {
    const table = wordsOfGbnf('root ::= "a"');
    const opening = loadBinding().openAutomaton(trie, table);
    table.fill(0xffffffff);
    expect(maskOf((await opening).begin())).toEqual(maskOf((await open('root ::= "a"')).begin()));
  });
});

describe("what takes long", () => {
  test("a mask that takes too many steps holds nobody", async () => {
    const automaton = await open(SLOW);
    const [one, other] = [automaton.begin(), automaton.begin()];
    expect(one.allowedQuickly(emptyBits())).toBe(false);
    const a = words.texts.indexOf("a");
    const later = one.allowedLater();
    const { count, longest, all } = await rounds(later, () => {
      // other texts of the grammar neither wait nor fail
      expect(other.allowedQuickly(emptyBits())).toBe(false);
      expect(other.afterQuickly(a)).not.toBeUndefined();
      expect(automaton.begin().mayEnd).toBe(true);
      expect(automaton.bytes).toBeGreaterThan(0);
    });
    await expect(later).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringContaining("the grammar is too complex here"),
    });
    expect(count).toBeGreaterThan(3);
    expect(longest).toBeLessThan(all / 2);
    // it is usable afterwards
    expect(await other.afterLater(a)).toBeDefined();
  });

  test("a mask that takes many steps is there later", async () => {
    const automaton = await open(LONG);
    const position = automaton.begin();
    const before = automaton.bytes;
    expect(position.allowedQuickly(emptyBits())).toBe(false);
    const [first, second] = await Promise.all([position.allowedLater(), position.allowedLater()]);
    expect(first).toEqual(maskOf(new (loadBinding().Automaton)(trie, wordsOfGbnf(LONG)).begin()));
    expect(second).toEqual(first);
    expect(automaton.bytes).toBeGreaterThan(2 * before);
  });

  test("positions and automata are collected while work goes on", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    const a = words.texts.indexOf("a");
    const expected = maskOf(new (loadBinding().Automaton)(trie, wordsOfGbnf(LONG)).begin().after(a)!);
    const started = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const automaton = await open(LONG);
        const all = [automaton.begin().after(a)!.allowedLater(), automaton.begin().after(a)!.allowedLater()];
        for (let i = 0; i < 100; i++) automaton.begin();
        // not awaited here: nothing holds the positions
        return { all };
      }),
    );
    for (let i = 0; i < 3; i++) {
      gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const mask of await Promise.all(started.flatMap(({ all }) => all))) expect(mask).toEqual(expected);
  });
});
