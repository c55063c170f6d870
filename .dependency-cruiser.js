/**
 * Which way imports go: no circles, and packages and phases know only what is below them. `npm run lint` checks it.
 * Packages are resolved to their sources, as everywhere in this repository.
 */

/** The packages that each one may import. */
const PACKAGES = {
  compiler: [],
  format: ["compiler"],
  settings: ["compiler"],
  codegen: ["compiler"],
  lsp: ["compiler", "format"],
  vite: ["compiler", "codegen"],
  runtime: ["compiler", "settings"],
  cli: ["compiler", "format", "settings", "codegen", "lsp", "runtime"],
  // the examples are what the page opens with
  playground: ["compiler", "runtime", "examples"],
  bench: ["compiler", "runtime"],
  tools: ["compiler", "runtime"],
};

/** The folders of the compiler: the phases that each one may know. The driver knows them all. */
const PHASES = {
  // the type of a parameter's range
  llama: ["graph/graph"],
  graph: ["llama"],
  // diagnostics are below all phases
  syntax: ["check/diagnostics"],
  std: ["syntax"],
  // a builtin's record holds what it is lowered to in rows
  builtins: ["graph", "lower/rows", "lower/rules", "syntax"],
  check: ["builtins", "graph", "llama", "std", "syntax"],
  lower: ["builtins", "check", "graph", "llama", "syntax"],
  optimize: ["graph"],
};

/** Those that are published, and so must say themselves what they need. */
const PUBLISHED = "compiler|format|settings|codegen|lsp|vite|runtime|cli";

const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });
const oneOf = (names) => `^(${names.join("|")})/`;

const between = Object.entries(PACKAGES).map(([name, known]) =>
  forbid(
    `imports-of-${name}`,
    known.length === 0
      ? `${name} imports no other package`
      : `${name} imports ${known.join(", ")} and no other package`,
    // what `ggsl/vite` exports is the plugin's
    { path: `^${name}/`, pathNot: "^runtime/vite\\.ts$" },
    { path: "/", pathNot: [oneOf([name, ...known]), "^node_modules/"], dependencyTypesNot: ["core"] },
  ),
);

const within = Object.entries(PHASES).map(([name, known]) =>
  forbid(
    `imports-of-compiler-${name}`,
    `compiler/${name} knows no later phase`,
    { path: `^compiler/${name}/` },
    {
      path: `^compiler/((${Object.keys(PHASES).join("|")})/|driver\\.ts$|index\\.ts$)`,
      pathNot: `^compiler/(${[name, ...known].join("|")})`,
    },
  ),
);

export default {
  forbidden: [
    forbid("no-circles", "imports of types count, too", {}, { circular: true }),
    forbid("no-dead-ends", "an import that is not found", {}, { couldNotResolve: true }),
    ...between,
    ...within,
    forbid(
      "one-driver",
      "only the driver puts the compiler's phases in order",
      { pathNot: ["^compiler/(driver|contributions|optimizations)\\.ts$", "^compiler/optimize/", "^test/"] },
      { path: "^compiler/(check/check|lower/lower|optimize/optimize)\\.ts$", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "ohm-js-alone",
      "the compiler needs ohm-js and nothing else",
      { path: "^compiler/" },
      {
        path: "^node_modules/",
        pathNot: "^node_modules/ohm-js/",
      },
    ),
    forbid(
      "no-node",
      "this runs in browsers, too: files come through callers, Node.js's own modules through runtime/node.ts",
      {
        path: oneOf(["compiler", "format", "settings", "codegen", "runtime", "playground"]),
        pathNot: ["^runtime/node\\.ts$", "^playground/vite\\.config\\.ts$"],
      },
      { dependencyTypes: ["core"] },
    ),
    forbid(
      "declared",
      "a package names what it imports in its own package.json",
      { path: `^(${PUBLISHED})/` },
      { dependencyTypes: ["npm-no-pkg", "npm-unknown", "npm-dev"] },
    ),
    forbid("no-tests", "tests are imported by tests alone", { pathNot: "^test/" }, { path: "^test/" }),
  ],
  required: [
    {
      name: "sources",
      comment: "if packages were resolved to what is built of them, the rules above would find nothing",
      severity: "error",
      module: { path: "^runtime/chain\\.ts$" },
      to: { path: "^compiler/driver\\.ts$" },
    },
  ],
  options: {
    doNotFollow: { path: "^node_modules/" },
    exclude: { path: "^(build|coverage)/|^[^/]+/dist/" },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@ggsl/source", "types", "import", "require", "node", "default"],
    },
  },
};
