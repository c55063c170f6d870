/**
 * What the host works out before each token, in Python: the class `Sequence`. It follows `runtime/sequence/sequence.ts`; features that need a
 * vocabulary or the calling program are given to `sample`.
 */
import type { Draw, Graph, Input, TokenSet } from "../../graph/graph.js";
import { rulesOf } from "../../graph/rules.js";
import { setsOf } from "../../graph/sets.js";
import { endingOf, leavesOf, uniformExprsOf } from "../../graph/uniform.js";
import type { EmittedInput, Surface } from "../surface.js";
import { endingText, expressionText, idsOf, numberText, stringText, tupleText } from "./expression.js";
import { computedText } from "./features.js";
import { NEVER_TEXT } from "./functions.js";
import { rowsText } from "./shared.js";

/** Why the host's part of a graph cannot be written in Python. */
export function hostFaults(graph: Graph): string[] {
  const leaves = uniformExprsOf(graph).flatMap(leavesOf);
  const rules = rulesOf(graph).map(
    ({ name }) =>
      `the chain asks whether the text is in the rule \`${name}\` of a grammar, which only GGSL's runtime knows; leave out \`in_rule\` and \`in_string\``,
  );
  const sets = setsOf(graph).flatMap((set, i) => {
    const isRead = leaves.some((leaf) => typeof leaf === "object" && "of" in leaf && leaf.of === i);
    return !isRead || idsOf(set.of)
      ? []
      : `the set \`${set.name ?? i}\` has texts, patterns or classes, which need a vocabulary; give it as token ids`;
  });
  const writes = (graph.writes ?? []).map(
    ({ text }) =>
      `the chain writes the text ${JSON.stringify(text)}, which only GGSL's runtime does; leave out \`write\``,
  );
  return [...rules, ...writes, ...sets];
}

/** The inputs that the class computes, and those that the caller gives. */
export function inputsByGiver(graph: Graph, surface: Surface): Record<"computed" | "given", EmittedInput[]> {
  const groups: Record<"computed" | "given", EmittedInput[]> = { computed: [], given: [] };
  for (const input of surface.inputs.slice(1)) {
    const { source } = graph.inputs[input.index]!;
    const feature = source.kind === "logits" ? undefined : graph.features[source.feature];
    groups[feature && computedText(feature.from, graph) !== undefined ? "computed" : "given"].push(input);
  }
  return groups;
}

const hasBias = ({ features }: Graph): boolean => features.some(({ from }) => from.kind === "bias");
/** Whether the chain compares the text with another, so that it needs the texts of tokens. */
export const comparesTexts = (graph: Graph): boolean => endingsOf(graph).some((ending) => typeof ending === "string");
const endingsOf = (graph: Graph): ReturnType<typeof endingOf>[] =>
  uniformExprsOf(graph)
    .flatMap(leavesOf)
    .map(endingOf)
    .filter((ending) => ending !== undefined);

const WINDOW = `
    def _window(self, index, of):
        values = self.windows[index]
        if of == "sum":
            total = 0.0
            for value in values:
                total += value
            return total
        largest = float(np.finfo(np.float32).max)
        return min(values, default=largest) if of == "min" else max(values, default=-largest)
`;

/** The class `Sequence`. */
export function sequenceText(graph: Graph, surface: Surface): string {
  const endings = [...new Set(endingsOf(graph).map((ending) => endingText(ending!)))];
  const { states, windows = [] } = graph;
  const [bias, pieces] = [hasBias(graph), comparesTexts(graph)];
  const extra = [...(bias ? ["bias=None"] : []), ...(pieces ? ["pieces=None"] : [])];
  return `
class Sequence:
    """One text: the values of the chain's parameters, its draws and states, and the tokens so far.

${docOf(graph)}
    """

    def __init__(self, ${[...extra, "**values"].join(", ")}):
        unknown = sorted(set(values) - set(PARAMS) - set(SETS))
        if unknown:
            raise TypeError(f"the chain has no parameter {unknown[0]!r}; it has {sorted([*PARAMS, *SETS])}")
        self.params = {name: _param(*part, values.get(name)) for name, part in PARAMS.items()}
        self.sets = [${setsOf(graph).map(setText).join(", ")}]
        self.tokens, self.step, self.prompt_length, self.states = [], 0, 0, None
${indented([
  ...(windows.length > 0 ? [`self.windows = [[] for _ in range(${windows.length})]`] : []),
  ...(bias ? ["self.bias = dict(bias or {})"] : []),
  ...(pieces
    ? [
        "if pieces is None:",
        '    raise TypeError("the chain compares the text: expected `pieces`, the bytes of each token")',
        'self._pieces, self._text = pieces, b""',
      ]
    : []),
  ...(endings.length > 0 ? [`self._counts = {${endings.map((e) => `${e}: ${NEVER_TEXT}`).join(", ")}}`] : []),
  ...graph.draws.flatMap(streamText),
])}

    def prompt(self, tokens):
        """The tokens before the first one that is sampled."""
        for token in tokens:
            self._read(token)
        self.prompt_length += len(tokens)

    def uniforms(self, vocab):
        """float32 numbers for \`sample\`."""
        with np.errstate(all="ignore"):
            self._start(vocab)
            return [${surface.fed.map((i) => expressionText(graph.uniforms[i]!.expr)).join(", ")}]
${inputsText(graph, surface)}
    def _start(self, vocab):
        """The initial values of the states, which may read the prompt."""
        if self.states is None:
            self.states = [${graph.states.map(({ init, type }) => keptText(`np.float32(${expressionText(init)})`, type)).join(", ")}]

    def accept(self, token, states=()):
        """Goes on to the next token; \`states\` are the next values of states and windows that \`sample\` gave."""
${indented([
  ...(states.length > 0
    ? [`self.states = [${states.map(({ type }, i) => keptText(`np.float32(states[${i}])`, type)).join(", ")}]`]
    : []),
  ...windows.map(
    ({ size }, i) =>
      `self.windows[${i}] = [*self.windows[${i}], float(np.float32(states[${states.length + i}]))][-${size}:]`,
  ),
  "self._read(token)",
  "self.step += 1",
])}
${windows.length > 0 ? WINDOW : ""}
    def _read(self, token):
${indented([
  "self.tokens.append(int(token))",
  ...(pieces ? ['self._text += self._pieces[token] if token < len(self._pieces) else b""'] : []),
  ...(endings.length > 0 ? countLines(pieces) : []),
])}

    def _last(self, count):
        return float(self.tokens[-count]) if count <= len(self.tokens) else -1.0
${endings.length > 0 ? `\n    def _since(self, ending):\n        return self._counts[ending]\n` : ""}${graph.draws.map(drawText).join("")}`;
}

const indented = (lines: readonly string[]): string =>
  lines
    .map((line) => `        ${line}\n`)
    .join("")
    .replace(/\n$/, "");

const keptText = (value: string, type: string | undefined): string => (type === "i32" ? `_kept(${value})` : value);

function docOf(graph: Graph): string {
  const lines = graph.params.map(({ name, type, default: value, doc }) => {
    const standard = value === "random" ? "a new one for each text" : String(value);
    return `    ${name}: ${type}, ${standard} unless given${doc === undefined ? "" : `. ${doc.replace(/\s+/g, " ")}`}`;
  });
  const sets = setsOf(graph).flatMap(({ name }) => (name === undefined ? [] : `    ${name}: a list of token ids`));
  const rest = [
    ...(hasBias(graph) ? ["    bias: numbers that are added to logits, by token"] : []),
    ...(comparesTexts(graph) ? ["    pieces: the bytes of each token, by id"] : []),
  ];
  const all = [...lines, ...sets, ...rest].map((line) => line.replaceAll("\\", "\\\\").replaceAll('"""', "'''"));
  return all.length > 0 ? all.join("\n") : "    The chain has no parameters.";
}

function setText({ of, name }: TokenSet): string {
  const ids = idsOf(of);
  const standard = ids ? `frozenset(${tupleText(ids)})` : "None";
  return name === undefined ? standard : `frozenset(values.get(${stringText(name)}, ${ids ? tupleText(ids) : "()"}))`;
}

function streamText({ kind, seed, stream }: Draw, index: number): string[] {
  const given =
    seed === "random" ? "_new_seed()" : typeof seed === "object" ? `self.params[${stringText(seed.param)}]` : seed;
  if (kind === "seed") return [`self._seed_${index} = ${given}`];
  return [`self._stream_${index} = _Stream(${stream === undefined ? given : `_stream_seed(${given}, ${stream})`})`];
}

function drawText({ kind, at }: Draw, index: number): string {
  const count = at === undefined ? "self.step" : `int(np.floor(${expressionText(at)} + 0.5))`;
  const value = kind === "seed" ? `np.float64(self._seed_${index})` : `_draw_${kind}(self._stream_${index}, ${count})`;
  return `
    def _draw_${index}(self, vocab):
        return ${value}
`;
}

function countLines(hasTexts: boolean): string[] {
  const end = hasTexts
    ? "(self._text if isinstance(ending, bytes) else tuple(self.tokens[-len(ending) :]))"
    : "tuple(self.tokens[-len(ending) :])";
  const ends = hasTexts
    ? "(found.endswith(ending) if isinstance(ending, bytes) else found == ending)"
    : "found == ending";
  return [
    "for ending, count in self._counts.items():",
    `    found = ${end}`,
    `    self._counts[ending] = 0.0 if ${ends} else min(count + 1.0, ${NEVER_TEXT})`,
  ];
}

// ---------------------------------------------------------------- features

function inputsText(graph: Graph, surface: Surface): string {
  const { computed } = inputsByGiver(graph, surface);
  if (computed.length === 0) return "";
  const used = new Set(computed.map(({ index }) => featureOf(graph.inputs[index]!)));
  const pairs = [...used].flatMap((number) => {
    const { from, form } = graph.features[number]!;
    return form.kind === "sparse" ? `            pairs_${number} = ${computedText(from, graph)!.pairs}\n` : [];
  });
  const entries = computed.map((input) => `${stringText(input.name)}: ${inputText(graph, graph.inputs[input.index]!)}`);
  return `
    def inputs(self, vocab):
        """The inputs that follow from the text, for \`sample\`."""
        V = vocab
        with np.errstate(all="ignore"):
            self._start(vocab)
${pairs.join("")}            return {
                ${entries.join(",\n                ")},
            }
`;
}

/** The feature of an input that the class computes. */
const featureOf = ({ source }: Input): number => (source as { readonly feature: number }).feature;

function inputText(graph: Graph, input: Input): string {
  const { source, dim } = input;
  const number = featureOf(input);
  const { from, form } = graph.features[number]!;
  if (form.kind !== "sparse") return computedText(from, graph)!.dense!;
  return source.kind === "ids"
    ? `_ids(pairs_${number}, ${rowsText(dim)}, vocab)`
    : `_values(pairs_${number}, ${rowsText(dim)}, vocab, ${numberText(form.fill)})`;
}
