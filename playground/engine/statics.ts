/** The parameters of a chain that its program, not its graph, tells: static ones, and sets of tokens. */
import { evaluateConstant } from "@ggsl/compiler/check/constants.js";
import type { Program } from "@ggsl/compiler/check/program.js";
import { declaredRange } from "@ggsl/compiler/check/ranges.js";
import type { Chain, Expr } from "@ggsl/compiler/syntax/ast.js";
import { LIMITS } from "@ggsl/compiler/limits/format.js";
import type { SetParam, StaticParam } from "./messages.js";

/** Numbers and booleans only; texts and lists keep their defaults. */
export const staticParams = ({ main }: Program, { params }: Chain): StaticParam[] =>
  params.flatMap((p): StaticParam[] => {
    if (!p.isStatic || p.type === "text" || p.type === "list" || p.type === "tokens" || p.type === "grammar") return [];
    const value = p.default && evaluateConstant(p.default, main);
    const range = declaredRange(main, p);
    return [{ name: p.name.text, type: p.type, range, ...(value !== undefined && { default: value }) }];
  });

export const setParams = ({ main }: Program, { params }: Chain): SetParam[] =>
  params.flatMap((p): SetParam[] => {
    if (p.type !== "tokens") return [];
    const size = p.size ? evaluateConstant(p.size, main) : undefined;
    const standard = p.default && textOf(p.default);
    return [
      {
        ...{ name: p.name.text, isStatic: p.isStatic, capacity: size ?? LIMITS.list },
        ...(standard !== undefined && { default: standard }),
      },
    ];
  });

const textOf = ({ span }: Expr): string => span.source.text.slice(span.start, span.end);
