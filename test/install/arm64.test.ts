/** The packages on linux-arm64, in qemu: the command line, and cases of the end-to-end tests beside those of this processor. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { nodeInQemu, qemuFault } from "../../tools/lib/qemu.js";
import { isSet, needing, type Need } from "../needs.js";
import { addPlatform, Consumer, DEMO, PLATFORM, type Result } from "./consumer.js";

const fault = PLATFORM === "linux-x64" ? await qemuFault() : "a processor of another kind: x64";
const isAsked = isSet("GGSL_NEED_QEMU");
const [what, fix] = (isAsked && fault?.split(": ")) || ["a cross compiler", "npm run check:arm64"];
const QEMU: Need = { what: what!, isThere: isAsked && fault === undefined, fix: fix!, isRequired: isAsked };

interface Case {
  readonly error?: string;
  readonly token?: number;
  readonly count?: number;
  readonly best?: readonly number[];
  readonly probs?: readonly number[];
  readonly text?: string;
}
interface Cases {
  readonly arch: string;
  readonly results: Readonly<Record<string, Case>>;
}

needing(QEMU).describe("linux-arm64", () => {
  let consumer: Consumer;
  let node: readonly [string, ...string[]];
  beforeAll(async () => {
    expect(fault).toBeUndefined();
    execFileSync(process.execPath, ["tools/run.mjs", "build-platforms", PLATFORM, "linux-arm64"], { stdio: "pipe" });
    node = await nodeInQemu();
    consumer = new Consumer();
    addPlatform(consumer, "linux-arm64");
    copyFileSync("test/install/cases.mjs", join(consumer.folder, "cases.mjs"));
  }, 600_000);
  afterAll(() => consumer.remove());

  function inQemu(...args: string[]): Result {
    const [program, ...first] = node;
    return spawnSync(program, [...first, ...args], { encoding: "utf8", cwd: consumer.folder });
  }

  test("`ggsl eval` and `ggsl run` use the addon", () => {
    const main = join(consumer.ggsl, "dist/cli/main.js");
    const evaluated = inQemu(main, "eval", "-e", "greedy()", "--probs", "0.1,0.6,0.3", "--json");
    expect(evaluated).toMatchObject({ status: 0, stderr: "" });
    expect(JSON.parse(evaluated.stdout)).toMatchObject({ backend: "cpu", token: 1 });
    const run = inQemu(main, "run", "-e", "greedy()", "--model", DEMO, "-n", "8");
    expect(run).toMatchObject({ status: 0, stderr: "", stdout: "In the beginning of the LORD, and of the LORD\n" });
  });

  test("20 cases give the same tokens and texts as on this processor", () => {
    const here = JSON.parse(consumer.node(["cases.mjs", DEMO]).stdout) as Cases;
    const { status, stdout, stderr } = inQemu("cases.mjs", DEMO);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const there = JSON.parse(stdout) as Cases;
    expect([here.arch, there.arch]).toEqual(["x64", "arm64"]);
    const names = Object.keys(here.results);
    expect(names).toHaveLength(20);
    for (const name of names) {
      const [expected, found] = [here.results[name]!, there.results[name]!];
      expect({ name, error: expected.error }).toEqual({ name, error: undefined });
      expect({ name, ...found, probs: undefined }).toEqual({ name, ...expected, probs: undefined });
      // the processors round differently, the model's activations to 8 bits
      const tolerance = name === "logits" ? 0.2 : 1e-5;
      found.probs?.forEach((prob, i) => expect(Math.abs(prob - expected.probs![i]!)).toBeLessThan(tolerance));
    }
  });
});
