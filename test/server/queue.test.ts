/** Admission to places: fairness, limits, places that are asked for, leaving, draining. */
import { describe, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { spareOf } from "../../server/config/options.js";
import { Metrics } from "../../server/metrics/metrics.js";
import { Queue, type Ticket } from "../../server/queue/queue.js";
import { Refusal } from "../../server/refusal.js";
import { open } from "./queues.js";

const refusalOf = (error: unknown): Refusal => {
  expect(error).toBeInstanceOf(Refusal);
  return error as Refusal;
};

describe("turns", () => {
  test("a lane with many requests does not keep others waiting", async () => {
    const { ask, admitted, settled, end } = open({ places: 1 });
    for (const name of ["a1", "a2", "a3", "a4"]) ask(name);
    for (const name of ["b1", "b2", "c1"]) ask(name);
    await settled();
    while (admitted.length < 7) await end(admitted.at(-1)!);
    expect(admitted).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  });

  test("without a spare place who comes waits for the end of a text", async () => {
    for (const [sequences, spare] of [
      [1, 0],
      [2, 2],
      [32, 3],
      [256, 0],
    ] as const)
      expect([sequences, spareOf(sequences, 4096)]).toEqual([sequences, spare]);
    const { ask, admitted, settled, end } = open({ places: 1, spare: spareOf(1, 4096) });
    for (const name of ["a1", "b1"]) ask(name);
    await settled();
    expect(admitted).toEqual(["a1"]);
    await end("a1");
    expect(admitted).toEqual(["a1", "b1"]);
    const other = open({ places: 2, spare: spareOf(2, 4096) });
    for (const name of ["a1", "a2", "a3", "a4", "b1"]) other.ask(name);
    await other.settled();
    expect(other.admitted).toEqual(["a1", "a2", "a3", "b1"]);
  });

  test("requests at once of a lane, while others go on", async () => {
    const { ask, admitted, settled, end, queue } = open({ places: 4 });
    for (const name of ["a1", "a2", "a3"]) ask(name, { limits: { requests: 2 } });
    ask("b1");
    await settled();
    expect([admitted, queue.running, queue.waiting]).toEqual([["a1", "a2", "b1"], 3, 1]);
    await end("b1");
    expect(admitted).toHaveLength(3);
    await end("a2");
    expect(admitted.at(-1)).toBe("a3");
  });

  test("a request of several texts takes its places one by one, in turn with others", async () => {
    const { ask, admitted, settled, end, tickets, queue } = open({ places: 3 });
    for (const name of ["a1", "a2", "a3"]) ask(name);
    ask("b1", { texts: [0, 0, 0] });
    for (const name of ["c1", "c2"]) ask(name);
    await settled();
    const runs = (): number => tickets.get("b1")?.running ?? 0;
    await end("a1");
    expect([admitted.at(-1), runs()]).toEqual(["b1", 1]);
    await end("a2");
    expect([admitted.at(-1), runs()]).toEqual(["c1", 1]);
    await end("a3");
    expect([admitted.at(-1), runs()]).toEqual(["c1", 2]);
    await end("c1");
    expect([admitted.at(-1), runs()]).toEqual(["c2", 2]);
    tickets.get("b1")!.release(0);
    await settled();
    expect([queue.running, runs(), await tickets.get("b1")!.place(2)]).toEqual([3, 2, expect.any(Number)]);
  });

  test("texts and tokens at once of a lane, also of one request", async () => {
    const { ask, settled, tickets, queue, refused, admitted } = open({ places: 8 });
    ask("a1", { texts: [10, 10, 10, 10], limits: { requests: 1, texts: 2 } });
    ask("b1", { texts: [40, 40, 40], limits: { tokens: 100 } });
    ask("b2", { texts: [10], limits: { tokens: 100 } });
    ask("c1", { texts: [10, 101], limits: { tokens: 100 } });
    await settled();
    expect([tickets.get("a1")!.running, tickets.get("b1")!.running, queue.running]).toEqual([2, 2, 4]);
    // b2 does not overtake the large text of its lane
    expect(admitted).toEqual(["a1", "b1"]);
    expect(refusalOf(refused.get("c1")).message).toMatch(/a text can have 101 tokens.*may have 100 at once/);
    tickets.get("a1")!.release(0);
    tickets.get("b1")!.release(1);
    await settled();
    expect([tickets.get("a1")!.running, tickets.get("b1")!.running, admitted.at(-1)]).toEqual([2, 2, "b2"]);
  });

  test("a request of all places keeps neither other lanes waiting nor requests of its own", async () => {
    const { ask, admitted, settled, tickets, queue } = open({ places: 8, spare: 2 });
    ask("a1", { texts: Array<number>(8).fill(0) });
    ask("a2", { texts: [0, 0] });
    await settled();
    expect([tickets.get("a1")!.running, tickets.get("a2")!.running]).toEqual([8, 1]);
    ask("b1", { texts: [0, 0] });
    ask("a3");
    await settled();
    expect([admitted, queue.running, tickets.get("b1")!.running]).toEqual([["a1", "a2", "b1"], 10, 1]);
    // what becomes free is kept for those who have none
    tickets.get("a1")!.release(0);
    await settled();
    expect([admitted.at(-1), queue.running]).toEqual(["b1", 9]);
    ask("c1");
    await settled();
    expect([admitted.at(-1), queue.running]).toEqual(["c1", 10]);
  });
});

describe("places", () => {
  test("each text has one of its own; a released one is used last", async () => {
    const { ask, tickets, settled, queue } = open({ places: 4 });
    ask("a1", { texts: [0, 0] });
    ask("b1");
    await settled();
    expect([tickets.get("a1")!.places, tickets.get("b1")!.places]).toEqual([[0, 1], [2]]);
    tickets.get("a1")!.release(0);
    tickets.get("a1")!.release(0);
    tickets.get("a1")!.release(2);
    expect(queue.running).toBe(2);
    ask("c1");
    await settled();
    expect(tickets.get("c1")!.places).toEqual([3]);
    tickets.get("a1")!.release();
    expect(queue.running).toBe(2);
  });

  test("a request waits for the place that it asks for, and others of its lane go on", async () => {
    const { ask, admitted, tickets, settled, end } = open({ places: 2 });
    ask("a1", { place: 1 });
    ask("a2", { place: 1 });
    ask("a3");
    await settled();
    expect(admitted).toEqual(["a1", "a3"]);
    await end("a3");
    expect(admitted).toHaveLength(2);
    await end("a1");
    expect([admitted.at(-1), tickets.get("a2")!.places]).toEqual(["a2", [1]]);
  });

  test("requests that want a place do not jump the queue, and get it in turn", async () => {
    const { ask, admitted, settled, end } = open({ places: 1 });
    for (const name of ["a1", "a2", "a3", "a4"]) ask(name, { place: 0 });
    ask("b1");
    await settled();
    while (admitted.length < 5) await end(admitted.at(-1)!);
    expect(admitted).toEqual(["a1", "a2", "b1", "a3", "a4"]);
  });

  test("reserved places are for those who ask for them, and never wait for others", async () => {
    const { ask, admitted, settled, end, queue } = open({ places: 3, reserved: [0] });
    for (const name of ["a1", "a2"]) ask(name);
    ask("b1", { texts: [0, 0] });
    ask("c1", { place: 0 });
    await settled();
    expect([admitted, queue.running]).toEqual([["a1", "a2", "c1"], 3]);
    await end("c1");
    expect(admitted).toHaveLength(3);
    ask("c2", { place: 0 });
    // one that is not reserved waits behind those that came before
    ask("d1", { place: 1 });
    await settled();
    await end("a1");
    expect(admitted.slice(3)).toEqual(["c2", "b1"]);
    await end("a2");
    expect([admitted.length, queue.running]).toEqual([5, 3]);
    await end("b1");
    expect(admitted.slice(5)).toEqual(["d1"]);
    await expect(queue.admit({ lane: "e", texts: [0, 0, 0] })).rejects.toThrow(/at most 2 texts/);
  });

  test.each([
    [{ texts: [0, 0, 0, 0, 0] }, "n", /at most 4 texts/],
    [{ place: 4 }, "id_slot", /from 0 to 3, and there is no place 4/],
    [{ place: -1 }, "id_slot", /no place -1/],
    [{ place: 0, texts: [0, 0] }, "id_slot", /a place is for one text/],
  ])("%j is refused", async (admission, param, message) => {
    const error = await new Queue({ places: 4 }).admit({ lane: "a", ...admission }).catch((e: unknown) => e);
    const refusal = refusalOf(error);
    expect([refusal.status, refusal.param, refusal.message]).toEqual([400, param, expect.stringMatching(message)]);
  });
});

describe("a full queue", () => {
  test("refuses with an estimate from how fast places became free", async () => {
    let now = 0;
    const { ask, admitted, refused, settled, end } = open({ places: 1, waiting: 3, now: () => now });
    ask("a0");
    await settled();
    // ten texts of 2 s each
    for (let i = 1; i <= 10; i++) {
      ask(`a${i}`);
      now += 2000;
      await end(admitted.at(-1)!);
    }
    for (const name of ["a11", "a12", "a13", "a14"]) ask(name);
    await settled();
    const refusal = refusalOf(refused.get("a14"));
    expect([refused.size, refusal.status, refusal.reason]).toEqual([1, 429, "queue_full"]);
    // 3 wait, and each took 2 s
    expect(refusal.headers).toEqual({ "retry-after": "6" });
    expect(refusal.body.error).toMatchObject({ type: "rate_limit_error", code: "queue_full", param: null });
  });

  test("an estimate that does not count the time without requests, and counts places and texts", async () => {
    let now = 0;
    const { ask, tickets, refused, settled, end } = open({ places: 4, waiting: 4, now: () => now });
    ask("a0");
    await settled();
    now += 3000;
    await end("a0");
    // an hour without requests
    now += 3_600_000;
    for (const name of ["b0", "b1", "b2", "b3"]) ask(name);
    await settled();
    now += 3000;
    expect(tickets.size).toBe(5);
    for (const name of ["c0", "c1", "c2"]) ask(name);
    ask("d0", { texts: [0, 0, 0] });
    ask("c3");
    await settled();
    // 6 texts of 3 s in 4 places: 4.5 s
    expect([...refused.keys()]).toEqual(["c3"]);
    expect(refusalOf(refused.get("c3")).headers).toEqual({ "retry-after": "5" });
  });

  test("the last of the longest lane is refused, so that others find room", async () => {
    const { ask, admitted, refused, settled, end } = open({ places: 1, waiting: 4 });
    for (const name of ["a0", "a1", "a2", "a3", "a4"]) ask(name);
    ask("b1");
    ask("c1");
    ask("a5");
    await settled();
    expect([...refused.keys()]).toEqual(["a4", "a3", "a5"]);
    while (admitted.length < 5) await end(admitted.at(-1)!);
    expect(admitted).toEqual(["a0", "a1", "b1", "c1", "a2"]);
  });

  test("without room to wait a request is admitted at once or not at all", async () => {
    const { ask, admitted, refused, settled } = open({ places: 1, waiting: 0 });
    ask("a1");
    ask("b1");
    await settled();
    expect([admitted, [...refused.keys()]]).toEqual([["a1"], ["b1"]]);
  });
});

describe("leaving", () => {
  test("an aborted request leaves the queue, and those behind it go on", async () => {
    const { ask, admitted, refused, settled, queue, end, tickets } = open({ places: 3 });
    const control = new AbortController();
    ask("a1", { place: 1 });
    ask("b1", { texts: [0, 0, 0], signal: control.signal });
    ask("b2", { signal: control.signal });
    ask("c1", { place: 1 });
    await settled();
    expect([admitted, tickets.get("b1")!.running]).toEqual([["a1", "b1"], 2]);
    control.abort(new Error("gone"));
    await settled();
    expect([refused.get("b2"), queue.waiting]).toEqual([new Error("gone"), 1]);
    await expect(tickets.get("b1")!.place(2)).rejects.toThrow("gone");
    // its texts that run are its own to end
    expect(queue.running).toBe(3);
    await end("a1");
    expect([admitted.at(-1), queue.waiting]).toEqual(["c1", 0]);
    control.abort();
  });

  test("an aborted signal admits nothing, and one that aborts later changes nothing", async () => {
    const queue = new Queue({ places: 1 });
    await expect(queue.admit({ lane: "a", signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" });
    const control = new AbortController();
    const ticket = await queue.admit({ lane: "a", signal: control.signal });
    control.abort();
    expect(queue.running).toBe(1);
    ticket[Symbol.dispose]();
    expect(queue.running).toBe(0);
  });

  test("drain refuses what waits and what comes, and waits for what runs", async () => {
    const { ask, refused, settled, end, queue } = open({ places: 1 });
    ask("a1");
    ask("a2");
    await settled();
    let isDrained = false;
    const drained = queue.drain().then(() => (isDrained = true));
    ask("a3");
    await settled();
    expect([...refused.values()].map((error) => refusalOf(error).status)).toEqual([503, 503]);
    expect([queue.isOpen, queue.waiting, isDrained]).toEqual([false, 0, false]);
    await end("a1");
    await drained;
    await queue.drain();
  });
});

test("any sequence of requests: no place twice, no lane above its limit, none waits for ever", async () => {
  const request = fc.record({
    lane: fc.constantFrom("a", "b", "c"),
    texts: fc.integer({ min: 1, max: 3 }),
    place: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    leaves: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    ends: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40 }), async (requests) => {
      const queue = new Queue({ places: 3, spare: 1, waiting: 100 });
      const running: { readonly ticket: Ticket; readonly lane: string }[] = [];
      const atWork = new Map<string, number>();
      let done = 0;
      const end = ({ ticket, lane }: (typeof running)[number]): void => {
        const places = running.flatMap((one) => one.ticket.places);
        expect(new Set(places).size).toBe(places.length);
        for (const lane of ["a", "b", "c"]) {
          const texts = running.filter((one) => one.lane === lane).map((one) => one.ticket.running);
          expect(texts.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2);
        }
        atWork.set(lane, atWork.get(lane)! - 1);
        ticket.release();
      };
      const all = requests.map(async ({ lane, texts, place, leaves }) => {
        const signal = leaves ? AbortSignal.timeout(0) : undefined;
        const many = Array<number>(place === undefined ? texts : 1).fill(10);
        try {
          const limits = { requests: 2, texts: 3, tokens: 25 };
          const ticket = await queue.admit({ lane, limits, texts: many, place, signal });
          atWork.set(lane, (atWork.get(lane) ?? 0) + 1);
          expect(atWork.get(lane)).toBeLessThanOrEqual(2);
          if (place !== undefined) expect(ticket.places).toEqual([place]);
          running.push({ ticket, lane });
        } catch (error) {
          if (!leaves) throw error;
        }
        done++;
      });
      for (const { ends } of requests) {
        if (ends && running.length > 0) end(running.shift()!);
        await Promise.resolve();
      }
      for (let i = 0; i < 500 && done < requests.length; i++) {
        await new Promise((resolve) => setImmediate(resolve));
        while (running.length > 0) end(running.shift()!);
      }
      await Promise.all(all);
      while (running.length > 0) end(running.shift()!);
      expect([queue.running, queue.waiting]).toEqual([0, 0]);
    }),
    { seed: 5, numRuns: 100 },
  );
});

test("the time in the queue is measured", async () => {
  let now = 0;
  const metrics = new Metrics();
  const queue = new Queue({ places: 1, metrics, now: () => now });
  const first = await queue.admit({ lane: "a" });
  const second = queue.admit({ lane: "a" });
  now += 1500;
  first.release();
  expect((await second).waited).toBe(1.5);
  expect(await metrics.text()).toContain("ggsl_queue_seconds_sum 1.5\n");
});
