// Descriptions of samplers as plain JavaScript objects: { name, ...parameters }.
#pragma once

#include "llama/sampler_spec.h"
#include "convert.h"

namespace ggsl::addon {

// A parameter of a sampler: a number, a text, or lists of them, nested up to `depth`.
inline Value to_value(const Napi::Value & value, int depth = 2) {
    constexpr uint32_t max_length = 1 << 20;
    const auto         to_list    = [&](const auto & array, uint32_t length) {
        if (length > max_length) {
            fail(code::invalid_argument, "a list has %u entries, expected at most %u", length, max_length);
        }
        List list;
        for (uint32_t i = 0; i < length; ++i) {
            list.push_back(to_value(array.Get(i), depth - 1));
        }
        return Value{ list };
    };
    if (value.IsNumber()) {
        return { value.As<Napi::Number>().DoubleValue() };
    }
    if (value.IsString()) {
        return { value.As<Napi::String>().Utf8Value() };
    }
    if (value.IsArray() && depth > 0) {
        return to_list(value.As<Napi::Array>(), value.As<Napi::Array>().Length());
    }
    if (is_array<int32_t>(value) && depth > 0) {
        const auto array = value.As<Napi::Int32Array>();
        return to_list(value.As<Napi::Object>(),
                       static_cast<uint32_t>(std::min<size_t>(array.ElementLength(), UINT32_MAX)));
    }
    return { Other{ value.IsNull()      ? "null"
                    : value.IsBoolean() ? "a boolean"
                    : value.IsArray()   ? "a list in lists"
                                        : "something else" } };
}

// An undefined property counts as absent.
inline SamplerSpec to_sampler_spec(const Napi::Value & value) {
    const Napi::Object object = to_object(value, "stage");
    SamplerSpec        spec{ to_string(object.Get("name"), "stage: name"), {} };
    const Napi::Array  keys = object.GetPropertyNames();
    for (uint32_t i = 0; i < keys.Length(); ++i) {
        const std::string key   = keys.Get(i).ToString();
        const Napi::Value given = object.Get(key);
        if (key != "name" && !given.IsUndefined()) {
            spec.parameters.emplace(key, to_value(given));
        }
    }
    return spec;
}

inline std::vector<SamplerSpec> to_sampler_specs(const Napi::Value & value) {
    if (!value.IsArray()) {
        fail(code::invalid_argument, "stages: expected an array of objects");
    }
    std::vector<SamplerSpec> specs;
    const auto               list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); ++i) {
        specs.push_back(to_sampler_spec(list.Get(i)));
    }
    return specs;
}

} // namespace ggsl::addon
