/** The page: reads the form, shows the text. */
import { compilePipeline } from "ggsl";
import { bytesReadBack } from "./readback.js";
import { write, type ModelInfo } from "./model.js";

const MOST_TOKENS = 120;

const find = <Found extends HTMLElement>(selector: string): Found => {
  const found = document.querySelector<Found>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
};
const show = (selector: string, value: unknown): void => {
  find(selector).textContent = String(value);
};

async function fetched(file: string): Promise<Response> {
  const response = await fetch(file);
  if (!response.ok) throw new Error(`${file}: status ${response.status}. Run: npm run example:onnx`);
  return response;
}

async function writeText(model: Uint8Array, info: ModelInfo): Promise<void> {
  const chain = compilePipeline(find<HTMLInputElement>("#chain").value);
  const prompt = info.prompts[Number(find<HTMLSelectElement>("#prompt").value)]!;
  const bytes = [...new TextEncoder().encode(prompt.text)];
  const times: number[] = [];
  let [before, start, count] = [bytesReadBack(), performance.now(), 0];
  show("#text", prompt.text);
  for await (const token of write(model, info, chain, prompt.tokens)) {
    bytes.push(...info.pieces[token]!);
    count += 1;
    // the first one reads the whole prompt
    if (count > 1) times.push(performance.now() - start);
    show("#text", new TextDecoder().decode(new Uint8Array(bytes)));
    show("#tokens", count);
    show("#time", times.length === 0 ? "" : times.toSorted((a, b) => a - b)[times.length >> 1]!.toFixed(1));
    show("#bytes", bytesReadBack() - before);
    if (count === MOST_TOKENS) break;
    [before, start] = [bytesReadBack(), performance.now()];
  }
}

async function main(): Promise<void> {
  if (!(await navigator.gpu?.requestAdapter())) throw new Error("this browser has no WebGPU, or no device for it");
  const info = (await (await fetched("./model.json")).json()) as ModelInfo;
  const model = new Uint8Array(await (await fetched("./model.onnx")).arrayBuffer());
  find("#prompt").replaceChildren(...info.prompts.map(({ text }, i) => new Option(text, String(i))));
  show("#logits", info.pieces.length * Float32Array.BYTES_PER_ELEMENT);
  const button = find<HTMLButtonElement>("button");
  const run = async (): Promise<void> => {
    button.disabled = true;
    show("#fault", "");
    await writeText(model, info).catch(showFault);
    button.disabled = false;
  };
  find("#form").addEventListener("submit", (event) => {
    event.preventDefault();
    void run();
  });
  await run();
}

const showFault = (error: Error): void => show("#fault", error.message);

await main().catch(showFault);
