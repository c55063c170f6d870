/** How commands end early: a reader that goes away, a full disk, Ctrl-C and SIGTERM. */
import { expect, test } from "@jest/globals";
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compilePipeline, loadModel } from "../../runtime/index.js";
import { DEMO_MODEL } from "../model/file.js";
import { needing } from "../needs.js";

const MAIN = "runtime/dist/cli/main.js";

/** The demo model writes for minutes. */
const LONG = ["run", "-e", "dist()", "--backend", "cpu", "-c", "200000", "-n", "200000", "--ignore-eos"];

/** The statuses of a command and of the reader of its output, and what the command wrote to standard error. */
function piped(command: string, reader: string): { statuses: string; stderr: string; stdout: string } {
  const script = `${process.execPath} ${MAIN} ${command} | ${reader}; printf '\\n%s' "\${PIPESTATUS[*]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
  return { statuses: stdout.slice(stdout.lastIndexOf("\n") + 1), stdout, stderr };
}

test.each([
  // a few lines of a text that is being written
  [LONG.join(" ").replace("dist()", "'dist()'"), "head -c 100"],
  // output of one piece, which nobody reads
  ["explain -e 'temp(2) |> dist()'", "true"],
  ["--help", "true"],
  ["run --model no-such-file.gguf -e 'dist()' --json", "true"],
])("without a reader: ggsl %s | %s", (command, reader) => {
  const { statuses, stderr } = piped(command, reader);
  expect(statuses).toBe("141 0");
  if (!command.includes("no-such-file")) expect(stderr).toBe("");
  expect(stderr).not.toMatch(/EPIPE|\bat /);
});

test("a reader that takes everything changes nothing", () => {
  expect(piped("compile -e 'dist()' --emit text", "cat")).toMatchObject({ statuses: "0 0", stderr: "" });
});

needing({ what: "/dev/full", isThere: existsSync("/dev/full"), fix: "Linux" }).test("a full disk is an error", () => {
  for (const args of ["compile -e 'dist()'", "run -e 'dist()' -n 300 --ignore-eos"]) {
    const script = `${process.execPath} ${MAIN} ${args} >/dev/full`;
    const { status, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: standard output cannot be written: ENOSPC.*\n$/) as unknown,
    ]);
  }
});

interface Ended {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts a command, and sends a signal once `ready` resolves. */
async function interrupted(
  args: readonly string[],
  signal: NodeJS.Signals,
  ready: (child: ChildProcess) => Promise<unknown>,
): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  await ready(child);
  child.kill(signal);
  const [status, by] = await closed;
  return { status, signal: by, stdout, stderr };
}

const firstOutput = (child: ChildProcess): Promise<unknown> => once(child.stdout!, "data");

/** Until the process has computed for some seconds, of which the start takes a part, more on a slow machine. */
const computed =
  (seconds: number) =>
  async (child: ChildProcess): Promise<void> => {
    for (;;) {
      // the fields after the name in parentheses; 11 and 12 are ticks of 10 ms
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      if ((Number(fields[11]) + Number(fields[12])) / 100 > seconds) return;
      await sleep(50);
    }
  };

const { test: procTest } = needing({ what: "/proc", isThere: existsSync("/proc/self/stat"), fix: "Linux" });

procTest("Ctrl-C prints the JSON of what was generated", async () => {
  const args = [...LONG, "--json", "--sequences", "2", "--stats"];
  const { status, stdout, stderr } = await interrupted(args, "SIGINT", computed(10));
  expect([status, stderr]).toEqual([130, ""]);
  const results = JSON.parse(stdout) as { text: string; tokens: number[]; stats: { finish: string } }[];
  expect(results).toHaveLength(2);
  for (const { text, tokens, stats } of results) {
    expect(tokens.length).toBeGreaterThan(0);
    expect(text.length).toBeGreaterThan(0);
    expect(stats).toMatchObject({ finish: "cancelled", generatedTokens: tokens.length });
  }
});

test("SIGTERM ends a text after its last whole token, with its statistics", async () => {
  const { status, stdout, stderr } = await interrupted([...LONG, "--stats"], "SIGTERM", firstOutput);
  expect(status).toBe(143);
  expect(stdout).toMatch(/^In the beginning.*\n$/s);
  expect(stderr).toMatch(/ended by cancelled\n$/);
});

procTest("Ctrl-C prints the results of the tests that ran", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-ending-"));
  const file = join(folder, "long.ggsl");
  // each test takes a part of a second
  const blocks = Array.from(
    { length: 400 },
    (_, i) => `test "${i}" {\n  probs [0.5, 0.5]\n  run greedy()\n  steps 5000\n  expect token 0\n}\n`,
  );
  writeFileSync(file, `import { greedy } from "std"\n${blocks.join("")}`);
  const args = ["test", file, "--backend", "reference", "--json"];
  const { status, stdout, stderr } = await interrupted(args, "SIGINT", computed(3));
  rmSync(folder, { recursive: true });
  expect([status, stderr]).toEqual([130, "interrupted: the other tests did not run\n"]);
  const { results, interrupted: isInterrupted } = JSON.parse(stdout) as { results: unknown[]; interrupted: boolean };
  expect(isInterrupted).toBe(true);
  expect(results.length).toBeGreaterThan(0);
  expect(results.length).toBeLessThan(400);
});

test("one signal for many generations has one listener, and none at the end", async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on("warning", onWarning);
  const model = await loadModel(DEMO_MODEL, { contextSize: 256 });
  const batch = model.batch({ sequences: 12 });
  try {
    const abort = new AbortController();
    const { signal } = abort;
    const chain = compilePipeline("dist()");
    // more than there are sequences, so some wait
    const read = async (): Promise<number> => {
      let count = 0;
      for await (const _ of batch.add("In the beginning", { chain, maxTokens: 4, signal })) {
        if (count++ === 0) expect(getEventListeners(signal, "abort")).toHaveLength(1);
      }
      return count;
    };
    expect(await Promise.all(Array.from({ length: 30 }, read))).toEqual(Array(30).fill(4));
    await Promise.all(Array.from({ length: 12 }, () => model.logits("In", { signal })));
    expect(getEventListeners(signal, "abort")).toEqual([]);
    // all are aborted by it, those that wait too
    const ends = Array.from({ length: 30 }, async () => {
      for await (const _ of batch.add("In the beginning", { chain, signal })) abort.abort();
    });
    const settled = await Promise.allSettled(ends);
    expect(settled.map((one) => one.status === "rejected" && (one.reason as Error).name)).toEqual(
      Array(30).fill("AbortError"),
    );
    expect(getEventListeners(signal, "abort")).toEqual([]);
    // warnings are emitted in a later turn
    await sleep(0);
    expect(warnings).toEqual([]);
  } finally {
    process.off("warning", onWarning);
    batch.dispose();
    model.dispose();
  }
});
