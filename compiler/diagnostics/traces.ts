/** E09xx: chains that cannot be traced. */
import type { Span } from "../source/source.js";
import { error, type Diagnostic } from "./diagnostic.js";

export const traceOnHost = (span: Span, stage: string): Diagnostic =>
  error("E0901", span, `\`${stage}\` runs on the host, and a trace is computed in the graph`, {
    label: "no trace can show this stage",
    help: "use a sampler of the standard library without `host`, or compile the chain without a trace",
  });

export const traceWithoutPick = (span: Span, chain: string): Diagnostic =>
  error("E0902", span, `the chain \`${chain}\` picks no token, and a trace is about the token that is picked`, {
    help: "end it with a stage that picks, such as `dist()` or `greedy()`",
  });
