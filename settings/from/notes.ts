/** The notes and errors of an import. */

/**
 * - `lost`: a setting that has no equivalent here
 * - `differs`: imported, but the results may differ slightly
 * - `unknown`: a key that is not known for the other tool
 * - `idle`: a setting that also has no effect in the other tool
 * - `run`: a setting of the model's context; `text` is the option of `ggsl run` for it
 * - `caller`: a setting that the calling program has to act on
 * - `other`: a setting that is not about sampling
 */
export type NoteKind = "lost" | "differs" | "unknown" | "idle" | "run" | "caller" | "other";

export interface Note {
  readonly kind: NoteKind;
  /** The setting's name in its source. */
  readonly key: string;
  /** Its place: `preset.json:12`, `word 3`. */
  readonly place: string;
  /** The reason, in a few words; empty if the kind is enough. */
  readonly text: string;
}

/** Settings that cannot be imported; the message names the place, what was expected and what was found. */
export class ImportError extends Error {
  override readonly name = "ImportError";
  readonly code = "INVALID_SETTINGS";
}

/** Kinds that are printed as warnings; the others are notes. */
const isWarning = ({ kind }: Note): boolean => kind === "lost" || kind === "differs" || kind === "unknown";

const MEANINGS: Readonly<Record<Exclude<NoteKind, "run">, string>> = {
  lost: "not carried over",
  differs: "not quite the same",
  unknown: "not carried over",
  idle: "no effect in the other tool either",
  caller: "for the calling program",
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

/** All options of `ggsl run`, each with its last value; undefined if there are none. */
export function runOptions(notes: readonly Note[]): { readonly keys: string[]; readonly words: string } | undefined {
  const found = notes.filter(({ kind }) => kind === "run");
  if (found.length === 0) return undefined;
  const byName = new Map(found.map(({ text }) => [text.split(" ", 1)[0]!, text]));
  return { keys: [...new Set(found.map(({ key }) => key))], words: [...byName.values()].join(" ") };
}

/** The maximum length of shown source text. */
const SHOWN = 80;

/** Source text in quotation marks, on one line, truncated. */
export function show(text: string): string {
  const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text;
  return JSON.stringify(cut).replace(/[\u007f-\u009f\u2028\u2029]/g, (c) => `\\u${hex(c)}`);
}

const hex = (c: string): string => c.charCodeAt(0).toString(16).padStart(4, "0");
