/**
 * `npm run sanitize:addon`: the addon under AddressSanitizer and UndefinedBehaviorSanitizer, in Node.js, and its threads under
 * ThreadSanitizer, in a C++ program. Fails if a sanitizer reports anything. llama.cpp's libraries are prebuilt and have no
 * instrumentation: their memory errors are found where they touch freed memory of ours or the allocator, not within.
 *
 *     --threads   only ThreadSanitizer
 *     --addon     only the other two
 *     --only PART only the parts of the addon whose name contains this, such as "workers"
 *
 * Leaks are checked in the programs that end by themselves: Node.js then frees all that the addon owns. A leak is reported if the
 * addon is among the callers that allocated it; what V8 and llama.cpp leave on their own is not ours (native/leaks.supp has the
 * exceptions).
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { JEST } from "./jest.js";
import { readArguments } from "./lib/arguments.js";
import { buildSanitized } from "./build-native.js";
import { attempt, attemptNode, root, ToolError } from "./lib/process.js";

const MODEL = join("examples", "model", "demo-q8_0.gguf");
const SPEC = join("examples", "embed", "story.graph.json");

interface Program {
  readonly name: string;
  readonly args: readonly string[];
  readonly checksLeaks: boolean;
}

/** Jest ends its process while objects are alive, so that nothing can be said about leaks. */
const tests = (...files: string[]): Program => ({
  name: `tests: ${files.join(", ")}`,
  args: [...JEST, "--ci", "--runInBand", "--testTimeout=300000", ...files.map((file) => `test/${file}`)],
  checksLeaks: false,
});

const PROGRAMS: readonly Program[] = [
  // load, evaluate, join, leave, host tails and grammars, in workers that are terminated, and in the main thread
  { name: "workers", args: ["test/native/workers.mjs", "20", MODEL], checksLeaks: true },
  { name: "requests", args: ["test/native/requests.mjs", "10", MODEL], checksLeaks: true },
  { name: "process.exit()", args: ["test/native/exit.mjs", MODEL, "100"], checksLeaks: false },
  tests(
    "native/decode",
    "native/batched",
    "native/evaluate",
    "native/grammar",
    "native/tail",
    "native/wide",
    "native/fused",
    "native/bundles",
  ),
  // texts that a context writes on, and sequences that move
  tests("native/write", "native/followers", "native/caches", "e2e/gaps"),
  // texts of one character of up to megabytes, in threads with deep stacks
  tests("tokenize"),
  tests("random/fused", "random/bundles"),
  tests("e2e/scheduler", "e2e/context", "e2e/many", "e2e/sets"),
];

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments("npm run sanitize:addon -- [--threads | --addon] [--only PART]", {
    args,
    options: {
      threads: { type: "boolean", default: false },
      addon: { type: "boolean", default: false },
      only: { type: "string", default: "" },
    },
  });
  const programs = PROGRAMS.filter(({ name }) => name.includes(values.only));
  if (programs.length === 0) throw new ToolError(`sanitize: no part is called "${values.only}"`);
  const faults = [...(values.threads ? [] : await checkAddon(programs)), ...(values.addon ? [] : await checkThreads())];
  for (const fault of faults) console.error(`\n${fault}`);
  console.log(faults.length === 0 ? "sanitize: nothing was reported" : `sanitize: ${faults.length} reports`);
  return faults.length === 0 ? 0 : 1;
}

async function checkAddon(programs: readonly Program[]): Promise<string[]> {
  const { folder } = await buildSanitized("addon");
  const runtimes = await Promise.all(["libasan.so", "libubsan.so"].map(libraryOf));
  const faults: string[] = [];
  for (const { name, args, checksLeaks } of programs) {
    const logs = join(folder, "logs");
    rmSync(logs, { recursive: true, force: true });
    mkdirSync(logs);
    const log = `log_path=${join(logs, "log")}`;
    const start = performance.now();
    const { status, output, reason } = await attemptNode(args, {
      env: {
        LD_PRELOAD: runtimes.join(" "),
        GGSL_ADDON: join(folder, "ggsl.node"),
        // llama.cpp is built without frame pointers: only the slow unwinder sees who called it
        ASAN_OPTIONS: `${log}:detect_leaks=${checksLeaks ? 1 : 0}:fast_unwind_on_malloc=${checksLeaks ? 0 : 1}:malloc_context_size=40`,
        LSAN_OPTIONS: `suppressions=${join(root, "native", "leaks.supp")}:print_suppressions=0:exitcode=0`,
        UBSAN_OPTIONS: `${log}:print_stacktrace=1`,
      },
    });
    const reports = readdirSync(logs).flatMap((file) => reportsIn(readFileSync(join(logs, file), "utf8")));
    const expected = name === "process.exit()" ? 7 : 0;
    if (status !== expected && reports.length === 0)
      reports.push(`${reason ?? `status ${status}, expected ${expected}`}\n${output.slice(-4000)}`);
    console.log(`sanitize: ${name}: ${reports.length} reports, ${((performance.now() - start) / 1000).toFixed(0)} s`);
    faults.push(...reports.map((report) => `${name}: ${report}`));
  }
  return faults;
}

/** A frame of the addon, by its symbols or, without them, by its library. */
const OURS = /\bggsl::|ggsl\.node/;

/** Errors, and those leaks that the addon has a part in. */
export function reportsIn(log: string): string[] {
  if (!log.includes("LeakSanitizer")) return log.trim() === "" ? [] : [log.trim()];
  return log
    .split("\n\n")
    .filter((block) => / leak of \d+ byte/.test(block) && OURS.test(block))
    .map((block) => block.trim());
}

/** Programs of threads: the mechanisms alone; a sampler of the C library for each of 8 threads, in graphs and on the host; a loop. */
const THREADS: Readonly<Record<string, (libraries: string) => readonly [string, ...string[]]>> = {
  threads: (libraries) => ["ggsl_threads_test", libraries, MODEL],
  "threads of the C library": (libraries) => ["ggsl_library_test", "threads", libraries, MODEL, SPEC],
  // another thread ends texts of a loop while it runs
  "a loop of the C library": (libraries) => ["ggsl_loop_test", "ends", libraries, MODEL, "4", "24", SPEC],
};

async function checkThreads(): Promise<string[]> {
  const { folder, libraries } = await buildSanitized("threads");
  const faults: string[] = [];
  for (const [name, command] of Object.entries(THREADS)) {
    const start = performance.now();
    const [program, ...args] = command(libraries);
    const { status, output, reason } = await attempt(join(folder, program), args);
    const reports = output.split(/={10,}\n/).filter((part) => part.includes("WARNING: ThreadSanitizer"));
    if (status !== 0 && reports.length === 0) reports.push(`${reason ?? `status ${status}`}\n${output.slice(-4000)}`);
    console.log(`sanitize: ${name}: ${reports.length} reports, ${((performance.now() - start) / 1000).toFixed(0)} s`);
    faults.push(...reports.map((report) => `${name}: ${report}`));
  }
  return faults;
}

/** The path of one of the compiler's libraries. */
async function libraryOf(name: string): Promise<string> {
  const { output } = await attempt("g++", [`-print-file-name=${name}`]);
  if (!output.startsWith("/")) throw new ToolError(`sanitize: g++ has no ${name}: install the package of g++ again`);
  return output.trim();
}
