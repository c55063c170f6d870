/** Signature help for the call at the cursor. */
import type { SignatureHelp } from "vscode-languageserver";
import { findFunction } from "@ggsl/compiler/builtins/builtins.js";
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import type { Param } from "@ggsl/compiler/syntax/ast.js";
import type { OpenCall } from "./context.js";
import { argumentWords, tailHead, resultWord, textOf } from "./describe.js";

interface Signature {
  readonly label: string;
  readonly parameters: readonly string[];
  readonly names: readonly string[];
  readonly doc?: string | undefined;
}

/** Finds a sampler, a chain or a function by name, in scope or in the standard library. */
export type FindStage = (name: string) => { params: readonly Param[]; doc?: string | undefined } | undefined;

export function signatureHelp(call: OpenCall, findStage: FindStage): SignatureHelp | null {
  const found = signatureOf(call, findStage);
  if (!found) return null;
  const named = call.given.at(-1);
  const at = named === undefined ? call.index : found.names.indexOf(named);
  return {
    signatures: [
      {
        label: found.label,
        parameters: found.parameters.map((label) => ({ label })),
        ...(found.doc !== undefined && { documentation: { kind: "markdown", value: found.doc } }),
      },
    ],
    activeSignature: 0,
    activeParameter: Math.max(0, at),
  };
}

const isPick = (name: string): boolean => name === "sample" || name === "argmax";

function signatureOf({ kind, name }: OpenCall, findStage: FindStage): Signature | undefined {
  if (kind === "host") {
    const names = Object.keys(TAIL_SAMPLERS[name]!.params);
    return { label: tailHead(name), parameters: names, names };
  }
  if (kind === "stage" || !(isPick(name) || findFunction(name))) {
    const stage = findStage(name);
    if (!stage) return undefined;
    const parameters = stage.params.map(({ span }) => textOf(span).replace(/\s+/g, " "));
    const names = stage.params.map((p) => p.name.text);
    return { label: `${name}(${parameters.join(", ")})`, parameters, names, doc: stage.doc };
  }
  if (isPick(name)) {
    const parameters = name === "sample" ? ["seed", "at"] : ["expr"];
    return { label: `pick ${name}(${parameters.join(", ")})`, parameters, names: parameters };
  }
  const builtin = findFunction(name);
  if (!builtin) return undefined;
  const parameters = argumentWords(name);
  return { label: `${name}(${parameters.join(", ")}) -> ${resultWord(name)}`, parameters, names: [], doc: builtin.doc };
}
