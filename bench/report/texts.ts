/** Texts written at the same time as a table. */
import type { LlamaTexts, OwnChains, TextsMeasurement } from "../results.js";
import { spreadText, type Table } from "./table.js";

export const textsTable = (measurements: readonly TextsMeasurement[]): Table => ({
  head: [
    ...["chain", "sequences", "llama.cpp's side", "tokens/s over llama.cpp's", "above 1"],
    ...[
      "tokens/s",
      "llama.cpp's",
      "CPU us a token",
      "llama.cpp's",
      "of it samplers",
      "same texts",
      "tokens",
      "llama.cpp's",
    ],
  ],
  rows: measurements.flatMap((m) => m.llama.map((llama) => rowOf(m, llama))),
});

const rowOf = (m: TextsMeasurement, llama: LlamaTexts): string[] => [
  ...[m.chain, String(m.sequences), llama.way, spreadText(llama.ratio), llama.ratio.median > 1 ? "yes" : "no"],
  ...[m.tokensPerSecond.median.toFixed(0), llama.tokensPerSecond.median.toFixed(0)],
  ...[m.cpuUs, llama.cpuUs, llama.samplingUs].map(({ median }) => median.toFixed(0)),
  ...[`${llama.sameTexts} of ${m.texts ?? m.sequences}`, String(m.tokens), String(llama.tokens)],
];

/** Where GGSL's time goes, by thread. */
export const threadsTable = (measurements: readonly TextsMeasurement[]): Table => {
  const names = [...new Set(measurements.flatMap(({ threads }) => Object.keys(threads)))];
  const shown = names.filter((name) => measurements.some(({ threads }) => (threads[name] ?? 0) >= 1));
  return {
    head: ["chain", "sequences", ...shown],
    rows: measurements.map((m) => [
      ...[m.chain, String(m.sequences)],
      ...shown.map((name) => (m.threads[name] ?? 0).toFixed(0)),
    ]),
  };
};

export const ownChainsText = ({ sequences, timeRatio }: OwnChains): string =>
  `${sequences} texts, each with a chain of its own, took ${spreadText(timeRatio)} of the time of ${sequences} with one chain.`;
