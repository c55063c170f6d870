/** Exported names that nothing takes: a check of `npm run lint`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { entryPoints } from "../api/entries.js";
import { manifestOf } from "../lib/packages.js";
import { attempt, root, type Ended } from "../lib/process.js";
import { unusedExports, type Project, type Unused } from "./unused.js";

/** What is taken by text that is no module here, or by a program that is not this one's. */
const ELSEWHERE: Readonly<Record<string, readonly string[]>> = {
  ".dependency-cruiser.js": ["PACKAGES", "PHASES", "LAYERS"],
  "compiler/std/entry.ts": ["StdEntry"],
  "editors/vscode/src/extension.ts": ["activate", "deactivate"],
  "runtime/backends/devices/tryDriver.ts": ["tryDriver"],
  "runtime/backends/remote/serve.ts": ["serveRemote"],
  "runtime/chat/threads/serve.ts": ["serveChat"],
  "runtime/grammars/threads/serve.ts": ["serveGrammars"],
  "runtime/models/tryModel.ts": ["tryModel"],
  "site/config.ts": ["configOf"],
  // only its types are checked
  "test/native/stageTypes.test.ts": ["STAGES"],
};

/** Written by tools, or read by tests as texts. */
const OTHERS = /\.generated\.ts$|\.d\.m?ts$|^examples\/|^test\/(?:codegen|packages)\/(?:files|types)\//;

/** Lists the names. */
export async function checkExports(): Promise<Ended> {
  const unused = unusedExports(await thisProject());
  return { status: unused.length === 0 ? 0 : 1, output: unused.map(describe).join("") };
}

const describe = ({ file, line, name }: Unused): string =>
  `${file}:${line}: exports ${name}, which no other module takes. Remove it, or its \`export\`.\n`;

/** The modules of this checkout that git knows. */
async function thisProject(): Promise<Project> {
  const { output } = await attempt("git", ["ls-files", "--cached", "--others", "--exclude-standard"]);
  const paths = output.split("\n").filter((path) => /\.(?:[cm]?[jt]s|vue)$/.test(path));
  const entries = new Set(entryPoints().map(({ source }) => source));
  return {
    texts: new Map(paths.flatMap((path) => textOf(path) ?? [])),
    packages: packages(),
    isPublic: (file, name) =>
      entries.has(file) ||
      OTHERS.test(file) ||
      ELSEWHERE[file]?.includes(name) === true ||
      (name === "main" && /^tools\/[^/]+\.ts$/.test(file)),
  };
}

/** The text of a module, of a component its script; undefined if it is gone. */
function textOf(path: string): [path: string, text: string][] | undefined {
  try {
    const text = readFileSync(join(root, path), "utf8");
    return [[path, path.endsWith(".vue") ? (/<script[^>]*>([^]*?)<\/script>/.exec(text)?.[1] ?? "") : text]];
  } catch {
    return undefined;
  }
}

function packages(): Project["packages"] {
  const { workspaces } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly workspaces: readonly string[];
  };
  return new Map(
    workspaces.map((folder) => {
      const entry = entryPoints().find(({ name }) => name === manifestOf(folder).name)?.source;
      return [manifestOf(folder).name, { folder, entry: entry ?? `${folder}/index.ts` }];
    }),
  );
}
