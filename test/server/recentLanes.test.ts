/** Places that are kept for lanes that wrote lately. */
import { describe, expect, test } from "@jest/globals";
import { open } from "./queues.js";

describe("places of lanes that wrote lately", () => {
  const many = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}${i}`);

  test("are kept for them, up to what they had, their share and half of all, for some seconds", async () => {
    let now = 0;
    const { ask, settled, end, queue, tickets } = open({ places: 16, now: () => now });
    const textsOf = (lane: string): number => [...tickets.keys()].filter((name) => name.startsWith(lane)).length;
    for (const name of many("b", 2)) ask(name);
    await settled();
    for (const name of many("b", 2)) await end(name);
    tickets.clear();
    // 2 of 16
    for (const name of many("a", 20)) ask(name);
    await settled();
    expect([textsOf("a"), queue.running]).toEqual([14, 14]);
    // it finds them free
    for (const name of many("b", 2)) ask(name);
    await settled();
    expect([textsOf("b"), queue.running]).toEqual([2, 16]);
    // what becomes free while it has them is for whoever waits
    await end("a0");
    expect([textsOf("a"), queue.running]).toEqual([15, 16]);
    await end("b0");
    expect(queue.running).toBe(15);
    now += 6000;
    // it had one until now
    await end("b1");
    expect([textsOf("a"), queue.running]).toEqual([16, 15]);
    now += 6000;
    await end("a1");
    expect([textsOf("a"), queue.running]).toEqual([18, 16]);
  });

  test("no more than half together, and none where there are few places", async () => {
    for (const [places, kept] of [
      [3, 0],
      [8, 3],
      [10, 4],
    ] as const) {
      const { ask, settled, end, queue } = open({ places, now: () => 0 });
      for (const lane of "bcdefg") {
        ask(`${lane}1`);
        await settled();
        await end(`${lane}1`);
      }
      for (const name of many("a", 20)) ask(name);
      await settled();
      expect([places, queue.running]).toEqual([places, places - kept]);
    }
  });

  test("a lane alone has all", async () => {
    const { ask, settled, end, queue } = open({ places: 8, now: () => 0 });
    for (const name of many("a", 8)) ask(name);
    await settled();
    for (const name of many("a", 8)) await end(name);
    for (const name of many("a", 7)) ask(`a1${name}`);
    for (const name of many("a", 3)) ask(`a2${name}`);
    await settled();
    expect([queue.running, queue.waiting]).toEqual([8, 2]);
  });
});
