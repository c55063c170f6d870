/** Installs code-server, which is Visual Studio Code in a browser. Its native modules are compiled here, without its scripts. */
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt, root, run, ToolError } from "./process.js";

/** The last version for Node.js 20; later ones need a newer one. */
const VERSION = "4.100.3";
const FOLDER = join(root, "build", "code-server");
const HOME = join(FOLDER, "node_modules", "code-server");
const VSCODE = join(HOME, "lib", "vscode");
const DONE = join(FOLDER, `installed-${VERSION}`);

const INSTALL = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
/** What it does not start without, or has no terminal. */
const NATIVE = ["node-pty", "@vscode/spdlog", "native-watchdog"];

/** Returns the file that starts it. */
export async function installCodeServer(): Promise<string> {
  const entry = join(HOME, "out", "node", "entry.js");
  if (existsSync(DONE)) return entry;
  console.log(`check:editors: installing code-server ${VERSION} into build/code-server (300 MB)`);
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, "package.json"), JSON.stringify({ private: true }));
  await run("npm", [...INSTALL, `code-server@${VERSION}`], { cwd: FOLDER, what: "installing code-server" });
  await run("npm", [...INSTALL, "--omit=dev"], { cwd: VSCODE, what: "installing what VS Code needs" });
  // as its own script does
  symlinkSync("node_modules", join(VSCODE, "node_modules.asar"));
  for (const name of NATIVE) await compile(join(VSCODE, "node_modules", name), []);
  // what its own script, which first tries to download it, tells node-gyp
  const argon2 = join(FOLDER, "node_modules", "argon2");
  const binding = join(argon2, "lib", "binding", "napi-v3");
  await compile(argon2, [
    ...[`--module=${join(binding, "argon2.node")}`, "--module_name=argon2"],
    ...[`--module_path=${binding}`, "--napi_build_version=3"],
  ]);
  writeFileSync(DONE, "");
  return entry;
}

/** Compiles a native module for this Node.js, by the node-gyp that npm contains. */
async function compile(folder: string, options: readonly string[]): Promise<void> {
  const { output } = await attempt("npm", ["root", "--global", "--loglevel=error"]);
  const modules = output.trim().split("\n").at(-1)!;
  const gyp = join(modules, "npm", "node_modules", "node-gyp", "bin", "node-gyp.js");
  if (!existsSync(gyp)) throw new ToolError(`npm has no node-gyp: ${gyp} does not exist`);
  const prefix = dirname(dirname(process.execPath));
  // else it downloads the headers
  const headers = existsSync(join(prefix, "include", "node", "node.h")) ? [`--nodedir=${prefix}`] : [];
  await run(process.execPath, [gyp, "rebuild", ...headers, ...options], { cwd: folder, what: `compiling ${folder}` });
}
