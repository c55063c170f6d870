/** What happens where the addon cannot be loaded, in a folder with the packages installed. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { endAll } from "../cli/run.js";
import { startWorkerIn } from "../rpc/workers.js";
import { llamaTest } from "../wasm/llamaTest.js";
import { Consumer, DEMO, PLATFORM, type Result } from "./consumer.js";

const EVAL = ["eval", "-e", "greedy()", "--probs", "0.1,0.6,0.3", "--json"];
const RUN = ["run", "-e", "greedy()", "--model", DEMO, "--prompt", "In the beginning", "-n", "8", "--json"];
const LIBLLAMA = `bins/${PLATFORM}/libllama.${RELEASE.tag}.so`;

let consumer: Consumer;
beforeAll(() => {
  execFileSync(process.execPath, ["tools/run.mjs", "build-platforms", PLATFORM], { stdio: "pipe" });
  consumer = new Consumer();
});
afterAll(() => {
  endAll();
  consumer.remove();
});

/** A library for musl, as the linker sees it: it needs musl's C library. */
function muslStub(): string {
  const [source, libc, stub] = ["stub.c", "libc.musl-x86_64.so.1", "stub.node"].map((name) =>
    join(consumer.folder, name),
  ) as [string, string, string];
  writeFileSync(source, "int nothing(void) { return 0; }\n");
  const shared = ["-x", "c", "-shared", "-nostdlib", source];
  execFileSync("g++", [...shared, "-Wl,-soname,libc.musl-x86_64.so.1", "-o", libc]);
  execFileSync("g++", [...shared, "-x", "none", "-Wl,--no-as-needed", libc, "-o", stub]);
  rmSync(libc);
  return stub;
}

/** A library of the other architecture. */
const OTHER = PLATFORM === "linux-x64" ? "linux-arm64" : "linux-x64";
const otherLibrary = `node_modules/@node-llama-cpp/${OTHER}/bins/${OTHER}/libggml-base.so`;

interface Fault {
  readonly name: string;
  readonly make: () => void;
  readonly undo: () => void;
  readonly reason: RegExp;
  /** Both packages are there, so that they have to be installed again. */
  readonly fix: (c: Consumer) => string;
}

const addon = (): string => join(consumer.addon, "ggsl.node");
const restore = (): void => cpSync(`build/platforms/${PLATFORM}/ggsl.node`, addon());
const again = (c: Consumer): string => `rm -rf ${c.addon} ${c.llama} && npm install`;

const library = (): string => join(consumer.llama, LIBLLAMA);
const variants = (): string[] =>
  readdirSync(join(consumer.llama, "bins", PLATFORM)).filter((file) => /libggml-cpu.*\.so(\.away)?$/.test(file));
const moveVariants = (from: RegExp, to: string): void => {
  for (const file of variants()) {
    const path = join(consumer.llama, "bins", PLATFORM, file);
    renameSync(path, path.replace(from, to));
  }
};

const FAULTS: readonly Fault[] = [
  {
    name: "its package is not installed",
    make: () => renameSync(consumer.addon, `${consumer.addon}.away`),
    undo: () => renameSync(`${consumer.addon}.away`, consumer.addon),
    reason: new RegExp(`^@ggsl/${PLATFORM} is not installed$`),
    fix: () => `npm install @ggsl/${PLATFORM}@0.2.0`,
  },
  {
    name: "its file is missing",
    make: () => rmSync(addon()),
    undo: restore,
    reason: new RegExp(`^@ggsl/${PLATFORM} has no ggsl\\.node$`),
    fix: again,
  },
  {
    name: "it is of another architecture",
    make: () => cpSync(otherLibrary, addon()),
    undo: restore,
    reason: /ggsl\.node is for another architecture than \w+$/,
    fix: again,
  },
  {
    name: "it is of another libc",
    make: () => cpSync(muslStub(), addon()),
    undo: restore,
    reason: /libc\.musl-x86_64\.so\.1: cannot open shared object file/,
    fix: again,
  },
  {
    name: "it is no library",
    make: () => writeFileSync(addon(), "not a library, but a text that is long enough for the linker's header\n"),
    undo: restore,
    reason: /ggsl\.node: (invalid ELF header|file too short)$/,
    fix: again,
  },
  {
    name: "libllama has another name",
    make: () => renameSync(library(), `${library()}.away`),
    undo: () => renameSync(`${library()}.away`, library()),
    reason: /libllama\.\S+\.so: cannot open shared object file: No such file or directory$/,
    fix: again,
  },
  {
    name: "llama.cpp's package is not installed",
    make: () => renameSync(consumer.llama, `${consumer.llama}.away`),
    undo: () => renameSync(`${consumer.llama}.away`, consumer.llama),
    reason: /libllama\.\S+\.so: cannot open shared object file: No such file or directory$/,
    fix: () => `npm install @node-llama-cpp/${PLATFORM}@${RELEASE.package}`,
  },
  {
    name: "the CPU's backends are missing",
    make: () => moveVariants(/$/, ".away"),
    undo: () => moveVariants(/\.away$/, ""),
    reason: /^no ggml backend for this processor in /,
    fix: again,
  },
];

/** The text and the backend of a generation. */
function textOf({ status, stdout, stderr }: Result): { backend: string; text: string } {
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as { backend: string; text: string };
}

test("where all is installed, chains and models run on the addon, without a word", () => {
  expect(consumer.command(EVAL)).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining('"cpu"') });
  const run = consumer.command(RUN);
  expect(textOf(run).backend).toBe("cpu");
  expect(run.stderr).toBe("");
});

test("a model's layers run on another machine", async () => {
  const main = join(consumer.ggsl, "dist/cli/main.js");
  const { GGSL_RPC: _, ...env } = process.env;
  const worker = await startWorkerIn({ cwd: consumer.folder, env, main });
  const run = consumer.command([...RUN, "--rpc", `127.0.0.1:${worker.port}=cpu`]);
  const { backend, text } = textOf(run);
  expect({ backend, text }).toEqual({ backend: "rpc", text: textOf(consumer.command(RUN)).text });
});

describe.each(FAULTS)("the addon cannot be loaded: $name", ({ make, undo, reason, fix }) => {
  beforeAll(() => make());
  afterAll(() => undo());

  test("a chain runs in WebAssembly, and one line says why and what to do", () => {
    const { status, stdout, stderr } = consumer.command(EVAL);
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, backend: "wasm", token: 1 });
    const [, found, instead, steps] = /^ggsl: no native addon: (.*); (.*)\. To fix it: (.*)\n$/.exec(stderr) ?? [
      stderr,
    ];
    expect(found).toMatch(reason);
    expect(instead).toBe("chains run in WebAssembly, which is slower");
    expect(steps).toBe(fix(consumer));
  });

  test("the CPU, when asked for, is an error with the same steps", () => {
    const { status, stdout, stderr } = consumer.command([...EVAL, "--backend", "cpu"]);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "NATIVE_UNAVAILABLE" } });
    const steps = fix(consumer)
      .split(" && ")
      .map((step, i) => `  ${i + 1}. ${step}\n`);
    expect(stderr).toMatch(/^error: The native runtime is not available: /);
    expect(stderr.slice(stderr.indexOf("\n") + 1)).toBe(`To fix it:\n${steps.join("")}`);
  });
});

test("a release without an addon for this platform names no package to install", () => {
  const file = join(consumer.ggsl, "package.json");
  const manifest = readFileSync(file, "utf8");
  FAULTS[0]!.make();
  try {
    const said = (published: Readonly<Record<string, string>>): string => {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(manifest), optionalDependencies: published }));
      return consumer.command(EVAL).stderr;
    };
    expect(said({ [`@ggsl/${OTHER}`]: "0.2.0" })).toBe(
      `ggsl: no native addon: there is none for ${PLATFORM}; chains run in WebAssembly, which is slower. The backend \`wasm\` does the same without this line\n`,
    );
    expect(said({ [`@ggsl/${PLATFORM}`]: "0.2.0" })).toContain(`To fix it: npm install @ggsl/${PLATFORM}@0.2.0\n`);
  } finally {
    writeFileSync(file, manifest);
    FAULTS[0]!.undo();
  }
});

describe("without the addon", () => {
  beforeAll(() => FAULTS[0]!.make());
  afterAll(() => FAULTS[0]!.undo());

  llamaTest("a model runs in WebAssembly, with one line", () => {
    const run = consumer.command(RUN);
    expect(textOf(run).backend).toBe("wasm");
    expect(run.stderr).toMatch(/^ggsl: no native addon: .*; models run in WebAssembly, which is slower\. .*\n$/);
    expect(consumer.command([...RUN, "--backend", "wasm"]).stderr).toBe("");
  });

  test("devices that are asked for are errors with a code", () => {
    const script = `
      import { loadModel } from "ggsl";
      for (const options of [{ backend: "cpu" }, { backend: "vulkan" }, { device: 0 }])
        await loadModel(${JSON.stringify(DEMO)}, options).catch(({ name, code }) => console.log(name, code));
    `;
    const { stdout } = consumer.node(["--input-type=module", "-e", script]);
    expect(stdout).toBe("InputError NATIVE_UNAVAILABLE\n".repeat(3));
  });

  test("`ggsl devices` says how to get it, and `ggsl explain` counts in the spec", () => {
    const devices = consumer.command(["devices"]);
    expect(devices).toMatchObject({ status: 0, stderr: "" });
    expect(devices.stdout).toContain(`\n  1. npm install @ggsl/${PLATFORM}@0.2.0\n`);
    expect(JSON.parse(consumer.command(["devices", "--json"]).stdout)).toMatchObject({ devices: [] });
    const explain = consumer.command(["explain", "-e", "greedy()", "--json"]);
    expect(JSON.parse(explain.stdout)).toMatchObject({ isMeasured: false });
    expect(explain.stderr).toMatch(/; nodes are counted in the spec, not in ggml's graph\. To fix it: npm install /);
  });
});

test("a GPU's package that is missing is an install line", () => {
  if (PLATFORM !== "linux-x64") return;
  const { stdout } = consumer.command(["devices"]);
  const line = (name: string): string => `npm install @node-llama-cpp/linux-x64-${name}@${RELEASE.package}`;
  expect(stdout).toContain(`no vulkan: no library is installed: ${line("vulkan")}\n`);
  expect(stdout).toContain(`no cuda: no library is installed: ${line("cuda")}\n`);
  const { stderr } = consumer.command([...EVAL, "--backend", "vulkan"]);
  expect(stderr).toContain(`\nTo fix it:\n  1. ${line("vulkan")}\n`);
  expect(stderr).not.toContain("npm run");
});

test("GGSL_ADDON names an addon; one that does not load is an error", () => {
  const given = consumer.command(EVAL, { GGSL_ADDON: addon() });
  expect(given.stdout).toContain('"cpu"');
  const { status, stderr } = consumer.command(EVAL, { GGSL_ADDON: "stub.c" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: The native runtime is not available: .*GGSL_ADDON/);
});

test("with pnpm's links the addon finds its libraries too", () => {
  const linked = new Consumer("pnpm");
  try {
    expect(linked.command(EVAL)).toMatchObject({ status: 0, stderr: "", stdout: expect.stringContaining('"cpu"') });
    renameSync(linked.addon, `${linked.addon}.away`);
    expect(linked.command(EVAL).stderr).toContain(`To fix it: pnpm add @ggsl/${PLATFORM}@0.2.0\n`);
  } finally {
    linked.remove();
  }
});
