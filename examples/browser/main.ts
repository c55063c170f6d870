/** The page: gives the worker the model and its module, which are parts of this file, and shows the text that comes back. */
import llamaModule from "../../build/wasm-llama/out/ggsl-llama.wasm?url";
import story from "./story.ggsl?raw";
import demoModel from "../model/demo-q8_0.gguf?url";
import type { Answer, Question } from "./messages.js";
import Writer from "./worker.ts?worker&inline";

const find = <E extends HTMLElement>(selector: string): E => {
  const found = document.querySelector<E>(selector);
  if (!found) throw new Error(`the page has no ${selector}`);
  return found;
};
const [program, prompt] = [find<HTMLTextAreaElement>("#program"), find<HTMLInputElement>("#prompt")];
const [write, status, text] = [find<HTMLButtonElement>("#write"), find("#status"), find("#text")];

/** The bytes of a data: address. */
const bytesOf = async (address: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(address)).arrayBuffer());

const worker = new Writer();
const send = (question: Question): void => worker.postMessage(question);

function start(): void {
  write.disabled = true;
  status.textContent = "writing …";
  text.replaceChildren(prompt.value);
  send({ program: program.value, prompt: prompt.value });
}

worker.onmessage = ({ data }: MessageEvent<Answer>) => {
  if ("text" in data) {
    const token = document.createElement("span");
    token.textContent = data.text;
    token.style.setProperty("--surprise", String(Math.min(0.8, -data.logprob / 10)));
    return text.append(token);
  }
  write.disabled = false;
  status.textContent = data.done;
};

worker.onerror = ({ message }) => {
  status.textContent = `The worker failed: ${message || "it could not be loaded"}.`;
};

program.value = story;
write.onclick = start;
send({ model: await bytesOf(demoModel), module: await bytesOf(llamaModule) });
start();
