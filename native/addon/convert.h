// JavaScript values to C++ and back; every Failure becomes an Error with its `code`.
#pragma once

#include "graph/evaluate.h"
#include "graph/failure.h"

#include <napi.h>

namespace ggsl::addon {

inline Napi::Error to_error(Napi::Env env, const char * code, const std::string & message) {
    Napi::Error error = Napi::Error::New(env, message);
    error.Set("code", code);
    return error;
}

// Runs `work` and rethrows what it throws as a JavaScript error.
template <typename Work> auto guarded(Napi::Env env, Work work) -> decltype(work()) {
    try {
        return work();
    } catch (const Failure & failure) {
        throw to_error(env, failure.code, failure.what());
    } catch (const std::bad_alloc &) {
        throw to_error(env, code::out_of_memory, "out of memory");
    } catch (const Napi::Error &) {
        throw;
    } catch (const std::exception & e) {
        throw to_error(env, code::compute_failed, e.what());
    }
}

inline Napi::Object to_object(const Napi::Value & value, const char * what) {
    if (!value.IsObject()) {
        fail(code::invalid_argument, "%s: expected an object", what);
    }
    return value.As<Napi::Object>();
}

inline int32_t to_int(const Napi::Value & value, const char * what) {
    const double number = value.IsNumber() ? value.As<Napi::Number>().DoubleValue() : 0.5;
    if (number != static_cast<double>(static_cast<int64_t>(number)) || number < INT32_MIN || number > INT32_MAX) {
        fail(code::invalid_argument, "%s: expected an integer", what);
    }
    return static_cast<int32_t>(number);
}

inline int32_t optional_int(const Napi::Object & options, const char * name, int32_t otherwise) {
    const Napi::Value value = options.Get(name);
    return value.IsUndefined() ? otherwise : to_int(value, name);
}

inline std::string to_string(const Napi::Value & value, const char * what) {
    if (!value.IsString()) {
        fail(code::invalid_argument, "%s: expected a string", what);
    }
    return value.As<Napi::String>().Utf8Value();
}

// Undefined is no string.
inline std::vector<std::string> to_strings(const Napi::Value & value, const char * what) {
    std::vector<std::string> strings;
    if (value.IsUndefined()) {
        return strings;
    }
    if (!value.IsArray()) {
        fail(code::invalid_argument, "%s: expected an array of strings", what);
    }
    const auto list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); ++i) {
        strings.push_back(to_string(list.Get(i), what));
    }
    return strings;
}

template <typename T> constexpr napi_typedarray_type array_type           = napi_float32_array;
template <> inline constexpr napi_typedarray_type    array_type<int32_t>  = napi_int32_array;
template <> inline constexpr napi_typedarray_type    array_type<uint8_t>  = napi_uint8_array;
template <> inline constexpr napi_typedarray_type    array_type<uint32_t> = napi_uint32_array;

template <typename T> constexpr const char * array_name           = "a Float32Array";
template <> inline constexpr const char *    array_name<int32_t>  = "an Int32Array";
template <> inline constexpr const char *    array_name<uint8_t>  = "a Uint8Array";
template <> inline constexpr const char *    array_name<uint32_t> = "a Uint32Array";

template <typename T> bool is_array(const Napi::Value & value) {
    return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == array_type<T>;
}

// A view of a typed array; valid until control returns to JavaScript.
template <typename T> std::span<const T> to_span(const Napi::Value & value, const char * what) {
    if (!is_array<T>(value)) {
        fail(code::invalid_argument, "%s: expected %s", what, array_name<T>);
    }
    const auto array = value.As<Napi::TypedArrayOf<T>>();
    return { array.Data(), array.ElementLength() };
}

template <typename T> std::vector<T> to_vector(const Napi::Value & value, const char * what) {
    const std::span<const T> span = to_span<T>(value, what);
    return { span.begin(), span.end() };
}

template <typename T> Napi::Value from_vector(Napi::Env env, const std::vector<T> & values) {
    auto array = Napi::TypedArrayOf<T>::New(env, values.size(), array_type<T>);
    std::copy(values.begin(), values.end(), array.Data());
    return array;
}

// Outputs that the graph lacks are left out.
inline Napi::Object from_results(Napi::Env env, const Results & results) {
    Napi::Object object = Napi::Object::New(env);
    const auto   set    = [&](const char * name, const auto & values) {
        if (!values.empty()) {
            object.Set(name, from_vector(env, values));
        }
    };
    set("sampled", results.sampled);
    set("candidates", results.candidates);
    set("logits", results.logits);
    set("probs", results.probs);
    set("states", results.states);
    if (!results.taps.empty()) {
        Napi::Array taps = Napi::Array::New(env, results.taps.size());
        for (uint32_t i = 0; i < taps.Length(); ++i) {
            std::visit([&](const auto & values) { taps.Set(i, from_vector(env, values)); }, results.taps[i]);
        }
        object.Set("taps", taps);
    }
    return object;
}

} // namespace ggsl::addon
