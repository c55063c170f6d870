/** The standard library: its sources, and their syntax trees, parsed at build time. */
import type { File } from "../syntax/ast.js";
import type { SourceFile } from "../source/source.js";
import { readTree } from "../syntax/stored.js";
import { STD_FILES } from "./std.generated.js";

/** The names that `import ... from "std"` offers; each is declared by the file of its name. */
export const STD_NAMES: readonly string[] = Object.keys(STD_FILES);

const sources: ReadonlyMap<string, SourceFile> = new Map(
  Object.entries(STD_FILES).map(([name, { text }]) => [name, { name: `std/${name}.ggsl`, text }]),
);
const names = new Map([...sources].map(([name, source]) => [source, name]));
const files = new Map<SourceFile, File>();

/** The file that declares a name of the library, without its example and its tests. */
export const stdSource = (name: string): SourceFile | undefined => sources.get(name);

/** Whether a source is a file of the library. */
export const isStdSource = (source: SourceFile): boolean => names.has(source);

/** A typical call of a sampler of the library that has an effect. */
export const stdExample = (name: string): string | undefined =>
  sources.has(name) ? STD_FILES[name]!.example : undefined;

/** The tree of one of these sources; undefined for any other. */
export function stdFile(source: SourceFile): File | undefined {
  const name = names.get(source);
  if (name === undefined) return undefined;
  const { text, tree } = STD_FILES[name]!;
  const file = files.get(source) ?? {
    kind: "file",
    declarations: readTree(tree, source),
    span: { source, start: 0, end: text.length },
  };
  files.set(source, file);
  return file;
}
