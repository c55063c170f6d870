/** A folder with the packages as a package manager installs them: those of this project and of llama.cpp as copies, others as links. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";

/** Adds what a package manager installs on another platform. */
export function addPlatform({ folder }: Consumer, platform: string): void {
  for (const [from, name] of [
    ["build/platforms", "@ggsl"],
    ["node_modules/@node-llama-cpp", "@node-llama-cpp"],
  ] as const)
    copy(join(from, platform), join(folder, "node_modules", name, platform));
}

export const PLATFORM = `${process.platform}-${process.arch}`;
export const DEMO = resolve("examples/model/demo-q8_0.gguf");
const MODULE = "build/wasm-llama/out/ggsl-llama.wasm";

/** Whether the WebAssembly module with llama.cpp is built, which needs emscripten. */
const hasModule = existsSync(MODULE);

export interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How packages are laid out: beside each other, or with links to folders of their own. */
type Layout = "npm" | "pnpm";

export class Consumer {
  /** The folders of ggsl, of the addon's package and of llama.cpp's libraries. */
  readonly ggsl: string;
  readonly addon: string;
  readonly llama: string;

  /** Outside the checkout, whose packages would be found too. */
  readonly folder = mkdtempSync(join(tmpdir(), "ggsl-consumer-"));

  constructor(layout: Layout = "npm") {
    const { folder } = this;
    const modules = join(folder, "node_modules");
    const real = (id: string): string =>
      layout === "npm" ? modules : join(modules, ".pnpm", id.replace("/", "+"), "node_modules");
    const [addon, llama] = [`@ggsl/${PLATFORM}`, `@node-llama-cpp/${PLATFORM}`];
    this.ggsl = join(real("ggsl"), "ggsl");
    this.addon = join(real(addon), addon);
    this.llama = join(real(llama), llama);
    copy("build/platforms/" + PLATFORM, this.addon);
    copy(join("node_modules", llama), this.llama);
    for (const file of ["package.json", "dist"]) copy(join("runtime", file), join(this.ggsl, file));
    if (hasModule) copy(MODULE, join(this.ggsl, "dist/wasm/ggsl-llama.wasm"));
    for (const id of others()) link(resolve("node_modules", id), join(real("ggsl"), id));
    if (layout === "pnpm") {
      link(this.ggsl, join(modules, "ggsl"));
      link(this.addon, join(real("ggsl"), addon));
      link(this.llama, join(real(addon), llama));
    }
    writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
  }

  /** Runs Node.js in the folder. */
  node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Result {
    const { GGSL_ADDON: _, ...inherited } = process.env;
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: "utf8",
      cwd: this.folder,
      env: { ...inherited, ...env },
    });
    return { status, stdout, stderr };
  }

  command(args: readonly string[], env?: Readonly<Record<string, string>>): Result {
    return this.node([join(this.ggsl, "dist/cli/main.js"), ...args], env);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Installed packages, except those that a test takes away. */
function others(): string[] {
  const names = readdirSync("node_modules").filter((name) => !name.startsWith(".") && name !== "ggsl");
  return names
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join("node_modules", name)).map((inner) => `${name}/${inner}`) : [name],
    )
    .filter((name) => !name.startsWith("@node-llama-cpp/") && !/^@ggsl\/\w+-\w+$/.test(name));
}

function link(to: string, from: string): void {
  mkdirSync(dirname(from), { recursive: true });
  symlinkSync(relative(dirname(from), to), from);
}

/** Copies a file or a folder. */
function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, dereference: true });
}
