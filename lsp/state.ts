/** The server's cached state of open documents. */
import { limitsOf } from "@ggsl/compiler/limits/limits.js";
import { Meter } from "@ggsl/compiler/limits/meter.js";
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { loadStd, newLoader } from "@ggsl/compiler/check/modules.js";
import { declaredBy } from "@ggsl/compiler/check/names.js";
import { occurrencesOf } from "@ggsl/compiler/check/occurrences.js";
import type { Meaning, Module, Occurrence } from "@ggsl/compiler/check/tree.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { unusedFaults } from "@ggsl/compiler/driver.js";
import { analyse, diagnosticsOf, type Analysis, type ChainCache } from "./analysis.js";
import type { Files } from "./files.js";

export interface State {
  readonly files: Files;
  readonly chains: ChainCache;
  /** Invalidates all analyses. */
  touch(): void;
  analysisOf(uri: string): Analysis | undefined;
  occurrencesIn(analysis: Analysis): readonly Occurrence[];
  /** All diagnostics of a file, including those of its chains. */
  diagnose(analysis: Analysis): readonly Diagnostic[];
  /** The modules of all files that contain a word. */
  modulesWith(word: string): Module[];
  moduleOf(source: SourceFile): Module;
  std(name: string): Meaning | undefined;
  forget(uri: string): void;
}

export function newState(files: Files): State {
  let stamp = 0;
  const chains: ChainCache = new Map();
  const analyses = new Map<string, { stamp: number; analysis: Analysis }>();
  const occurrences = new WeakMap<Analysis, readonly Occurrence[]>();
  const diagnostics = new WeakMap<Analysis, readonly Diagnostic[]>();
  const library = newLoader();

  const analysisOfSource = (key: string, source: SourceFile): Analysis => {
    const present = analyses.get(key);
    if (present?.stamp === stamp && present.analysis.source === source) return present.analysis;
    const analysis = analyse(files, source);
    analyses.set(key, { stamp, analysis });
    return analysis;
  };

  return {
    files,
    chains,
    touch() {
      stamp++;
    },
    analysisOf(uri) {
      const source = files.open(uri);
      return source && analysisOfSource(uri, source);
    },
    occurrencesIn(analysis) {
      const present = occurrences.get(analysis) ?? occurrencesOf(analysis.module);
      occurrences.set(analysis, present);
      return present;
    },
    diagnose(analysis) {
      const present = diagnostics.get(analysis);
      if (present) return present;
      const meter = new Meter(limitsOf());
      for (const chain of analysis.program?.chains ?? [])
        for (const one of diagnosticsOf(chains, analysis, chain, meter)) analysis.report.push(one);
      if (analysis.program) for (const one of unusedFaults(analysis.program)) analysis.report.push(one);
      const all = analysis.report.sorted(analysis.source);
      diagnostics.set(analysis, all);
      return all;
    },
    moduleOf: (source) => analysisOfSource(files.uriOf(source), source).module,
    modulesWith: (word) =>
      files
        .workspace()
        .filter(({ text }) => text.includes(word))
        .map((source) => analysisOfSource(files.uriOf(source), source).module),
    std(name) {
      const binding = loadStd(library, name);
      return binding && declaredBy(binding);
    },
    forget(uri) {
      analyses.delete(uri);
      files.forget(uri);
    },
  };
}
