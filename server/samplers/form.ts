/** What a client sent as `sampler`: a program, a pipeline or a spec, and the id of it. */
import { createHash } from "node:crypto";
import { DECLARATIONS } from "@ggsl/compiler/source/declarations.js";
import { firstCode } from "@ggsl/compiler/source/lexemes.js";
import type { SamplerForm } from "./types.js";

/** Everything that decides what is compiled. */
export interface Source {
  readonly form: SamplerForm;
  readonly text: string;
  readonly chain: string | undefined;
  readonly constrained: boolean;
  /** With the graph of its rows. */
  readonly rows?: boolean | undefined;
  /** With measures of what each stage does. */
  readonly trace?: boolean | undefined;
  /** A sampler of the server: its file, whose imports are read, or its name. Its limits are those of one's own programs. */
  readonly own?: { readonly name: string; readonly file?: string };
}

/** A pipeline begins with the name of a sampler, which is no keyword. */
export function formOf(text: string): SamplerForm {
  const first = firstCode(text.trimStart())?.text ?? "";
  if (first === "{") return "spec";
  return DECLARATIONS.has(first) ? "program" : "pipeline";
}

/** The names that samplers of the server can have. */
export const isName = (text: string): boolean => /^[A-Za-z_][\w.-]{0,63}$/.test(text);

/** Sources of a request and of the server have different ids: imports of the latter are read. */
export function idOf({ form, text, chain = "", constrained, rows, trace, own }: Source): string {
  const variants = [...(rows ? ["rows"] : []), ...(trace ? ["trace"] : [])];
  return createHash("sha256")
    .update(JSON.stringify([form, chain, constrained, own?.file ?? own?.name ?? "", ...variants]))
    .update(text)
    .digest("hex");
}

export const isId = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
