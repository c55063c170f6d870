#include "model.h"

#include "graph/backend.h"
#include "graph/failure.h"
#include "model_check.h"
#include "model_grammars.h"
#include "return_memory.h"

#include <llama-model.h> // a private header of the release that this is linked to

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace ggsl {

namespace {

// A file with these bytes, to be read while they stay.
FILE * open_bytes(std::span<const uint8_t> bytes) {
#ifdef _WIN32
    // there are no files in memory
    FILE * file = std::tmpfile();
    if (file != nullptr) {
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        std::rewind(file);
    }
    return file;
#else
    // the memory is only read, although fmemopen takes a non-const pointer
    return fmemopen(const_cast<uint8_t *>(bytes.data()), bytes.size(), "rb");
#endif
}

// Reports a bad path before llama.cpp does, with a shorter message.
void check_file(const std::string & path) {
    std::error_code error;
    const auto      status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) {
        fail(code::invalid_model, "no such model: %s", path.c_str());
    }
    if (!std::filesystem::is_regular_file(status)) {
        fail(code::invalid_model, "the model is not a file: %s", path.c_str());
    }
    uint8_t start[counts_end] = {};
    FILE *  file              = std::fopen(path.c_str(), "rb");
    if (file == nullptr) {
        fail(code::invalid_model, "cannot read %s: %s", path.c_str(), std::strerror(errno));
    }
    const size_t read = std::fread(start, 1, sizeof(start), file);
    std::fclose(file);
    if (read < 4 || std::memcmp(start, "GGUF", 4) != 0) {
        fail(code::invalid_model, "not a GGUF file: %s does not start with \"GGUF\"", path.c_str());
    }
    check_counts({ start, read }, path);
}

// Checks what llama.cpp's loader does not. A file that it does not read is left to it.
template <typename Open> void check_metadata(const std::string & name, Open open) {
    const LogCapture ignored;
    if (const ModelHeader header{ open({ true, nullptr }) }) {
        check_header(header.get(), name);
    }
}

// llama.cpp's string getters return the length that they need.
template <typename Get> std::string get_string(Get get) {
    std::string text(256, '\0');
    int32_t     length = get(text.data(), text.size());
    if (length >= static_cast<int32_t>(text.size())) {
        text.resize(static_cast<size_t>(length) + 1);
        length = get(text.data(), text.size());
    }
    text.resize(length < 0 ? 0 : static_cast<size_t>(length));
    return text;
}

// A list for llama.cpp, which ends with null: a model on the CPU alone has no devices.
std::vector<ggml_backend_dev_t> devices_for(const std::vector<std::string> & names) {
    std::vector<ggml_backend_dev_t> devices;
    for (const std::string & name : names) {
        devices.push_back(device_by_name(name));
    }
    if (devices.size() == 1 && ggml_backend_dev_type(devices[0]) == GGML_BACKEND_DEVICE_TYPE_CPU) {
        devices.clear();
    }
    devices.push_back(nullptr);
    return devices;
}

} // namespace

void Model::Deleter::operator()(llama_model * pointer) const {
    if (!is_borrowed) {
        llama_model_free(pointer);
        return_memory();
    }
}

Model::Model(const std::string & path, const ModelOptions & options, LoadWatch watch) : vocab_only(options.vocab_only) {
    check_file(path);
    llama_model_params params = llama_model_default_params();
    params.n_gpu_layers       = options.gpu_layers;
    params.vocab_only         = options.vocab_only;

    bool is_ended = false;
    auto goes_on  = [&](float fraction) { return !(is_ended = is_ended || !watch(fraction)); };
    using GoesOn  = decltype(goes_on);
    if (watch) {
        params.progress_callback = [](float fraction, void * data) { return (*static_cast<GoesOn *>(data))(fraction); };
        params.progress_callback_user_data = &goes_on;
    }

    std::vector<ggml_backend_dev_t> devices;
    std::vector<float>              split(llama_max_devices(), 0.0f);
    if (!options.devices.empty()) {
        devices        = devices_for(options.devices);
        params.devices = devices.data();
        if (options.split.size() > split.size()) {
            fail(code::invalid_argument, "split: expected at most %zu numbers, found %zu", split.size(),
                 options.split.size());
        }
        std::copy(options.split.begin(), options.split.end(), split.begin());
        params.tensor_split = options.split.empty() ? nullptr : split.data();
    }

    check_metadata(path, [&](gguf_init_params header) { return gguf_init_from_file(path.c_str(), header); });
    const LogCapture log;
    try {
        model.reset(llama_model_load_from_file(path.c_str(), params));

    } catch (const std::exception & e) {
        fail(code::invalid_model, "cannot load %s: %s%s", path.c_str(), e.what(), log.suffix().c_str());
    }
    if (is_ended) {
        fail(code::aborted, "loading %s was aborted", path.c_str());
    }
    check_loaded(path, log.suffix());
}

Model::Model(std::span<const uint8_t> bytes) {
    constexpr char                               name[] = "the model in memory";
    const std::unique_ptr<FILE, int (*)(FILE *)> file(open_bytes(bytes), std::fclose);
    if (!file || bytes.size() < 4 || std::memcmp(bytes.data(), "GGUF", 4) != 0) {
        fail(code::invalid_model, "not a GGUF file: %s does not start with \"GGUF\"", name);
    }
    check_counts(bytes.first(std::min(bytes.size(), counts_end)), name);
    llama_model_params params = llama_model_default_params();
    params.n_gpu_layers       = 0;
    params.load_mode          = LLAMA_LOAD_MODE_NONE; // there is no file to map

    check_metadata(name, [&](gguf_init_params header) { return gguf_init_from_file_ptr(file.get(), header); });
    std::rewind(file.get());
    const LogCapture log;
    try {
        model.reset(llama_model_load_from_file_ptr(file.get(), params));

    } catch (const std::exception & e) {
        fail(code::invalid_model, "cannot load %s: %s%s", name, e.what(), log.suffix().c_str());
    }
    check_loaded(name, log.suffix());
}

Model::Model(llama_model * borrowed)
    : model(borrowed, Deleter{ .is_borrowed = true }), vocab_only(borrowed->hparams.vocab_only) {}

void Model::check_loaded(const std::string & name, const std::string & why) const {
    if (!model) {
        fail(code::invalid_model, "cannot load %s%s", name.c_str(), why.c_str());
    }
    if (llama_vocab_type(vocab()) == LLAMA_VOCAB_TYPE_NONE || vocab_size() < 1) {
        fail(code::invalid_model, "%s has no vocabulary", name.c_str());
    }
    const auto check_special = [&](const char * what, bool is_added, llama_token token) {
        if (is_added && token == LLAMA_TOKEN_NULL) {
            fail(code::invalid_model, "%s is damaged: its vocabulary adds a %s token to texts, and has none",
                 name.c_str(), what);
        }
    };
    check_special("begin", llama_vocab_get_add_bos(vocab()), llama_vocab_bos(vocab()));
    check_special("end", llama_vocab_get_add_eos(vocab()), llama_vocab_eos(vocab()));
    check_special("separator", llama_vocab_get_add_sep(vocab()), llama_vocab_sep(vocab()));
    if (!vocab_only) {
        check_generates(name);
    }
}

void Model::check_generates(const std::string & name) const {
    if (!model->hparams.causal_attn || llama_model_is_diffusion(model.get())) {
        fail(code::invalid_model,
             "%s does not generate text token by token: only models with causal attention are supported", name.c_str());
    }
    if (llama_model_has_encoder(model.get()) || !llama_model_has_decoder(model.get())) {
        fail(code::invalid_model, "%s does not generate text: only models with a decoder and no encoder are supported",
             name.c_str());
    }
}

const Tokenizer & Model::tokenizer() const {
    std::call_once(tokenizer_once, [this] { texts_to_tokens = std::make_unique<const Tokenizer>(model.get()); });
    return *texts_to_tokens;
}

std::string Model::piece(llama_token token, bool special) const {
    if (token < 0 || token >= vocab_size()) {
        fail(code::invalid_argument, "token %d is outside the vocabulary of %d", token, vocab_size());
    }
    std::string bytes(64, '\0');
    const auto  run = [&] {
        return llama_token_to_piece(vocab(), token, bytes.data(), static_cast<int32_t>(bytes.size()), 0, special);
    };
    int32_t length = run();
    if (length < 0) {
        bytes.resize(static_cast<size_t>(-length));
        length = run();
    }
    bytes.resize(length < 0 ? 0 : static_cast<size_t>(length));
    return bytes;
}

Model::Pieces Model::pieces() const {
    Pieces      pieces;
    std::string text(256, '\0');
    pieces.offsets.push_back(0);
    for (llama_token token = 0; token < vocab_size(); ++token) {
        const auto run = [&] {
            return llama_detokenize(vocab(), &token, 1, text.data(), static_cast<int32_t>(text.size()), false, true);
        };
        int32_t length = run();
        if (length < 0) {
            text.resize(static_cast<size_t>(-length));
            length = run();
        }
        pieces.bytes.insert(pieces.bytes.end(), text.begin(), text.begin() + std::max(length, 0));
        pieces.offsets.push_back(static_cast<int32_t>(pieces.bytes.size()));
    }
    return pieces;
}

Model::Pieces Model::texts() const {
    Pieces texts;
    texts.offsets.push_back(0);
    for (llama_token token = 0; token < vocab_size(); ++token) {
        const std::string text = piece(token, true);
        texts.bytes.insert(texts.bytes.end(), text.begin(), text.end());
        texts.offsets.push_back(static_cast<int32_t>(texts.bytes.size()));
    }
    return texts;
}

std::vector<uint8_t> Model::classes() const {
    std::vector<uint8_t> classes(static_cast<size_t>(vocab_size()));
    for (llama_token token = 0; token < vocab_size(); ++token) {
        const int control                   = llama_vocab_is_control(vocab(), token) ? 1 : 0;
        classes[static_cast<size_t>(token)] = static_cast<uint8_t>(control + (is_end(token) ? 2 : 0));
    }
    return classes;
}

ModelGrammars & Model::grammars() const {
    std::call_once(grammars_once, [this] { open_grammars = std::make_shared<ModelGrammars>(*this); });
    return *open_grammars;
}

bool Model::is_recurrent() const {
    return llama_model_is_recurrent(model.get()) || llama_model_is_hybrid(model.get());
}

std::string Model::output_device() const {
    return vocab_only ? "" : ggml_backend_dev_name(model->dev_output());
}

bool Model::is_end(llama_token token) const {
    return token >= 0 && token < vocab_size() && llama_vocab_is_eog(vocab(), token);
}

std::string Model::description() const {
    return get_string([&](char * out, size_t size) { return llama_model_desc(model.get(), out, size); });
}

std::vector<std::pair<std::string, std::string>> Model::metadata() const {
    // by index llama.cpp begins from the first key each time
    std::vector<std::pair<std::string, std::string>> entries(model->gguf_kv.begin(), model->gguf_kv.end());
    return entries;
}

} // namespace ggsl
