import { compilePipeline, InputError, loadModel, type Evaluation, type Model } from "ggsl";
import { compileStages, graphOf, printGraph } from "@ggsl/compiler";
import { compileStages as compileStagesByPath } from "@ggsl/compiler/driver.js";
import { chainOf } from "ggsl/chain/chain.js";
import ggsl from "ggsl/vite";

export const plugin = ggsl({ dts: false });
export const text: string = printGraph(graphOf(compileStages("top_k(3)")));

export async function write(file: string): Promise<number | null> {
  const chain = compilePipeline("top_k(40) |> dist(1)");
  const result: Evaluation = await chain.evaluate([0.1, 2, 3]);
  const model: Model = await loadModel(file);
  for await (const piece of model.generate("In the", { chain, maxTokens: 8 })) console.log(piece.text.length);
  // @ts-expect-error a prompt is a text or tokens
  model.generate({}, { chain });
  return result.token;
}

export { chainOf, compileStagesByPath, InputError };
