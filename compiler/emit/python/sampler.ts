/** The class `Sampler` of the emitted file, which runs a batch of texts, and the class for Hugging Face's `generate`. */
import type { Graph } from "../../graph/graph.js";
import { keptCount } from "../../graph/liveness.js";
import { setsOf } from "../../graph/sets.js";
import type { Surface } from "../surface.js";
import { stringText } from "./expression.js";
import { comparesTexts, inputsByGiver } from "./host.js";

/** How each library makes arrays of the host's numbers, on the device of the logits. */
const ARRAYS = {
  numpy: { of: (rows: string, type: string) => `np.array(${rows}, np.${type})`, stack: "np.stack" },
  torch: {
    of: (rows: string, type: string) => `torch.tensor(${rows}, dtype=torch.${type}, device=logits.device)`,
    stack: "torch.stack",
  },
};

export function samplerText(graph: Graph, surface: Surface, library: keyof typeof ARRAYS): string {
  const { computed, given } = inputsByGiver(graph, surface);
  const { of } = ARRAYS[library];
  const picks = graph.outputs.sampled !== undefined;
  const kept = surface.scalars.slice(0, keptCount(graph));
  const states = kept.map(({ name }) => `result["${name}"][i, 0].item()`).join(", ");
  const stops = (graph.stops ?? []).map(({ name }, i) => `(${stringText(name)}, "stop_${i}")`).join(", ");
  const collected =
    library === "numpy"
      ? "{name: np.stack([row[name] for row in rows]) for name in rows[0]}"
      : "{name: torch.as_tensor(np.stack([row[name] for row in rows]), device=logits.device) for name in rows[0]}";
  const missing = given.map(({ name }) => JSON.stringify(name));
  const uniforms = of("[s.uniforms(V) for s in self.sequences]", "float32");
  return `
class Sampler:
    """The chain for a batch of texts: a parameter is a number, or a list with one for each text.

    Called with logits float32[B, V] of the next tokens, it ${picks ? "picks a token for each, int64[B], and goes on" : "gives what `sample` gives; `accept` goes on"}.${
      given.length > 0
        ? `\n    Inputs, as keyword arguments, each with a row for each text: ${given.map(({ name }) => name).join(", ")}.`
        : ""
    }
    """

    def __init__(self, batch=1, **values):
        def part(name, value, i):
            is_whole = ${wholeText(graph)}
            return value[i] if isinstance(value, (list, tuple)) and not is_whole else value

        self.sequences = [Sequence(**{name: part(name, value, i) for name, value in values.items()}) for i in range(batch)]
        self.result = None
${stops === "" ? "" : `        # of the latest call: for each text the name of the stop that ends it with this token, or None\n        self.stops = [None] * batch\n`}
    def prompt(self, tokens):
        """The tokens of each text so far."""
        for sequence, row in zip(self.sequences, tokens):
            sequence.prompt(row)

    def __call__(self, logits, **inputs):
        B, V = logits.shape
        if B != len(self.sequences):
            raise ValueError(f"expected logits of {len(self.sequences)} texts, found {B}")
${missing.length > 0 ? `        for name in (${missing.join(", ")},):\n            if name not in inputs:\n                raise TypeError(f"expected the input {name!r}, found {sorted(inputs)}")\n` : ""}${
    computed.length > 0
      ? `        rows = [s.inputs(V) for s in self.sequences]\n        inputs = {**${collected}, **inputs}\n`
      : ""
  }        self.result = sample(logits, ${uniforms}.reshape(B, ${surface.fed.length}), inputs)
${stops === "" ? "" : `        self.stops = [next((name for name, key in (${stops},) if self.result[key][i, 0].item() != 0), None) for i in range(B)]\n`}${picks ? `        tokens = self.result["sampled"][:, 0]\n        self.accept(tokens)\n        return tokens` : "        return self.result"}

    def accept(self, tokens):
        """Goes on after these tokens${picks ? ", which replace those picked" : ""}; \`result\` is of the latest call."""
        ${states === "" ? "for sequence, token in zip(self.sequences, tokens):" : "result = self.result\n        for i, (sequence, token) in enumerate(zip(self.sequences, tokens)):"}
            sequence.accept(int(token)${states === "" ? "" : `, [${states}]`})
${library === "torch" && picks ? PROCESSOR : ""}${library === "torch" && picks && stops !== "" ? CRITERIA : ""}`;
}

/** Whether a list is the value of one text: a set of tokens, or the texts of all tokens. */
function wholeText(graph: Graph): string {
  const hasSets = setsOf(graph).some(({ name }) => name !== undefined);
  const tests = [
    ...(hasSets ? ["name in SETS and not (value and isinstance(value[0], (list, tuple)))"] : []),
    ...(comparesTexts(graph) ? ['name == "pieces"'] : []),
  ];
  return tests.join(" or ") || "False";
}

/** What ends the texts of `generate`, for a chain with stops. */
const CRITERIA = `

class GgslStoppingCriteria(StoppingCriteria):
    """For the same call of \`generate\` as the processor: ends each text where a stop of the chain holds."""

    def __init__(self, processor):
        self._processor = processor

    def __call__(self, input_ids, scores, **kwargs):
        stops = self._processor._sampler.stops
        return torch.tensor([stop is not None for stop in stops], device=input_ids.device)
`;

const PROCESSOR = `

class GgslLogitsProcessor(LogitsProcessor):
    """For one call of \`generate\`, with \`do_sample=False\`: all tokens but the picked one get -inf."""

    def __init__(self, **values):
        self._values, self._sampler = values, None

    def __call__(self, input_ids, scores):
        if self._sampler is None:
            self._sampler = Sampler(batch=len(scores), **self._values)
            self._sampler.prompt(input_ids.tolist())
        tokens = self._sampler(scores.float())
        return torch.full_like(scores, float("-inf")).scatter(1, tokens[:, None], 0.0)
`;
