/** Arguments of the form `NAME=VALUE`, where the name is one of GGSL. */
import { WORD } from "@ggsl/compiler/source/lexemes.js";

/** Matches the name and what the groups of a pattern match in the value. */
export const assignment = (value: string): RegExp => new RegExp(`^(${WORD})=${value}$`, "u");
