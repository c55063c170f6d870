/** Small ops in bundles and one by one, as tables. */
import type { BundledTexts, Measurement } from "../results.js";
import { spreadText, type Table } from "./table.js";

/** Microseconds for a token of each sequence. */
export const bundledTable = (measurements: readonly Measurement[]): Table => ({
  head: ["V", "sequences", "threads", "nodes", "one by one", "us for each sequence", "one by one", "ratio"],
  rows: measurements.map(({ vocab, rows, threads, ggsl, alone, ratioToAlone }) => [
    ...[String(vocab), String(rows), String(threads), String(ggsl.nodesWithoutViews)],
    ...[String(alone?.nodesWithoutViews), (ggsl.us.median / rows).toFixed(2)],
    ...[alone === undefined ? "-" : (alone.us.median / rows).toFixed(2), spreadText(ratioToAlone)],
  ]),
});

export const bundledTextsTable = (texts: readonly BundledTexts[]): Table => ({
  head: ["sequences", "threads", "tokens/s", "one by one", "ratio"],
  rows: texts.map(({ threads, sequences, bundled, alone, ratio }) => [
    ...[String(sequences), String(threads), bundled.median.toFixed(0), alone.median.toFixed(0)],
    `${ratio.median.toFixed(3)} (${ratio.q1.toFixed(3)}-${ratio.q3.toFixed(3)})`,
  ]),
});
