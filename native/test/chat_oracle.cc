#include "chat_oracle.h"

#include "chat.h"

#include <string>

namespace ggsl::test {

namespace {

std::string text_of(const Napi::Value & value) {
    return value.As<Napi::String>().Utf8Value();
}

} // namespace

Napi::Value render_template(const Napi::CallbackInfo & info) {
    jinja::lexer         lexer;
    const auto           lexed   = lexer.tokenize(text_of(info[0]));
    const jinja::program program = jinja::parse_from_tokens(lexed);
    jinja::context       context(lexed.source);
    const common_json    variables = common_json::parse(text_of(info[1]));
    jinja::global_from_json(context, variables, false);
    jinja::runtime     runtime(context);
    const jinja::value result = runtime.execute(program);
    return Napi::String::New(info.Env(), jinja::runtime::gather_string_parts(result)->as_string().str());
}

Napi::Value apply_template(const Napi::CallbackInfo & info) {
    const auto given = info[1].As<Napi::Object>();
    const auto templates =
        common_chat_templates_init(nullptr, text_of(info[0]), text_of(given.Get("bos")), text_of(given.Get("eos")));

    common_chat_templates_inputs inputs;
    inputs.messages              = common_chat_msgs_parse_oaicompat(common_json::parse(text_of(given.Get("messages"))));
    inputs.tools                 = common_chat_tools_parse_oaicompat(common_json::parse(text_of(given.Get("tools"))));
    inputs.add_generation_prompt = given.Get("addGenerationPrompt").ToBoolean();
    return Napi::String::New(info.Env(), common_chat_templates_apply(templates.get(), inputs).prompt);
}

} // namespace ggsl::test
