/** Compiles the program and writes with the model. In a worker, so that the page stays responsive. */
import { compile, loadModelFromBytes, type Model } from "ggsl";
import type { Answer, Question } from "./messages.js";

const answer = (message: Answer): void => self.postMessage(message);

let model: Promise<Model> | undefined;

async function write(program: string, prompt: string): Promise<string> {
  const chain = compile(program);
  if (!model) throw new Error("no model was sent");
  const generation = (await model).generate(prompt, { chain, maxTokens: 120, contextSize: 512, logprobs: 0 });
  for await (const piece of generation) answer({ text: piece.text, logprob: piece.logprob! });
  const { generatedTokens, tokensPerSecond, finish } = generation.stats();
  return `${generatedTokens} tokens, ${Math.round(tokensPerSecond)} tokens/s, ended by ${finish}`;
}

self.onmessage = ({ data }: MessageEvent<Question>) => {
  if ("model" in data) {
    model = loadModelFromBytes(data.model, { module: data.module });
    // reported by the next text
    model.catch(() => undefined);
  } else {
    write(data.program, data.prompt).then(
      (done) => answer({ done }),
      (error: unknown) => answer({ done: (error as Error).message }),
    );
  }
};
