"""
Generates text with a GGSL chain, in a program that uses llama.cpp. The chain is a spec, which `ggsl compile` writes.

    python3 embed.py --llama FOLDER --ggsl libggsl.so graph|host MODEL.gguf SPEC.json [NAME=VALUE]...
"""

import argparse
import ctypes
import sys
from pathlib import Path

import ggsl
import llama

PROMPT = b"In the beginning"
TOKENS, PROMPT_TOKENS, CONTEXT = 64, 64, 256
WARN, ERROR = 3, 4


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--llama", type=Path, required=True, help="the folder of llama.cpp's libraries")
    parser.add_argument("--ggsl", type=Path, required=True, help="libggsl.so")
    parser.add_argument("place", choices=["graph", "host"])
    parser.add_argument("model")
    parser.add_argument("spec", type=Path)
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE")
    return parser.parse_args()


def say(*words):
    print(*words, file=sys.stderr)


@llama.LOG_CALLBACK
def log_warnings(level, text, _):
    if level in (WARN, ERROR):
        sys.stderr.write(text.decode(errors="replace"))


def generate(lib, own, c, context, vocab, samplers):
    """Prints a text. Returns how many of its tokens were picked in the model's graph."""
    tokens = (ctypes.c_int32 * PROMPT_TOKENS)()
    count = c.llama_tokenize(vocab, PROMPT, len(PROMPT), tokens, PROMPT_TOKENS, True, False)
    for token in tokens[:count]:
        c.llama_sampler_accept(samplers, token)  # for chains that read the text so far
    text, piece, in_graph = PROMPT, ctypes.create_string_buffer(256), 0
    batch = c.llama_batch_get_one(tokens, count)
    for _ in range(TOKENS):
        if c.llama_decode(context, batch) != 0:
            raise RuntimeError("llama_decode failed")
        token = c.llama_sampler_sample(samplers, context, -1)
        if fault := lib.c.ggsl_sampler_fault(own):
            raise RuntimeError(f"the sampler: {fault.decode()}")
        in_graph += lib.c.ggsl_sampler_is_in_graph(own)
        if c.llama_vocab_is_eog(vocab, token):
            break
        length = c.llama_token_to_piece(vocab, token, piece, len(piece), 0, False)
        text += piece.raw[: max(length, 0)]
        tokens[0] = token
        batch = c.llama_batch_get_one(tokens, 1)
    print(text.decode(errors="replace"))
    return in_graph


def main():
    given = arguments()
    c, paths = llama.load(given.llama, log_warnings)
    model = c.llama_model_load_from_file(given.model.encode(), c.llama_model_default_params())
    if not model:
        raise RuntimeError(f"cannot load {given.model}")

    lib = ggsl.Library(given.ggsl, paths)
    say("libggsl", lib.c.ggsl_version().decode())
    chain = lib.load_chain(given.spec.read_bytes())
    own = lib.sampler(chain, model)
    for setting in given.settings:
        name, value = setting.split("=")
        lib.set(own, name, float(value))
    lib.checked(lib.c.ggsl_sampler_is_ready(own))
    say("chain", lib.c.ggsl_chain_name(chain).decode(), lib.numbers(chain, own, ggsl.PARAM))

    samplers = c.llama_sampler_chain_init(c.llama_sampler_chain_default_params())
    c.llama_sampler_chain_add(samplers, own)  # which now owns it
    config = llama.SamplerSeqConfig(0, samplers)
    params = c.llama_context_default_params()
    params.n_ctx, params.n_batch, params.n_outputs_max = CONTEXT, PROMPT_TOKENS, 1
    params.n_threads = params.n_threads_batch = 1  # enough for the demo model
    if given.place == "graph":  # without this the chain runs on the host
        params.samplers, params.n_samplers = ctypes.pointer(config), 1
    context = c.llama_init_from_model(model, params)
    if not context:
        raise RuntimeError("llama_init_from_model failed")
    if refusal := lib.c.ggsl_sampler_refusal(own):
        say("on the host:", refusal.decode())

    in_graph = generate(lib, own, c, context, c.llama_model_get_vocab(model), samplers)
    say(f"{in_graph} tokens picked in the model's graph")
    say("states", lib.numbers(chain, own, ggsl.STATE))

    c.llama_free(context)  # before the samplers that it uses
    c.llama_sampler_free(samplers)
    lib.c.ggsl_chain_free(chain)
    c.llama_model_free(model)


try:
    main()
except (ggsl.Error, RuntimeError, OSError, ValueError) as error:
    sys.exit(f"embed: {error}")
