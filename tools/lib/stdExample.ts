/** The arguments of a standard sampler in its example. */
import type { Chain, Param } from "@ggsl/compiler/syntax/ast.js";
import { parse } from "@ggsl/compiler/syntax/parse.js";
import { textAt } from "@ggsl/compiler/source/source.js";
import type { StdSampler } from "@ggsl/compiler/std/samplers.js";

/** The text of an argument; undefined where the example leaves it to the default. */
export function exampleArg(
  { example, declaration: { params } }: StdSampler,
  { name: { text } }: Param,
): string | undefined {
  const { file } = parse({ name: "example.ggsl", text: `chain example() = ${example}` });
  const { args } = (file.declarations[0] as Chain).stages[0]!;
  const at = params.findIndex(({ name }) => name.text === text);
  const given = args.find(({ name }, i) => (name ? name.text === text : i === at));
  return given && textAt(given.value.span);
}
