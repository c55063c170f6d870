/**
 * Which file of the checkout becomes which page. A file that a page links to is a page, too: Markdown as it is, a picture as a copy, all
 * else as a block of code.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { root } from "../tools/lib/process.js";

/** Pages with a name of their own; the pages of docs/ keep theirs. */
const NAMES: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  "docs/README.md": "contents.md",
  "CHANGELOG.md": "changelog.md",
  "CONTRIBUTING.md": "contributing.md",
  "SECURITY.md": "reporting.md",
};

/** Languages of blocks of code, where the name of the file does not say it. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ".service": "ini",
  ".conf": "nginx",
  ".txt": "cmake",
  ".h": "cpp",
  ".inc": "cpp",
};

const PICTURES = [".png", ".svg"];
/** Larger files are no pages: bytes. */
const MAX_CODE = 200_000;

/** Where a file of the checkout is in the site: both are paths with `/`. */
export function placeOf(file: string): string {
  const named = NAMES[file] ?? /^docs\/(.+)$/.exec(file)?.[1];
  if (named !== undefined) return named;
  return isMarkdown(file) || isPicture(file) ? `files/${file}` : `files/${file}.md`;
}

export const isMarkdown = (file: string): boolean => file.endsWith(".md");
export const isPicture = (file: string): boolean => PICTURES.includes(extname(file));

/**
 * The file that a link of a page means; a folder is its README.md.
 * @throws Error if there is none
 */
export function targetOf(page: string, path: string): string {
  const file = posix.normalize(posix.join(posix.dirname(page), path));
  const isOutside = file.startsWith("..");
  const isFolder = !isOutside && existsSync(join(root, file)) && statSync(join(root, file)).isDirectory();
  const target = isFolder ? posix.join(file, "README.md") : file;
  if (isOutside || !existsSync(join(root, target)))
    throw new Error(`${page}: the link to \`${path}\` has no target: there is no file ${target}`);
  return target;
}

/** A page that shows a file of code. */
export function codePage(file: string): string {
  const text = readFileSync(join(root, file), "utf8");
  if (text.length > MAX_CODE)
    throw new Error(
      `${file}: a page links to it, and it has ${text.length} characters; at most ${MAX_CODE} are allowed`,
    );
  const extension = extname(file);
  const language = LANGUAGES[extension] ?? extension.slice(1);
  // longer than any run of backticks in the file
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `# ${posix.basename(file)}\n\n\`${file}\`\n\n${fence}${language}\n${text.trimEnd()}\n${fence}\n`;
}
