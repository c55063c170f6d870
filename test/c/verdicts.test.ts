/** Damaged specs: the C library and `readSpec` accept the same ones. */
import * as fc from "fast-check";
import { expect, test } from "@jest/globals";
import { readSpec, SpecError } from "../../compiler/graph/json.js";
import { specs } from "../fuzz/generators/specs.js";
import { addon } from "./library.js";

const COUNT = Number(process.env["GGSL_C_COUNT"] ?? 300);
const SEED = Number(process.env["GGSL_RANDOM_SEED"] ?? 20261123);

/** The faults, one a line; empty for a valid spec. */
function faultsOf(text: string): string {
  try {
    readSpec(text);
    return "";
  } catch (error) {
    if (error instanceof SpecError) return error.faults.join("\n");
    throw error;
  }
}

/** What the library does not read, though it is valid. */
const isMissing = (fault: string): boolean => fault.startsWith("UNSUPPORTED a set of tokens has the pattern");

test(
  "the verdicts on damaged specs are the same",
  () => {
    const found = { specs: 0, valid: 0, sameText: 0, unsupported: 0 };
    const differences: string[] = [];
    for (const c of fc.sample(specs.cases, { seed: SEED, numRuns: COUNT })) {
      const { text } = specs.show!(c);
      const ours = faultsOf(text);
      const theirs = addon.specFault(text) ?? "";
      found.specs++;
      if (isMissing(theirs)) {
        found.unsupported++;
        continue;
      }
      if (ours === "" && theirs === "") found.valid++;
      const theirFaults = theirs.split("\n  ").slice(1).join("\n");
      if (ours !== "" && ours === theirFaults) found.sameText++;
      if ((ours === "") !== (theirs === ""))
        differences.push(`${theirs || "valid"}\nexpected ${ours || "valid"}\n${text.slice(0, 20_000)}`);
    }
    process.stdout.write(`damaged specs: ${JSON.stringify(found)}\n`);
    expect(differences.slice(0, 2).join("\n\n")).toBe("");
    expect(found.valid).toBeGreaterThan(0.02 * COUNT);
    // most texts are the same, too
    expect(found.sameText).toBeGreaterThan(0.5 * (found.specs - found.valid - found.unsupported));
  },
  60_000 + 100 * COUNT,
);
