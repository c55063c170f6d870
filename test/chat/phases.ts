/** Forms of thoughts of real chat templates, and a chain that acts on the text in them. */

export interface PhaseForm {
  /** Of llama.cpp's templates. */
  readonly template: string;
  /** What a model of this form writes first; empty where the template begins the thought. */
  readonly begin: string;
  readonly open: string;
  readonly close: string;
  /** What ends a thought, with the beginning of the content. */
  readonly message: string;
}

const THINK = { open: "<think>", close: "</think>", message: " That is enough.\n</think>\n\n" };
export const FORMS: readonly PhaseForm[] = [
  { template: "Qwen-Qwen3-0.6B", begin: "<think>\n", ...THINK },
  { template: "deepseek-ai-DeepSeek-R1-Distill-Llama-8B", begin: "", ...THINK },
  {
    template: "openai-gpt-oss-120b",
    begin: "<|channel|>analysis<|message|>",
    open: "<|channel|>analysis<|message|>",
    close: "<|end|>",
    message: " That is enough.<|end|><|start|>assistant<|channel|>final<|message|>",
  },
];

/** The temperatures of thoughts and of the rest. */
export const [THINKING, ANSWERING] = [0.5, 2];

/** `thinking` and `temperature` are measured; no token of the demo model is the end of a thought. */
export function phaseProgram({ begin, open, close, message }: PhaseForm): string {
  const [opens, closes] = [`[${JSON.stringify(open)}]`, `[${JSON.stringify(close)}]`];
  return `import { logit_bias, thinking_budget, by_phase } from "std"
sampler begun(static text: text) { write text when step == 0 }
sampler best() {
  pick argmax(logit)
  measure thinking = inside(${opens}, ${closes}) ? 1 : 0
  measure temperature = picked(raw_logit) / picked(logit)
}
chain c(budget: i32 >= 0 = 6) = logit_bias() |> begun(${JSON.stringify(begin)})
  |> thinking_budget(budget, ${opens}, ${closes}, tokens(), ${JSON.stringify(message)})
  |> by_phase(${THINKING}, ${ANSWERING}, ${opens}, ${closes}) |> best()`;
}

/** Whether each place of a text is in a thought: by the last of the marks before it. */
export const isThinking = ({ open, close }: PhaseForm, before: string): boolean =>
  before.lastIndexOf(open) > before.lastIndexOf(close);
