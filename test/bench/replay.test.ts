/** The tool that checks recorded cases on a device: what passes, what fails, what it refuses. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { encodeCases, type Case } from "../../bench/cases/caseFile.js";
import { checkCases } from "../../bench/cases/checks.js";
import { timingCases } from "../../bench/cases/timings.js";
import { CHAINS } from "../../bench/chains.js";
import { openFolder, replay, type Folder } from "./tool.js";

const STAGES = [
  "greedy()",
  "top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(22)",
  "penalties(8, 1.1) |> top_k(20) |> dist(17)",
  "typical(0.9)",
  "mirostat_v2(2, 0.1, 13)",
  "dry(1, 2, 1, 32, [])",
];

let folder: Folder;
let cases: Case[];
beforeAll(() => {
  folder = openFolder();
  cases = checkCases({ stages: STAGES, spreads: ["peaked", "masked"] });
});
afterAll(() => folder[Symbol.dispose]());

test("recorded cases pass on the CPU", () => {
  const { status, stdout } = replay("check", folder.write("good.cases", cases));
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(`${cases.length} passed, 0 failed on CPU`);
  expect(stdout.match(/^pass /gm)).toHaveLength(cases.length);
  expect(status).toBe(0);
});

/** The first case with one number changed. */
function wrong(index: number, change: (expected: NonNullable<Case["rows"][0]["expected"]>) => object): Case {
  const each = cases[index]!;
  const [first, ...rest] = each.rows;
  return { ...each, rows: [{ ...first!, expected: { ...first!.expected!, ...change(first!.expected!) } }, ...rest] };
}

const changed = (values: Float32Array, at: number, value: number): Float32Array =>
  values.map((x, i) => (i === at ? value : x));

describe("only a wrong expectation fails", () => {
  test.each([
    ["token", 0, (e) => ({ sampled: (e.sampled! + 1) % 1000 }), /sequence 0: expected the pick \d+, found \d+/],
    ["logit", 6, (e) => ({ logits: changed(e.logits!, kept(e.logits!), 1000) }), /expected the logit 1000, found/],
    [
      "probability",
      6,
      (e) => ({ probs: changed(e.probs!, kept(e.logits!), 0.9999) }),
      /expected the probability 0.9999, found/,
    ],
    [
      "row too many",
      6,
      (e) => ({ logits: changed(e.logits!, kept(e.logits!), -Infinity) }),
      /expected \d+ rows, found \d+/,
    ],
    ["state", 8, (e) => ({ states: changed(e.states, 0, 99) }), /state 0: expected 99, found/],
  ] satisfies [string, number, Parameters<typeof wrong>[1], RegExp][])("%s", (name, index, change, message) => {
    const { status, stdout } = replay("check", folder.write(`${name}.cases`, [wrong(index, change), cases[1]!]));
    expect(stdout).toMatch(message);
    expect(stdout).toContain("1 passed, 1 failed on CPU");
    expect(status).toBe(1);
  });
});

const kept = (logits: Float32Array): number => logits.findIndex((x) => x !== -Infinity);

describe("invalid usage is refused", () => {
  const refused = (...args: string[]): string => {
    const { status, stdout, stderr } = replay(...args);
    expect([status, stdout]).toEqual([2, ""]);
    return stderr;
  };

  test("damaged files", () => {
    const good = encodeCases(cases.slice(0, 1));
    expect(refused("check", folder.write("short.cases", good.subarray(0, good.length - 8)))).toMatch(
      /expected a history of 144 words, found 143 before the end/,
    );
    expect(refused("check", folder.write("bytes.cases", good.subarray(0, good.length - 1)))).toContain(
      "expected whole 32-bit words",
    );
    expect(refused("check", folder.write("other.cases", new Uint8Array(64)))).toContain("is not a case file");
    const version = Uint8Array.from(good);
    version[4] = 77;
    expect(refused("check", folder.write("version.cases", version))).toContain(
      "has version 77 of the case format, expected 1",
    );
    const graph = Uint8Array.from(good);
    graph.fill(0xff, 100, 140);
    expect(refused("check", folder.write("graph.cases", graph))).toMatch(/case/);
  });

  test("unknown files, devices and options", () => {
    const file = folder.write("one.cases", cases.slice(0, 1));
    expect(refused("check", folder.path("none.cases"))).toContain("cannot be read");
    expect(refused("check", file, "--device", "quantum")).toMatch(/no device "quantum"; there are: .*CPU/);
    expect(refused("check", file, "--only", "nowhere")).toContain('no case has "nowhere" in its name');
    expect(refused("check", file, "--rounds", "0")).toContain("--rounds: expected a whole number from 1 to 10000");
    expect(refused("look", file)).toContain("expected check, time, profile or count");
    expect(refused("check", file, "--backend", "/nowhere/libggml-none.so")).toContain("did not load as a ggml backend");
  });
});

test("a case that cannot be compared is an error of that case", () => {
  const chains = CHAINS.filter(({ name }) => name === "greedy");
  const [good] = timingCases({ chains, vocabSizes: [1000], rows: [1], shapes: ["flat"] });
  const bad = { ...good!, name: "bad", rows: good!.rows.map((row) => ({ ...row, llama: "top_k k=1000000" })) };
  const { status, stdout } = replay(
    "time",
    folder.write("bad.cases", [bad, good!]),
    "--rounds",
    "1",
    "--round-ms",
    "1",
  );
  const [first, second] = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(first).toMatchObject({ case: "bad", error: expect.stringContaining("llama.cpp takes a k up to") });
  expect(second).toMatchObject({ case: good!.name, sameAsLlama: 1, sameAsHost: 1 });
  expect(status).toBe(1);
});

test("devices are listed", () => expect(replay("--list").stdout).toMatch(/^\d+ {2}CPU +cpu/m));
