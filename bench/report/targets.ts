/** What the measurements have to reach, with what they reached. */
import type { CompileTimings, Measurement, Spread, TextsTimings } from "../results.js";
import { ofFirstVariant, spreadText, type Table } from "./table.js";

interface Target {
  readonly what: string;
  readonly most: number;
  readonly unit?: string;
  readonly found: number | undefined;
  readonly shown?: string | undefined;
}

export const targetTable = (targets: readonly Target[]): Table => ({
  head: ["what", "at most", "measured", "met"],
  rows: targets.map(({ what, most, unit = "", found, shown }) => [
    what,
    `${most} ${unit}`.trim(),
    found === undefined ? "not measured" : `${shown ?? found} ${unit}`.trim(),
    found === undefined ? "-" : found <= most ? "yes" : "no",
  ]),
});

const ofSpread = (spread: Spread | undefined): Pick<Target, "found" | "shown"> => ({
  found: spread?.median,
  shown: spreadText(spread),
});

/** A limit for every case that `isMeant` holds for, on every variant of the CPU backend; the worst case is shown. */
interface WorstCase {
  readonly what: string;
  readonly most: number;
  readonly isMeant: (measurement: Measurement) => boolean;
  readonly ratio: "ratioToHost" | "ratioToLlama";
}

const ofChain =
  (chain: string, threads: readonly number[], vocabSize?: number): WorstCase["isMeant"] =>
  ({ setting: s, threads: t }) =>
    s.chain === chain && threads.includes(t) && (vocabSize ?? s.vocabSize) === s.vocabSize;

const LARGE = 128256;
const WORST: readonly WorstCase[] = [
  ...["min_p", "top_n_sigma", "top_p"].map((chain): WorstCase => ({
    what: `${chain}, V = ${LARGE}, 1 thread, relative to llama.cpp's samplers on the CPU`,
    most: chain === "top_p" ? 0.9 : 0.8,
    isMeant: ofChain(chain, [1], LARGE),
    ratio: "ratioToHost",
  })),
  {
    what: "penalties and default, relative to llama.cpp's samplers on the device",
    most: 0.8,
    isMeant: ofChain("penalties", [1, 2]),
    ratio: "ratioToLlama",
  },
];

function worstOf(measurements: readonly Measurement[], { what, most, isMeant, ratio }: WorstCase): Target {
  const meant = measurements.filter((m) => isMeant(m) && m[ratio]).sort((a, b) => b[ratio]!.median - a[ratio]!.median);
  const worst = meant[0];
  const where =
    worst &&
    `${worst.variant ?? worst.device}, V = ${worst.vocab}, ${worst.rows} sequences, ${worst.setting.shape}, threads: ${worst.threads}`;
  return {
    what: `${what}: the worst of ${meant.length} cases`,
    most,
    found: worst?.[ratio]?.median,
    shown: worst && `${spreadText(worst[ratio])}: ${where}`,
  };
}

/** Sampling alone. */
export function samplingTargets(measurements: readonly Measurement[]): Target[] {
  const find = (rows: number, threads: number): Measurement | undefined =>
    ofFirstVariant(measurements).find(
      (m) => ofChain("default", [threads], LARGE)(m) && m.setting.shape === "peaked" && m.setting.rows === rows,
    );
  const [one, many] = [find(1, 1), find(64, 2)];
  return [
    {
      what: "default chain, 1 sequence: nodes without views",
      most: 22,
      found: one?.ggsl.nodesWithoutViews,
    },
    {
      what: "default chain, 64 sequences, each with its own uniforms: nodes without views",
      most: 25,
      found: many?.ggsl.nodesWithoutViews,
    },
    {
      what: `time, V = ${LARGE}, 1 sequence, 1 thread, relative to llama.cpp's samplers on the device`,
      most: 0.95,
      ...ofSpread(one?.ratioToLlama),
    },
    {
      what: "the same, relative to llama.cpp's samplers on the CPU",
      most: 0.75,
      ...ofSpread(one?.ratioToHost),
    },
    {
      what: `time, V = ${LARGE}, 64 sequences, 2 threads, relative to 64 llama.cpp chains on the device`,
      most: 0.6,
      ...ofSpread(many?.ratioToLlama),
    },
    ...WORST.map((worst) => worstOf(measurements, worst)),
  ];
}

export function compileTargets(compile: CompileTimings | undefined): Target[] {
  const warm = compile?.compilations.find(({ name }) => name === "default chain")?.warmMs;
  return [
    { what: "compiling the default chain, warm", most: 5, unit: "ms", ...ofSpread(warm) },
    {
      what: "`ggsl check` of 100 lines, whole process",
      most: 300,
      unit: "ms",
      ...ofSpread(compile?.check.ms),
    },
  ];
}

/** Texts from end to end. That they are faster than llama.cpp's is in their own table. */
export function textTargets(texts: TextsTimings | undefined): Target[] {
  const main = texts?.measurements.find(({ sequences }) => sequences === 32)?.threads["main"];
  return [
    {
      what: "64 texts, each with a chain of its own, over the time of 64 with one chain",
      most: 1.3,
      ...ofSpread(texts?.ownChains?.timeRatio),
    },
    {
      what: "JavaScript's thread for a token, default chain, 32 sequences",
      most: 60,
      unit: "us",
      found: main,
      shown: main?.toFixed(0),
    },
  ];
}
