/**
 * `ggsl/vite`: lets a program import the chains of a `.ggsl` file, in Vite and in Rollup. The module contains the compiled
 * graphs, so the bundle contains no compiler.
 */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import fs, { existsSync, readFileSync, writeFileSync } from "node:fs";
import path, { basename, dirname, join, relative, resolve, sep } from "node:path";
import { moduleChains } from "@ggsl/codegen/chains.js";
import { genCommand } from "@ggsl/codegen/command.js";
import { declarations, javaScriptModule, MARK, nameChains } from "@ggsl/codegen/module.js";
import { CompileError, isError, type Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { formatDiagnostics } from "@ggsl/compiler/check/format.js";
import type { Importer } from "@ggsl/compiler/source/importer.js";
import { diskImporter } from "@ggsl/compiler/diskImporter.js";
import { checkNames, type OptionNames } from "@ggsl/compiler/core/optionNames.js";
import { lineColumn } from "@ggsl/compiler/source/source.js";

export interface GgslOptions {
  /** Values of parameters by file path relative to the project's root: `{ "src/best.ggsl": { k: 40, "other.k": 20 } }`. */
  readonly set?: Readonly<Record<string, Settings>> | undefined;
  /** False: does not write types next to the files; `ggsl gen --dts` also writes them. */
  readonly dts?: boolean | undefined;
}

/** An error or a warning in the form of bundlers. */
interface Log {
  readonly message: string;
  readonly id: string;
  /** The column counts from 0. */
  readonly loc: { readonly file: string; readonly line: number; readonly column: number };
  readonly frame: string;
}

/** The used part of a bundler's plugin context. */
interface Context {
  addWatchFile(file: string): void;
  warn(log: Log | string): void;
  error(log: Log): never;
}

/** A plugin for both Vite and Rollup, whose own types differ. */
export interface GgslPlugin {
  readonly name: string;
  readonly enforce: "pre";
  config(): { readonly optimizeDeps: { exclude: string[] } };
  configResolved(config: { readonly root: string }): void;
  transform(
    this: Context,
    code: string,
    id: string,
  ): { readonly code: string; readonly map: { readonly mappings: "" }; readonly moduleType: "js" } | undefined;
  buildEnd(this: Pick<Context, "warn">, error?: Error): void;
}

const NAMES: OptionNames<GgslOptions> = { set: true, dts: true };

/** The plugin. Throws `OptionError` for unknown options. */
export default function ggsl(options: GgslOptions = {}): GgslPlugin {
  checkNames(options, NAMES);
  const { set = {}, dts = true } = options;
  let root = process.cwd();
  const unused = new Set(Object.keys(set));
  const settingsOf = (id: string): Settings | undefined => {
    const key = Object.keys(set).find((file) => resolve(root, file) === resolve(id));
    if (key === undefined) return undefined;
    unused.delete(key);
    return set[key];
  };
  return {
    name: "ggsl",
    enforce: "pre",
    // prebundled, the package would look for its WebAssembly module in the wrong folder
    config: () => ({ optimizeDeps: { exclude: ["ggsl"] } }),
    configResolved(config) {
      ({ root } = config);
    },
    transform(text, id) {
      // imports with `?raw`, `?url` and the like do not ask for the chains
      if (!id.endsWith(".ggsl") || id.startsWith("\0")) return undefined;
      try {
        const settings = settingsOf(id);
        const { chains, packages, warnings } = moduleChains(
          { name: id, text: withoutMark(text) },
          {
            importer: watching(this, root, id),
            nameOf: (file) => relative(dirname(id), file).split(sep).join("/"),
            ...(settings && { set: settings }),
          },
        );
        for (const warning of warnings) this.warn(logOf([warning]));
        const named = nameChains(chains);
        const command = genCommand({ file: basename(id), dts, set: settings });
        if (dts) writeTypes(id, declarations(named, command, packages));
        return { code: javaScriptModule(named), map: { mappings: "" }, moduleType: "js" };
      } catch (error) {
        if (!(error instanceof CompileError)) throw error;
        return this.error(logOf(error.diagnostics));
      }
    },
    buildEnd(error) {
      if (error) return;
      for (const file of unused)
        this.warn(
          `the option \`set\` names "${file}", which nothing imports; expected the path of a .ggsl file from ${root}`,
        );
    },
  };
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, "");

/**
 * Reads imports that are below the project's folder; those of a file outside it, such as one of a linked package, below its own.
 * Missing files are also watched, because they may appear.
 */
function watching(context: Context, root: string, id: string): Importer {
  const folder = id.startsWith(join(root, sep)) ? root : dirname(id);
  return diskImporter({ fs, path }, { rootOf: () => folder, onImport: (file) => context.addWatchFile(file) });
}

/** All diagnostics in the command line's format, at the place of the first error. */
function logOf(diagnostics: readonly Diagnostic[]): Log {
  const first = diagnostics.find(isError) ?? diagnostics[0]!;
  const { source, start } = first.span;
  const { line, column } = lineColumn(source, start);
  const [heading, ...frame] = formatDiagnostics([first]).trimEnd().split("\n");
  const others = diagnostics.filter((d) => d !== first);
  const rest = others.length > 0 ? `\n\n${formatDiagnostics(others).trimEnd()}` : "";
  return {
    message: `${heading}${rest}`,
    id: source.name,
    loc: { file: source.name, line, column: column - 1 },
    frame: frame.join("\n"),
  };
}

/** Does not overwrite a file that was written by hand. A failed write is an error that names the option. */
function writeTypes(id: string, text: string): void {
  const file = `${id}.d.ts`;
  const present = existsSync(file) ? readFileSync(file, "utf8").replace(/\r\n/g, "\n") : undefined;
  if (present === text) return;
  if (present !== undefined && !present.includes(MARK))
    throw new Error(`"${file}" is there, and this plugin did not make it: remove it, or set \`dts: false\``);
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new Error(`"${file}" cannot be written: ${(error as Error).message}; \`dts: false\` disables it`);
  }
}
