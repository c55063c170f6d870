/** A server in a process of its own, as a user starts it: the built command `ggsl serve`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProcess, type ServerProcess } from "../../../bench/server/process.js";

const COMMAND = join("runtime", "dist", "cli", "main.js");

export interface Child extends ServerProcess {
  /** The value of a metric without labels, or the sum over its labels. */
  readonly metric: (name: string) => Promise<number>;
}

/** Shows tools and writes calls, so that all that a chat can ask for is done. */
const TEMPLATE = `{%- for tool in tools or [] %}{{ tool | tojson }}
{% endfor %}{%- for m in messages %}{{ m.role }}: {{ m.content or "" }}{%- for call in m.tool_calls or [] %}<call>{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}</call>{%- endfor %}
{% endfor %}assistant:`;

/** Writes the chat template of a campaign to a folder; the options of a server with it. */
export function templateOptions(folder: string): string[] {
  const file = join(folder, "template.jinja");
  writeFileSync(file, TEMPLATE);
  return ["--template", file];
}

export async function startServer(model: string, ...options: readonly string[]): Promise<Child> {
  const log = options.includes("--log-prompts") ? "json" : "off";
  const args = [COMMAND, "serve", model, "--port", "0", "--log", log, ...options];
  const server = await startProcess(process.execPath, args, / at (http:\S+): /);
  return {
    ...server,
    // but the lines with the address
    errors: () => server.errors().replace(/^.* texts of \d+ tokens at once\n.*\/openapi\.json lists the paths\n/m, ""),
    async metric(name) {
      const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_KEY}` } });
      const lines = (await answer.text())
        .split("\n")
        .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
    },
  };
}

/** Of a file of keys, if the server has one. */
export const METRICS_KEY = "sk-metrics-0";
