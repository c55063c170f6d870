/** Programs of this project, and the same programs with random spaces and comments. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "../../compiler/syntax/parse.js";
import type { SourceFile } from "../../compiler/source/source.js";
import { generateBody } from "../language/generator.js";
import type { Random } from "../parity/random.js";

const FOLDERS = ["compiler/std", "examples", "test/diagnostics", "test/diagnostics/files", "test/vulkan"];
const PAGES = [
  "README.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

/** All program files. */
export const programFiles = (): string[] =>
  FOLDERS.filter((folder) => existsSync(folder)).flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".ggsl"))
      .map((name) => join(folder, name)),
  );

const blocksOf = (page: string): SourceFile[] =>
  [...readFileSync(page, "utf8").matchAll(/^```ggsl\n([^]*?)^```/gm)].map((m, i) => ({
    name: `${page} block ${i + 1}`,
    text: m[1]!,
  }));

/** Blocks of the documentation. */
export const docBlocks = (): SourceFile[] => PAGES.flatMap(blocksOf);

export const readSource = (name: string): SourceFile => ({ name, text: readFileSync(name, "utf8") });

const generated = (seed: number): SourceFile => ({
  name: `generated ${seed}`,
  text: `sampler s() {\n${generateBody(seed, 8).join("\n")}\n}\n`,
});

export const parses = (source: SourceFile): boolean => parse(source).diagnostics.length === 0;

/** Program files, blocks of the documentation and generated programs without a syntax error. */
export const corpus = (): SourceFile[] =>
  [
    ...programFiles().map(readSource),
    ...docBlocks(),
    ...Array.from({ length: 20 }, (_, seed) => generated(seed)),
  ].filter(parses);

const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?\*\/|\/(?<=[(,]\s*\/)(?:\\.|[^/\\\n])+\/|->|\.\.|"(?:\\.|[^"\\\n])*"|(?:\d+\.\d+|\.\d+|\d+)(?:[eE][-+]?\d+)?|[\p{L}_][\p{L}\d_]*|\|>|[-+*/<>=!]=|\S/gu;

/** The tokens of a text, including comments, without trailing blanks. */
export const tokensOf = (text: string): string[] => [...text.matchAll(TOKEN)].map(([token]) => token.trimEnd());

export const commentsOf = (text: string): string[] => tokensOf(text).filter((token) => /^\/[/*]/.test(token));

/** The tokens of a text with random spaces between them, and more comments. */
export function respaced(text: string, r: Random): string {
  let count = 0;
  const comment = (): string => `//${" ".repeat(r.below(3))}c${count++} "x" { [${" ".repeat(r.below(2))}\n`;
  const spaces = (): string => [" ", "\n", "\t", "\r\n", "\n\n\n", "  \n \n"][r.below(6)]!;
  const block = (): string => `/* c${count++}${["", "\n", " // "][r.below(3)]!} "x */`;
  const comments = [() => ` ${comment()}`, () => `\n ${comment()}`, () => ` ${block()} `, () => `\n${block()}\n`];
  const separators = [spaces, spaces, spaces, spaces, spaces, spaces, () => "", ...comments];
  const parts = tokensOf(text).map((token, i, all) => {
    const next = all[i + 1] ?? "";
    if (token.startsWith("//")) return `${token}\n${separators[r.below(separators.length)]!()}`;
    const separator = separators[r.below(separators.length)]!();
    // words and operators need a separator
    const isJoined = separator === "" && /^[\p{L}\d_."]|^[^\p{L}\d_"(){}[\],:]/u.test(next);
    return token + (isJoined ? " " : separator);
  });
  return separators[r.below(separators.length)]!() + parts.join("");
}
