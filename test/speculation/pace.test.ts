/** How long drafts are, on machines whose decodes cost what the test says: what they gain, and that they cannot lose much. */
import { describe, expect, test } from "@jest/globals";
import { Costs, costsOf } from "../../runtime/decode/scheduler/costs.js";
import { Pace } from "../../runtime/decode/speculation/pace.js";
import { random } from "../parity/random.js";

/** A machine: the time of a decode with some rows of drafts, and of building the graph. */
interface Machine {
  readonly time: (extra: number) => number;
  readonly build: number;
}

const MOST = 15;
/** Measured on a CPU, in milliseconds: trained 2048 tokens, 128 256 tokens in f16, and 1024 columns in q8_0. */
const MACHINES: Readonly<Record<string, Machine>> = {
  demo: { time: (extra) => 0.5 + 0.11 * extra, build: 0.3 },
  random: { time: (extra) => 2.7 + 1.3 * extra, build: 0.4 },
  wide: { time: (extra) => 9 * (1 + (extra === 1 ? 1.2 : extra > 0 ? 1 + extra / 4 : 0)), build: 0.5 },
  gpu: { time: (extra) => 10 + 0.1 * extra, build: 0.5 },
};

/** The time of a text of `count` tokens, relative to the time without drafts. `isRight(i)`: token i is as drafted. */
function textTime(machine: Machine, costs: Costs, count: number, isRight: (i: number) => boolean, noise = 1): number {
  const pace = new Pace(costs, MOST, true);
  let [time, rows] = [0, -1];
  for (let i = 0; i < count;) {
    const draft = pace.length(2, Math.min(MOST, count - i - 1));
    const isBuilt = draft !== rows;
    rows = draft;
    const milliseconds = machine.time(draft) + (isBuilt ? machine.build : 0);
    time += milliseconds;
    costs.add({ sequences: 1, extra: draft, milliseconds: i % 7 === 3 ? milliseconds * noise : milliseconds }, isBuilt);
    pace.spend({ sequences: 1, extra: draft, milliseconds }, draft);
    i++;
    let right = 0;
    while (right < draft && isRight(i + right)) right++;
    for (let k = 0; k < right; k++) pace.gain();
    if (draft > 0) pace.learn(2, right, right < draft);
    else pace.learn(2, isRight(i) ? 1 : 0, !isRight(i));
    i += right;
  }
  return time / (count * machine.time(0));
}

describe.each(Object.entries(MACHINES))("%s", (_, machine) => {
  test("a text that repeats itself is about as fast as its rows allow", () => {
    const costs = new Costs();
    const least = Math.min(...[0, 3, 7, 15].map((extra) => machine.time(extra) / (1 + extra))) / machine.time(0);
    textTime(machine, costs, 200, () => true);
    expect(textTime(machine, costs, 200, () => true)).toBeLessThan(1.35 * least);
  });

  test("a text with other tokens than its drafts is never slower than 0.95", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const rng = random(seed);
      const costs = new Costs();
      for (const share of [0, 0.3, 0.6, 0.8, 0.5]) {
        const time = textTime(machine, costs, 200, () => rng.uniform() < share);
        expect(1 / time).toBeGreaterThan(0.95);
      }
    }
  });

  test("luck that ends costs no more than it has brought", () => {
    for (const count of [20, 40, 100]) {
      const time = textTime(machine, new Costs(), 200, (i) => i < count);
      expect(1 / time).toBeGreaterThan(0.95);
    }
  });

  test("single decodes that a busy machine makes longer do not end the drafts", () => {
    const costs = new Costs();
    textTime(machine, costs, 200, () => true, 20);
    const quiet = textTime(machine, new Costs(), 200, () => true);
    expect(textTime(machine, costs, 200, () => true, 20)).toBeLessThan(1.5 * quiet);
  });
});

test("texts of one model with the same settings share what they measure", () => {
  const [model, other] = [{}, {}];
  const costs = costsOf(model, "a");
  expect(costsOf(model, "a")).toBe(costs);
  expect(costsOf(model, "b")).not.toBe(costs);
  expect(costsOf(other, "a")).not.toBe(costs);
  for (let i = 0; i < 20; i++) costsOf(model, `setting ${i}`);
  expect(costsOf(model, "a")).not.toBe(costs);
});
