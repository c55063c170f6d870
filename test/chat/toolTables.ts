/** Which of llama.cpp's templates have calls of tools that are not read, and why. */

/** Templates that show no calls. */
export const WITHOUT_CALLS = [
  "HuggingFaceTB-SmolLM3-3B",
  "LFM2-8B-A1B",
  "LFM2.5-Instruct",
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B",
  "google-gemma-2-2b-it",
  "ibm-granite-granite-3.3-2B-Instruct",
  "llama-cpp-rwkv-world",
  "microsoft-Phi-3.5-mini-instruct",
];

/** Templates whose calls are in a form that is not read. */
export const UNREAD: Readonly<Record<string, string>> = {
  "MiniMax-M3":
    'elements in elements, named as arguments are: an empty list, an empty object and an empty text are written the same, and so are 1 and "1"',
  "meetkai-functionary-medium-v3.2": "the mark is the end of the prompt, and content begins with a name, too",
  "muse-glimmer": "the name comes twice, and the mark before it, `to=`, is that of content, too",
};
