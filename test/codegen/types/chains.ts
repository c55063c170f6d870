/** Uses of generated modules that must or must not compile. `tsc` compiles this file; nothing runs it. */
import { compilePipeline, type Chain, type Model } from "ggsl";
import { a_b, aB, class__, steady, type SteadyStates, type } from "../files/awkward.ggsl";
import { ending } from "../files/ending.ggsl";
import { guided, single } from "../files/guided.ggsl";

declare const model: Model;
declare const logits: Float32Array;
const favoured = new Map([[1, 2]]);

// ---------------------------------------------------------------- uniforms

await steady.evaluate(logits);
await steady.evaluate(logits, { uniforms: { tau: 3 }, backend: "wasm" });
// @ts-expect-error there is no such uniform
await steady.evaluate(logits, { uniforms: { tao: 3 } });
// @ts-expect-error a string is not a number
await steady.evaluate(logits, { uniforms: { tau: "3" } });
// @ts-expect-error a boolean is not a number
await steady.evaluate(logits, { uniforms: { tau: true } });
// @ts-expect-error a number is not a boolean
await type.evaluate(logits, { uniforms: { on: 1 }, feed: { inputs: { favoured } } });
// @ts-expect-error the chain has no uniforms
await aB.evaluate(logits, { uniforms: { k: 2 } });
await a_b.evaluate(logits, { uniforms: { default: 1, ["__proto__"]: 2, größe: 3 } });

// ---------------------------------------------------------------- inputs

// @ts-expect-error the chain needs its input
await type.evaluate(logits);
// @ts-expect-error the chain needs its input
await type.evaluate(logits, { feed: {} });
// @ts-expect-error the input is sparse
await type.evaluate(logits, { feed: { inputs: { favoured: [1, 2] } } });
// @ts-expect-error there is no such input
await type.evaluate(logits, { feed: { inputs: { favoured, green: [1, 2] } } });
// @ts-expect-error the input is dense
await class__.evaluate(logits, { feed: { inputs: { green: favoured } } });
await class__.evaluate(logits, { feed: { inputs: { green: new Float32Array(5) }, bias: new Map([[1, 2]]) } });
await steady.evaluate(logits, { feed: { bias: new Map([[1, 2]]) } });

// ---------------------------------------------------------------- in a model

const generation = model.generate("Once", { chain: steady, uniforms: { tau: 3 }, maxTokens: 3 });
generation.setUniforms({ tau: 4 });
// @ts-expect-error there is no such uniform
generation.setUniforms({ tao: 4 });
// @ts-expect-error there is no such uniform
model.generate("Once", { chain: steady, uniforms: { tao: 3 } });
// @ts-expect-error the chain needs its input
model.generate("Once", { chain: type });
model.generate("Once", { chain: type, feed: { inputs: { favoured } } });

using batch = model.batch({ sequences: 2 });
batch.add("Once", { chain: steady, uniforms: { tau: 3 } }).setUniforms({ tau: 2 });
// @ts-expect-error there is no such uniform
batch.add("Once", { chain: steady, uniforms: { tao: 3 } });

// ---------------------------------------------------------------- guides

const [worse, negative] = [{ prompt: "Once" }, { prompt: Int32Array.of(1) }];
model.generate("Once", { chain: single, guides: { negative } });
model.generate("Once", { chain: guided, guides: { worse, negative }, feed: { inputs: { scores: logits } } });
// @ts-expect-error the chain needs its guide
model.generate("Once", { chain: single });
// @ts-expect-error the chain needs both guides
batch.add("Once", { chain: guided, guides: { worse }, feed: { inputs: { scores: logits } } });
// @ts-expect-error there is no such guide
batch.add("Once", { chain: single, guides: { negative, worse } });
// @ts-expect-error a guide has a prompt
batch.add("Once", { chain: single, guides: { negative: "Once" } });
// @ts-expect-error the chain has no guides
batch.add("Once", { chain: steady, guides: { negative } });
// without a model, the logits of a guide are a column
await single.evaluate(logits, { feed: { inputs: { negative: logits } } });
await guided.evaluate(logits, { feed: { inputs: { negative: logits, worse: [1, 2], scores: logits } } });
// @ts-expect-error the chain needs the logits of its guide
await single.evaluate(logits);
// @ts-expect-error the chain needs all columns
await guided.evaluate(logits, { feed: { inputs: { negative: logits, scores: logits } } });

// ---------------------------------------------------------------- states

const { sequence } = generation.save();
const states: SteadyStates = sequence.states;
const [heat, , mu] = states;
const sum: number = heat + mu;
// @ts-expect-error there are four states
export const fifth = sequence.states[4];
model.generate("", { chain: steady, resume: sequence });
// @ts-expect-error the states of another chain
model.generate("", { chain: aB, resume: sequence });

// ---------------------------------------------------------------- with chains compiled at run time

const chains: Chain[] = [steady, type, aB, class__, compilePipeline("greedy()")];
const name: Chain["name"] = chains[0]!.name;
await compilePipeline("greedy()").evaluate(logits, { uniforms: { any: 1, other: true } });
model.generate("Once", { chain: chains[1]!, uniforms: { any: 1 } }).setUniforms({ other: 2 });
export { name, sum };

// ---------------------------------------------------------------- stops

const ended = model.generate("", { chain: ending }).stats();
export const stoppedBy: "certain" | "repetition" | undefined = ended.stoppedBy;
// @ts-expect-error no stop of the chain has this name
export const isOther: boolean = ended.stoppedBy === "other";
