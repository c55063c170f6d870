/** What a chain takes from the calling program and reports to it, by name. */
import { namedInputs } from "./features.js";
import type { Graph } from "./graph.js";
import { grammarsOf } from "./grammars.js";
import { SEED_RANGE } from "./param.js";
import { describeRange } from "../core/range.js";
import { setsOf } from "./sets.js";
import { isPhraseParam, phrasesOf } from "./phrases.js";
import { itemsText, phrasesText } from "./text.js";

export interface InterfacePart {
  /** `uniform`, `set`, `phrases`, `grammar`, `input`, `text`, `guide`, `state`, `measure`, `stop` or `write`. */
  readonly kind: string;
  /** A set of the program itself is `set` with its number, as in the text form of the graph. */
  readonly name: string;
  /** Its values in words. */
  readonly values: string;
  /** The program's description; absent if it has none. */
  readonly doc?: string;
}

export function interfaceOf(graph: Graph): InterfacePart[] {
  const documented = (doc: string | undefined): { readonly doc?: string } => (doc === undefined ? {} : { doc });
  const uniforms = graph.params.map(({ name, type, range, default: value, doc }): InterfacePart => {
    const standard =
      value === "random" ? "new for each sequence" : type === "bool" ? String(value === 1) : String(value);
    const isAny = range.min === undefined && range.max === undefined;
    const values = type === "seed" ? SEED_RANGE : isAny ? type : `${type} ${describeRange(range)}`;
    return { kind: "uniform", name, values: `${values}; ${standard} unless set`, ...documented(doc) };
  });
  const lists = phrasesOf(graph);
  const phrases = lists.filter(isPhraseParam).map(({ name, of }): InterfacePart => {
    const { doc } = setsOf(graph).find((set) => set.name === name) ?? {};
    return { kind: "phrases", name, values: `phrases; ${phrasesText(of)} unless set`, ...documented(doc) };
  });
  const sets = setsOf(graph).flatMap((set, i): InterfacePart[] => {
    const { name = `set${i}`, of, capacity, doc } = set;
    const values = capacity === undefined ? itemsText(of) : `at most ${capacity} tokens; ${itemsText(of)} unless set`;
    return lists.some((list) => list.name === name) ? [] : [{ kind: "set", name, values, ...documented(doc) }];
  });
  const grammars = grammarsOf(graph).map(({ name, default: standard, doc }): InterfacePart => {
    const values = standard === undefined ? "must be given" : `${JSON.stringify(standard)} unless set`;
    return { kind: "grammar", name, values: `a grammar; ${values}`, ...documented(doc) };
  });
  const inputs = namedInputs(graph.features).map(({ form, name, ...given }): InterfacePart => {
    if (given.kind === "text") return { kind: "text", name, values: `at most ${given.capacity} tokens` };
    if (given.kind === "guide") return { kind: "guide", name, values: "the logits of another sequence" };
    const places = form.kind === "sparse" ? `for at most ${form.capacity} tokens` : "for each token";
    return { kind: "input", name, values: `${given.type ?? "f32"} ${places}` };
  });
  const states = graph.states.map(({ name, type = "f32" }): InterfacePart => ({ kind: "state", name, values: type }));
  const measures = graph.measures.map(({ name }): InterfacePart => ({ kind: "measure", name, values: "f32" }));
  const names = new Set((graph.stops ?? []).map(({ name }) => name));
  const stops = [...names].map((name): InterfacePart => ({ kind: "stop", name, values: "ends the text" }));
  const writes = (graph.writes ?? []).map(({ text }): InterfacePart => ({
    kind: "write",
    name: text,
    values: "comes whatever the chain would pick",
  }));
  return [...uniforms, ...sets, ...phrases, ...grammars, ...inputs, ...states, ...measures, ...stops, ...writes];
}
