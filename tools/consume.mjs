/**
 * Installs the tarballs of a folder into an empty project, on any platform, and runs a chain and the demo model there:
 *
 *     node tools/consume.mjs FOLDER BACKEND
 *
 * BACKEND, cpu or wasm, is what they must run on; wasm with one line on standard error, cpu with none. `published`: cpu if the folder
 * has an addon for this platform, else wasm. JavaScript, and without packages, because it runs where the checkout is not set up.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [folder, expected] = process.argv.slice(2);
const suffix =
  process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined ? "-musl" : "";
const platform = `-${process.platform}-${process.arch}${suffix}-`;
const isAddon = (file) => /^ggsl-[a-z0-9]+-(x64|arm64)(-musl)?-\d/.test(file);
const isHere = (file) => isAddon(file) && new RegExp(`^ggsl${platform}\\d`).test(file);
const isPublished = readdirSync(folder).some(isHere);
const backend = expected === "published" ? (isPublished ? "cpu" : "wasm") : expected;
// the platform's own addon only where it must run: npm would refuse it elsewhere
const files = readdirSync(folder).filter((file) => !isAddon(file) || (backend === "cpu" && isHere(file)));
const tarballs = files.filter((file) => file.endsWith(".tgz")).map((file) => resolve(folder, file));

const project = mkdtempSync(join(tmpdir(), "ggsl-consume-"));
writeFileSync(join(project, "package.json"), '{ "name": "consumer", "private": true }\n');
run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...tarballs], process.platform === "win32");

const main = join(project, "node_modules", "ggsl", "dist", "cli", "main.js");
check(["eval", "-e", "greedy()", "--probs", "0.1,0.6,0.3", "--json"]);
check(["run", "-e", "greedy()", "-n", "8", "--json"]);
rmSync(project, { recursive: true, force: true });

/** Runs the command and checks the backend and the line about it. */
function check(args) {
  const { stdout, stderr } = run(process.execPath, [main, ...args]);
  const found = JSON.parse(stdout).backend;
  const isSaid = /^ggsl: no native addon: .*WebAssembly.*\n$/.test(stderr);
  if (found !== backend || (backend === "wasm" ? !isSaid : stderr !== ""))
    throw new Error(`ggsl ${args[0]} ran on ${found}, expected ${backend}; standard error:\n${stderr}`);
  console.log(`ggsl ${args[0]}: on ${found}${stderr && `, ${stderr.trimEnd()}`}`);
}

function run(command, args, shell = false) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd: project, encoding: "utf8", shell });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed: ${error?.message ?? ""}\n${stdout}${stderr}`);
  return { stdout, stderr };
}
