/** The rules for inputs and features of a valid graph. */
import { formsOf } from "./features.js";
import { isFollowed } from "./liveness.js";
import type { Dim, Dtype, Feature, FeaturePart, Graph, Input } from "./graph.js";

export function feedFaults({ inputs, features }: Graph): string[] {
  const [first] = inputs;
  if (first?.source.kind !== "logits" || first.dim !== "V" || first.dtype !== "f32")
    return ["inputs: the first one must be the logits, f32[V]"];
  return [
    ...inputs.slice(1).flatMap((input, i) => inputFaults(input, features).map((f) => `inputs[${i + 1}]: ${f}`)),
    ...features.flatMap((feature, i) => featureFaults(feature, i, inputs).map((f) => `features[${i}]: ${f}`)),
  ];
}

/** Whether an input is the logits of another sequence. */
export const isGuide = ({ features }: Graph, { source }: Input): boolean =>
  source.kind === "dense" && features[source.feature]?.from.kind === "guide";

/** The other sequences whose logits a graph reads, and the inputs that they are. */
export const guidesOf = ({ inputs, features }: Graph): { name: string; input: number }[] =>
  inputs.flatMap(({ source }, input) => {
    const from = source.kind === "dense" ? features[source.feature]?.from : undefined;
    return from?.kind === "guide" ? [{ name: from.name, input }] : [];
  });

function inputFaults({ source, dtype, dim }: Input, features: readonly Feature[]): string[] {
  if (source.kind === "logits") return ["only the first input can be the logits"];
  const feature = features[source.feature];
  if (!feature) return [`there is no feature ${source.feature}`];
  const wanted = partsOf(feature).find(({ kind }) => kind === source.kind);
  if (!wanted) return [`feature ${source.feature} is ${feature.form.kind}, so it has no ${source.kind}`];
  return wanted.dtype === dtype && wanted.dim === dim
    ? []
    : [
        `the ${source.kind} of feature ${source.feature} must be ${wanted.dtype}[${wanted.dim}], found ${dtype}[${dim}]`,
      ];
}

interface Part {
  readonly kind: FeaturePart;
  readonly dtype: Dtype;
  readonly dim: Dim;
}

/** The inputs that carry a feature. */
function partsOf({ form }: Feature): Part[] {
  if (form.kind !== "sparse") return [{ kind: form.kind, dtype: "f32", dim: "V" }];
  const { capacity: dim } = form;
  return [
    { kind: "ids", dtype: "i32", dim },
    { kind: "values", dtype: "f32", dim },
  ];
}

function featureFaults(feature: Feature, index: number, inputs: readonly Input[]): string[] {
  const { form, from } = feature;
  const forms = formsOf(from);
  if (!forms.includes(form.kind)) return [`\`${from.kind}\` must be ${forms.join(" or ")}, found ${form.kind}`];
  return partsOf(feature).flatMap(({ kind }) => {
    const count = inputs.filter(
      ({ source }) => source.kind !== "logits" && source.feature === index && source.kind === kind,
    ).length;
    // a grammar is followed even if nothing reads its answer
    if (count === 1 || (count === 0 && isFollowed(feature))) return [];
    return [`exactly one input must have its ${kind}, found ${count}`];
  });
}
