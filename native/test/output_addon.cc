// Test only: the texts of tokens and stop texts, to be compared with those in TypeScript.
#include "output_addon.h"

#include "graph/failure.h"
#include "loop/output.h"

namespace ggsl {

namespace {

std::string bytes_of(const Napi::Value & value) {
    const auto array = value.As<Napi::Uint8Array>();
    return { array.Data(), array.Data() + array.ElementLength() };
}

class OutputObject : public Napi::ObjectWrap<OutputObject> {
public:
    static Napi::Function define(Napi::Env env) {
        return DefineClass(env, "COutput",
                           {
                               InstanceMethod<&OutputObject::push>("push"),
                               InstanceMethod<&OutputObject::flush>("flush"),
                               InstanceMethod<&OutputObject::restart>("restart"),
                               InstanceAccessor<&OutputObject::stop>("stop"),
                           });
    }

    // (stop texts)
    explicit OutputObject(const Napi::CallbackInfo & info) : Napi::ObjectWrap<OutputObject>(info) {
        const auto               list = info[0].As<Napi::Array>();
        std::vector<std::string> texts;
        for (uint32_t i = 0; i < list.Length(); ++i) {
            texts.push_back(list.Get(i).As<Napi::String>().Utf8Value());
        }
        try {
            output = loop::Output(texts.empty() ? nullptr : std::make_shared<const loop::Stops>(texts));
        } catch (const Failure & failure) {
            throw Napi::Error::New(info.Env(), failure.what());
        }
    }

private:
    static Napi::Value list_of(Napi::Env env, const std::vector<TextPiece> & pieces) {
        auto list = Napi::Array::New(env, pieces.size());
        for (uint32_t i = 0; i < list.Length(); ++i) {
            std::u16string text;
            loop::append_utf16(text, pieces[i].text);
            auto rest = Napi::Uint8Array::New(env, pieces[i].rest.size());
            std::copy(pieces[i].rest.begin(), pieces[i].rest.end(), rest.Data());
            auto piece = Napi::Object::New(env);
            piece.Set("text", Napi::String::New(env, text));
            piece.Set("rest", rest);
            list.Set(i, piece);
        }
        return list;
    }

    Napi::Value push(const Napi::CallbackInfo & info) {
        std::vector<TextPiece> known;
        output.push(bytes_of(info[0]), known);
        return list_of(info.Env(), known);
    }

    Napi::Value flush(const Napi::CallbackInfo & info) {
        std::vector<TextPiece> known;
        output.flush(known);
        return list_of(info.Env(), known);
    }

    void restart(const Napi::CallbackInfo & info) { output.restart(bytes_of(info[0])); }

    Napi::Value stop(const Napi::CallbackInfo & info) {
        return output.stop() ? Napi::Number::New(info.Env(), static_cast<double>(*output.stop()))
                             : info.Env().Undefined();
    }

    loop::Output output;
};

} // namespace

void add_output(Napi::Env env, Napi::Object & exports) {
    exports.Set("COutput", OutputObject::define(env));
}

} // namespace ggsl
