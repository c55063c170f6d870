/** The static parameters of a chain. */
import { evaluateConstant } from "@ggsl/compiler/check/constants.js";
import type { Program } from "@ggsl/compiler/check/program.js";
import { declaredRange } from "@ggsl/compiler/check/ranges.js";
import type { Chain } from "@ggsl/compiler/syntax/ast.js";
import type { StaticParam } from "./messages.js";

/** Numbers and booleans only; texts, lists and sets of tokens keep their defaults. */
export const staticParams = ({ main }: Program, { params }: Chain): StaticParam[] =>
  params.flatMap((p): StaticParam[] => {
    if (!p.isStatic || p.type === "text" || p.type === "list" || p.type === "tokens") return [];
    const value = p.default && evaluateConstant(p.default, main);
    const range = declaredRange(main, p);
    return [{ name: p.name.text, type: p.type, range, ...(value !== undefined && { default: value }) }];
  });
