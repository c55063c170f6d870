/** The parameters of a chain that its program, not its graph, tells: static ones, and sets of tokens. */
import { chainIn } from "@ggsl/compiler/check/chains.js";
import type { Program } from "@ggsl/compiler/check/program.js";
import { paramsOf } from "@ggsl/compiler/check/types.js";
import type { Chain, Expr } from "@ggsl/compiler/syntax/ast.js";
import { LIMITS } from "@ggsl/compiler/limits/format.js";
import type { SetParam, StaticParam } from "./messages.js";

/** Numbers and booleans only; texts and lists keep their defaults. */
export const staticParams = ({ main }: Program, chain: Chain): StaticParam[] =>
  paramsOf(chainIn(main, chain)).value.flatMap(({ declaration, range, default: standard }): StaticParam[] => {
    const { name, type, isStatic } = declaration;
    if (
      !isStatic ||
      type === "text" ||
      type === "list" ||
      type === "tokens" ||
      type === "grammar" ||
      type === "phrases"
    )
      return [];
    const value = standard?.constant;
    return [{ name: name.text, type, range, ...(value !== undefined && { default: value }) }];
  });

export const setParams = ({ main }: Program, chain: Chain): SetParam[] =>
  paramsOf(chainIn(main, chain)).value.flatMap(({ declaration, capacity }): SetParam[] => {
    const { name, type, isStatic, default: standard } = declaration;
    if (type !== "tokens") return [];
    const size = capacity ?? LIMITS.list;
    return [{ name: name.text, isStatic, capacity: size, ...(standard && { default: textOf(standard) }) }];
  });

const textOf = ({ span }: Expr): string => span.source.text.slice(span.start, span.end);
