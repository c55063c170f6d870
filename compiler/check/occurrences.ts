/** The names of a checked file with their meanings, for editors. */
import { noteBody } from "./functions.js";
import type { Module, Occurrence } from "./tree.js";
import { TYPING } from "./types.js";

/** The names in source order. A function's body is typed for each call; here, for arguments as its parameters are declared. */
export function occurrencesOf(module: Module): Occurrence[] {
  for (const binding of module.declared) if (binding.kind === "fn") noteBody(TYPING, binding);
  return [...module.uses.values()].sort((a, b) => a.span.start - b.span.start);
}
