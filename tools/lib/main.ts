/** Runs a tool by name; tools/run.mjs starts it. A tool is a module with a function `main`, which may return a status. */
import { readdirSync } from "node:fs";
import { join, parse } from "node:path";
import { root, ToolError } from "./process.js";

interface Tool {
  readonly main: (args: string[]) => Promise<number | undefined>;
}

const [name = "", ...args] = process.argv.slice(2);

try {
  const { main } = await load();
  process.exitCode = await main(args);
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function load(): Promise<Tool> {
  const names = readdirSync(join(root, "tools"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => parse(file).name);
  if (!names.includes(name)) throw new ToolError(`there is no tool "${name}", but ${names.join(", ")}`);
  return (await import(`../${name}.js`)) as Tool;
}
