/**
 * `npm run vsix`: packs the extension for Visual Studio Code into build/ggsl.vsix, or into a given file. A `.vsix` is a zip file
 * with a manifest; its contents come from editors/vscode/.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { zipSync } from "fflate";
import { root } from "./lib/process.js";

const FOLDER = join(root, "editors/vscode");
const FILES = ["package.json", "language-configuration.json", "syntaxes/ggsl.tmLanguage.json", "README.md", "LICENSE"];

interface Extension {
  readonly name: string;
  readonly version: string;
  readonly publisher: string;
  readonly displayName: string;
  readonly description: string;
  readonly categories: readonly string[];
  readonly engines: { readonly vscode: string };
}

const extension = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8")) as Extension;
const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const manifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${extension.name}" Version="${extension.version}" Publisher="${extension.publisher}" />
    <DisplayName>${escaped(extension.displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(extension.description)}</Description>
    <Categories>${escaped(extension.categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(extension.engines.vscode)}" />
    </Properties>
    <License>extension/LICENSE</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code" />
  </Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
  </Assets>
</PackageManifest>
`;

const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
  <Default Extension=".json" ContentType="application/json" />
  <Default Extension=".js" ContentType="application/javascript" />
  <Default Extension=".md" ContentType="text/markdown" />
  <Default Extension=".vsixmanifest" ContentType="text/xml" />
  <Override PartName="/extension/LICENSE" ContentType="text/plain" />
</Types>
`;

/** Bundles the extension and its dependencies; the editor provides `vscode`. */
async function bundle(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(FOLDER, "src/extension.ts")],
    bundle: true,
    write: false,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
    legalComments: "inline",
    logLevel: "warning",
  });
  return outputFiles[0]!.contents;
}

export async function main([file = join(root, "build/ggsl.vsix")]: readonly string[]): Promise<void> {
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  const entries = {
    "extension.vsixmanifest": text(manifest),
    "[Content_Types].xml": text(contentTypes),
    ...Object.fromEntries(FILES.map((name) => [`extension/${name}`, readFileSync(join(FOLDER, name))])),
    "extension/dist/extension.js": await bundle(),
  };
  const target = resolve(file);
  mkdirSync(dirname(target), { recursive: true });
  // a fixed date, so that the same extension gives the same file
  writeFileSync(target, zipSync(entries, { mtime: new Date(2000, 0, 1), level: 9 }));
  console.log(`wrote ${target}`);
}
