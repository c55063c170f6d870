/** The code of the extension for Visual Studio Code, bundled with its dependencies; the editor provides `vscode`. */
import { join } from "node:path";
import { build, type BuildOptions } from "esbuild";
import { REQUIRE } from "./dist.js";

const COMMON = {
  bundle: true,
  write: false,
  legalComments: "inline",
  logLevel: "warning",
  // bundles this project's packages from their sources
  conditions: ["@ggsl/source"],
} as const satisfies BuildOptions;

/** The files by their path in the extension. */
export async function bundlesOf(folder: string): Promise<Record<string, Uint8Array>> {
  const source = (name: string): string[] => [join(folder, name)];
  const node = { ...COMMON, platform: "node", target: "node20" } as const;
  const page = { ...COMMON, platform: "browser", target: "es2022" } as const;
  return {
    "dist/extension.cjs": await bundled({
      ...node,
      entryPoints: source("src/extension.ts"),
      format: "cjs",
      external: ["vscode"],
    }),
    // in the folder of the carried command, where it finds the WebAssembly module
    "ggsl/dist/preview/engine.js": await bundled({
      ...node,
      entryPoints: source("preview/engine.ts"),
      format: "esm",
      minifyWhitespace: true,
      lineLimit: 200,
      banner: REQUIRE,
    }),
    "dist/preview/page.js": await bundled({ ...page, entryPoints: source("preview/page.ts"), format: "iife" }),
    "dist/preview/page.css": await bundled({ ...page, entryPoints: source("preview/page.css") }),
  };
}

async function bundled(options: BuildOptions & { readonly write: false }): Promise<Uint8Array> {
  const { outputFiles } = await build(options);
  return outputFiles[0]!.contents;
}
