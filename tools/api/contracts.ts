/** The public interface of each entry point as a text. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "prettier";
import { ModuleKind, ModuleResolutionKind, Project, ScriptTarget } from "ts-morph";
import { declarationsOf, entryPoints, pathsIn, writeDeclarations, type EntryPoint } from "./entries.js";
import { printDeclaration } from "./print.js";
import { exportsOf, reachable, type Declared } from "./reach.js";

/** The files of docs/interface: their texts by name. */
export async function contracts(): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "ggsl-declarations-"));
  try {
    await writeDeclarations(folder);
    const project = new Project({
      skipAddingFilesFromTsConfig: true,
      compilerOptions: {
        target: ScriptTarget.ES2022,
        module: ModuleKind.ESNext,
        moduleResolution: ModuleResolutionKind.Bundler,
        // what comes from packages of others is only named
        types: [],
        paths: pathsIn(folder),
      },
    });
    // all files come first: one that is added later makes a new program
    const files = entryPoints().map(
      (entry) => [entry, project.addSourceFileAtPath(join(folder, declarationsOf(entry.source)))] as const,
    );
    const entries = files.map(([entry, file]): Entry => ({ entry, exports: exportsOf(file) }));
    const texts = new Map<string, string>();
    for (const { entry, exports } of entries)
      texts.set(fileOf(entry), await textOf(entry, exports, homesFor(entry, entries)));
    return texts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As programs name it: `ggsl/onnx.md`, `@ggsl/compiler.md`. */
const fileOf = ({ name }: EntryPoint): string => `${name}.md`;

interface Entry {
  readonly entry: EntryPoint;
  readonly exports: readonly Declared[];
}

/** Which entry point exports a declaration, for the types of another one: one of the same package, else the first. */
function homesFor({ name }: EntryPoint, entries: readonly Entry[]): (id: string) => string | undefined {
  const packageOf = (path: string): string => /^(@[^/]+\/)?[^/]+/.exec(path)![0];
  const homes = new Map<string, string>();
  const near = entries.filter(({ entry }) => packageOf(entry.name) === packageOf(name));
  for (const { entry, exports } of [...near, ...entries])
    for (const { id } of exports) if (!homes.has(id)) homes.set(id, entry.name);
  return (id) => homes.get(id);
}

async function textOf(
  { name, source }: EntryPoint,
  exports: readonly Declared[],
  homeOf: (id: string) => string | undefined,
): Promise<string> {
  const { hidden, elsewhere } = reachable(exports, homeOf);
  const code = async (list: readonly Declared[]): Promise<string> => {
    const text = list.map(printDeclaration).join("\n\n");
    return `\`\`\`ts\n${(await format(text, { parser: "typescript", printWidth: 120 })).trimEnd()}\n\`\`\`\n`;
  };
  const parts = [
    `# ${name}\n`,
    `Written by \`npm run api\` from \`${source}\`; do not edit.\n`,
    "## Exports\n",
    await code(exports),
  ];
  if (hidden.length > 0) parts.push("## Types that the exports expose\n", await code(hidden));
  if (elsewhere.length > 0) {
    parts.push("## Types of other entry points\n");
    parts.push(`${elsewhere.map(({ name: used, from }) => `- \`${used}\` of \`${from}\``).join("\n")}\n`);
  }
  return parts.join("\n");
}
