/** The commands with sets of tokens, texts, guides and measures, as a user runs them. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { warm } from "../cli/warm/warm.js";
import { loadVocabulary } from "../../runtime/models/model.js";
import type { Vocabulary } from "../../runtime/core/vocabulary.js";
import { DEMO_MODEL } from "../model/file.js";

const ggsl = warm();

const folder = mkdtempSync(join(tmpdir(), "ggsl-parts-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const SETS = file(
  "sets.ggsl",
  `import { greedy } from "std"

/// Keep digits, and drop what is banned.
sampler pure(banned: tokens) {
  keep token in tokens(/^[0-9]+$/)
  keep token not in banned
  measure rows = n
  measure best = max(logit)
}

chain numbers(
  /// Digits that are never said.
  banned: tokens(4) = tokens("7"),
) = pure(banned) |> greedy()
`,
);
const TEXTS = file(
  "texts.ggsl",
  `import { greedy } from "std"
input source: tokens(4)
input other: logits
sampler near(gain: f32 = 1) { logit += gain * occurrences(-1, in: source) + other }
chain c(gain: f32 = 1) = near(gain) |> greedy()
`,
);
const LIST = file("vocabulary.json", JSON.stringify(["1", "7", "23", "a", " yes"]));
const LOGITS = ["--logits", "1,5,3,9,7"];

interface Evaluated {
  readonly token: number;
  readonly candidates: readonly { readonly token: number; readonly logit: number }[];
  readonly measures?: Readonly<Record<string, number>>;
  readonly tokens?: readonly number[];
}

const evaluated = (...args: string[]): Evaluated => {
  const { status, stdout, stderr } = ggsl(["eval", ...args, "--json"]);
  expect([status, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout) as Evaluated;
};
const keptOf = ({ candidates }: Evaluated): number[] => candidates.map(({ token }) => token).sort((a, b) => a - b);

describe("eval with a vocabulary", () => {
  let vocabulary: Vocabulary;
  beforeAll(async () => {
    vocabulary = await loadVocabulary(DEMO_MODEL);
  });
  test("that is a list: the default set, and measures", () => {
    const result = evaluated(SETS, "--vocab", LIST, ...LOGITS);
    expect([keptOf(result), result.token]).toEqual([[0, 2], 2]);
    expect(result.measures).toEqual({ rows: 2, best: 3 });
  });
  test("measures are printed", () => {
    const { stdout } = ggsl(["eval", SETS, "--vocab", LIST, ...LOGITS]);
    expect(stdout).toMatch(/^rows 2\.0000$/m);
    expect(stdout).toMatch(/^best 3\.0000$/m);
  });
  test.each([
    ["[]", [0, 1, 2]],
    ["[2]", [0, 1]],
    ['["1", 2]', [1]],
    ['["23","7"]', [0]],
  ])("--set banned=%s", (list, expected) => {
    expect(keptOf(evaluated(SETS, "--vocab", LIST, ...LOGITS, "--set", `banned=${list}`))).toEqual(expected);
  });
  test("that is the demo model's", () => {
    const { pieces } = vocabulary;
    const digits = [...pieces.entries()].flatMap(([token, piece]) => (/^[0-9]+$/.test(piece) ? [token] : []));
    const [banned, ...rest] = digits;
    expect(rest.length).toBeGreaterThan(5);
    const logits = ["--logits", file("zeros.json", JSON.stringify(pieces.map((_, token) => token / 1024)))];
    const result = evaluated(SETS, "--vocab", DEMO_MODEL, ...logits, "--set", `banned=[${banned}]`);
    expect(keptOf(result)).toEqual(rest);
    expect(result.token).toBe(rest.at(-1));
    expect(result.measures!["rows"]).toBe(rest.length);
  });
  test.each([
    [[], "needs a vocabulary"],
    [["--vocab", LIST, "--set", 'banned=["no"]'], '"no"'],
    [["--vocab", LIST, "--set", "banned=[1,2,3,4,5]"], "at most 4"],
    [["--vocab", LIST, "--set", "banned=[1.5]"], "banned"],
    [["--vocab", LIST, "--set", "banned=[1"], 'NAME=[1,"text"]'],
    [["--vocab", LIST, "--set", "banned=3"], "set of tokens"],
    [["--vocab", join(folder, "nowhere.json")], "nowhere.json"],
    [["--vocab", file("numbers.json", "[1, 2]")], "numbers.json"],
  ] as const)("refuses %j", (args, part) => {
    const { status, stdout, stderr } = ggsl(["eval", SETS, ...LOGITS, ...args]);
    expect([status === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

test("test runs with the vocabulary of a model or a list", () => {
  const tested = file(
    "tested.ggsl",
    `sampler digits() { keep token in tokens("7") }
test "t" { logits [1, 2, 3, 4, 5] run digits() expect kept [1] expect logits [-inf, 2, -inf, -inf, -inf] }
`,
  );
  expect(ggsl(["test", tested, "--vocab", LIST])).toMatchObject({ status: 0 });
  const without = ggsl(["test", tested]);
  expect(without.status).toBe(1);
  expect(`${without.stdout}${without.stderr}`).toContain("vocabulary");
});

describe("eval feeds texts and guides", () => {
  const feed = (source: string): string[] => ["--input", `source=${source}`, "--input", "other=0,0,0"];
  test.each([
    ["2", [0, 1, 3]],
    ["2,2,0", [1, 1, 4]],
    [" 1, 1, 1, 1", [0, 5, 2]],
    ["[]", [0, 1, 2]],
  ])("--input source=%s", (source, expected) => {
    const { candidates } = evaluated(TEXTS, "--logits", "0,1,2", ...feed(source));
    expect([...candidates].sort((a, b) => a.token - b.token).map(({ logit }) => logit)).toEqual(expected);
  });
  test.each([
    [feed("1,2,3,4,5"), "takes at most 4 tokens, found 5"],
    [feed("0.5"), "0.5 at position 1 is not a token id"],
    [feed("1:2"), "--input source"],
    [["--input", "other=0,0,0"], "the input `source` was never set"],
    [["--input", "source=1"], "the input `other` was never set"],
    [[...feed("1"), "--input", "third=1"], "the chain declares no input `third`"],
  ])("refuses %j", (args, part) => {
    const { status, stderr } = ggsl(["eval", TEXTS, "--logits", "0,1,2", ...args]);
    expect(status).not.toBe(0);
    expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

describe("run", () => {
  const MEASURED = file(
    "measured.ggsl",
    `import { greedy } from "std"
input other: logits
sampler away(scale: f32 = 0) { logit += scale * (logit - other) measure scaled = scale }
chain c(scale: f32 = 0) = away(scale) |> greedy()
sampler seen() { measure rows = n measure best = max(prob) }
chain plain = seen() |> greedy()
`,
  );
  const run = (...args: string[]): ReturnType<typeof ggsl> =>
    ggsl(["run", MEASURED, ...args, "--model", DEMO_MODEL, "--backend", "cpu", "-n", "6", "--prompt", "And God"]);
  interface Written {
    readonly text: string;
    readonly tokens: readonly number[];
    readonly measures: Readonly<Record<string, readonly number[]>>;
  }
  test("--json has a value of each measure for each token, --stats their averages", async () => {
    const { pieces } = await loadVocabulary(DEMO_MODEL);
    const { tokens, measures } = JSON.parse(run("plain", "--json").stdout) as Written;
    expect(Object.keys(measures)).toEqual(["rows", "best"]);
    expect(measures["rows"]).toEqual(tokens.map(() => pieces.length));
    expect(measures["best"]!.every((p) => p > 0 && p <= 1)).toBe(true);
    const mean = measures["best"]!.reduce((sum, p) => sum + p, 0) / tokens.length;
    const { stderr } = run("plain", "--stats");
    expect(stderr).toMatch(/^.*rows.*$/m);
    const [, printed] = /^.*\bbest\b\D*([\d.]+)/m.exec(stderr)!;
    expect(Number(printed)).toBeCloseTo(mean, 2);
  });
  test("--guide gives the prompt of another sequence", () => {
    const plain = JSON.parse(run("plain", "--json").stdout) as Written;
    const guided = (scale: number): Written =>
      JSON.parse(run("c", "--guide", "other=Woe unto", "--set", `scale=${scale}`, "--json").stdout) as Written;
    expect(guided(0).tokens).toEqual(plain.tokens);
    const far = guided(3);
    expect(far.tokens).not.toEqual(plain.tokens);
    expect(far.measures["scaled"]).toEqual([3, 3, 3, 3, 3, 3]);
  });
  test.each([
    [["c"], "reads the logits of another sequence, `other`"],
    [["c", "--guide", "others=Woe"], "has no guide `others`"],
    [["plain", "--guide", "other=Woe"], "reads the logits of no other sequence"],
    [["c", "--guide", "Woe"], "NAME="],
  ])("refuses %j", (args, part) => {
    const { status, stderr } = run(...args);
    expect(status).not.toBe(0);
    expect(stderr).toContain(part);
    expect(stderr).not.toMatch(/\n {4}at /);
  });
});

describe("explain names what a chain takes and reports", () => {
  test("as a table", () => {
    const { stdout } = ggsl(["explain", SETS]);
    expect(stdout).toMatch(/^set +banned +at most 4 tokens; tokens\("7"\) unless set +Digits that are never said\.$/m);
    expect(stdout).toMatch(/^set +set\d +tokens\(\/\^\[0-9\]\+\$\/\)$/m);
    expect(stdout).toMatch(/^measure +rows +f32$/m);
    expect(ggsl(["explain", TEXTS]).stdout).toMatch(/^guide +other .*\ntext +source +at most 4 tokens$|^text/m);
  });
  test("as JSON, each once", () => {
    const parts = (path: string): unknown =>
      (
        JSON.parse(ggsl(["explain", path, "--json"]).stdout) as { interface: { kind: string; name: string }[] }
      ).interface
        .map(({ kind, name }) => `${kind} ${name}`)
        .sort();
    expect(parts(TEXTS)).toEqual(["guide other", "text source", "uniform gain"]);
    expect(parts(SETS)).toContain("set banned");
    const steady = file(
      "steady.ggsl",
      'import { mirostat_v2 } from "std"\nchain c(tau: f32 = 5) = mirostat_v2(tau, 0.1, 1)\n',
    );
    expect(parts(steady)).toEqual(["state drawn", "state mu", "uniform tau"]);
  });
});
