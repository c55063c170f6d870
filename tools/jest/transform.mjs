/**
 * How jest compiles modules: swc strips the types, and what the language itself has of globals becomes a constant of the module.
 * Jest runs modules in a sandbox, where each use of a global, such as `Math` in a loop, calls C++ and then a proxy: a third of a microsecond,
 * which was a quarter of the time of all tests. It is JavaScript, since jest loads it as it is.
 */
import { createTransformer } from "@swc/jest";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const swc = createTransformer({ jsc: { target: "es2022", parser: { syntax: "typescript" } } });
const own = readFileSync(fileURLToPath(import.meta.url), "utf8");

/** Nothing replaces these; `process`, `fetch` and timers are not among them, since a test may. */
const GLOBALS = [
  ...["Array", "ArrayBuffer", "BigInt", "BigInt64Array", "BigUint64Array", "Boolean", "DataView", "Date", "Error"],
  ...[
    "Float32Array",
    "Float64Array",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "JSON",
    "Map",
    "Math",
    "NaN",
  ],
  ...[
    "Number",
    "Object",
    "Promise",
    "Proxy",
    "RangeError",
    "Reflect",
    "RegExp",
    "Set",
    "String",
    "Symbol",
    "TypeError",
  ],
  ...["Uint16Array", "Uint32Array", "Uint8Array", "Uint8ClampedArray", "WeakMap", "WeakSet", "isFinite", "isNaN"],
  ...["parseFloat", "parseInt"],
];

/** What a module declares or imports by lists: `import { a, b as c }`, `const { a, b: c } =`. */
const LISTS = /\b(?:import|const|let|var)\b[^;(={]*[{[]([^;=]*?)[}\]]\s*(?:=|from)/g;

/** The code with a first statement, on its first line, that makes constants of the globals that it uses and does not declare. */
function withConstants(code) {
  const lists = [...code.matchAll(LISTS)].map(([, list]) => list).join();
  const isDeclared = (name) =>
    new RegExp(`\\b(?:class|const|function\\*?|let|var|import)\\s+${name}\\b`).test(code) ||
    new RegExp(`\\b${name}\\b`).test(lists);
  const used = GLOBALS.filter((name) => new RegExp(`(?<![.\\w$])${name}\\b(?!\\s*:)`).test(code) && !isDeclared(name));
  return used.length === 0 ? code : `const { ${used.join(", ")} } = globalThis; ${code}`;
}

const isModule = (file, { supportsStaticESM }) => supportsStaticESM && !file.endsWith(".cjs");

function compiled(source, file, options) {
  // packages are JavaScript as it is
  const result = /\.tsx?$/.test(file) ? swc.process(source, file, options) : { code: source };
  return isModule(file, options) ? { ...result, code: withConstants(result.code) } : result;
}

export default {
  process: compiled,
  processAsync: (...all) => Promise.resolve(compiled(...all)),
  getCacheKey: (source, file, options) =>
    createHash("sha256")
      .update(own)
      .update("\0")
      .update(swc.getCacheKey(source, file, options))
      .digest("hex"),
};
