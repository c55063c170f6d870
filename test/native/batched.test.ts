/** Sequences of one context with equal chains share one subgraph: each gets exactly the tokens that it gets alone. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { encodeWire } from "../../compiler/graph/wire.js";
import { compile, type Chain } from "../../runtime/chain/chain.js";
import type {
  ChainResults,
  ContextStats,
  NativeContext,
  NativeEvaluator,
  NativeGraph,
  NativeModel,
} from "../../runtime/backends/native/binding.js";
import { loadBinding } from "../../runtime/backends/native/loader.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  startSequence,
  uniformsOf,
  type SequenceState,
} from "../../runtime/sequence/sequence.js";
import { batchOf, type Part } from "./batches.js";
import { DEMO_MODEL } from "../model/demo.js";

const CREATIVE = compile(`
import { top_k, top_p, min_p, temp, dist } from "std"
chain creative(t: f32 >= 0 = 0.8, seed: seed = 42) = top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(t) |> dist(seed)
`);
const MIROSTAT = compile(`
import { temp, mirostat_v2 } from "std"
chain surprise(t: f32 >= 0 = 0.8, seed: seed = 42) = temp(t) |> mirostat_v2(5, 0.1, seed)
`);
const PENALTIES = compile(`
import { penalties, temp, dist } from "std"
chain careful(t: f32 >= 0 = 0.8, seed: seed = 42) = penalties(64, 1.5, 0.5, 0.5) |> temp(t) |> dist(seed)
`);
const ROWS: Chain = { ...CREATIVE, graph: CREATIVE.rowsGraph };
const PROMPTS = ["In the beginning", "And", "The king said unto his", "Behold, the"];

let model: NativeModel;
beforeAll(async () => void (model = await loadBinding().loadModel(DEMO_MODEL, {})));
afterAll(() => model.dispose());

/** A generating sequence; `uniforms` differ from the others'. */
class Player {
  readonly tokens: number[] = [];
  private next: Int32Array;
  private at = 0;
  private state: SequenceState;
  private readonly evaluator: NativeEvaluator;

  constructor(
    readonly chain: Chain,
    readonly index: number,
    readonly sequence = index,
  ) {
    this.next = model.tokenize(PROMPTS[index % PROMPTS.length]!, true, false);
    const uniforms = { seed: 100 + index, t: 0.5 + index / 10 };
    this.state = startSequence(chain.graph, model.info.vocabSize, { uniforms });
    this.state = acceptPrompt(this.state, this.next);
    this.evaluator = new (loadBinding().Evaluator)(wire(chain), { vocabSize: model.info.vocabSize });
  }

  set(context: NativeContext): void {
    context.setUniforms(this.sequence, uniformsOf(this.state));
    featureInputs(this.state).forEach((values, i) => context.setInput(this.sequence, i + 1, values));
  }

  part = (): Part => ({ sequence: this.sequence, tokens: this.next, at: this.at });

  /** The chain's result for this token on plain logits. */
  alone(): (logits: Float32Array) => ChainResults {
    const inputs = featureInputs(this.state);
    const uniforms = uniformsOf(this.state);
    return (logits) => this.evaluator.evaluate({ logits, uniforms, inputs });
  }

  accept(token: number, states: Float32Array = new Float32Array()): void {
    this.tokens.push(token);
    this.at += this.next.length;
    this.next = Int32Array.of(token);
    this.state = acceptToken(this.state, token, states);
  }
}

const wire = (chain: Chain): NativeGraph => new (loadBinding().Graph)(encodeWire(chain.graph));

/** A context, and a second one that gives the raw logits of the same batches. */
interface Pair extends Disposable {
  readonly context: NativeContext;
  readonly plain: NativeContext;
}

async function open(chains: (Chain | null)[]): Promise<Pair> {
  const options = { contextSize: 256 * chains.length, sequences: chains.length, threads: 1 };
  const context = await model.createContext({ ...options, chains: chains.map((chain) => chain && wire(chain)) });
  const plain = await model.createContext(options);
  return { context, plain, [Symbol.dispose]: () => [context, plain].forEach((each) => each.dispose()) };
}

/** A token for each sequence, which must equal the one that its chain alone picks from the same logits. */
async function step({ context, plain }: Pair, players: readonly Player[], beside: readonly Part[] = []): Promise<void> {
  const alone = players.map((player) => player.alone());
  players.forEach((player) => player.set(context));
  const batch = batchOf(...beside, ...players.map((player) => player.part()));
  const [outputs, logits] = [await context.decode(batch), await plain.decode(batch)];
  outputs.slice(0, beside.length).forEach((output, i) => expect(output).toEqual(logits[i]));
  players.forEach((player, i) => {
    const { sequence, ...results } = outputs[beside.length + i]!;
    expect(sequence).toBe(player.sequence);
    expect(results).toEqual(alone[i]!(logits[beside.length + i]!.logits!));
    player.accept(results.sampled![0]!, results.states?.slice());
  });
}

async function play(pair: Pair, players: readonly Player[], count: number): Promise<void> {
  for (let i = 0; i < count; i++) await step(pair, players);
}

const remove = ({ context, plain }: Pair, sequence: number): void =>
  [context, plain].forEach((each) => each.remove(sequence));

async function together(chain: Chain, count: number): Promise<{ stats: ContextStats; players: Player[] }> {
  using pair = await open(Array<Chain>(count).fill(chain));
  const players = Array.from({ length: count }, (_, i) => new Player(chain, i));
  await play(pair, players, 24);
  expect(new Set(players.map(({ tokens }) => tokens.join(" "))).size).toBe(count);
  return { stats: pair.context.stats(), players };
}

test.each([
  ["a draw", CREATIVE],
  ["states", MIROSTAT],
])("1, 4 and 16 sequences of a chain with %s", async (name, chain) => {
  const [one, four, many] = [await together(chain, 1), await together(chain, 4), await together(chain, 16)];
  const counts = [one, four, many].map(({ stats }) => `${stats.nodes} (${stats.nodesWithoutViews} without views)`);
  console.log(`nodes of a chain with ${name}, for 1, 4 and 16 sequences: ${counts.join(", ")}`);
  expect(many.stats.nodes).toBe(four.stats.nodes);
  expect(many.stats.nodesWithoutViews).toBeLessThanOrEqual(one.stats.nodesWithoutViews + 4); // some broadcasts become copies
  expect(many.stats.readbackBytes).toBe(16 * one.stats.readbackBytes);
  // the last tokens of the prompts are one graph
  expect(many.stats.setInputs).toBe(1 + 23);
});

test("sequences of two chains, one without, prompts beside single tokens", async () => {
  using pair = await open([CREATIVE, MIROSTAT, null, CREATIVE, MIROSTAT]);
  const players = [new Player(CREATIVE, 0), new Player(MIROSTAT, 1), new Player(CREATIVE, 3), new Player(MIROSTAT, 4)];
  for (let turn = 0; turn < 12; turn++) {
    const started = players.slice(0, 1 + Math.floor(turn / 3));
    await step(pair, turn % 2 ? started.reverse() : started, [{ sequence: 2, tokens: [300 + turn], at: turn }]);
  }
  expect(players.map(({ tokens }) => tokens.length)).toEqual([12, 9, 6, 3]);
});

test("any set of sequences may be active, and a batch may have no output", async () => {
  using pair = await open(Array<Chain>(5).fill(CREATIVE));
  const players = [0, 1, 2, 3].map((i) => new Player(CREATIVE, i));
  for (const active of [[1, 3], [2], [3, 0], [0, 1, 2, 3], [2, 1], [0], [3, 2, 1]]) {
    await step(
      pair,
      active.map((i) => players[i]!),
    );
    const silent = { ...batchOf({ sequence: 4, tokens: [5, 6], at: 0 }), outputs: new Uint8Array(2) };
    expect(await pair.context.decode(silent)).toEqual([]);
    pair.context.remove(4);
  }
});

test("a chain is set and cleared while others continue", async () => {
  using pair = await open([CREATIVE, CREATIVE, null]);
  const [a, b, c] = [new Player(CREATIVE, 0), new Player(CREATIVE, 1), new Player(CREATIVE, 2)];
  await play(pair, [a, b], 4);
  pair.context.setChain(1, null);
  await play(pair, [a], 4);
  pair.context.setChain(2, wire(CREATIVE)); // another object with the same contents
  await play(pair, [a, c], 4);
  pair.context.setChain(1, wire(MIROSTAT));
  remove(pair, 1);
  await play(pair, [new Player(MIROSTAT, 1), c, a], 4);
  expect([a, b, c].map(({ tokens }) => tokens.length)).toEqual([16, 4, 8]);
});

test("a sequence's slot is reused for a new prompt, and the graph stays", async () => {
  using pair = await open([CREATIVE, CREATIVE]);
  const a = new Player(CREATIVE, 0);
  await play(pair, [a, new Player(CREATIVE, 1)], 5);
  remove(pair, 1);
  const { graphBuilds, nodes } = pair.context.stats();
  await play(pair, [a, new Player(CREATIVE, 2, 1)], 5);
  expect(pair.context.stats()).toMatchObject({ graphBuilds: graphBuilds + 2, nodes }); // the prompt without its last token, two tokens
});

test("inputs, candidates and rows are those of the sequence", async () => {
  using pair = await open([PENALTIES, ROWS, PENALTIES, ROWS]);
  const players = [PENALTIES, ROWS, PENALTIES, ROWS].map((chain, i) => new Player(chain, i));
  await play(pair, players.reverse(), 12);
});
