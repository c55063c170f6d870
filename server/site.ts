/** The playground, which the package carries; in a checkout it is there once it is built. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** This code runs from its sources in a checkout, or from dist/. */
const FOLDERS = import.meta.url.endsWith(".ts") ? ["../build/playground/"] : ["../site/", "../../build/playground/"];

/** The folder of the built page; undefined if there is none. */
export const builtSite = (): string | undefined =>
  FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url))).find((folder) =>
    existsSync(`${folder}index.html`),
  );
