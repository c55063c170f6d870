/**
 * What some tests need beyond the Debian packages that every test needs. Where it is missing they are skipped, with the reason in their
 * titles, and `npm test` lists the reasons at its end (tools/lib/skipped.ts). Where it is required, as in `.ci/run`, they fail.
 */
import { describe, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { skippedTitle } from "../tools/lib/skipped.js";

export interface Need {
  /** As in "Chromium". */
  readonly what: string;
  readonly isThere: boolean;
  /** How to get it, as in "apt-get install chromium". */
  readonly fix: string;
  /** The environment variable that requires it is set. */
  readonly isRequired?: boolean;
}

interface Needing {
  /** All is there. */
  readonly isThere: boolean;
  readonly test: (title: string, run: () => void | Promise<void>, timeout?: number) => void;
  readonly describe: (title: string, tests: () => void) => void;
}

/** `test` and `describe` for tests that need all of these. */
export function needing(...needs: readonly Need[]): Needing {
  const missing = needs.filter(({ isThere }) => !isThere);
  if (missing.length === 0) return { isThere: true, test, describe };
  const reasons = missing.map(({ what, fix }) => `${what}: ${fix}`);
  const required = missing.find(({ isRequired }) => isRequired);
  if (required === undefined)
    return {
      isThere: false,
      test: (title, run) => test.skip(skippedTitle(title, reasons), run),
      describe: (title, tests) => describe.skip(skippedTitle(title, reasons), tests),
    };
  const fail = (title: string): void =>
    test(title, () => Promise.reject(new Error(`required here, but missing: ${reasons.join("; ")}`)));
  return { isThere: false, test: fail, describe: (title) => describe(title, () => fail(`needs ${required.what}`)) };
}

export const isSet = (variable: string): boolean => process.env[variable] === "1";

/** A program of a Debian package; it is there if it runs with these arguments. */
export const program = (
  [name, ...args]: readonly [string, ...string[]],
  given: { readonly package?: string; readonly isRequired?: boolean } = {},
): Need => ({
  what: name,
  isThere: spawnSync(name, args.length > 0 ? args : ["--version"]).status === 0,
  fix: `apt-get install ${given.package ?? name}`,
  ...(given.isRequired !== undefined && { isRequired: given.isRequired }),
});

/** A pseudo-terminal, which a container or a job may lack, and util-linux's program that opens one. */
export const TERMINAL: Need = {
  what: "a pseudo-terminal",
  isThere: spawnSync("script", ["-qefc", "true", "/dev/null"], { input: "" }).status === 0,
  fix: "`script` of util-linux, and /dev/pts",
};

export const LINUX_X64: Need = {
  what: "Linux on x64",
  isThere: process.platform === "linux" && process.arch === "x64",
  fix: "another machine",
};
