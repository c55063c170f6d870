/** The engine of grammars in both WebAssembly modules: the addon's masks, bit by bit, its errors, and memory that is freed. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import type { AutomatonBinding, AutomatonPosition, TokenTrie } from "../../runtime/backends/native/automatonBinding.js";
import { openLlama } from "../../runtime/backends/wasm/llama/binding.js";
import { loadLlama } from "../../runtime/backends/wasm/llama/loader.js";
import { loadedWasm } from "../../runtime/backends/wasm/loader.js";
import { nextTask } from "../../runtime/core/nextTask.js";
import { readGbnf } from "../../runtime/grammars/text/gbnf.js";
import { ROOT } from "../../runtime/grammars/text/rules.js";
import { tokenBytes } from "../../runtime/grammars/tokenBytes.js";
import { tableOf } from "../../runtime/grammars/words.js";
import { CONSTRUCTS, FILES } from "../grammars/constructs.js";
import { beginRules, randomIntegers, tokensOf, wordsOf, type Words } from "../grammars/walk.js";
import { DEMO_MODEL } from "../model/file.js";
import { isBuilt } from "./llamaTest.js";

const LENGTH = 25;
/** A rule that begins with itself, which `readGbnf` refuses: `root ::= root "a" | "a"`. */
const LEFT_RECURSION = Uint32Array.from(
  [
    [1, 4, 3],
    [5, 3],
    [0, 1, 97],
    [2, 2, 0, 1],
    [3, 2, 2, 1],
  ].flat(),
);

const native = loadBinding();
const llama = isBuilt ? openLlama(await loadLlama(), readFileSync(DEMO_MODEL)) : undefined;
const MODULES: readonly [string, AutomatonBinding][] = [
  ["ggsl.wasm", loadedWasm()],
  ...(llama ? [["ggsl-llama.wasm", llama.binding] as const] : []),
].map(([name, binding]) => [name as string, binding as AutomatonBinding]);

let words: Words;
beforeAll(async () => {
  words = await wordsOf(DEMO_MODEL);
});
afterAll(() => {
  words.model.dispose();
  llama?.native.dispose();
});

const wordsOfGbnf = (gbnf: string): Uint32Array => tableOf(readGbnf(gbnf)).words;
const trieIn = ({ TokenTrie }: AutomatonBinding): TokenTrie => {
  const { bytes, offsets } = tokenBytes(words.vocabulary);
  return new TokenTrie(bytes, new Uint32Array(offsets), Uint32Array.from(words.vocabulary.classes!.end));
};
const maskOf = (position: AutomatonPosition): Uint32Array => {
  const bits = new Uint32Array(Math.ceil(words.texts.length / 32)).fill(0xffffffff);
  position.allowed(bits);
  return bits;
};

function errorOf(action: () => unknown): unknown[] {
  try {
    action();
  } catch (error) {
    return [(error as { code?: unknown }).code, (error as Error).message];
  }
  return [];
}

/** All objects without a reference are collected, and freed. */
async function collect(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  for (let i = 0; i < 3; i++) {
    gc();
    await nextTask();
  }
}

describe.each(MODULES)("%s", (_, binding) => {
  test.each(Object.entries({ ...FILES, ...CONSTRUCTS }))("%s", (_name, gbnf) => {
    const table = wordsOfGbnf(gbnf);
    const [expected, found] = [native, binding].map((of) => new of.Automaton(trieIn(of), table).begin()) as [
      AutomatonPosition,
      AutomatonPosition,
    ];
    const random = randomIntegers(5);
    let steps = 0;
    for (let text = 0; text < 3; text++) {
      let [a, b] = [expected, found];
      for (let i = 0; i < LENGTH; i++) {
        const mask = maskOf(a);
        expect(maskOf(b)).toEqual(mask);
        expect(b.mayEnd).toBe(a.mayEnd);
        const refused = random(words.texts.length);
        expect(b.after(refused) === undefined).toBe(a.after(refused) === undefined);
        const allowed = tokensOf(mask).filter((token) => !words.vocabulary.classes!.end.includes(token));
        if (allowed.length === 0) break;
        const token = allowed[random(allowed.length)]!;
        [a, b] = [a.after(token)!, b.after(token)!];
        steps++;
      }
      // the beginning is as it was
      expect(maskOf(found)).toEqual(maskOf(expected));
    }
    expect(steps).toBeGreaterThan(2);
  });

  test("bad input gives exactly the native errors", () => {
    const both = (action: (of: AutomatonBinding) => unknown): unknown => {
      const [expected, found] = [native, binding].map((of) => errorOf(() => action(of)));
      expect(found).toEqual(expected);
      return found![0];
    };
    const table = wordsOfGbnf(CONSTRUCTS["a star"]!);
    const position = (of: AutomatonBinding): AutomatonPosition => new of.Automaton(trieIn(of), table).begin();
    const [bytes, offsets, ends] = [Uint8Array.of(97), Uint32Array.of(0, 1), new Uint32Array()] as const;
    const nested = `root ::= ${"(".repeat(300)}"a" "b"? ${')"c"'.repeat(300)}`;
    const cases: ((of: AutomatonBinding) => unknown)[] = [
      ({ TokenTrie }) => new TokenTrie([] as never, offsets, ends),
      ({ TokenTrie }) => new TokenTrie(bytes, Int32Array.of(0, 1) as never, ends),
      ({ TokenTrie }) => new TokenTrie(bytes, offsets, undefined as never),
      ({ TokenTrie }) => new TokenTrie(bytes, Uint32Array.of(0, 7), ends),
      ({ TokenTrie }) => new TokenTrie(bytes, new Uint32Array(), ends),
      ({ TokenTrie }) => new TokenTrie(bytes, offsets, Uint32Array.of(1)),
      ({ Automaton }) => new Automaton({}, table),
      (of) => new of.Automaton(trieIn(of), [] as never),
      (of) => new of.Automaton(trieIn(of), new Uint32Array()),
      (of) => new of.Automaton(trieIn(of), table.subarray(0, table.length - 1)),
      (of) => new of.Automaton(trieIn(of), wordsOfGbnf('root ::= "a" root')),
      (of) => position(of).allowed(new Uint32Array(1)),
      (of) => position(of).allowed([] as never),
      (of) => position(of).after(0.5),
    ];
    expect(cases.map(both)).toEqual(cases.map(() => "INVALID_ARGUMENT"));
    const large: ((of: AutomatonBinding) => unknown)[] = [
      ({ TokenTrie }) => new TokenTrie(new Uint8Array(20_000).fill(97), Uint32Array.of(0, 20_000), ends),
      (of) => new of.Automaton(trieIn(of), wordsOfGbnf(nested)),
      (of) => new of.Automaton(trieIn(of), LEFT_RECURSION).begin(),
    ];
    expect(large.map(both)).toEqual(large.map(() => "LIMIT_EXCEEDED"));
    expect([-1, words.texts.length, 2 ** 31 - 1].map((token) => position(binding).after(token))).toEqual(
      Array.from({ length: 3 }),
    );
  });

  test("long sequences and deep texts fit its stack", () => {
    const item = {
      kind: "repeat",
      item: { kind: "class", ranges: [[97, 122]], isNegated: false },
      min: 1,
      max: 2,
    } as const;
    const long = tableOf(new Map([[ROOT, { kind: "all", items: Array.from({ length: 20_000 }, () => item) }]])).words;
    const deep = wordsOfGbnf('root ::= "a" root "b"* | "c"');
    const [a, c] = [words.texts.indexOf("a"), words.texts.indexOf("c")];
    const textsAfter = (table: Uint32Array, tokens: readonly number[]): string[] => {
      let position = new binding.Automaton(trieIn(binding), table).begin();
      for (const token of tokens) position = position.after(token)!;
      return tokensOf(maskOf(position)).map((token) => words.texts[token]!);
    };
    const many = (count: number): number[] => Array.from({ length: count }, () => a);
    const letters = words.texts.filter((text) => /^[a-z]+$/.test(text));
    expect(textsAfter(long, many(20))).toEqual(letters);
    const ends = words.vocabulary.classes!.end.map((token) => words.texts[token]!);
    const only = words.texts.filter((text) => /^b+$/.test(text) || ends.includes(text));
    expect(textsAfter(deep, [...many(2000), c])).toEqual(only);
  });

  test("positions are freed with their objects, or before", async () => {
    const exports = memoryOf();
    const automaton = new binding.Automaton(trieIn(binding), wordsOfGbnf(CONSTRUCTS["a star"]!));
    const a = words.texts.indexOf("a");
    const follow = (count: number, isFreed: boolean): void => {
      let position = automaton.begin();
      for (let i = 0; i < count; i++) {
        const next = position.after(a)!;
        if (isFreed) position.dispose!();
        position = next;
      }
      if (isFreed) position.dispose!();
    };
    follow(10_000, true);
    const before = exports();
    for (let i = 0; i < 8; i++) follow(10_000, true);
    expect(exports()).toBe(before);
    for (let i = 0; i < 8; i++) {
      follow(10_000, false);
      await collect();
    }
    // some more at once: 10 000 of them were there together
    expect(exports() - before).toBeLessThan(4e6);
    expect(
      errorOf(() => {
        const position = automaton.begin();
        position.dispose!();
        position.dispose!();
        position.after(a);
      }),
    ).toEqual(["DISPOSED", "this position is disposed"]);
    // its positions stay
    const position = automaton.begin();
    automaton.dispose!();
    expect(position.after(a)!.mayEnd).toBe(true);

    function memoryOf(): () => number {
      const probe = new binding.Automaton(trieIn(binding), wordsOfGbnf(CONSTRUCTS["a star"]!)) as unknown as {
        owned: { instance: { bytes: number } };
      };
      return () => probe.owned.instance.bytes;
    }
  });

  test("what an automaton keeps grows with its masks", () => {
    for (const engine of [native, binding]) {
      const automaton = new engine.Automaton(trieIn(engine), wordsOfGbnf(FILES["json.gbnf"]!));
      const before = automaton.bytes;
      maskOf(automaton.begin());
      expect(before).toBeGreaterThan(0);
      expect(automaton.bytes).toBeGreaterThan(before);
    }
  });

  test("a position that was released is read again", () => {
    const open = (of: AutomatonBinding) => beginRules(readGbnf(FILES["json.gbnf"]!), words, of);
    let [expected, found] = [open(native), open(binding)];
    for (const text of ["{", '"', "a", '"', ":"]) {
      const token = words.texts.indexOf(text);
      [expected, found] = [expected.accept(token), found.accept(token)];
      found.release();
      found.release();
    }
    expect(found.bits()).toEqual(expected.bits());
    expect(() => found.accept(words.texts.indexOf("}"))).toThrow("the grammar does not accept token");
  });
});

test("after a trap the positions of that instance are gone, and the trie works in a new one", () => {
  const wasm = loadedWasm();
  const trie = trieIn(wasm);
  const open = (): AutomatonPosition => new wasm.Automaton(trie, wordsOfGbnf(CONSTRUCTS["a star"]!)).begin();
  const [bystander, broken] = [open(), open()];
  const expected = maskOf(bystander);
  // no input causes a trap, so the address of its memory is corrupted
  const { owned } = broken as unknown as { owned: { held: { at: number } } };
  owned.held.at = 0x7fff_fff0;
  expect(errorOf(() => maskOf(broken))).toEqual(["COMPUTE_FAILED", "memory access out of bounds"]);
  expect(errorOf(() => maskOf(bystander))[0]).toBe("DISPOSED");
  bystander.dispose!();
  expect(maskOf(open())).toEqual(expected);
});
