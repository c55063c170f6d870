/** A chain that obeys a grammar of the request, whatever its program says. */
import { stagesOf } from "./check/chains.js";
import { bindingOf } from "./check/program.js";
import type { ChainBinding } from "./check/tree.js";
import { paramsOf } from "./check/types.js";
import type { Chain } from "./syntax/ast.js";

/** The chain that is put in front: its stage is resolved where it is written. */
export const FRONT = `import { constrain } from "std"
chain constrained(grammar: grammar) = constrain(grammar)
`;

const hasGrammar = ({ params }: Chain): boolean => params.some(({ type }) => type === "grammar");

/**
 * The chain with `constrain(grammar)` in front, and a parameter for it; a chain that has a grammar is left as it is. `front` gives
 * the chain of `FRONT`.
 */
export function constrained(chain: ChainBinding, front: () => ChainBinding): ChainBinding {
  const { declaration, module } = chain;
  if (hasGrammar(declaration)) return chain;
  const first = front();
  const [grammar] = paramsOf(first).value;
  const taken = new Set(declaration.params.map(({ name }) => name.text));
  let text = grammar!.declaration.name.text;
  while (taken.has(text)) text += "_";
  const param = { ...grammar!.declaration, name: { ...grammar!.declaration.name, text } };
  const params = [...paramsOf(chain).value, { ...grammar!, declaration: param }];
  const stages = [...stagesOf(first).value, ...stagesOf(chain).value];
  return {
    ...bindingOf({ ...declaration, params: [...declaration.params, param] }, module),
    params: { value: params, diagnostics: [] },
    stages: { value: stages, diagnostics: [] },
  };
}
