/** Calls of the host tail's stages. */
import { TAIL_SAMPLERS, type TailSampler } from "../llama/samplers.js";
import type { Expr, Param, StageCall } from "../syntax/ast.js";
import { resolveArgs } from "./arguments.js";
import type { Diagnostic } from "./diagnostics.js";

/** The arguments of a tail stage by parameter, as they were given. */
export function resolveTailArgs(call: StageCall): {
  bound: ReadonlyMap<string, Expr>;
  diagnostics: readonly Diagnostic[];
} {
  const params: TailSampler["params"] = TAIL_SAMPLERS[call.name.text]?.params ?? {};
  const declared = Object.entries(params).map(([name, p]): Param => {
    const { span } = call.name;
    const value: Expr = { kind: "number", value: 0, isInt: true, span };
    return {
      name: { text: name, span },
      type: "f32",
      isStatic: true,
      ...(p.default !== undefined && { default: value }),
      span,
    };
  });
  const { bound, diagnostics } = resolveArgs(declared, call.args, { name: call.name.text, span: call.name.span });
  return { bound: new Map([...bound].map(([name, arg]) => [name, arg.value])), diagnostics };
}
