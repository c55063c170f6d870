/** What an option or argument can be completed with in a shell. */
import type { Argument, Option } from "commander";

export type Values =
  /** One of these words, or a comma-separated list of them. */
  | { readonly words: readonly string[]; readonly isList?: true }
  /** The names of the standard samplers. */
  | { readonly stages: true }
  /** Files with these extensions; with none, any file. */
  | { readonly files: readonly string[] }
  | { readonly folders: true };

const given = new WeakMap<Option | Argument, Values>();

/** The same option or argument, which is completed with these values. */
export function withValues<T extends Option | Argument>(of: T, values: Values): T {
  given.set(of, values);
  return of;
}

/** Undefined for a value that cannot be completed, such as a number. */
export function valuesOf(of: Option | Argument): Values | undefined {
  const present = given.get(of);
  if (present) return present;
  if (of.argChoices) return { words: of.argChoices };
  const name = nameOf(of);
  if (name === "gguf") return { files: ["gguf"] };
  if (/^(dir|folder)$/.test(name)) return { folders: true };
  return name.includes("file") ? { files: [] } : undefined;
}

/** `file` of `--root <file>`, of `[file]` and of `<files...>`. */
const nameOf = (of: Option | Argument): string =>
  "flags" in of ? (/[<[](.*?)(?:\.\.\.)?[\]>]/.exec(of.flags)?.[1] ?? "") : of.name();
