/** Measurements as tables. */
import type { Measurement, Profile, Spread } from "../results.js";

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** `0.83 (0.80-0.91)`: the median and the quartiles. */
export const spreadText = (spread: Spread | undefined): string =>
  spread ? `${number(spread.median)} (${number(spread.q1)}-${number(spread.q3)})` : "-";

const number = (value: number): string => (value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** The measurements on the variant of the CPU backend that was measured first. */
export const ofFirstVariant = (measurements: readonly Measurement[]): Measurement[] =>
  measurements.filter(({ variant }) => variant === measurements[0]!.variant);

/** Ratios on each variant of the CPU backend side by side; undefined if there is one. */
export function variantTable(measurements: readonly Measurement[]): Table | undefined {
  const variants = [...new Set(measurements.map(({ variant }) => variant))];
  if (variants.length < 2) return undefined;
  const on = (m: Measurement, variant: string | undefined): Measurement | undefined =>
    measurements.find((other) => other.variant === variant && other.case === m.case && other.threads === m.threads);
  return {
    head: [
      ...["chain", "V", "sequences", "threads"],
      ...variants.flatMap((variant) => [`${variant}: time / its graph`, "time / its CPU chain"]),
    ],
    rows: ofFirstVariant(measurements).map((m) => [
      ...[m.setting.chain, ...[m.vocab, m.rows, m.threads].map(String)],
      ...variants
        .map((variant) => on(m, variant))
        .flatMap((found) => [spreadText(found?.ratioToLlama), spreadText(found?.ratioToHost)]),
    ]),
  };
}

export function timingTable(measurements: readonly Measurement[]): Table {
  const head = [
    "chain",
    "V",
    "sequences",
    "logits",
    "threads",
    "nodes",
    "without views",
    "llama.cpp's",
    "time / its graph",
  ];
  return {
    head: [...head, "time / its CPU chain", "bytes read back", "llama.cpp's"],
    rows: measurements.map((m) => [
      m.setting.chain,
      ...[m.vocab, m.rows, m.setting.shape, m.threads, m.ggsl.nodes, m.ggsl.nodesWithoutViews].map(String),
      m.llama ? String(m.llama.nodesWithoutViews) : "none",
      m.missingInLlama ? `no ${m.missingInLlama.join(", ")}` : spreadText(m.ratioToLlama),
      spreadText(m.ratioToHost),
      String(m.ggsl.readbackBytes),
      m.llama ? String(m.llama.readbackBytes) : "-",
    ]),
  };
}

/** Operations by their share of a graph's time, without the start-up time of each. */
export function profileTable({ nodes, startUs }: Profile, most: number): Table {
  const own = nodes.map((node) => ({ ...node, us: Math.max(0, node.us - startUs) }));
  const whole = own.reduce((sum, { us }) => sum + us, 0);
  const largest = [...own].sort((a, b) => b.us - a.us).slice(0, most);
  return {
    head: ["op", "node", "share of time", "bytes moved"],
    rows: largest.map(({ op, name, us, bytes }) => [
      op.toLowerCase(),
      name,
      `${((100 * us) / whole).toFixed(1)} %`,
      String(bytes),
    ]),
  };
}

export const markdown = ({ head, rows }: Table): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
