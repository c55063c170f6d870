/** The assistant of examples/: a conversation with the demo model, on a server of its own. */
import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";

const LINES = ["How many are six times seven?", "Cast the dice.", "And who speaks?"];

const talk = (
  folder: string,
  input: string,
  ...args: string[]
): { status: number | null; stdout: string; stderr: string } =>
  spawnSync(process.execPath, [resolve(folder, "main.js"), ...args], { input, encoding: "utf8" });

interface Called {
  readonly name: string;
  readonly given: Readonly<Record<string, number | string>>;
  readonly result: { readonly result?: number; readonly cast?: readonly number[] };
}

/** The calls that were printed, each with what came of it. */
const callsIn = (text: string): Called[] =>
  [...text.matchAll(/^ {5}(\w+)\((\{.*\})\) = (\{.*\})$/gm)].map(([, name, given, result]) => ({
    name: name!,
    given: JSON.parse(given!) as Called["given"],
    result: JSON.parse(result!) as Called["result"],
  }));

/** What the tool is to have done, calculated here. */
function check({ name, given, result }: Called): void {
  if (name === "calculate") {
    const [a, b] = [given["a"] as number, given["b"] as number];
    expect(result.result).toBe(given["operator"] === "*" ? a * b : given["operator"] === "+" ? a + b : a - b);
  } else {
    expect(name).toBe("cast_dice");
    expect([4, 6, 8, 12, 20]).toContain(given["sides"]);
    expect(result.cast).toHaveLength(given["dice"] as number);
    for (const spots of result.cast!) expect(spots >= 1 && spots <= (given["sides"] as number)).toBe(true);
  }
}

test("each turn calls a tool, whose result is the real one, and has an answer", () => {
  const { status, stdout, stderr } = talk(
    "examples/assistant",
    LINES.map((line) => `${line}\n`).join(""),
    "--seed",
    "2",
  );
  expect(stderr).toBe("");
  expect(status).toBe(0);
  const turns = stdout.split(/^you> /m).slice(1, -1);
  expect(turns.map((turn) => turn.split("\n")[0])).toEqual(LINES);
  const calls = turns.map(callsIn);
  expect(calls.map(({ length }) => length)).toEqual([1, 1, 1]);
  calls.flat().forEach(check);
  const answers = turns.map((turn) => turn.split("\n").slice(2).join("\n").trim());
  expect(answers.filter((answer) => answer !== "").length).toBeGreaterThan(0);
});

test("a tool that cannot be carried out is told to the model, not thrown", async () => {
  const { carryOut, tools } = (await import(resolve("examples/assistant/tools.js"))) as {
    carryOut: (call: { name: string; arguments: string }) => object;
    tools: readonly { function: { name: string } }[];
  };
  expect(tools.map((tool) => tool.function.name)).toEqual(["calculate", "cast_dice"]);
  expect(carryOut({ name: "calculate", arguments: '{"a":6,"operator":"*","b":7}' })).toEqual({ result: 42 });
  expect(carryOut({ name: "constructor", arguments: "{}" })).toEqual({
    error: expect.stringContaining("no tool constructor"),
  });
  expect(carryOut({ name: "calculate", arguments: "{" })).toEqual({ error: expect.stringContaining("cannot be used") });
});
