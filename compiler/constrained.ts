/** A chain that obeys a grammar of the request, whatever its program says. */
import type { Module, Program } from "./check/program.js";
import type { Chain } from "./syntax/ast.js";

/** The chain that is put in front: its stage is resolved where it is written. */
export const FRONT = `import { constrain } from "std"
chain constrained(grammar: grammar) = constrain(grammar)
`;

/** No program has this name, so that it hides none. */
const STAGE = " constrain";

const hasGrammar = ({ params }: Chain): boolean => params.some(({ type }) => type === "grammar");

/**
 * The chain with `constrain(grammar)` in front, and a parameter for it; a chain that has a grammar is left as it is.
 * `checkedFront` is the program `FRONT`.
 */
export function constrained(
  program: Program,
  chain: Chain,
  checkedFront: () => Program,
): { program: Program; chain: Chain } {
  if (hasGrammar(chain)) return { program, chain };
  const { main, chains } = checkedFront();
  const [param] = chains[0]!.params;
  const [stage] = chains[0]!.stages;
  const taken = new Set(chain.params.map(({ name }) => name.text));
  let free = param!.name.text;
  while (taken.has(free)) free += "_";
  const renamed = <N extends { readonly name: { readonly text: string } }>(of: N, text: string): N => ({
    ...of,
    name: { ...of.name, text },
  });
  const [arg] = stage!.args;
  const given = { ...arg!, value: { ...arg!.value, text: free } } as typeof arg & object;
  const module: Module = {
    ...program.main,
    scope: new Map(program.main.scope).set(STAGE, main.scope.get(stage!.name.text)!),
  };
  return {
    program: { ...program, main: module },
    chain: {
      ...chain,
      params: [...chain.params, renamed(param!, free)],
      stages: [{ ...renamed(stage!, STAGE), args: [given] }, ...chain.stages],
    },
  };
}
