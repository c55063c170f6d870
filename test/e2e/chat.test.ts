/** `ggsl chat` and `ggsl run --chat` as a user runs them: from a file of lines, and in a terminal. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeChatModel } from "../chat/model.js";
import { endAll, MAIN, startInTerminal } from "../cli/run.js";
import { warm } from "../cli/warm/warm.js";
import { DEMO_MODEL } from "../model/file.js";
import { TERMINAL, needing } from "../needs.js";

const ggsl = warm();

let folder: string;
let model: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-chat-"));
  model = writeChatModel(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

function chat(lines: readonly string[], ...args: readonly string[]) {
  const command = [MAIN, "chat", model, "--backend", "cpu", "-c", "512", ...args];
  return spawnSync(process.execPath, command, { encoding: "utf8", input: lines.join("\n") });
}

describe("lines of standard input", () => {
  test("turns and commands", () => {
    const args = ["-e", "greedy()", "-n", "24", "--stats"];
    const one = chat(["In the beginning"], ...args).stdout;
    const lines = ["In the beginning", "/undo", "", "In the beginning", "And God said"];
    const { status, stdout, stderr } = chat(lines, ...args);
    expect(status).toBe(0);
    // taken back, the same turn gives the same answer
    expect(one.trim()).not.toBe("");
    expect(stdout.startsWith(one + one)).toBe(true);
    const counts = [...stderr.matchAll(/^(\d+) tokens of prompt, (\d+) computed/gm)];
    expect(counts).toHaveLength(3);
    const [prompt, computed] = counts[2]!.slice(1).map(Number) as [number, number];
    expect(prompt).toBeGreaterThan(computed + 8);
  });

  test("parameters, samplers and errors", () => {
    const file = join(folder, "chain.ggsl");
    writeFileSync(file, 'import { top_k, greedy } from "std"\nchain c(n: int in [1, 9] = 3) = top_k(3) |> greedy()\n');
    const bad = join(folder, "bad.ggsl");
    writeFileSync(bad, "chain c = sparkle()\n");
    const lines = [
      "/set t=0",
      "/set x=1",
      "/set x",
      "/dance",
      `/sampler ${bad}`,
      `/sampler ${file}`,
      "/help",
      "And God",
    ];
    const { status, stdout, stderr } = chat(lines, "-n", "4");
    expect(status).toBe(0);
    expect(stdout).toContain("/set NAME=VALUE");
    expect(stdout.trimEnd().split("\n").length).toBeGreaterThan(6);
    expect(stderr).toContain("error: the chain has no parameter `x`; it has t");
    expect(stderr).toContain("error: /set needs NAME=NUMBER: /help lists the commands");
    expect(stderr).toContain("error: there is no command /dance");
    expect(stderr).toContain("sparkle");
  });

  test("stop texts, grammars, a full context", () => {
    const grammar = join(folder, "answer.gbnf");
    writeFileSync(grammar, 'root ::= " yes" | " no"\n');
    const answers = chat(["And God", "And"], "-e", "greedy()", "--grammar", grammar);
    expect(answers).toMatchObject({ status: 0, stderr: "" });
    expect(answers.stdout).toMatch(/^( yes| no)\n( yes| no)\n$/);
    const whole = chat(["In the beginning"], "-e", "greedy()", "-n", "12").stdout.trimEnd();
    const stop = whole.slice(6, 12);
    const stopped = chat(["In the beginning"], "-e", "greedy()", "-n", "12", "--stop", "never", "--stop", stop);
    expect(stopped.stdout.trimEnd()).toBe(whole.slice(0, whole.indexOf(stop)).trimEnd());
    const full = chat(["In the beginning", "And ".repeat(600)], "-e", "greedy()", "-n", "3");
    expect(full.status).toBe(1);
    expect(full.stderr).toMatch(/^error: the prompt has \d+ tokens.*\/clear begins again, \/undo/);
  });

  test("thoughts are apart from the answer, in one form, and reach the next turn", () => {
    const template = join(folder, "thinks.jinja");
    writeFileSync(
      template,
      "{% for m in messages %}{% if m.reasoning_content %}[THINK]{{ m.reasoning_content }}[/THINK]{% endif %}{{ m.content }}\n{% endfor %}",
    );
    const grammar = join(folder, "thinks.gbnf");
    writeFileSync(grammar, 'root ::= "[THINK]He said[/THINK]And it was so"\n');
    const args = ["-e", "greedy()", "--template", template, "--grammar", grammar];
    const { stdout, status } = chat(["In the beginning"], ...args);
    expect([status, stdout]).toEqual([0, "<think>\nHe said\n</think>\nAnd it was so\n"]);
    const cut = chat(["In the beginning", "And"], ...args, "-n", "9", "--stats");
    expect(cut.stdout).toMatch(/^<think>\nHe.*\n<\/think>\n<think>\nHe.*\n<\/think>\n$/);
    const [first, second] = [...cut.stderr.matchAll(/^(\d+) tokens of prompt/gm)].map(([, count]) => Number(count));
    expect(second! - first!).toBeGreaterThan(6);
    const coloured = spawnSync(process.execPath, [MAIN, "chat", model, "--backend", "cpu", "-c", "512", ...args], {
      encoding: "utf8",
      input: "In the beginning",
      env: { ...process.env, FORCE_COLOR: "1" },
    });
    expect(coloured.stdout).toBe("\x1b[2mHe said\x1b[22m\n\nAnd it was so\n");
  });

  test("a model without a template, and one from a file", () => {
    const args = ["chat", DEMO_MODEL, "--backend", "cpu"];
    const failed = ggsl(args);
    expect(failed).toMatchObject({ status: 1, stdout: "" });
    expect(failed.stderr).toContain("the model has no chat template");
    expect(failed.stderr).toContain("--template FILE");
    const template = join(folder, "plain.jinja");
    writeFileSync(template, "{% for m in messages %}{{ m.content }}\n{% endfor %}");
    const given = spawnSync(
      process.execPath,
      [MAIN, ...args, "--template", template, "-e", "greedy()", "-n", "3", "-c", "256"],
      {
        encoding: "utf8",
        input: "And God said\n",
      },
    );
    expect(given.status).toBe(0);
    expect(given.stdout).not.toBe("");
    writeFileSync(template, "{% for m in messages %}\n{{ m.content | sparkle }}{% endfor %}");
    const broken = ggsl([...args, "--template", template]);
    expect(broken.status).toBe(1);
    expect(broken.stderr).toContain("line 2, `{{ m.content | sparkle }}`");
  });
});

test("run --chat prints the answer alone", () => {
  const args = ["run", "-e", "greedy()", "--backend", "cpu", "-n", "6", "--prompt", "And God said"];
  const { stdout, status } = ggsl([...args, "--model", model, "--chat", "--system", "In the beginning"]);
  expect(status).toBe(0);
  const { stdout: plain } = ggsl([...args.slice(0, -1), "In the beginning\nAnd God said\n", "--model", model]);
  expect(plain).toBe(`In the beginning\nAnd God said\n${stdout}`);
  expect(ggsl([...args, "--system", "a"])).toMatchObject({ status: 2 });
  expect(ggsl([...args, "--chat"]).stderr).toContain("no chat template");
  const two = ggsl([...args, "--model", model, "--chat", "--sequences", "2"]);
  expect(two.stdout.split("\n\n").length).toBeGreaterThan(1);
  const special = ggsl([...args, "--special", "--json"]);
  expect((JSON.parse(special.stdout) as { tokens: number[] }).tokens).toHaveLength(6);
});

needing(TERMINAL).describe("a terminal", () => {
  // one that waits for something that never comes must not keep the tests alive
  afterEach(endAll);

  const open = (...args: readonly string[]) => {
    const { ended, output, until, type } = startInTerminal([
      process.execPath,
      MAIN,
      "chat",
      model,
      "--backend",
      "cpu",
      ...args,
    ]);
    return {
      ended: ended.then(({ status }) => status),
      output,
      /** Types, once the output matches. */
      type: async (after: RegExp, keys: string): Promise<void> => {
        await until(after);
        type(keys);
      },
    };
  };

  test("Ctrl-C stops the answer, and twice at the empty prompt the program", async () => {
    const terminal = open("-e", "greedy()", "-c", "4096");
    await terminal.type(/> /, "In the beginning\r");
    // in the middle of the answer
    await terminal.type(/beginning\s+\S+ \S+ \S+/, "\x03");
    await terminal.type(/\[stopped\]\s[^]*> /, "abc\x03");
    await terminal.type(/abc[^]*> /, "\x03");
    await terminal.type(/Ctrl-C again[^]*> /, "\x03");
    expect(await terminal.ended).toBe(0);
  });

  test("a turn that fails does not end the program, and text of the template is shown as text", async () => {
    const refuses = join(folder, "refuses.jinja");
    writeFileSync(
      refuses,
      "{% for m in messages %}{% if 'bad' in m.content %}{{ raise_exception('no\x1b[31m') }}{% endif %}{{ m.content }}\n{% endfor %}",
    );
    const terminal = open("-e", "greedy()", "-n", "3", "-c", "64", "--template", refuses);
    await terminal.type(/> /, "bad\r");
    await terminal.type(
      /error: the chat template refuses[^]*no\\u\{1b\}\[31m[^]*> /,
      `${"And God said ".repeat(150)}\r`,
    );
    await terminal.type(/error: the prompt has \d+ tokens[^]*\/clear begins again[^]*> /, "日本語 In the beginning\r");
    await terminal.type(/beginning\s+\S[^]*> /, "\x04");
    expect(await terminal.ended).toBe(0);
  });

  test("Ctrl-D at the empty prompt ends the program; the arrow key brings a line back", async () => {
    const terminal = open("-e", "greedy()", "-n", "3", "-c", "256");
    await terminal.type(/> /, "And God said\r");
    await terminal.type(/said\s+\S[^]*> /, "\x1b[A");
    await terminal.type(/And God said/, "\r");
    await terminal.type(/\n\S[^]*> /, "\x04");
    expect(await terminal.ended).toBe(0);
    expect(terminal.output().split("And God said").length).toBeGreaterThan(2);
  });
});
