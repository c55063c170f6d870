/** Threads that read sources and work out tokens: whose grammars wait for whose, and what happens to a thread that ends. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { setTimeout as wait } from "node:timers/promises";
import { compile } from "../../runtime/chain/chain.js";
import { nextTask } from "../../runtime/core/nextTask.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { openGrammar, prepareGrammar, type GrammarPlace } from "../../runtime/grammars/open.js";
import { GRAMMAR_LIMITS } from "../../runtime/grammars/limits.js";
import { Preparing } from "../../runtime/grammars/threads/preparing.js";
import { Pool } from "../../runtime/grammars/threads/pool.js";
import type { Started } from "../../runtime/core/threads.js";
import type { GrammarSource } from "../../runtime/grammars/types.js";
import { DEMO_MODEL } from "../model/file.js";
import { EXPENSIVE, slow, TOO_MANY_STEPS } from "./hostile.js";
import { tokensOf, wordsOf, type Words } from "./walk.js";

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

const place = (preparing: Preparing, lane = ""): GrammarPlace => ({
  vocabulary: words.vocabulary,
  now: false,
  lane,
  preparing,
});
const prepare = (preparing: Preparing, source: GrammarSource, lane = "", signal?: AbortSignal): Promise<void> =>
  prepareGrammar(source, place(preparing, lane), signal);
/** What holds a thread, to end it as a fault in it would. */
interface Holder {
  readonly thread: { readonly started: Started };
}
const startedBy = ({ thread }: Holder) => thread.started.worker;
const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "prepared",
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

const chain = compile(
  `import { constrain, temp, dist } from "std"\nchain c(g: grammar) = constrain(g) |> temp(0.9) |> dist(5)`,
);

describe("preparing", () => {
  test("a source is refused by another thread, and asked once", async () => {
    const preparing = new Preparing();
    const source = TOO_MANY_STEPS["1000 looks ahead"]!;
    const before = performance.eventLoopUtilization();
    expect(await codeOf(prepare(preparing, source))).toBe("LIMIT_EXCEEDED");
    // reading it is nearly all of the time
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.9);
    const { tries } = preparing;
    await expect(prepare(preparing, source)).rejects.toThrow(/takes more than 800000 steps to write/);
    expect(await codeOf(prepare(preparing, { regex: "a{1,2}" }))).toBe("prepared");
    await prepare(preparing, { regex: "a{1,2}" });
    expect(preparing.tries).toBe(tries + 1);
  });

  test("messages are those of a source that is read in this thread", async () => {
    const preparing = new Preparing();
    const sources: GrammarSource[] = [
      { gbnf: "root ::= x" },
      { regex: "a(" },
      { choices: [] },
      { structuralTag: { type: "nope" } },
      { jsonSchema: { type: "object", properties: { a: { uniqueItems: true } } } },
      { jsonSchema: "{" },
      { gbnf: `root ::= "${"x".repeat(3e5)}"` },
    ];
    for (const source of sources) {
      const at = { vocabulary: words.vocabulary, now: true };
      let here: unknown;
      try {
        openGrammar(source, at);
      } catch (error) {
        here = error;
      }
      const { message, code } = here as { message: string; code: string };
      await expect(prepare(preparing, source)).rejects.toMatchObject({ name: "InputError", message, code });
    }
  });

  test.each([2, 8])("lanes with grammars that take seconds: %i of them delay no other lane's", async (lanes) => {
    const preparing = new Preparing();
    await prepare(preparing, { choices: ["warm"] }, "honest");
    let done = 0;
    const abort = new AbortController();
    const hostile = Array.from({ length: 4 * lanes }, async (_, i) => {
      await codeOf(prepare(preparing, slow(100 * lanes + i), `hostile ${i % lanes}`, abort.signal));
      done++;
    });
    for (let i = 0; i < 12; i++) {
      const properties = { [`p${i}`]: { type: "string" } };
      await prepare(preparing, { jsonSchema: { type: "object", properties } }, "honest");
    }
    // each of theirs takes longer than all first tries
    expect(done).toBeLessThan(hostile.length / 2);
    expect(preparing.isLate("honest")).toBe(false);
    abort.abort();
    await Promise.all(hostile);
  });

  test("a lane that had an expensive grammar waits with the next ones, and the others do not", async () => {
    const preparing = new Preparing({ ...GRAMMAR_LIMITS, quickMilliseconds: 100, prepareMilliseconds: 400 });
    const first = prepare(preparing, slow(1), "late").catch(() => undefined);
    while (!preparing.isLate("late")) await wait(5);
    const order: string[] = [];
    const next = prepare(preparing, { regex: "ab?" }, "late").then(() => order.push("late"));
    // another lane that asks for the same has its own turn
    await prepare(preparing, { regex: "ab?" }, "other").then(() => order.push("other"));
    await Promise.all([first, next]);
    expect(order).toHaveLength(2);
    expect(preparing.isLate("other")).toBe(false);
    // what was too slow is known
    const { tries } = preparing;
    await expect(prepare(preparing, slow(1), "other")).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: "the JSON schema cannot be used: it takes more than 400 ms to read",
    });
    expect(preparing.tries).toBe(tries);
  });

  test("one that is aborted leaves the queue, unless another waits for the same", async () => {
    const preparing = new Preparing({ ...GRAMMAR_LIMITS, quickMilliseconds: 100, prepareMilliseconds: 400 });
    const other = codeOf(prepare(preparing, slow(2), "late"));
    while (!preparing.isLate("late")) await wait(5);
    const abort = new AbortController();
    const reason = new Error("gone");
    const left = prepare(preparing, { regex: "x?y" }, "late", abort.signal);
    const shared = prepare(preparing, { regex: "y?z" }, "late", abort.signal);
    const stays = codeOf(prepare(preparing, { regex: "y?z" }, "late"));
    abort.abort(reason);
    await expect(left).rejects.toBe(reason);
    await expect(shared).rejects.toBe(reason);
    expect([await other, await stays]).toEqual(["LIMIT_EXCEEDED", "prepared"]);
    // that of the expensive one, and that which another waited for
    expect(preparing.tries).toBe(2);
  });

  test("a lane has a number of grammars that wait, and the others have room", async () => {
    const preparing = new Preparing({ ...GRAMMAR_LIMITS, quickMilliseconds: 300 });
    const sources = Array.from({ length: 40 }, (_, i): GrammarSource => ({ regex: `a{${i}}b` }));
    const greedy = sources.map((source) => codeOf(prepare(preparing, source, "greedy")));
    const modest = codeOf(prepare(preparing, { regex: "modest" }, "modest"));
    expect(await modest).toBe("prepared");
    const codes = await Promise.all(greedy);
    expect(codes.filter((code) => code === "BUSY")).toHaveLength(40 - 1 - GRAMMAR_LIMITS.waitingOfLane);
    expect(codes.filter((code) => code === "prepared")).toHaveLength(1 + GRAMMAR_LIMITS.waitingOfLane);
  });

  test("a thread whose heap is full is an error of its request, and there for the next", async () => {
    const preparing = new Preparing({ ...GRAMMAR_LIMITS, quickMilliseconds: 60_000, heapMegabytes: 48 });
    const large = `[${"[],".repeat(3_000_000)}[]]`;
    await expect(prepare(preparing, { jsonSchema: large })).rejects.toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: "the JSON schema cannot be used: it needs more memory than its thread has",
    });
    expect(await codeOf(prepare(preparing, { choices: ["a"] }))).toBe("prepared");
    expect(await codeOf(prepare(preparing, { choices: ["b"] }))).toBe("prepared");
  });

  test("a thread that ends is an error of the grammar that it worked on, which can be asked for again", async () => {
    const preparing = new Preparing();
    await prepare(preparing, { choices: ["a"] });
    const hit = codeOf(prepare(preparing, slow(3), "a"));
    const others = ["b", "c"].map((lane) => codeOf(prepare(preparing, { choices: [lane] }, lane)));
    // the thread itself, as a fault in it would end it
    await startedBy((preparing as unknown as { readonly quick: Holder }).quick).terminate();
    expect([await hit, ...(await Promise.all(others))]).toEqual(["ENGINE_FAILED", "prepared", "prepared"]);
    const abort = new AbortController();
    const again = codeOf(prepare(preparing, slow(3), "a", abort.signal));
    await prepare(preparing, { choices: ["d"] }, "b");
    abort.abort();
    expect(await again).toBe("ABORTED");
  });
});

describe("following", () => {
  test("a text goes on while another lane's grammar is read, and ended", async () => {
    const preparing = new Preparing({ ...GRAMMAR_LIMITS, prepareMilliseconds: 60_000 });
    const abort = new AbortController();
    let isOver = false;
    const hostile = Promise.all(
      Array.from({ length: 8 }, (_, i) => codeOf(prepare(preparing, slow(40 + i), "hostile", abort.signal))),
    ).finally(() => (isOver = true));
    let state = openGrammar({ regex: "[a-z ]{60,80}\\." }, place(preparing, "honest"));
    for (let i = 0; i < 30; i++) {
      await state.ready();
      state = state.accept(tokensOf(state.bits())[0]!);
    }
    expect(isOver).toBe(false);
    abort.abort();
    expect(await hostile).toContain("ABORTED");
    await state.ready();
  });

  test("a text that is aborted does not wait for its grammar", async () => {
    const waiting = Array.from({ length: 2 }, (_, i) =>
      codeOf(model.prepareGrammar(slow(50 + i), { lane: "aborted" })),
    );
    const abort = new AbortController();
    const generation = model.generate("In the beginning", {
      chain,
      uniforms: { g: slow(5) },
      signal: abort.signal,
      lane: "aborted",
    });
    const first = codeOf(generation[Symbol.asyncIterator]().next());
    await wait(50);
    let isOver = false;
    const all = Promise.all(waiting).finally(() => (isOver = true));
    abort.abort();
    expect(await first).toBe("ABORTED");
    // those before it in its lane
    expect(isOver).toBe(false);
    await all;
  });

  test("the work of lanes takes turns, as much at once as there may be", async () => {
    const pool = new Pool(2);
    const [order, ends]: [string[], (() => void)[]] = [[], []];
    const run = (lane: string, name: string) =>
      pool.run(lane, () => {
        order.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      });
    const all = ["a", "b", "c", "d"].map((name) => run("many", name));
    all.push(run("one", "x"));
    expect(order).toEqual(["a", "b"]);
    for (let i = 0; i < 5; i++) {
      ends[i]!();
      await all[order[i] === "x" ? 4 : "abcd".indexOf(order[i]!)];
      await nextTask();
    }
    expect(order).toEqual(["a", "b", "c", "x", "d"]);
    expect(await Promise.all(all)).toEqual(["a", "b", "c", "d", "x"]);
    // what fails makes room, too
    await expect(pool.run("one", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await pool.run("one", () => Promise.resolve(1))).toBe(1);
  });

  test("texts whose tokens take many steps keep neither this thread nor other lanes waiting", async () => {
    const preparing = new Preparing();
    const source = EXPENSIVE["200 stars"]!;
    let steps = 0;
    const hostile = Array.from({ length: 6 }, async (_, i) => {
      let state = openGrammar(source, place(preparing, "hostile"));
      for (let n = 0; n < 4; n++, steps++) {
        await state.ready();
        const tokens = tokensOf(state.bits());
        state = state.accept(tokens[(7919 * (i + n)) % tokens.length]!);
      }
    });
    let state = openGrammar({ regex: "[a-z ]{60,80}\\." }, place(preparing, "honest"));
    for (let i = 0; i < 30; i++) {
      await state.ready();
      state = state.accept(tokensOf(state.bits())[0]!);
    }
    expect(steps).toBeLessThan(24);
    await Promise.all(hostile);
  });
});
