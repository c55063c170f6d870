/** Writes the pages, as VitePress reads them, to a folder: those of the documentation and all files that they link to. */
import { WORD } from "@ggsl/compiler/source/lexemes.js";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { root } from "../tools/lib/process.js";
import { mapLinks } from "./links.js";
import { codePage, isMarkdown, isPicture, placeOf, targetOf } from "./sources.js";
import { tryProgram, trySampler } from "./try.js";

/** The pages that need no link; `placeOf` says where they are. */
const FIRST = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];

export function writePages(folder: string): void {
  mkdirSync(join(folder, "public"), { recursive: true });
  for (const file of ["playground/icon.svg", "docs/pictures/playground.webp"])
    copyFileSync(join(root, file), join(folder, "public", basename(file)));
  const queue = [
    ...FIRST,
    ...readdirSync(join(root, "docs"))
      .filter(isMarkdown)
      .map((name) => `docs/${name}`),
  ];
  const known = new Set(queue);
  for (const file of queue) {
    const to = join(folder, placeOf(file));
    mkdirSync(dirname(to), { recursive: true });
    if (isPicture(file)) {
      copyFileSync(join(root, file), to);
      continue;
    }
    const linked = (path: string): string => {
      const target = targetOf(file, path);
      if (!known.has(target)) queue.push(target);
      known.add(target);
      return relativeLink(placeOf(file), placeOf(target));
    };
    writeFileSync(to, isMarkdown(file) ? mapLinks(pageOf(file), linked) : codePage(file));
  }
}

function relativeLink(from: string, to: string): string {
  const path = posix.relative(posix.dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

/** The text of a Markdown file as a page: with what can be tried beside it. */
function pageOf(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  if (file !== "README.md") return withTries(file, text);
  const head = readFileSync(join(root, "site", "home.yaml"), "utf8");
  // the head has the title
  return `---\n${head}---\n\n${withTries(file, text.replace(/^# .*\n/, ""))}`;
}

const SAMPLER = new RegExp(`^sampler (${WORD})`, "mu");
const STAGE = new RegExp(`^(?:sampler|chain) (${WORD})`, "mu");
const BLOCK = /^```ggsl(?: \S+)?\n([^]*?)^```$/gm;

/** Puts what can be tried below each block of GGSL; those of the library's page show the standard samplers themselves. */
function withTries(file: string, text: string): string {
  return text.replace(BLOCK, (block, code: string) => {
    const sampler = file === "docs/std.md" ? SAMPLER.exec(code)?.[1] : undefined;
    const link = sampler === undefined ? tryProgram(code) : trySampler(sampler);
    const name = sampler ?? STAGE.exec(code)?.[1] ?? "the program";
    return link === undefined ? block : `${block}\n\n<TryIt name="${name}" link="${link}" />`;
  });
}
