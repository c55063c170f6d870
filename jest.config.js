/** Tests run as ECMAScript modules; TypeScript is stripped by swc, and checked by `npm run types`. */
export default {
  testEnvironment: "node",
  // the sources of this project's own packages
  testEnvironmentOptions: { customExportConditions: ["@ggsl/source", "node", "node-addons"] },
  // jest would leave a processor idle, on two of them half
  maxWorkers: 2,
  // native and whole-model tests share the machine with each other
  testTimeout: 30_000,
  testMatch: ["<rootDir>/{compiler,runtime,cli,test}/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  moduleNameMapper: { "^(\\.{1,2}/.*)\\.js$": "$1" },
  modulePathIgnorePatterns: ["/dist/", "<rootDir>/build/", "<rootDir>/editors/"],
  transform: {
    "^.+\\.ts$": ["@swc/jest", { jsc: { target: "es2022", parser: { syntax: "typescript" } } }],
  },
};
