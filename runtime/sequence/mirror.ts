/** A sequence with another graph of its chain, such as the one that has the rows as outputs. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { startSequence, type SequenceState } from "./sequence.js";

/**
 * The same sequence with another graph of its chain. The graphs can differ in what is left of their draws, states, windows, sets and
 * features, so these are found by what they are.
 */
export function mirrorOf(graph: Graph, main: SequenceState): (now: SequenceState) => SequenceState {
  const uniforms = Object.fromEntries([...main.params].filter(([name]) => graph.params.some((p) => p.name === name)));
  const given = { ...uniforms, ...Object.fromEntries(main.grammars) };
  const own = startSequence(graph, main.vocabSize, { uniforms: given, feed: main.feed });
  const draws = places(graph.draws, main.graph.draws);
  const states = places(
    graph.states.map(({ name }) => name),
    main.graph.states.map(({ name }) => name),
  );
  const windows = places(
    (graph.windows ?? []).map(({ name }) => name),
    (main.graph.windows ?? []).map(({ name }) => name),
  );
  const sets = places(graph.sets ?? [], main.graph.sets ?? []);
  const features = places(plainFeatures(graph), plainFeatures(main.graph));
  return (now) => ({
    ...now,
    graph,
    streams: own.streams.map((stream, i) => now.streams[draws[i]!] ?? stream),
    states: own.states.map((value, i) => now.states[states[i]!] ?? value),
    windows: own.windows.map((values, i) => now.windows[windows[i]!] ?? values),
    sets: own.sets.map((set, i) => now.sets[sets[i]!] ?? set),
    features: own.features.map((feature, i) => {
      const same = now.features[features[i]!];
      return feature.kind === "allowed" && same?.kind === "allowed" ? { ...same, from: feature.from } : feature;
    }),
    watches: new Map([...own.watches, ...now.watches]),
  });
}

/** Features with the sets that they read in place of their numbers. */
const plainFeatures = ({ features, sets = [] }: Graph): unknown[] =>
  features.map(({ form, from }) => [form, from.kind === "set" ? { ...from, set: sets[from.set] } : from]);

/** For each value the place of an equal one among the others, each place once; -1: there is none. */
function places(values: readonly unknown[], others: readonly unknown[]): number[] {
  const keys: (string | undefined)[] = others.map((other) => JSON.stringify(other));
  return values.map((value) => {
    const at = keys.indexOf(JSON.stringify(value));
    if (at >= 0) keys[at] = undefined;
    return at;
  });
}
