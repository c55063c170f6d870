/** Each option of `ggsl run` is tested: here, those whose effect no other suite shows. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { GenerationStats } from "../../runtime/generation/generate.js";
import { withArchitecture } from "../model/damaged.js";
import { DEMO_MODEL } from "../model/file.js";
import { warm } from "./warm/warm.js";

const ggsl = warm();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-flags-"));
  writeFileSync(join(folder, "stateful.ggsl"), STATEFUL);
  writeFileSync(join(folder, "periodic.ggsl"), PERIODIC);
  writeFileSync(join(folder, "wide.jinja"), "{{ style }}{% for m in messages %}{{ m.content }}{% endfor %}");
  writeFileSync(join(folder, "hostile.gguf"), withArchitecture(readFileSync(DEMO_MODEL), "smallthinker"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const STATEFUL = `import { greedy } from "std"
sampler counting() {
  state done: i32 = 0
  logit += done > 100 ? 1 : 0
  after pick { done = done + 1 }
}
chain c = counting() |> greedy()
`;

/** Writes 70 70 71 70 70 71 and so on. */
const PERIODIC = `import { greedy } from "std"
sampler periodic() {
  keep token == (step % 3 == 2 ? 71 : 70)
}
chain c = periodic() |> greedy()
`;

const RUN = ["run", "--backend", "cpu", "-c", "256", "-n", "24", "--json"] as const;
const GREEDY = ["-e", "greedy()"] as const;
const LOOKUP = ["periodic.ggsl", "--lookup", "--no-adapt"] as const;
const DRAFT = [...GREEDY, "--draft-model", resolve(DEMO_MODEL)] as const;

interface Written {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly states?: Readonly<Record<string, readonly number[]>>;
  readonly stats: GenerationStats;
}

function written(...args: readonly string[]): Written {
  const { status, stdout, stderr } = ggsl([...RUN, ...args], { cwd: folder });
  expect([status, stderr.replace(/^note.*\n/gm, "")]).toEqual([0, ""]);
  return JSON.parse(stdout) as Written;
}

interface Effect {
  readonly before: readonly string[];
  readonly flag: readonly [name: string, value?: string];
  /** What differs between the output without the option and with it. */
  readonly differs: (without: Written, given: Written) => void;
}

const EFFECTS: readonly Effect[] = [
  {
    before: ["stateful.ggsl"],
    flag: ["--states"],
    differs: (without, given) => {
      expect(without.states).toBeUndefined();
      expect(given.states).toEqual({ done: given.tokens.map((_, i) => i + 1) });
    },
  },
  {
    before: [...DRAFT, "--no-adapt"],
    flag: ["--draft-stages", "temp(9) |> dist(1)"],
    differs: (without, given) => {
      expect(given.tokens).toEqual(without.tokens);
      expect(without.stats.accepted).toBeGreaterThan(16);
      expect(given.stats.accepted).toBeLessThan(without.stats.accepted! / 2);
    },
  },
  {
    before: [...DRAFT, "--draft-stages", "temp(9) |> dist(1)", "--draft-max", "8"],
    flag: ["--no-adapt"],
    differs: (without, given) => {
      expect(given.tokens).toEqual(without.tokens);
      expect(given.stats.drafted).toBeGreaterThan(without.stats.drafted! * 1.5);
    },
  },
  {
    // no eight last tokens have been seen before a third of the text is written
    before: LOOKUP,
    flag: ["--lookup-min", "8"],
    differs: (without, given) => {
      expect(given.tokens).toEqual(without.tokens);
      expect(given.stats.decodes).toBeGreaterThan(without.stats.decodes!);
    },
  },
  {
    // the last token alone does not tell where in the period it is
    before: [...LOOKUP, "--lookup-min", "1"],
    flag: ["--lookup-max", "1"],
    differs: (without, given) => {
      expect(given.tokens).toEqual(without.tokens);
      expect(given.stats.accepted).toBeLessThan(without.stats.accepted!);
    },
  },
  {
    before: [...GREEDY, "--chat", "--template", "wide.jinja", "--prompt", "x"],
    flag: ["--template-var", "style=in many more words than one"],
    differs: (without, given) => expect(given.stats.promptTokens).toBeGreaterThan(without.stats.promptTokens + 3),
  },
  {
    before: GREEDY,
    flag: ["--placement", "host"],
    differs: (without, given) => expect(given.stats.readbackBytes).toBeGreaterThan(10 * without.stats.readbackBytes),
  },
  {
    before: GREEDY,
    flag: ["--ban-phrase", "/(?i) the/"],
    differs: (without, given) => {
      expect(without.text).toMatch(/ the/i);
      expect(given.text).not.toMatch(/ the/i);
      expect(given.stats.rewinds).toBeGreaterThan(0);
    },
  },
  {
    before: [...GREEDY, "--prompt", "And the LORD comm"],
    flag: ["--heal"],
    differs: (without, given) => {
      expect(given.text).toMatch(/^[a-z]/);
      expect(given.stats.promptTokens).toBe(without.stats.promptTokens - 1);
      expect("And the LORD comm").toMatch(new RegExp(`${given.stats.healed!}$`));
    },
  },
  {
    before: [...GREEDY, "--ban-phrase", "/[^]/"],
    flag: ["--max-rewinds", "3"],
    differs: (without, given) => {
      expect([without.stats, given.stats]).toMatchObject([{ rewinds: 64 }, { rewinds: 3, finish: "rewinds" }]);
      expect(given.tokens).toEqual([]);
    },
  },
  {
    before: GREEDY,
    flag: ["--check-logits"],
    differs: (without, given) => expect(given.stats.readbackBytes).toBeGreaterThan(10 * without.stats.readbackBytes),
  },
];

test.each(EFFECTS)("$flag", ({ before, flag, differs }) => {
  differs(written(...before), written(...before, ...flag.map(String)));
});

test("what ended a text: a stop of the chain, with its name", () => {
  const program = 'sampler five() { pick argmax(logit)  stop when step >= 4 as "five" }\nchain c = five()\n';
  writeFileSync(join(folder, "five.ggsl"), program);
  const { stats, tokens } = written("five.ggsl");
  expect(tokens).toHaveLength(5);
  expect(stats).toMatchObject({ finish: "stopped", stoppedBy: "five" });
  const { stderr } = ggsl(["run", "five.ggsl", "--backend", "cpu", "--stats"], { cwd: folder });
  expect(stderr).toContain('5 tokens, ended by stopped "five"');
});

describe("options whose effect is an error", () => {
  test.each<[readonly string[], string]>([
    [[...GREEDY, "--prompt-batch", "65537"], "'--prompt-batch <n>' argument '65537' is invalid"],
    [[...GREEDY, "--model", "hostile.gguf", "--probe"], "ended the process that tried it"],
    [[...GREEDY, "--draft-stages", "greedy()"], "--draft-stages needs --draft-model"],
    [[...GREEDY, "--max-rewinds", "2"], "--max-rewinds needs --ban-phrase"],
    [[...GREEDY, "--ban-phrase", "/a+/"], "matches texts of any length"],
    [[...GREEDY, "--lookup-max", "2"], "--lookup-max needs --lookup"],
    [[...GREEDY, "--no-adapt"], "--no-adapt needs --draft-model or --lookup"],
  ])("%j", (args, message) => {
    const { status, stderr } = ggsl([...RUN, ...args], { cwd: folder });
    expect([status === 0, stderr]).toEqual([false, expect.stringContaining(message)]);
  });
});

test("every option of ggsl run is used by a test", () => {
  const { stdout } = ggsl(["run", "--help"]);
  const options = [...stdout.matchAll(/^ +(?:(-\w), )?(--[\w-]+)/gm)].map(([, short, long]) => [long!, short]);
  expect(options.length).toBeGreaterThan(40);
  const root = fileURLToPath(new URL("..", import.meta.url));
  const texts = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(join(root, name), "utf8"));
  const isUsed = (names: readonly (string | undefined)[]): boolean => {
    const forms = new RegExp(`["\`](?:${names.filter(Boolean).join("|")})["\`=]`);
    return texts.some((text) => forms.test(text));
  };
  expect(options.filter((names) => !isUsed(names))).toEqual([]);
});
