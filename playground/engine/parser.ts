/** Parses the program of the page, of which a key press changes little. */
import type { Parser } from "@ggsl/compiler/check/modules.js";
import { parse, type ParseCache } from "@ggsl/compiler/syntax/parse.js";

/** The name of the program, for diagnostics and for its imports. */
export const FILE = "program.ggsl";

/** What was parsed last, of any request: only declarations that have changed since are parsed again. */
const cache: ParseCache = new Map();

export const parseProgram: Parser = (source, options) =>
  parse(source, { ...options, ...(source.name === FILE && { cache }) });
