#include "text_object.h"

#include "automaton_object.h"

namespace ggsl::addon {

namespace {

constexpr napi_type_tag chain_tag = { 0x6767736c63686169, 0x6e6f666d6f64656c };
constexpr napi_type_tag text_tag  = { 0x6767736c74657874, 0x746861747772697e };

std::vector<loop::GrammarPosition> to_positions(const Napi::Value & value) {
    std::vector<loop::GrammarPosition> positions;
    if (!value.IsArray()) {
        fail(code::invalid_argument, "grammars: expected an array of positions");
    }
    const auto list = value.As<Napi::Array>();
    for (uint32_t i = 0; i < list.Length(); ++i) {
        positions.push_back(PositionObject::from(list.Get(i)));
    }
    return positions;
}

std::optional<c::Pairs> to_bias(const Napi::Value & value) {
    if (value.IsUndefined()) {
        return std::nullopt;
    }
    const Napi::Object given  = to_object(value, "bias");
    const auto         ids    = to_span<int32_t>(given.Get("ids"), "bias.ids");
    const auto         values = to_span<float>(given.Get("values"), "bias.values");
    if (ids.size() != values.size()) {
        fail(code::invalid_argument, "bias: ids and values have different lengths");
    }
    c::Pairs pairs;
    for (size_t i = 0; i < ids.size(); ++i) {
        pairs[ids[i]] = static_cast<double>(values[i]);
    }
    return pairs;
}

} // namespace

Napi::Function ChainObject::define(Napi::Env env) {
    return DefineClass(env, "Chain", {});
}

ChainObject::ChainObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<ChainObject>(info) {
    guarded(info.Env(), [&] {
        chain = std::make_shared<const loop::Chain>(ModelObject::place_of(info[0]), to_string(info[1], "spec"));
    });
    info.This().As<Napi::Object>().TypeTag(&chain_tag);
}

std::shared_ptr<const loop::Chain> ChainObject::from(const Napi::Value & value) {
    if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&chain_tag)) {
        fail(code::invalid_argument, "chain: expected a Chain");
    }
    return Unwrap(value.As<Napi::Object>())->chain;
}

Napi::Function TextObject::define(Napi::Env env) {
    return DefineClass(env, "Text",
                       {
                           InstanceAccessor<&TextObject::step>("step"),
                           InstanceMethod<&TextObject::is_ready>("isReady"),
                           InstanceMethod<&TextObject::only_token>("onlyToken"),
                           InstanceMethod<&TextObject::accept>("accept"),
                       });
}

// (chain, saved, { grammars, only, bias })
TextObject::TextObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<TextObject>(info) {
    guarded(info.Env(), [&] {
        const auto         chain   = ChainObject::from(info[0]);
        const std::string  saved   = to_string(info[1], "saved");
        const Napi::Object options = to_object(info[2], "options");
        const int32_t      only    = optional_int(options, "only", -1);
        text                       = std::make_shared<loop::Text>(*chain, saved, to_positions(options.Get("grammars")),
                                            only < 0 ? std::nullopt : std::optional(static_cast<size_t>(only)),
                                                                  to_bias(options.Get("bias")));
    });
    info.This().As<Napi::Object>().TypeTag(&text_tag);
}

std::shared_ptr<loop::Text> TextObject::from(const Napi::Value & value) {
    if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&text_tag)) {
        fail(code::invalid_argument, "text: expected a Text");
    }
    return Unwrap(value.As<Napi::Object>())->text;
}

Napi::Value TextObject::step(const Napi::CallbackInfo & info) {
    return Napi::Number::New(info.Env(), static_cast<double>(text->step()));
}

Napi::Value TextObject::is_ready(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value { return Napi::Boolean::New(info.Env(), text->is_ready()); });
}

Napi::Value TextObject::only_token(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        const std::optional<int32_t> token = text->only_token();
        return token ? Napi::Number::New(info.Env(), *token) : info.Env().Undefined();
    });
}

Napi::Value TextObject::accept(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        switch (text->accept(to_int(info[0], "token"), to_span<float>(info[1], "scalars"))) {
            case Feeder::Move::goes_on: return Napi::String::New(info.Env(), "goes on");
            case Feeder::Move::refused: return Napi::String::New(info.Env(), "refused");
            case Feeder::Move::stops:   break;
        }
        return Napi::String::New(info.Env(), "stops");
    });
}

} // namespace ggsl::addon
