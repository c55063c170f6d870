/** What an import says beside the program that it makes, and what keeps it from making one. */

/**
 * - `lost`: a setting that has no equal here
 * - `differs`: carried over, but not to the last bit
 * - `unknown`: a key that the other tool is not known to have
 * - `idle`: a setting without effect in the other tool, too
 * - `run`: a setting of the model's context; `text` is the option of `ggsl run` for it
 * - `other`: a setting that is not about sampling
 */
export type NoteKind = "lost" | "differs" | "unknown" | "idle" | "run" | "other";

export interface Note {
  readonly kind: NoteKind;
  /** The setting, as its source spells it. */
  readonly key: string;
  /** Where it stands: `preset.json:12`, `word 3`. */
  readonly place: string;
  /** Why, in a few words; empty where the kind says it all. */
  readonly text: string;
}

/** Settings that can not be imported; the message says where, what was expected and what was found. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

/** Kinds that a user has to know of; the others only explain. */
const isWarning = ({ kind }: Note): boolean => kind === "lost" || kind === "differs" || kind === "unknown";

const MEANINGS: Readonly<Record<Exclude<NoteKind, "run">, string>> = {
  lost: "not carried over",
  differs: "not quite the same",
  unknown: "not carried over",
  idle: "of no effect as it stands, there as here",
  other: "not about sampling",
};

/** A line for each note, one for the options of `ggsl run`, and one for all settings that are not about sampling. */
export function describeNotes(notes: readonly Note[]): string[] {
  const others = notes.filter(({ kind }) => kind === "other").map(({ key }) => show(key));
  const run = runOptions(notes);
  return [
    ...notes.flatMap((note) => (note.kind === "other" || note.kind === "run" ? [] : [describeNote(note, note.kind)])),
    ...(run ? [`note: about the model's context: ${run.keys.map(show).join(", ")}: ggsl run ${run.words}`] : []),
    ...(others.length > 0 ? [`note: ${MEANINGS.other}: ${[...new Set(others)].join(", ")}`] : []),
  ];
}

/** `warning: preset.json:12: "top_a": not carried over: why` */
function describeNote(note: Note, kind: keyof typeof MEANINGS): string {
  const severity = isWarning(note) ? "warning" : "note";
  const why = note.kind === "unknown" ? "this key is not known" : note.text;
  return `${severity}: ${note.place}: ${show(note.key)}: ${MEANINGS[kind]}${why === "" ? "" : `: ${why}`}`;
}

/** All options of `ggsl run`, of several values the last one; undefined where there are none. */
export function runOptions(notes: readonly Note[]): { readonly keys: string[]; readonly words: string } | undefined {
  const found = notes.filter(({ kind }) => kind === "run");
  if (found.length === 0) return undefined;
  const byName = new Map(found.map(({ text }) => [text.split(" ", 1)[0]!, text]));
  return { keys: [...new Set(found.map(({ key }) => key))], words: [...byName.values()].join(" ") };
}

/** The most characters of a foreign text that are shown. */
const SHOWN = 80;

/** A foreign text in quotes, on one line, and not too long of it. */
export function show(text: string): string {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${hex(c)}`);
}

const hex = (c: string): string => c.charCodeAt(0).toString(16).padStart(4, "0");
