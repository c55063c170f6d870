/** Traces: `ggsl run --trace` writes what `ggsl trace` reads. The form is that of runtime/schemas/trace.schema.json. */
import { TRACE_COLUMNS as COLUMNS, type TraceColumn } from "@ggsl/compiler/graph/trace.js";
import { InputError } from "ggsl/core/errors.js";
import type { Piece } from "ggsl/generation/generate.js";
import { MAX_BYTES, readJson, writeOutput } from "../files.js";
import { membersOf } from "../json.js";

/** What each stage made of the rows and of a token: a number for each stage, the model first. */
type Columns = Readonly<Record<TraceColumn, readonly number[]>>;

export interface TracedToken extends Partial<Columns> {
  readonly token: number;
  /** Whole characters only, as in a text that is written token by token. */
  readonly text: string;
}

/** Of a token that the chain picked. */
export const columnsOf = (token: TracedToken): Columns | undefined =>
  COLUMNS.every((column) => token[column] !== undefined) ? (token as TracedToken & Columns) : undefined;

export interface TraceFile {
  readonly format: "ggsl-trace";
  readonly version: 1;
  readonly model: string;
  readonly prompt: string;
  /** The stages of the chain, after `model`. */
  readonly stages: readonly string[];
  readonly texts: readonly (readonly TracedToken[])[];
}

export const tracedToken = ({ token, text, trace }: Piece): TracedToken => ({
  token,
  text,
  ...(trace && Object.fromEntries(COLUMNS.map((column) => [column, trace.map((stage) => stage[column])]))),
});

/** Writes the trace of texts. */
export function writeTrace(path: string, trace: Omit<TraceFile, "format" | "version">): void {
  const whole: TraceFile = { format: "ggsl-trace", version: 1, ...trace };
  writeOutput(path, `${JSON.stringify(whole)}\n`);
}

/** Reads such a file. Throws `InputError`. */
export function readTrace(path: string): TraceFile {
  const data = readJson(path, MAX_BYTES.numbers);
  const fault = faultIn(data);
  if (fault === undefined) return data as TraceFile;
  throw new InputError(`"${path}" is no trace: ${fault}; expected what \`ggsl run --trace\` has written`, {
    code: "INVALID_FILE",
  });
}

const isText = (value: unknown): value is string => typeof value === "string";

function faultIn(data: unknown): string | undefined {
  const { format, version, model, prompt, stages, texts } = membersOf(data);
  if (format !== "ggsl-trace") return "it has no `format` of a trace";
  if (version !== 1) return `it is of version ${JSON.stringify(version)}, and this release reads version 1`;
  if (!isText(model) || !isText(prompt)) return "`model` and `prompt` must be texts";
  if (!Array.isArray(stages) || stages.length === 0 || !stages.every(isText)) return "`stages` must be a list of texts";
  if (!Array.isArray(texts) || !texts.every(Array.isArray)) return "`texts` must be a list of lists";
  const isColumn = (value: unknown): boolean =>
    Array.isArray(value) && value.length === stages.length && value.every((one) => typeof one === "number");
  for (const [i, tokens] of (texts as unknown[][]).entries()) {
    const bad = tokens.findIndex((one) => {
      const { token, text, ...columns } = membersOf(one);
      const given = COLUMNS.filter((column) => columns[column] !== undefined);
      const isWhole =
        given.length === 0 || (given.length === COLUMNS.length && given.every((c) => isColumn(columns[c])));
      return !Number.isInteger(token) || !isText(text) || !isWhole;
    });
    if (bad >= 0) return `\`texts[${i}][${bad}]\` is no token with a number for each stage`;
  }
  return undefined;
}
