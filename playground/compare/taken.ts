/** What the page takes over from the playground, whose link leads to it: the program with its parameters, and the stages beside it. */
import { symbolsOf } from "../engine/language.js";
import type { ParamValues } from "../engine/messages.js";
import { readLink, type Shared } from "../state/link.js";

interface Taken {
  readonly fields: readonly string[];
  readonly prompt?: string;
}

/** Undefined without a link. Throws `InputError` for one that cannot be read. */
export function takenOver(fragment: string): Taken | undefined {
  if (fragment === "" || fragment === "#") return undefined;
  const shared = readLink(fragment);
  const { program, against = "", source } = shared;
  return {
    fields: [`${program.trimEnd()}\n${asSet(shared)}`, against],
    ...(source.kind === "model" && { prompt: source.prompt }),
  };
}

/** The name of the chain with the values of the sliders. */
const NAME = "as_set";

/** A chain with the values that differ from the program's own; empty if there are none. */
function asSet({ program, chain, uniforms, statics }: Shared): string {
  const chains = symbolsOf({ name: "program.ggsl", text: program }).filter(({ kind }) => kind === "chain");
  const chosen = chains.find(({ name }) => name === chain) ?? chains[0];
  const values: ParamValues = { ...uniforms, ...statics };
  const given = chosen?.params.flatMap(({ name, declaration }) => {
    const value = values[name];
    if (typeof value !== "number") return [];
    return [`${name}: ${/:\s*bool\b/.test(declaration) ? String(value !== 0) : value}`];
  });
  return given === undefined || given.length === 0 ? "" : `\nchain ${NAME} = ${chosen!.name}(${given.join(", ")})\n`;
}
