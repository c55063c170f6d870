/**
 * `npm run vsix`: packs the extension for Visual Studio Code into build/ggsl.vsix, or into a given file. A `.vsix` is a zip file
 * with a manifest; its contents come from editors/vscode/, with the `ggsl` command of this checkout.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { zipSync } from "fflate";
import { carriedFiles } from "./lib/carried.js";
import { bundlesOf } from "./lib/extension.js";
import { root } from "./lib/process.js";
import { main as build } from "./build.js";

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
  <Default Extension=".mjs" ContentType="application/javascript" />
  <Default Extension=".css" ContentType="text/css" />
  <Default Extension=".wasm" ContentType="application/wasm" />
  <Default Extension=".ggsl" ContentType="text/plain" />
  <Default Extension=".gguf" ContentType="application/octet-stream" />
  <Default Extension=".txt" ContentType="text/plain" />
  <Default Extension=".vsixmanifest" ContentType="text/xml" />
  <Override PartName="/extension/LICENSE" ContentType="text/plain" />
</Types>
`;

const prefixed = (prefix: string, files: Readonly<Record<string, Uint8Array>>): Record<string, Uint8Array> =>
  Object.fromEntries(Object.entries(files).map(([name, content]) => [`${prefix}${name}`, content]));

const megabytes = ({ length }: Uint8Array): string => (length / 1e6).toFixed(1);

export async function main([file = join(root, "build/ggsl.vsix")]: readonly string[]): Promise<void> {
  await build();
  const carried = carriedFiles();
  if (!carried.hasModel)
    console.log(
      "vsix: without the WebAssembly module with llama.cpp, so that the carried command runs no model: npm run build:wasm -- --llama",
    );
  const text = (content: string): Uint8Array => new TextEncoder().encode(content);
  const entries = {
    "extension.vsixmanifest": text(manifest),
    "[Content_Types].xml": text(contentTypes),
    ...Object.fromEntries(FILES.map((name) => [`extension/${name}`, readFileSync(join(FOLDER, name))])),
    ...prefixed("extension/", await bundlesOf(FOLDER)),
    ...prefixed("extension/ggsl/", carried.files),
  };
  const target = resolve(file);
  mkdirSync(dirname(target), { recursive: true });
  // a fixed date, so that the same extension gives the same file
  const zip = zipSync(entries, { mtime: new Date(2000, 0, 1), level: 9 });
  writeFileSync(target, zip);
  console.log(`wrote ${relative(process.cwd(), target)}: ${megabytes(zip)} MB`);
}
