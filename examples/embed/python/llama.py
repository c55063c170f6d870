"""The part of llama.cpp 0.5.0 that embed.py calls, for ctypes. A program with a binding of its own does not need this file."""

import ctypes
from ctypes import POINTER, c_bool, c_char_p, c_float, c_int, c_int8, c_int32, c_size_t, c_uint32, c_void_p
from pathlib import Path


class ModelParams(ctypes.Structure):
    _fields_ = [
        ("devices", c_void_p),
        ("tensor_buft_overrides", c_void_p),
        ("n_gpu_layers", c_int32),
        ("split_mode", c_int),
        ("load_mode", c_int),
        ("lazy_mode", c_int),
        ("main_gpu", c_int32),
        ("tensor_split", c_void_p),
        ("progress_callback", c_void_p),
        ("progress_callback_user_data", c_void_p),
        ("kv_overrides", c_void_p),
        ("vocab_only", c_bool),
        ("check_tensors", c_bool),
        ("use_extra_bufts", c_bool),
        ("no_host", c_bool),
        ("no_alloc", c_bool),
        ("load_mtp", c_bool),
    ]


class SamplerSeqConfig(ctypes.Structure):
    _fields_ = [("seq_id", c_int32), ("sampler", c_void_p)]


class ContextParams(ctypes.Structure):
    _fields_ = [
        ("n_ctx", c_uint32),
        ("n_batch", c_uint32),
        ("n_ubatch", c_uint32),
        ("n_seq_max", c_uint32),
        ("n_rs_seq", c_uint32),
        ("n_outputs_max", c_uint32),
        ("n_outputs_max_per_seq", c_uint32),
        ("n_threads", c_int32),
        ("n_threads_batch", c_int32),
        ("ctx_type", c_int),
        ("rope_scaling_type", c_int),
        ("pooling_type", c_int),
        ("attention_type", c_int),
        ("flash_attn_type", c_int),
        ("rope_freq_base", c_float),
        ("rope_freq_scale", c_float),
        ("yarn_ext_factor", c_float),
        ("yarn_attn_factor", c_float),
        ("yarn_beta_fast", c_float),
        ("yarn_beta_slow", c_float),
        ("yarn_orig_ctx", c_uint32),
        ("defrag_thold", c_float),
        ("cb_eval", c_void_p),
        ("cb_eval_user_data", c_void_p),
        ("type_k", c_int),
        ("type_v", c_int),
        ("abort_callback", c_void_p),
        ("abort_callback_data", c_void_p),
        ("embeddings", c_bool),
        ("offload_kqv", c_bool),
        ("no_perf", c_bool),
        ("op_offload", c_bool),
        ("swa_full", c_bool),
        ("kv_unified", c_bool),
        ("samplers", POINTER(SamplerSeqConfig)),
        ("n_samplers", c_size_t),
        ("ctx_other", c_void_p),
    ]


class SamplerChainParams(ctypes.Structure):
    _fields_ = [("no_perf", c_bool)]


class Batch(ctypes.Structure):
    _fields_ = [
        ("n_tokens", c_int32),
        ("token", POINTER(c_int32)),
        ("embd", POINTER(c_float)),
        ("pos", POINTER(c_int32)),
        ("n_seq_id", POINTER(c_int32)),
        ("seq_id", POINTER(POINTER(c_int32))),
        ("logits", POINTER(c_int8)),
    ]


LOG_CALLBACK = ctypes.CFUNCTYPE(None, c_int, c_char_p, c_void_p)

# results and arguments
FUNCTIONS = {
    "llama_log_set": (None, [LOG_CALLBACK, c_void_p]),
    "llama_model_default_params": (ModelParams, []),
    "llama_model_load_from_file": (c_void_p, [c_char_p, ModelParams]),
    "llama_model_get_vocab": (c_void_p, [c_void_p]),
    "llama_model_free": (None, [c_void_p]),
    "llama_context_default_params": (ContextParams, []),
    "llama_init_from_model": (c_void_p, [c_void_p, ContextParams]),
    "llama_free": (None, [c_void_p]),
    "llama_tokenize": (c_int32, [c_void_p, c_char_p, c_int32, POINTER(c_int32), c_int32, c_bool, c_bool]),
    "llama_token_to_piece": (c_int32, [c_void_p, c_int32, c_char_p, c_int32, c_int32, c_bool]),
    "llama_vocab_is_eog": (c_bool, [c_void_p, c_int32]),
    "llama_batch_get_one": (Batch, [POINTER(c_int32), c_int32]),
    "llama_decode": (c_int32, [c_void_p, Batch]),
    "llama_sampler_chain_default_params": (SamplerChainParams, []),
    "llama_sampler_chain_init": (c_void_p, [SamplerChainParams]),
    "llama_sampler_chain_add": (None, [c_void_p, c_void_p]),
    "llama_sampler_sample": (c_int32, [c_void_p, c_void_p, c_int32]),
    "llama_sampler_accept": (None, [c_void_p, c_int32]),
    "llama_sampler_free": (None, [c_void_p]),
}


def load(folder: Path, log):
    """Loads llama.cpp's libraries, as a binding does: their functions are not visible to other libraries. `log` is told what they
    log. Returns libllama and the paths of all three."""
    paths = [next(folder.glob(f"{name}*.so")) for name in ("libggml-base", "libggml.", "libllama.")]
    ggml, llama = ctypes.CDLL(str(paths[1])), ctypes.CDLL(str(paths[2]))
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(llama, name)
        function.restype, function.argtypes = result, arguments
    llama.llama_log_set(log, None)
    ggml.ggml_backend_load_all_from_path.argtypes = [c_char_p]
    ggml.ggml_backend_load_all_from_path.restype = None
    ggml.ggml_backend_load_all_from_path(str(folder).encode())
    return llama, paths
