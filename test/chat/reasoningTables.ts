/** The forms of thoughts of llama.cpp's templates, by what they write. */
import type { PromptEnd } from "ggsl/chat/reasoning/form.js";

/** Templates that say nothing of thoughts. */
export const WITHOUT = [
  "CohereForAI-c4ai-command-r-plus-tool_use",
  "GigaChat3-10B-A1.8B",
  "GigaChat3.1-10B-A1.8B",
  "Kimi-K2-Instruct",
  "LFM2-8B-A1B",
  "MiniMax-M1",
  "Mistral-Small-3.2-24B-Instruct-2506",
  "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use",
  "NousResearch-Hermes-3-Llama-3.1-8B-tool_use",
  "Qwen-Qwen2.5-7B-Instruct",
  "Qwen3-Coder",
  "fireworks-ai-llama-3-firefunction-v2",
  "google-gemma-2-2b-it",
  "ibm-granite-granite-4.0",
  "ibm-granite-granite-4.1",
  "meetkai-functionary-medium-v3.1",
  "meetkai-functionary-medium-v3.2",
  "meta-llama-Llama-3.1-8B-Instruct",
  "meta-llama-Llama-3.2-3B-Instruct",
  "meta-llama-Llama-3.3-70B-Instruct",
  "microsoft-Phi-3.5-mini-instruct",
  "mistralai-Mistral-Nemo-Instruct-2407",
  "moonshotai-Kimi-K2",
  "unsloth-mistral-Devstral-Small-2507",
];

/** What is before a thought and after it, where it is not `<think>` and `</think>`. */
export const MARKS: Readonly<Record<string, readonly [open: string, close: string]>> = {
  "Apertus-8B-Instruct": ["<|inner_prefix|>", "<|inner_suffix|>"],
  "Apriel-1.6-15b-Thinker-fixed": ["Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"],
  "ByteDance-Seed-OSS": ["<seed:think>", "</seed:think>"],
  Cohere2MoE: ["<|START_THINKING|>", "<|END_THINKING|>"],
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": ["<|START_THINKING|>", "<|END_THINKING|>"],
  "Kimi-K3": ["<|open|>think<|sep|>", "<|close|>think<|sep|>"],
  "MiniMax-M3": ["<mm:think>", "</mm:think>"],
  "google-gemma-4-31B-it": ["<|channel>thought", "<channel|>"],
  "google-gemma-4-31B-it-interleaved": ["<|channel>thought", "<channel|>"],
  "mistralai-Ministral-3-14B-Reasoning-2512": ["[THINK]", "[/THINK]"],
  "muse-glimmer": ["to=self<|message|>", "<|eom|>"],
  "openai-gpt-oss-120b": ["<|channel|>analysis<|message|>", "<|end|>"],
  "tencent-Hy3": ["<think:opensource>", "</think:opensource>"],
  "unsloth-Apriel-1.5": ["Here are my reasoning steps:", "[BEGIN FINAL RESPONSE]"],
  "upstage-Solar-Open-100B": ["<|think|>", "<|end|>"],
};

/** What is around content, where there is something, and between a thought and it. */
export const AROUND: Readonly<Record<string, readonly [before: string, after: string, between?: string]>> = {
  Cohere2MoE: ["<|START_TEXT|>", "<|END_TEXT|>"],
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": ["<|START_RESPONSE|>", "<|END_RESPONSE|>"],
  "Kimi-K3": ["<|open|>response<|sep|>", "<|close|>response<|sep|><|close|>message<|sep|>"],
  "ibm-granite-granite-3.3-2B-Instruct": ["<response>", "</response>"],
  "muse-glimmer": ["to=user<|message|>", "", "<|start|>assistant"],
  "openai-gpt-oss-120b": ["<|channel|>final<|message|>", "", "<|start|>assistant"],
  "unsloth-Apriel-1.5": ["", "[END FINAL RESPONSE]"],
  "upstage-Solar-Open-100B": ["<|content|>", "", "<|begin|>assistant"],
};

/** What a prompt ends with: without variables, with thinking on, and off; `free` where it is not listed. */
export const PROMPTS: Readonly<Record<string, readonly [PromptEnd, PromptEnd, PromptEnd]>> = {
  "Apriel-1.6-15b-Thinker-fixed": ["open", "open", "open"],
  "Bielik-11B-v3.0-Instruct": ["free", "open", "free"],
  Cohere2MoE: ["open", "open", "open"],
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": ["closed", "free", "closed"],
  "GLM-4.6": ["free", "free", "closed"],
  "GLM-4.7-Flash": ["open", "open", "closed"],
  "HuggingFaceTB-SmolLM3-3B": ["free", "free", "closed"],
  "Kimi-K3": ["open", "open", "closed"],
  "MiniMax-M2": ["open", "open", "open"],
  "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": ["open", "open", "closed"],
  "NVIDIA-Nemotron-Nano-v2": ["open", "open", "open"],
  "Qwen-QwQ-32B": ["closed", "open", "closed"],
  "Qwen-Qwen3-0.6B": ["free", "free", "closed"],
  "Qwen3.5-4B": ["open", "open", "closed"],
  "Reka-Edge": ["free", "open", "free"],
  "Spark2.5": ["open", "open", "closed"],
  "StepFun3.5-Flash": ["open", "open", "open"],
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": ["open", "open", "open"],
  "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": ["closed", "open", "closed"],
  "deepseek-ai-DeepSeek-V3.1": ["closed", "open", "closed"],
  "deepseek-ai-DeepSeek-V3.2": ["closed", "open", "closed"],
  "deepseek-ai-DeepSeek-V4": ["closed", "open", "closed"],
  "deepseek-ai-DeepSeek-V4-Flash-0731": ["closed", "open", "closed"],
  "google-gemma-4-31B-it": ["closed", "free", "closed"],
  "google-gemma-4-31B-it-interleaved": ["closed", "free", "closed"],
  "inclusionai-ling-3.0-flash": ["open", "open", "closed"],
  "llama-cpp-deepseek-r1": ["open", "open", "open"],
  "llama-cpp-rwkv-world": ["free", "open", "closed"],
  "openbmb-MiniCPM5-1B": ["free", "open", "closed"],
  "poolside-Laguna-S-2.1": ["open", "open", "closed"],
  "poolside-Laguna-XS-2.1": ["closed", "open", "closed"],
  "poolside-Laguna-XS.2": ["closed", "open", "closed"],
  "tencent-Hy3": ["closed", "closed", "closed"],
};

/** Templates that leave the thought of an answer out of histories, if it is the last message; some show it beside calls. */
export const HIDDEN: Readonly<Record<string, "always" | "without calls" | "without thinking">> = {
  "Apertus-8B-Instruct": "always",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "without calls",
  "HuggingFaceTB-SmolLM3-3B": "always",
  "Kimi-K2-Thinking": "without calls",
  "LFM2.5-Instruct": "always",
  "MiMo-VL": "always",
  "NVIDIA-Nemotron-Nano-v2": "always",
  "Qwen-QwQ-32B": "always",
  "Reka-Edge": "without thinking",
  "deepseek-ai-DeepSeek-R1-Distill-Llama-8B": "always",
  "deepseek-ai-DeepSeek-R1-Distill-Qwen-32B": "always",
  "deepseek-ai-DeepSeek-V3.1": "always",
  "deepseek-ai-DeepSeek-V3.2": "without thinking",
  "deepseek-ai-DeepSeek-V4": "without thinking",
  "deepseek-ai-DeepSeek-V4-Flash-0731": "without thinking",
  "google-gemma-4-31B-it": "without calls",
  "google-gemma-4-31B-it-interleaved": "without calls",
  "ibm-granite-granite-3.3-2B-Instruct": "always",
  "llama-cpp-deepseek-r1": "always",
  "llama-cpp-rwkv-world": "always",
  "unsloth-Apriel-1.5": "always",
};
/** Templates whose calls are not read. */
export const WITHOUT_CALLS = ["MiniMax-M3", "muse-glimmer"];

/** What ends an answer, where calls are read up to it. */
export const ENDS: Readonly<Record<string, string>> = {
  Cohere2MoE: "<|END_OF_TURN_TOKEN|>",
  "CohereForAI-c4ai-command-r7b-12-2024-tool_use": "<|END_OF_TURN_TOKEN|>",
  "Kimi-K3": "<|end_of_msg|>",
  "MiniMax-M2": "[e~[",
  "openai-gpt-oss-120b": "<|call|>",
  "upstage-Solar-Open-100B": "<|calls|>",
  "tencent-Hy3": "<｜hy_eos:opensource｜>",
};
