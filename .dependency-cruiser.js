/**
 * Directions of imports: no cycles, and packages and phases import only lower ones. `npm run lint` checks it.
 * Packages resolve to their sources, as everywhere in this repository.
 */

/** The packages that each one may import. */
export const PACKAGES = {
  compiler: [],
  format: ["compiler"],
  settings: ["compiler", "format"],
  codegen: ["compiler"],
  lsp: ["compiler", "format"],
  vite: ["compiler", "codegen"],
  runtime: ["compiler", "settings"],
  server: ["compiler", "settings", "runtime"],
  cli: ["compiler", "format", "settings", "codegen", "lsp", "runtime", "server"],
  // the page opens with the examples, and lays out drawings as `ggsl explain --html` does
  playground: ["compiler", "lsp", "runtime", "examples", "cli/html"],
  // the preview has the playground's engine and its panel of stages
  editors: ["compiler", "runtime", "lsp", "playground"],
  bench: ["compiler", "runtime"],
  tools: ["compiler", "runtime", "server", "site"],
  // the link of a program is the playground's own
  site: ["compiler", "format", "playground", "tools/lib"],
};

/** The compiler's folders from the lowest on, and those that each one may import. The driver and its helpers are beside them. */
export const PHASES = {
  core: [],
  limits: ["core"],
  source: [],
  llama: ["core"],
  graph: ["core", "limits", "llama"],
  diagnostics: ["core", "limits", "source", "graph"],
  syntax: ["limits", "source", "diagnostics"],
  std: ["source", "syntax"],
  table: ["core", "limits", "graph"],
  rules: ["graph", "table"],
  rows: ["core", "limits", "graph", "table", "rules"],
  builtins: ["source", "graph", "syntax", "table", "rows"],
  check: ["core", "limits", "source", "llama", "graph", "diagnostics", "syntax", "std", "builtins"],
  lower: "core limits source llama graph diagnostics syntax std table rules rows builtins check".split(" "),
  optimize: ["core", "limits", "graph"],
  emit: ["core", "limits", "graph"],
};

/** The runtime's folders from the lowest on, and those that each one may import. Public entry points are beside them. */
export const LAYERS = {
  wasm: [],
  core: [],
  backends: ["core", "wasm"],
  grammars: ["backends", "core"],
  sequence: ["backends", "core", "grammars"],
  chain: ["backends", "core", "grammars", "sequence"],
  chat: ["backends", "core", "grammars", "sequence"],
  decode: ["backends", "chain", "core", "grammars", "sequence"],
  generation: ["backends", "chain", "core", "decode", "grammars", "sequence"],
  models: ["backends", "chain", "chat", "core", "decode", "generation", "grammars", "sequence"],
};

/** Folders within these layers, and those beside them that each one may import. */
const ROOMS = {
  "backends/native": [],
  "backends/reference": [],
  "backends/wasm": ["native"],
  "backends/devices": ["native"],
  "backends/remote": ["devices", "native"],
  "decode/scheduler": [],
  "decode/speculation": ["scheduler"],
};

/** Published packages, which must declare their own dependencies. */
const PUBLISHED = "compiler|format|settings|codegen|lsp|vite|runtime|server|cli";

const forbid = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });
const oneOf = (names) => `^(${names.join("|")})/`;

const between = Object.entries(PACKAGES).map(([name, known]) =>
  forbid(
    `imports-of-${name}`,
    known.length === 0
      ? `${name} imports no other package`
      : `${name} imports ${known.join(", ")} and no other package`,
    // `ggsl/vite` re-exports the plugin
    { path: `^${name}/`, pathNot: "^runtime/vite\\.ts$" },
    { path: "/", pathNot: [oneOf([name, ...known]), "^node_modules/"], dependencyTypesNot: ["core"] },
  ),
);

const within = Object.entries(PHASES).map(([name, known]) =>
  forbid(
    `imports-of-compiler-${name}`,
    `compiler/${name} imports ${known.length === 0 ? "no other folder" : `only ${known.join(", ")}`} of the compiler`,
    { path: `^compiler/${name}/` },
    { path: "^compiler/", pathNot: `^compiler/(${[name, ...known].join("|")})[/.]` },
  ),
);

const layers = Object.entries(LAYERS).map(([name, known]) =>
  forbid(
    `imports-of-runtime-${name}`,
    `runtime/${name} imports ${known.length === 0 ? "no other folder" : `only ${known.join(", ")}`} of the runtime`,
    { path: `^runtime/${name}/` },
    { path: "^runtime/", pathNot: `^runtime/(${[name, ...known].join("|")})/` },
  ),
);

const rooms = Object.entries(ROOMS).map(([name, known]) => {
  const [layer, room] = name.split("/");
  return forbid(
    `imports-of-runtime-${layer}-${room}`,
    `runtime/${name} imports ${known.length === 0 ? "no other folder" : `only ${known.join(", ")}`} of runtime/${layer}`,
    { path: `^runtime/${name}/` },
    { path: `^runtime/${layer}/[^/]+/`, pathNot: `^runtime/${layer}/(${[room, ...known].join("|")})/` },
  );
});

export default {
  forbidden: [
    forbid("no-circles", "no cycles, including imports of types", {}, { circular: true }),
    forbid(
      "no-dead-ends",
      "every import resolves, but that of a module which only emscripten builds (npm run build:wasm -- --llama)",
      {},
      { couldNotResolve: true, pathNot: "/build/wasm-llama/out/ggsl-llama\\.wasm" },
    ),
    ...between,
    ...within,
    ...layers,
    ...rooms,
    forbid(
      "one-driver",
      "only the driver runs the compiler's phases",
      { pathNot: ["^compiler/(driver|contributions|optimizations)\\.ts$", "^test/"] },
      { path: "^compiler/(check/check|lower/lower|optimize/optimize)\\.ts$", dependencyTypesNot: ["type-only"] },
    ),
    forbid(
      "libraries-of-the-compiler",
      "the compiler depends only on the parser, the matcher of patterns and the wire form of protobuf",
      { path: "^compiler/" },
      {
        path: "^node_modules/",
        pathNot: "^node_modules/(?:ohm-js|re2js|@bufbuild/protobuf)/",
      },
    ),
    forbid(
      "no-node",
      "this code also runs in browsers: callers pass in files, runtime/core/node.ts imports Node.js modules",
      {
        path: oneOf(["compiler", "format", "settings", "codegen", "runtime", "playground"]),
        pathNot: ["^runtime/core/node\\.ts$", "^playground/vite\\.config\\.ts$"],
      },
      { dependencyTypes: ["core"] },
    ),
    forbid(
      "declared",
      "a package declares its imports in its own package.json; what it lists under devDependencies is bundled",
      { path: `^(${PUBLISHED})/` },
      { dependencyTypes: ["npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-peer"] },
    ),
    forbid("no-tests", "only tests import tests", { pathNot: "^test/" }, { path: "^test/" }),
  ],
  required: [
    {
      name: "sources",
      comment: "if packages resolved to their builds, the rules above would find nothing",
      severity: "error",
      module: { path: "^runtime/chain/chain\\.ts$" },
      to: { path: "^compiler/driver\\.ts$" },
    },
  ],
  options: {
    doNotFollow: { path: "^node_modules/" },
    exclude: { path: "^(build|coverage|test/packages/files)/|^[^/]+/dist/|^runtime/.*(worker|Worker|Child)\\.mjs$" },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["@ggsl/source", "import", "require", "node", "default"],
    },
  },
};
