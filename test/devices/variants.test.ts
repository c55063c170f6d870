/** The variants of ggml's CPU backend: which is loaded, and what the processor cannot run. */
import { describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import type { CpuVariant } from "../../runtime/backends/native/binding.js";
import { cpuLibraries } from "../../runtime/backends/devices/locate.js";
import { surveyCpuVariants } from "../../runtime/backends/devices/survey.js";
import { needing } from "../needs.js";

const VARIANTS = surveyCpuVariants();
const SUPPORTED = VARIANTS.filter(({ isSupported }) => isSupported).map(({ name }) => name);
const [UNSUPPORTED] = VARIANTS.filter(({ isSupported }) => !isSupported).map(({ name }) => name);

interface Ended {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(variant: string, command: string, ...args: string[]): Ended {
  const env = { ...process.env, GGSL_CPU_VARIANT: variant };
  const { status, signal, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env });
  return { status, signal, stdout, stderr };
}

const node = (variant: string, ...args: string[]): Ended => run(variant, process.execPath, ...args);
const ggsl = (variant: string, ...args: string[]): Ended => node(variant, "runtime/dist/cli/main.js", ...args);

test("the variants are the libraries that are there", () => {
  const names = readdirSync(cpuLibraries()).flatMap((file) => /^libggml-cpu-(.+)\.so$/.exec(file)?.[1] ?? []);
  expect(names.length).toBeGreaterThan(1);
  expect(VARIANTS.map(({ name }) => name).sort()).toEqual(names.sort());
  expect(VARIANTS.filter(({ isLoaded }) => isLoaded)).toHaveLength(1);
});

/** The libraries that are mapped once the binding is loaded, as one that GGSL itself says is loaded. */
const SCRIPT = `
const { loadBinding } = await import(${JSON.stringify(resolve("runtime/dist/backends/native/loader.js"))});
const { surveyCpuVariants } = await import(${JSON.stringify(resolve("runtime/dist/backends/devices/survey.js"))});
loadBinding();
const maps = (await import("node:fs")).readFileSync("/proc/self/maps", "utf8");
const mapped = [...new Set(maps.match(/libggml-cpu-[^/]*(?=\\.so$)/gm))].map((name) => name.replace("libggml-cpu-", ""));
console.log(JSON.stringify({ mapped, loaded: surveyCpuVariants().filter((v) => v.isLoaded).map((v) => v.name) }));
`;

test.each([["", SUPPORTED[0]!], ...SUPPORTED.map((name) => [name, name])])(
  "%j loads %s and no other",
  (given, name) => {
    const { stdout, stderr } = node(given, "--input-type=module", "-e", SCRIPT);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({ mapped: [name], loaded: [name] });
  },
);

test("`ggsl devices` says which is loaded, and which others the processor can run", () => {
  const [best, ...others] = SUPPORTED;
  const last = others.at(-1) ?? best!;
  const { stdout, status } = ggsl(last, "devices");
  expect(status).toBe(0);
  const choice = SUPPORTED.filter((name) => name !== last).join(", ");
  expect(stdout).toContain(`the CPU runs the variant ${last}${choice && `; GGSL_CPU_VARIANT can choose ${choice}`}\n`);
  const { cpuVariants } = JSON.parse(ggsl(last, "devices", "--json").stdout) as { cpuVariants: CpuVariant[] };
  expect(cpuVariants).toEqual(VARIANTS.map((v) => ({ ...v, isLoaded: v.name === last })));
});

const UNKNOWN = `GGSL_CPU_VARIANT: no variant "pentium" of the CPU backend; there are: ${VARIANTS.map(({ name }) => name).join(", ")}`;

test("a name that is not there is an error, which lists those that are", () => {
  expect(ggsl("pentium", "eval", "-e", "greedy()", "--probs", "0.5,0.5")).toMatchObject({
    status: 1,
    stdout: "",
    stderr: `error: ${UNKNOWN}\n`,
  });
  expect(ggsl("../cpu", "devices").stderr).toMatch(/^error: GGSL_CPU_VARIANT: no variant "\.\.\/cpu"/);
});

needing({ what: "an older processor", isThere: UNSUPPORTED !== undefined, fix: "this one runs all variants" }).test(
  `a variant that this processor cannot run is an error, too: ${UNSUPPORTED ?? "it can run all"}`,
  () => {
    const stderr = `error: GGSL_CPU_VARIANT: this processor cannot run the variant "${UNSUPPORTED}"; it can run: ${SUPPORTED.join(", ")}\n`;
    expect(ggsl(UNSUPPORTED!, "run", "-e", "greedy()", "--backend", "cpu")).toEqual({
      status: 1,
      signal: null,
      stdout: "",
      stderr,
    });
  },
);

describe("it counts wherever CPU backends are loaded", () => {
  test("in the process that tries drivers", () => {
    const module = JSON.stringify(resolve("runtime/dist/backends/devices/probe.js"));
    const script = `const { probeSync } = await import(${module}); console.log(probeSync("none.so").failure);`;
    expect(node("pentium", "--input-type=module", "-e", script).stdout).toBe(`${UNKNOWN}\n`);
  });

  test("in the oracle of command lines", () => {
    const script = `require("./build/Release/ggsl_common_oracle.node").commonTokens([], Int32Array.of(1), 1)`;
    const { status, stderr } = node("pentium", "-e", script);
    expect(status).toBe(1);
    expect(stderr).toContain(UNKNOWN);
  });

  test("in ggsl_replay", () => {
    const replay = "build/Release/ggsl_replay";
    expect(run("pentium", replay, "--list")).toMatchObject({ status: 2, stderr: `ggsl_replay: ${UNKNOWN}\n` });
    expect(run(SUPPORTED.at(-1)!, replay, "--list").stdout).toMatch(/^0 {2}CPU /);
  });
});
