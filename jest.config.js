import { availableParallelism } from "node:os";

/** Tests run as ECMAScript modules; swc strips the types, which `npm run types` checks. */
export default {
  testEnvironment: "node",
  // the sources of this project's own packages
  testEnvironmentOptions: { customExportConditions: ["@ggsl/source", "node", "node-addons"] },
  // many tests wait for other programs, so some more than there are processors keep these busy
  maxWorkers: availableParallelism() + 2,
  // each file loads its modules anew, and what they were is never given back: one with much memory takes longer to end than jest waits
  workerIdleMemoryLimit: "400MB",
  // ends what hangs: many programs compete for the machine, so no time decides whether a test passes
  testTimeout: 600_000,
  testMatch: ["<rootDir>/{compiler,runtime,cli,test}/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  modulePathIgnorePatterns: ["/dist/", "<rootDir>/build/", "<rootDir>/editors/"],
  transform: {
    "^.+\\.ts$": "<rootDir>/tools/jest/transform.mjs",
    // of packages only those that compute for long
    "/node_modules/(?:ohm-js|fast-check)/.+\\.m?js$": "<rootDir>/tools/jest/transform.mjs",
  },
  transformIgnorePatterns: [],
};
