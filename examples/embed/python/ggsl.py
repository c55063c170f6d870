"""libggsl for ctypes: what embed.py calls of ggsl.h."""

import ctypes
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_void_p

PARAM, STATE = 0, 6


class Part(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("type", c_int),
        ("name", c_char_p),
        ("doc", c_char_p),
        ("default_value", c_double),
        ("min", c_double),
        ("max", c_double),
        ("is_min_excluded", c_bool),
        ("is_max_excluded", c_bool),
        ("is_required", c_bool),
        ("capacity", c_uint32),
    ]


FUNCTIONS = {
    "ggsl_version": (c_char_p, []),
    "ggsl_error": (c_char_p, []),
    "ggsl_error_code": (c_char_p, []),
    "ggsl_chain_load": (c_void_p, [c_char_p, c_size_t]),
    "ggsl_chain_free": (None, [c_void_p]),
    "ggsl_chain_name": (c_char_p, [c_void_p]),
    "ggsl_chain_part": (c_bool, [c_void_p, c_int, c_size_t, POINTER(Part)]),
    "ggsl_sampler_init": (c_void_p, [c_void_p, c_void_p]),
    "ggsl_sampler_set": (c_bool, [c_void_p, c_char_p, c_double]),
    "ggsl_sampler_get": (c_bool, [c_void_p, c_char_p, POINTER(c_double)]),
    "ggsl_sampler_state": (c_bool, [c_void_p, c_char_p, POINTER(c_double)]),
    "ggsl_sampler_is_ready": (c_bool, [c_void_p]),
    "ggsl_sampler_is_in_graph": (c_bool, [c_void_p]),
    "ggsl_sampler_refusal": (c_char_p, [c_void_p]),
    "ggsl_sampler_fault": (c_char_p, [c_void_p]),
}


class Error(Exception):
    """`code` is a stable word."""

    def __init__(self, library):
        self.code = library.ggsl_error_code().decode()
        super().__init__(f"{self.code}: {library.ggsl_error().decode()}")


class Library:
    """libggsl. It uses the llama.cpp that the process already runs, whose libraries are at `llama_paths`."""

    def __init__(self, path, llama_paths):
        # A binding loads them for itself alone. This makes the same copies visible, and loads none.
        for loaded in llama_paths:
            ctypes.CDLL(str(loaded), ctypes.RTLD_GLOBAL | os.RTLD_NOLOAD)
        self.c = ctypes.CDLL(str(path))
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(self.c, name)
            function.restype, function.argtypes = result, arguments

    def checked(self, result):
        """Raises the thread's last error if a function failed."""
        if not result:
            raise Error(self.c)
        return result

    def load_chain(self, spec: bytes) -> int:
        return self.checked(self.c.ggsl_chain_load(spec, len(spec)))

    def sampler(self, chain: int, model: int) -> int:
        """A `llama_sampler *`, for llama_sampler_chain_add, which then owns it."""
        return self.checked(self.c.ggsl_sampler_init(chain, model))

    def set(self, sampler: int, name: str, value: float) -> None:
        self.checked(self.c.ggsl_sampler_set(sampler, name.encode(), value))

    def numbers(self, chain: int, sampler: int, kind: int) -> dict:
        """The present values of a chain's parameters or states."""
        read = self.c.ggsl_sampler_get if kind == PARAM else self.c.ggsl_sampler_state
        part, value, values = Part(size=ctypes.sizeof(Part)), c_double(), {}
        while self.c.ggsl_chain_part(chain, kind, len(values), byref(part)):
            self.checked(read(sampler, part.name, byref(value)))
            values[part.name.decode()] = value.value
        return values
