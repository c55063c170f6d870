/**
 * Whether each C++ source includes what it uses. Several sources are compiled as one, so that a missing include shows only when they are
 * grouped anew; this finds it in the text: a name that headers declare must be declared in a header that the source's own quoted includes lead to.
 */
import { dirname, join, normalize } from "node:path/posix";
import { namesOf, type Names, type Used } from "./names.js";
import { readSource } from "./tokens.js";

export interface MissingInclude {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  /** The headers that declare it. */
  readonly headers: readonly string[];
}

interface Source {
  readonly names: Names;
  /** The files that it includes directly. */
  readonly includes: readonly string[];
}

/** Finds what is missing in the sources, texts by path. `roots` are the folders where the compilers look for headers. */
export function missingIncludes(texts: ReadonlyMap<string, string>, roots: readonly string[]): MissingInclude[] {
  const sources = new Map<string, Source>();
  for (const [path, text] of texts) {
    const source = readSource(text);
    const includes = source.includes.flatMap((name) => resolved(name, path, texts, roots) ?? []);
    sources.set(path, { names: namesOf(source), includes });
  }
  const headers = headersByName(sources);
  return [...sources].flatMap(([path, source]) =>
    path.endsWith(".inc") ? [] : missingIn(path, source, sources, headers),
  );
}

/** Beside the file, or in the first folder that has it. */
function resolved(
  name: string,
  path: string,
  texts: ReadonlyMap<string, string>,
  roots: readonly string[],
): string | undefined {
  return [dirname(path), ...roots].map((folder) => normalize(join(folder, name))).find((file) => texts.has(file));
}

/** Where each name is declared: by name, the namespaces and their headers. */
type Headers = ReadonlyMap<string, readonly { readonly namespace: string; readonly header: string }[]>;

function headersByName(sources: ReadonlyMap<string, Source>): Headers {
  const headers = new Map<string, { namespace: string; header: string }[]>();
  for (const [header, { names }] of sources) {
    if (!header.endsWith(".h")) continue;
    for (const { name, namespace } of names.declared) {
      const places = headers.get(name);
      if (places === undefined) headers.set(name, [{ namespace, header }]);
      else places.push({ namespace, header });
    }
  }
  return headers;
}

function missingIn(path: string, source: Source, sources: ReadonlyMap<string, Source>, headers: Headers) {
  const reached = reachedFrom(path, sources);
  const others = [...reached].map((file) => sources.get(file)!.names);
  const opened = new Set(others.flatMap((names) => [...names.opened]));
  const missing = new Map<string, MissingInclude>();
  for (const use of source.names.used) {
    const { name, line } = use;
    if (missing.has(name) || isOwn(use, source.names)) continue;
    const places = (headers.get(name) ?? []).filter((place) => canMean(use, place.namespace, opened));
    if (places.length === 0 || places.some(({ header }) => reached.has(header))) continue;
    // a header may name what is only announced
    if (path.endsWith(".h") && others.some((names) => names.announced.has(name))) continue;
    if (use.qualifier === undefined && others.some((names) => names.members.has(name))) continue;
    missing.set(name, { file: path, line, name, headers: [...new Set(places.map(({ header }) => header))] });
  }
  return [...missing.values()];
}

/** Whether a use means what its own file has; behind a namespace that is nothing local. */
const isOwn = ({ name, qualifier }: Used, own: Names): boolean =>
  qualifier === undefined ? own.introduced.has(name) : own.declared.some((one) => one.name === name);

/** Whether a use can mean a name of this namespace. */
function canMean({ namespace, qualifier }: Used, of: string, opened: ReadonlySet<string>): boolean {
  if (qualifier !== undefined) return of === qualifier || of.endsWith(`::${qualifier}`);
  const isAround = of === "" || namespace === of || namespace.startsWith(`${of}::`);
  return isAround || [...opened].some((name) => of === name || of.endsWith(`::${name}`));
}

/** The file itself, and all that its includes lead to. */
function reachedFrom(path: string, sources: ReadonlyMap<string, Source>): ReadonlySet<string> {
  const reached = new Set([path]);
  // a set is walked with what is added meanwhile
  for (const file of reached) for (const include of sources.get(file)!.includes) reached.add(include);
  return reached;
}
