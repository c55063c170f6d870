/**
 * An assistant on the terminal, which uses tools: `node examples/assistant/main.js`. It starts a server with the demo model;
 * `--url http://127.0.0.1:8080` talks to one that runs. Each line is a turn; Ctrl-D ends.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { openServer } from "@ggsl/server";
import OpenAI from "openai";
import { startConversation } from "./conversation.js";

const { values } = parseArgs({ options: { url: { type: "string" }, seed: { type: "string" } } });
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The demo model is no instruct model: it gets a template, and is forced to call a tool. */
async function startServer() {
  const model = at("../model/demo-q8_0.gguf");
  const template = readFileSync(at("template.jinja"), "utf8");
  return openServer({ model, template, port: 0, sequences: 1, contextSize: 512, log: "off" });
}

const server = values.url === undefined ? await startServer() : undefined;
const url = values.url ?? (await server.listen());
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: process.env.OPENAI_API_KEY ?? "none" });
const [{ id: model }] = (await client.models.list()).data;
const seed = values.seed === undefined ? undefined : Number(values.seed);
const { say } = startConversation(client, { model, isForced: server !== undefined, seed });

const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "you> " });
console.log(`${model} at ${url}`);
lines.prompt();
for await (const line of lines) {
  if (!process.stdin.isTTY) console.log(line);
  try {
    for await (const { text, call, result } of say(line)) {
      if (call) console.log(`     ${call.name}(${call.arguments}) = ${JSON.stringify(result)}`);
      else process.stdout.write(text);
    }
    console.log();
  } catch (error) {
    // the conversation goes on
    console.error(`\n${error.message}`);
  }
  lines.prompt();
}
await server?.close();
