/** What a sampler of the gallery makes of numbers, by the reference interpreter. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile, createEvaluator, type Chain } from "ggsl";
import { root } from "../../lib/process.js";
import type { Entry } from "./entries.js";
import { picture, type Bar } from "./picture.js";

/** The sampler of a file of examples/gallery, without its tests. */
export function exampleText(name: string): string {
  const text = readFileSync(join(root, "examples", "gallery", `${name}.ggsl`), "utf8");
  return text.slice(0, text.search(/\n(import|test) /));
}

/** The picture of an entry. */
export function pictureOf(entry: Entry): string {
  const { shown } = entry;
  const label = `${shown.call.split(" |> ")[0]!}: ${shown.caption}`;
  if ("probs" in shown)
    return picture(placeBars(entry, shown), { most: mostOf(entry), unit: percent(mostOf(entry)), label });
  const { bars, stop } = textBars(entry, shown);
  const most = Math.max(...bars.map(({ after }) => after));
  const unit = shown.measure === undefined ? percent(most) : `${Math.round(most)}`;
  return picture(bars, { most, unit, label, ending: stop });
}

const percent = (part: number): string => `${Math.round(100 * part)} %`;

function mostOf(entry: Entry): number {
  const bars = placeBars(entry, entry.shown as Place);
  return Math.ceil(10 * Math.max(...bars.flatMap(({ before = 0, after }) => [before, after]))) / 10;
}

type Place = Extract<Entry["shown"], { probs: unknown }>;
type Text = Extract<Entry["shown"], { steps: unknown }>;

function chainOf({ name, isStd, shown }: Entry): Chain {
  const others = ["greedy"].filter((one) => shown.call.includes(`${one}(`));
  const imports = [...(isStd ? [name] : []), ...others];
  const head = imports.length > 0 ? `import { ${imports.join(", ")} } from "std"\n` : "";
  return compile(`${head}${isStd ? "" : exampleText(name)}\nchain shown() = ${shown.call}\n`);
}

function opened(entry: Entry): ReturnType<typeof createEvaluator> {
  const { tokens, before = [], written = [] } = entry.shown;
  const { rowsGraph } = chainOf(entry);
  const feed = { vocabulary: tokens };
  const evaluator = createEvaluator(rowsGraph, tokens.length, { backend: "reference", feed, history: before });
  for (const token of written) {
    evaluator.evaluate(tokens.map(() => 0));
    evaluator.accept(token);
  }
  return evaluator;
}

function placeBars(entry: Entry, { tokens, probs, rejected }: Place): Bar[] {
  using evaluator = opened(entry);
  if (rejected) evaluator.reject(rejected);
  const { candidates } = evaluator.evaluate(probs.map(Math.log));
  const after = new Map(candidates.map(({ token, prob }) => [token, prob]));
  return tokens.map((token, i) => ({
    label: labelOf(token),
    before: probs[i]!,
    after: after.get(i) ?? 0,
    isDropped: !after.has(i),
  }));
}

/** The tokens that are picked, up to the end of the text: the likeliest that the chain keeps. */
function textBars(entry: Entry, { tokens, steps, measure }: Text): { readonly bars: Bar[]; readonly stop?: string } {
  using evaluator = opened(entry);
  const bars: Bar[] = [];
  for (const logits of steps) {
    const { candidates, measures, stop } = evaluator.evaluate(logits);
    const best = candidates.reduce((most, one) => (one.prob > most.prob ? one : most));
    const after = measure === undefined ? best.prob : measures![measure]!;
    bars.push({ label: labelOf(tokens[best.token]!), after });
    evaluator.accept(best.token);
    if (stop !== undefined) return { bars, stop: `ends: ${stop}` };
    if (tokens[best.token] === "</think>") return { bars, stop: "the answer" };
  }
  return { bars };
}

/** A token as it is shown. */
const labelOf = (text: string): string => text.trim().replace(/^<(.*)>$/, "$1") || "\\n";
