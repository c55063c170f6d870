/** E07xx: limits that an embedder sets. Each diagnostic names its limit. */
import { exceeds, type CountedLimit } from "../limits/message.js";
import type { LimitExceeded } from "../limits/meter.js";
import type { Span } from "../source/source.js";
import { error, warning, type Diagnostic } from "./diagnostic.js";

/** Codes that are older than this family. */
const CODES: Partial<Record<CountedLimit, string>> = { sourceLength: "E0102", files: "E0210" };

export const limitExceeded = (span: Span, limit: CountedLimit, allowed: number, found?: number): Diagnostic =>
  error(CODES[limit] ?? "E0701", span, exceeds(limit, allowed, found), { label: `the limit \`${limit}\`` });

export const limitDiagnostic = (span: Span, { limit, allowed, found }: LimitExceeded): Diagnostic =>
  limitExceeded(span, limit, allowed, found);

/** The last diagnostic of many: how many are not shown. */
export const moreDiagnostics = (span: Span, allowed: number, more: number, isError: boolean): Diagnostic =>
  (isError ? error : warning)(isError ? "E0702" : "W0702", span, `and ${more} more`, {
    label: `the limit \`diagnostics\` is ${allowed}`,
  });
