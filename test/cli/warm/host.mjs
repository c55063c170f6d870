/**
 * Runs commands of `ggsl` one after the other in this process: `node host.mjs MAIN`. A message has a command's arguments and folder;
 * the answer has what it printed and its exit status.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , file] = process.argv;
/** The bundle that MAIN loads. */
const [, bundle] = /await import\("(.*?)"\)/.exec(readFileSync(file, "utf8"));
const main = new URL(bundle, pathToFileURL(file)).href;

/** What the command has printed. */
let printed;
for (const name of ["stdout", "stderr"]) {
  process[name].write = (chunk, encoding, done = encoding) => {
    printed[name].push(Buffer.from(chunk));
    if (typeof done === "function") queueMicrotask(done);
    return true;
  };
  // each command listens for errors of its output
  process[name].setMaxListeners(0);
}
process.setMaxListeners(0);

const folder = mkdtempSync(join(tmpdir(), "ggsl-warm-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

/** Makes standard input a file with this content. */
function give(input) {
  const path = join(folder, "input");
  writeFileSync(path, input);
  closeSync(0);
  if (openSync(path) !== 0) throw new Error("expected a new file to be standard input");
}

let count = 0;
process.on("message", async ({ args, cwd, input }) => {
  printed = { stdout: [], stderr: [] };
  process.chdir(cwd);
  give(input);
  process.argv = [process.execPath, file, ...args];
  process.exitCode = undefined;
  try {
    // its imports are loaded once, itself again
    count++;
    await import(`${main}?command=${count}`);
  } catch (error) {
    printed.stderr.push(Buffer.from(`${error?.stack ?? error}\n`));
    process.exitCode = 1;
  }
  answer(process.exitCode ?? 0);
});
process.on("uncaughtException", (error) => {
  printed.stderr.push(Buffer.from(`${error.stack}\n`));
  answer(1);
});
process.on("disconnect", () => process.exit(0));

function answer(status) {
  const [stdout, stderr] = [printed.stdout, printed.stderr].map((chunks) => Buffer.concat(chunks).toString());
  process.exitCode = undefined;
  process.send({ status, stdout, stderr });
}
