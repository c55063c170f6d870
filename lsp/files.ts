/** Files by the compiler's names, from open documents or else from disk. */
import fs, { existsSync, readdirSync, statSync } from "node:fs";
import path, { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { TextDocument } from "vscode-languageserver-textdocument";
import type { Parser } from "@ggsl/compiler/check/modules.js";
import type { Importer } from "@ggsl/compiler/source/importer.js";
import { MAX_SOURCE_BYTES, readRegular, textOf, UnreadableFile, type Disk } from "@ggsl/compiler/disk.js";
import { diskImporter } from "@ggsl/compiler/diskImporter.js";
import { parse, type ParseCache } from "@ggsl/compiler/syntax/parse.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";

/** The maximum number of files of a workspace that are searched for uses of a name. */
const MAX_FILES = 2000;
const MAX_DEPTH = 12;

const disk: Disk = { fs, path };

export interface Files {
  /** The source of an open document. */
  open(uri: string): SourceFile | undefined;
  readonly importer: Importer;
  readonly parse: Parser;
  /** The URI of a source, which may be in the standard library. */
  uriOf(source: SourceFile): string;
  /** The folder that the imports of a file stay below: the workspace's with the file, or else the file's own. */
  rootOf(name: string): string;
  /** Sources of the workspace's folders and of all open documents. */
  workspace(): SourceFile[];
  setFolders(uris: readonly string[]): void;
  forget(uri: string): void;
}

interface Options {
  /** The folder of the standard library's sources. */
  readonly stdFolder: string;
  readonly document: (uri: string) => TextDocument | undefined;
  readonly documents: () => TextDocument[];
}

/** The compiler's name of a document: its path, or its URI if it is not a local file. */
function nameOf(uri: string): string {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : uri;
  } catch {
    return uri;
  }
}

/** Whether a name is the URI of a document that is not a file. */
const isAddress = (name: string): boolean => /^[a-z][a-z+.-]+:/i.test(name);

export function newFiles({ stdFolder, document, documents }: Options): Files {
  const sources = new Map<string, { version: number; source: SourceFile }>();
  const onDisk = new Map<string, { stamp: string | undefined; source: SourceFile }>();
  const caches = new Map<string, ParseCache>();
  let folders: string[] = [];

  function open(uri: string): SourceFile | undefined {
    const found = document(uri);
    // a client may send an invalid document
    if (!found || typeof found.uri !== "string" || typeof found.getText() !== "string") return undefined;
    const present = sources.get(uri);
    if (present?.version !== undefined && present.version === found.version) return present.source;
    const source = { name: nameOf(uri), text: found.getText() };
    sources.set(uri, { version: found.version, source });
    return source;
  }

  /** Reads a file again only if it has changed. Throws `UnreadableFile`. */
  function fromDisk(name: string): SourceFile {
    const stat = statSync(name, { throwIfNoEntry: false });
    const stamp = stat && `${stat.mtimeMs} ${stat.size}`;
    const present = onDisk.get(name);
    if (present && present.stamp === stamp) return present.source;
    const source = { name, text: textOf(readRegular(disk, name, MAX_SOURCE_BYTES)) };
    onDisk.set(name, { stamp, source });
    return source;
  }

  function readable(name: string): SourceFile | undefined {
    try {
      return fromDisk(name);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      return undefined;
    }
  }

  /** The workspace's folder with the file, or else the file's own folder. */
  function rootOf(name: string): string {
    const around = folders.filter((folder) => name.startsWith(join(folder, sep)));
    return around.reduce((a, b) => (a.length > 0 && a.length < b.length ? a : b), "") || dirname(name);
  }

  const fromFiles = diskImporter(disk, {
    rootOf,
    read: (name) => open(pathToFileURL(name).href) ?? fromDisk(name),
  });

  function list(folder: string, depth: number, found: string[]): void {
    let entries;
    try {
      entries = readdirSync(folder, { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of entries) {
      if (found.length >= MAX_FILES) return;
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth < MAX_DEPTH && !/^(?:\.|node_modules$)/.test(entry.name))
        list(path, depth + 1, found);
      else if (entry.isFile() && entry.name.endsWith(".ggsl")) found.push(path);
    }
  }

  return {
    open,
    rootOf,
    importer: (path, from) => (isAddress(from) ? undefined : fromFiles(path, from)),
    parse(source, options) {
      const cache = caches.get(source.name) ?? new Map();
      caches.set(source.name, cache as ParseCache);
      return parse(source, { ...options, cache: cache as ParseCache });
    },
    uriOf({ name }) {
      if (isAddress(name)) return name;
      const isStd = name.startsWith("std/") && !existsSync(name);
      return pathToFileURL(isStd ? join(stdFolder, name.slice("std/".length)) : name).href;
    },
    workspace() {
      const found: string[] = [];
      for (const folder of folders) list(folder, 0, found);
      const opened = documents().flatMap(({ uri }) => open(uri) ?? []);
      const names = new Set(opened.map(({ name }) => name));
      return [...opened, ...found.filter((name) => !names.has(name)).flatMap((name) => readable(name) ?? [])];
    },
    setFolders(uris) {
      folders = uris.map(nameOf).filter((name) => !isAddress(name));
    },
    forget(uri) {
      sources.delete(uri);
      caches.delete(nameOf(uri));
    },
  };
}
