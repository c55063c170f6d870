/** The notes and errors of an import. */

/**
 * - `lost`: a setting that has no equivalent here
 * - `differs`: imported, but the results may differ slightly
 * - `unknown`: a key that is not known for the other tool
 * - `idle`: a setting that also has no effect in the other tool
 * - `run`: a setting of the model's context; `text` is the option of `ggsl run` for it
 * - `generation`: a setting of the generation beside the sampler; `text` is the option of `ggsl run` for it, `api` that in TypeScript
 * - `caller`: a setting that the calling program has to act on
 * - `other`: a setting that is not about sampling
 */
export type NoteKind = "lost" | "differs" | "unknown" | "idle" | "run" | "generation" | "caller" | "other";

export interface Note {
  readonly kind: NoteKind;
  /** The setting's name in its source. */
  readonly key: string;
  /** Its place: `preset.json:12`, `word 3`. */
  readonly place: string;
  /** The reason, in a few words; empty if the kind is enough. */
  readonly text: string;
  /** The option in TypeScript. */
  readonly api?: string;
}

/** Settings that cannot be imported; the message names the place, what was expected and what was found. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code = "INVALID_SETTINGS";
}

/** Kinds that are printed as warnings; the others are notes. */
const isWarning = ({ kind }: Note): boolean => kind === "lost" || kind === "differs" || kind === "unknown";

const MEANINGS: Readonly<Record<Exclude<NoteKind, OptionKind>, string>> = {
  lost: "not carried over",
  differs: "not quite the same",
  unknown: "not carried over",
  idle: "no effect in the other tool either",
  caller: "for the calling program",
  other: "not about sampling",
};

/** Kinds whose notes are one line together. */
type OptionKind = "generation" | "run";

/** What the options are about, for the beginning of their line. */
export const ABOUT: readonly (readonly [kind: OptionKind, what: string])[] = [
  ["generation", "about the generation"],
  ["run", "about the model's context"],
];

/** A line for each note, one each for the options of the generation and the context, and one for all settings about neither. */
export function describeNotes(notes: readonly Note[]): string[] {
  const others = notes.filter(({ kind }) => kind === "other").map(({ key }) => show(key));
  return [
    ...notes.flatMap((note) => (isOption(note.kind) || note.kind === "other" ? [] : [describeNote(note, note.kind)])),
    ...ABOUT.flatMap(([kind, what]) => {
      const found = runOptions(notes, kind);
      return found ? [`note: ${what}: ${found.keys.map(show).join(", ")}: ${found.words.join(" ")}`] : [];
    }),
    ...(others.length > 0 ? [`note: ${MEANINGS.other}: ${[...new Set(others)].join(", ")}`] : []),
  ];
}

/** `warning: preset.json:12: "top_a": not carried over: why` */
function describeNote(note: Note, kind: keyof typeof MEANINGS): string {
  const severity = isWarning(note) ? "warning" : "note";
  const why = note.kind === "unknown" ? "this key is not known" : note.text;
  return `${severity}: ${note.place}: ${show(note.key)}: ${MEANINGS[kind]}${why === "" ? "" : `: ${why}`}`;
}

const isOption = (kind: NoteKind): kind is OptionKind => kind === "generation" || kind === "run";

/**
 * The options of `ggsl run` of a kind, each with its last value but for `--stop`, which is repeated, and their names in TypeScript:
 * words that no line break may split. Undefined if there are none.
 */
export function runOptions(
  notes: readonly Note[],
  kind: OptionKind,
): { readonly keys: string[]; readonly words: string[] } | undefined {
  const found = notes.filter((note) => note.kind === kind);
  if (found.length === 0) return undefined;
  const parts = new Map(found.map(({ text }) => [optionOf(text), text]));
  const seen = new Set<string>();
  const words = [...parts.values()].map((text) => withoutRepeated(text, seen));
  const names = [...new Set(found.flatMap(({ api }) => api ?? []))];
  const inTypeScript = names.length === 0 ? [] : [`in TypeScript ${names.join(", ")}`];
  return {
    keys: [...new Set(found.map(({ key }) => key))],
    words: [
      "ggsl run",
      ...words.slice(0, -1),
      `${words.at(-1)!}${inTypeScript.length > 0 ? ";" : ""}`,
      ...inTypeScript,
    ],
  };
}

/** The text itself for an option that can be repeated. */
const optionOf = (text: string): string => (text.startsWith("--stop ") ? text : /^(?:-\S+ ?)+/.exec(text)![0].trim());

/** `--chat` and `--json` are given once. */
function withoutRepeated(text: string, seen: Set<string>): string {
  const [, first, rest] = /^(--chat|--json) (.*)$/s.exec(text) ?? [];
  if (first === undefined || !seen.has(first)) return (first !== undefined && seen.add(first), text);
  return rest!;
}

/** The maximum length of shown source text. */
const SHOWN = 80;

/** Source text in quotation marks, on one line, truncated. */
export function show(text: string): string {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${hex(c)}`);
}

const hex = (c: string): string => c.charCodeAt(0).toString(16).padStart(4, "0");
