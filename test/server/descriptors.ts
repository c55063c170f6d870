/**
 * A server in a process that has few file descriptors, for descriptors.test.ts: it writes what clients got while there was none left,
 * and after.
 */
import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { openServer } from "../../server/serve.js";
import { DEMO_MODEL } from "../model/file.js";

const [OLD, NEW] = ["sk-old-and-long", "sk-new-and-long"];
const folder = process.argv[2]!;
const file = join(folder, "keys");
writeFileSync(file, `${OLD} old\n`);
const keys = openSync(file, "r+");
const server = await openServer({
  model: DEMO_MODEL,
  alias: "demo",
  backend: "cpu",
  port: 0,
  sequences: 2,
  contextSize: 256,
  log: process.env["GGSL_LOG"] ? "json" : "off",
  apiKeys: file,
  template: "{% for m in messages %}{{ m.content }}{% endfor %}",
});
const url = await server.listen();
/** One connection, which stays open. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const post = (key: string, path: string, fields: object): Promise<number> =>
  new Promise((resolve) => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const asked = request(url + path, { method: "POST", headers, agent }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode!));
    });
    asked.once("error", () => resolve(0));
    asked.end(JSON.stringify(fields));
  });
const messages = [{ role: "user", content: "And God said" }];
const ask = async (key: string) => ({
  completion: await post(key, "/v1/completions", { prompt: "And", max_tokens: 1 }),
  chat: await post(key, "/v1/chat/completions", { messages, max_tokens: 1 }),
  sampler: await post(key, "/v1/samplers", { sampler: `top_k(${key.length}) |> dist()` }),
  grammar: await post(key, "/v1/chat/completions", {
    messages,
    max_tokens: 1,
    response_format: { type: "json_object" },
  }),
});

await post(OLD, "/v1/completions", { prompt: "And", max_tokens: 1 });
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // there is none left
}
ftruncateSync(keys);
writeSync(keys, `${NEW} new\n`, 0);
// the server looks at the file each second
await wait(2500);
const without = await ask(OLD);
for (const one of taken) closeSync(one);
let known = 0;
for (let i = 0; i < 100 && known !== 200; i++) {
  await wait(100);
  known = await post(NEW, "/v1/completions", { prompt: "And", max_tokens: 1 });
}
const after = await ask(NEW);
const gone = await post(OLD, "/v1/completions", { prompt: "And", max_tokens: 1 });
writeSync(1, `${JSON.stringify({ taken: taken.length, without, after, gone })}\n`);
agent.destroy();
await server.close(0);
