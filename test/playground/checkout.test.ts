/** `npm run playground` in a checkout: a page with texts by this checkout's addon, without the model's WebAssembly module. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { compile } from "../../runtime/chain/chain.js";
import { loadModel } from "../../runtime/models/model.js";
import { node } from "../codegen/ggsl.js";
import { DEMO_MODEL } from "../model/file.js";
import { isBuilt } from "../wasm/llamaTest.js";
import { inBrowser, openBrowser, SCREENSHOTS } from "./site.js";
import { until, visit } from "./visit.js";

const GREEDY = 'import { greedy } from "std"\n\nchain best = greedy\n';
const PROMPT = "Now the king";

let browser: Browser;
/** Another program at the port that is asked for. */
let other: Server;
let tool: ChildProcess;
let output = "";

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const addressIn = (text: string): string | undefined => /^playground: (http:\S+) \(texts by this/m.exec(text)?.[1];

/** Whether something listens there. */
async function answers(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  const isThere = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isThere;
}

test("a port that no page can have is an error, and nothing stays open", () => {
  const { status, stderr } = node(["tools/run.mjs", "playground", "--port", "70000"]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("playground: no page at port 70000: ")]);
});

inBrowser("the playground of a checkout", () => {
  beforeAll(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    other = createServer();
    await new Promise<void>((done) => other.listen(0, "127.0.0.1", done));
    const options = ["--port", `${portOf(other)}`, ...(isBuilt ? ["--addon"] : [])];
    // in a group of its own, as a terminal starts it
    tool = spawn(process.execPath, ["tools/run.mjs", "playground", ...options], { detached: true });
    for (const stream of [tool.stdout!, tool.stderr!])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    [browser] = await Promise.all([
      openBrowser(),
      until(
        () => Promise.resolve(output),
        (text) => addressIn(text) !== undefined || tool.exitCode !== null,
      ),
    ]);
    expect(addressIn(output) ?? output).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
  });
  afterAll(async () => {
    await browser?.close();
    if (tool?.exitCode === null) process.kill(-tool.pid!, "SIGKILL");
    other?.close();
  });

  test("a port that is taken is not used, and no other machine reaches the page", async () => {
    const port = Number(new URL(addressIn(output)!).port);
    expect(port).not.toBe(portOf(other));
    expect(await answers("127.0.0.1", port)).toBe(true);
    // another address of this machine
    expect(await answers("127.0.0.2", port)).toBe(false);
  });

  test("texts follow the program, and are the addon's", async () => {
    const v = await visit(browser, addressIn(output)!);
    const paths: string[] = [];
    v.page.on("request", (request) => paths.push(new URL(request.url()).pathname));
    await v.see("#text-title", /^Text of the demo model$/);
    await v.see("#text .side:nth-child(2) .hint", /48 tokens, the requested number/);
    await v.see("#stages .where", /^Token 1 of your program's text, after “Now the king”/);
    await v.page.screenshot({ path: join(SCREENSHOTS, "checkout.png") });

    // no button is pressed
    await v.page.getByLabel("Tokens", { exact: true }).fill("12");
    await v.type(GREEDY);
    await v.see("#text .side:nth-child(1) .hint", /12 tokens, the requested number/);
    using model = await loadModel(DEMO_MODEL, { backend: "cpu" });
    const pieces: string[] = [];
    for await (const { text } of model.generate(PROMPT, { chain: compile(GREEDY), maxTokens: 12 })) pieces.push(text);
    const ours = v.page.locator("#text .side").nth(0).locator(".token");
    expect((await ours.allTextContents()).join("")).toBe(pieces.join(""));
    // with an error the text stays, and says that it is older
    expect(await v.page.locator("#text .older").first().isVisible()).toBe(false);
    await v.type(GREEDY.replace("= greedy", "= gredy"));
    await v.see("#text .side h3", /^your program as of the last one that compiled$/);
    await v.type(GREEDY);
    await v.page.locator("#text .older").first().waitFor({ state: "hidden" });
    expect(paths).toContain("/v1/completions");
    expect(paths.filter((path) => path.includes("ggsl-llama"))).toEqual([]);
    await v.close();
  });

  test("Ctrl-C ends the page and the server", async () => {
    const { port } = new URL(addressIn(output)!);
    const ended = once(tool, "exit");
    process.kill(-tool.pid!, "SIGINT");
    expect(await ended).toEqual([0, null]);
    expect(await answers("127.0.0.1", Number(port))).toBe(false);
  });
});
