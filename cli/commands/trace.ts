/** `ggsl trace`: shows what `ggsl run --trace` has written. */
import type { Command } from "commander";
import { formatTable } from "ggsl/core/table.js";
import { writeOutput } from "../files.js";
import { tracePage } from "../trace/page.js";
import { columnsOf, readTrace, type TracedToken, type TraceFile } from "../trace/file.js";

interface Options {
  readonly html?: true;
  readonly output?: string;
}

export const addTrace = (command: Command): Command =>
  command
    .argument("<file>", "a trace that `ggsl run --trace` has written; - is standard input")
    .option("--html", "write a self-contained page")
    .option("-o, --output <file>", "write to a file instead of standard output")
    .action((file: string, { html, output = "-" }: Options) => {
      const trace = readTrace(file);
      writeOutput(output, html ? tracePage(trace) : trace.texts.map((tokens) => tableOf(trace, tokens)).join("\n"));
    });

/** A line for each token, and two columns for each stage. */
const tableOf = ({ stages }: TraceFile, tokens: readonly TracedToken[]): string =>
  formatTable(
    ["token", ...stages],
    tokens.map((token) => [JSON.stringify(token.text), ...cellsOf(token, stages.length)]),
  );

function cellsOf(token: TracedToken, stages: number): string[] {
  const columns = columnsOf(token);
  if (!columns) return Array.from({ length: stages }, (_, i) => (i === 0 ? "not picked" : ""));
  return columns.probability.map((p, i) => `${p.toFixed(4)} #${columns.rank[i]!}/${columns.rows[i]!}`);
}
