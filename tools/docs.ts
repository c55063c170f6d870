/**
 * `npm run docs`: generates pages of docs/. With --check it fails if one is stale. It can be limited to pages:
 * `node tools/run.mjs docs --check std optimizer`. The prose of each is in tools/docs/.
 */
import { readArguments } from "./lib/arguments.js";
import { checkGenerated, readIfThere, writeGenerated } from "./lib/generated.js";
import { ToolError } from "./lib/process.js";

interface Page {
  /** The page's new text; `old` is its present text. */
  readonly page: (old: string) => string | Promise<string>;
  /** What belongs to the page, such as pictures: texts by path. */
  readonly files?: () => Readonly<Record<string, string>>;
}

const PAGES: Readonly<Record<string, () => Promise<Page>>> = {
  graph: () => import("./docs/graph.js"),
  std: () => import("./docs/std.js"),
  gallery: () => import("./docs/gallery.js"),
  optimizer: () => import("./docs/optimizer.js"),
  errors: () => import("./docs/errors.js"),
  options: () => import("./docs/options.js"),
  security: () => import("./docs/security.js"),
  server: () => import("./docs/server.js"),
  apis: () => import("./docs/apis.js"),
  grammars: () => import("./docs/grammars.js"),
  backends: () => import("./docs/backends.js"),
};

export async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments("npm run docs -- [--check] [PAGE...]", {
    args,
    options: { check: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  let status = 0;
  for (const name of positionals.length > 0 ? positionals : Object.keys(PAGES)) {
    const load = PAGES[name];
    if (load === undefined) throw new ToolError(`docs: no page "${name}", but ${Object.keys(PAGES).join(", ")}`);
    const file = `docs/${name}.md`;
    const { page, files } = await load();
    const texts = { [file]: await page(readIfThere(file)), ...files?.() };
    for (const [path, text] of Object.entries(texts))
      if (!values.check) writeGenerated(path, text);
      else if (!checkGenerated(path, text, "npm run docs")) status = 1;
  }
  return status;
}
