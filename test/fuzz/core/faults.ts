/** Which outcomes are faults. */
import { CompileError } from "../../../compiler/diagnostics/diagnostic.js";
import { SpecError } from "../../../compiler/graph/json.js";
import { OptionError } from "../../../compiler/core/optionError.js";
import { AbortError, InputError } from "../../../runtime/core/errors.js";
import { ExportError } from "../../../settings/to/export.js";
import { ImportError } from "../../../settings/from/notes.js";
import { Wrong } from "./generator.js";

type FaultKind = "crash" | "hang" | "slow" | "memory" | "error" | "wrong";

export interface Fault {
  readonly kind: FaultKind;
  readonly message: string;
  /** Faults with the same key are counted as one. */
  readonly key: string;
}

const DECLARED = [CompileError, SpecError, OptionError, InputError, AbortError, ImportError, ExportError];

/** Whether the documentation names this class of error for wrong input. */
const isDeclared = (error: unknown): boolean => DECLARED.some((known) => error instanceof known);

/** The fault of a thrown value, if it is one. */
export function faultOf(thrown: unknown): Fault | undefined {
  if (isDeclared(thrown) && !/internal error/i.test((thrown as Error).message)) return undefined;
  const { name, message, stack = "" } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const kind = thrown instanceof Wrong ? "wrong" : "error";
  const first = `${name}: ${message}`;
  // a stack overflow ends at any frame
  const isOverflow = /call stack/i.test(message);
  return {
    kind,
    message: `${first}\n${framesOf(stack)}`,
    key: `${kind} ${shape(first)} ${isOverflow ? "" : placeOf(stack)}`,
  };
}

/** A message without the numbers and names of the case. */
const shape = (message: string): string =>
  message
    .replaceAll(/(["'`]).*?\1/gs, "x")
    .replaceAll(/-?\d[\d.e+-]*/g, "0")
    .slice(0, 120);

const framesOf = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .join("\n");

/** The innermost function of this project, without the line, so that edits do not make a new fault. */
function placeOf(stack: string): string {
  const line = stack.split("\n").find((l) => /^\s+at /.test(l) && !/node:|node_modules/.test(l)) ?? "";
  return /at (?:async )?(\S+) .*?([^/]+\.[tj]s)/.exec(line)?.slice(1).join(" ") ?? "";
}
