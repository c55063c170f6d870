/** Forms of thoughts that can not be read off what a template writes, by a text that the template has. */
import type { ReasoningTexts } from "./form.js";

interface Known extends Omit<ReasoningTexts, "next"> {
  /** The template that it comes from. */
  readonly source: string;
  /** What the template has. */
  readonly sign: string;
}

export const KNOWN: readonly Known[] = [
  {
    source: "Kimi-K3.jinja: its marks are of several tokens, which the marks of content begin with, too",
    sign: "<|open|>",
    open: "<|open|>think<|sep|>",
    close: "<|close|>think<|sep|>",
    content: { open: "<|open|>response<|sep|>", close: "<|close|>response<|sep|><|close|>message<|sep|>" },
  },
  {
    source: "ibm-granite-granite-3.3-2B-Instruct.jinja: its system message asks for the marks",
    sign: "write your response between <response></response>",
    open: "<think>",
    close: "</think>",
    content: { open: "<response>", close: "</response>" },
  },
  {
    source:
      "unsloth-Apriel-1.5.jinja: its system message has the end; the beginning is that of Apriel-1.6-15b-Thinker-fixed.jinja",
    sign: "[END FINAL RESPONSE]",
    open: "Here are my reasoning steps:\n",
    close: "\n[BEGIN FINAL RESPONSE]\n",
    content: { open: "", close: "[END FINAL RESPONSE]" },
  },
  {
    source: "Apertus-8B-Instruct.jinja: it writes thoughts of messages in blocks, which no client sends",
    sign: "<|inner_prefix|>",
    open: "<|inner_prefix|>",
    close: "<|inner_suffix|>",
    content: { open: "", close: "" },
  },
  {
    source: "MiMo-VL.jinja: the models of the name in its system message think, and it says nothing of thoughts",
    sign: "You are MiMo, an AI assistant developed by Xiaomi.",
    open: "<think>\n",
    close: "\n</think>\n",
    content: { open: "", close: "" },
  },
];
