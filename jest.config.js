import { availableParallelism } from "node:os";

/** Tests run as ECMAScript modules; swc strips the types, which `npm run types` checks. */
export default {
  testEnvironment: "node",
  // the sources of this project's own packages
  testEnvironmentOptions: { customExportConditions: ["@ggsl/source", "node", "node-addons"] },
  // many tests wait for other programs, so one more than there are processors keeps these busy
  maxWorkers: availableParallelism() + 1,
  // native and whole-model tests compete for the machine, and no wait of theirs is shorter
  testTimeout: 120_000,
  testMatch: ["<rootDir>/{compiler,runtime,cli,test}/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  modulePathIgnorePatterns: ["/dist/", "<rootDir>/build/", "<rootDir>/editors/"],
  transform: {
    "^.+\\.ts$": ["@swc/jest", { jsc: { target: "es2022", parser: { syntax: "typescript" } } }],
  },
};
