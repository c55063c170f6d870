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
        of    = ModelObject::from(info[0]);
    });
    info.This().As<Napi::Object>().TypeTag(&chain_tag);
}

const ChainObject & ChainObject::from(const Napi::Value & value) {
    if (!value.IsObject() || !value.As<Napi::Object>().CheckTypeTag(&chain_tag)) {
        fail(code::invalid_argument, "chain: expected a Chain");
    }
    return *Unwrap(value.As<Napi::Object>());
}

Napi::Function TextObject::define(Napi::Env env) {
    return DefineClass(env, "Text",
                       {
                           InstanceAccessor<&TextObject::step>("step"),
                           InstanceMethod<&TextObject::is_ready>("isReady"),
                           InstanceMethod<&TextObject::forced>("forced"),
                           InstanceMethod<&TextObject::written>("written"),
                           InstanceMethod<&TextObject::accept>("accept"),
                       });
}

// (chain, saved, { grammars, only, writesUnasked, bias, stop, rest, held })
TextObject::TextObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<TextObject>(info) {
    guarded(info.Env(), [&] {
        const auto &        chain   = ChainObject::from(info[0]);
        const std::string   saved   = to_string(info[1], "saved");
        const Napi::Object  options = to_object(info[2], "options");
        const int32_t       only    = optional_int(options, "only", -1);
        loop::Text::Unasked unasked;
        unasked.only       = only < 0 ? std::nullopt : std::optional(static_cast<size_t>(only));
        unasked.is_written = options.Get("writesUnasked").ToBoolean();
        text  = std::make_shared<loop::Text>(chain.get(), saved, to_positions(options.Get("grammars")), unasked,
                                             to_bias(options.Get("bias")));
        model = chain.model();
        show(options);
    });
    info.This().As<Napi::Object>().TypeTag(&text_tag);
}

// Goes on after `rest`, with tokens whose texts are not known yet.
void TextObject::show(const Napi::Object & options) {
    const auto        stops = to_strings(options.Get("stop"), "stop");
    const Napi::Value rest  = options.Get("rest");
    const Napi::Value held  = options.Get("held");
    const auto        bytes = rest.IsUndefined() ? std::span<const uint8_t>() : to_span<uint8_t>(rest, "rest");
    text->show(stops.empty() ? nullptr : std::make_shared<const loop::Stops>(stops),
               std::string(bytes.begin(), bytes.end()));
    if (held.IsUndefined()) {
        return;
    }
    for (const int32_t token : to_span<int32_t>(held, "held")) {
        text->read(bytes_of(token).value_or(""));
    }
}

std::optional<std::string> TextObject::bytes_of(int32_t token) const {
    const auto of = model.lock();
    if (!of) {
        fail(code::disposed, "the model of this text is disposed");
    }
    return of->is_end(token) ? std::nullopt : std::optional(of->piece(token, false));
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

Napi::Value TextObject::forced(const Napi::CallbackInfo & info) {
    const Napi::Env env = info.Env();
    return guarded(env, [&]() -> Napi::Value {
        const std::optional<Feeder::Forced> next = text->forced();
        if (!next) {
            return env.Undefined();
        }
        Napi::Object object = Napi::Object::New(env);
        object.Set("token", next->token);
        object.Set("isWritten", next->is_written);
        object.Set("scalars", from_vector(env, next->scalars));
        return object;
    });
}

Napi::Value TextObject::written(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        const std::optional<int32_t> token = text->written();
        return token ? Napi::Number::New(info.Env(), *token) : info.Env().Undefined();
    });
}

Napi::Value TextObject::accept(const Napi::CallbackInfo & info) {
    return guarded(info.Env(), [&]() -> Napi::Value {
        const int32_t token = to_int(info[0], "token");
        const auto    bytes = bytes_of(token);
        const auto    move  = text->accept(token, to_span<float>(info[1], "scalars"));
        if (move == Feeder::Move::stops) {
            return Napi::String::New(info.Env(), "stops");
        }
        if (bytes) {
            text->read(*bytes);
        }
        return Napi::String::New(info.Env(), move == Feeder::Move::refused ? "refused" : "goes on");
    });
}

} // namespace ggsl::addon
