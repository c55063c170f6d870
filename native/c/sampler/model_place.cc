#include "sampler/model_place.h"

#include "error.h"

#include "llama/grammar.h"

#include <cstring>

namespace ggsl::c {

namespace {

std::vector<std::string> split(const Model::Pieces & pieces) {
    std::vector<std::string> texts;
    for (size_t token = 0; token + 1 < pieces.offsets.size(); ++token) {
        texts.emplace_back(pieces.bytes.begin() + pieces.offsets[token],
                           pieces.bytes.begin() + pieces.offsets[token + 1]);
    }
    return texts;
}

// Each part is read when it is first needed.
class ModelVocabulary : public Vocabulary {
public:
    explicit ModelVocabulary(const std::shared_ptr<const Model> & model) : vocab_size(model->vocab_size()), of(model) {}

    int32_t size() const override { return vocab_size; }

    const std::vector<std::string> & pieces() const override {
        std::call_once(pieces_once, [this] { known_pieces = split(model()->pieces()); });
        return known_pieces;
    }

    const std::vector<std::string> & texts() const override {
        std::call_once(texts_once, [this] { known_texts = split(model()->texts()); });
        return known_texts;
    }

    const std::vector<int32_t> * tokens_of(bool is_end) const override {
        std::call_once(classes_once, [this] {
            int32_t token = 0;
            for (const uint8_t bits : model()->classes()) {
                for (const int each : { 0, 1 }) {
                    if ((bits >> each) & 1) {
                        classes[each].push_back(token);
                    }
                }
                ++token;
            }
        });
        return &classes[is_end ? 1 : 0];
    }

    std::vector<int32_t> tokenize(std::string_view bytes) const override {
        return model()->tokenize(whole_text(bytes), false, false);
    }
    std::vector<int32_t> tokenize_special(std::string_view bytes) const override {
        return model()->tokenize(whole_text(bytes), false, true);
    }

private:
    std::shared_ptr<const Model> model() const {
        auto found = of.lock();
        if (!found) {
            refuse(code::disposed, "the model of these texts is disposed");
        }
        return found;
    }

    const int32_t                    vocab_size;
    const std::weak_ptr<const Model> of; // what is looked up does not keep a model
    mutable std::once_flag           pieces_once, texts_once, classes_once;
    mutable std::vector<std::string> known_pieces, known_texts;
    mutable std::vector<int32_t>     classes[2];
};

class ModelGrammar : public GrammarPosition {
public:
    explicit ModelGrammar(Grammar grammar) : grammar(std::move(grammar)) {}

    std::vector<int32_t> words() const override { return words_of(grammar.bits(), grammar.vocab_size()); }

    GrammarPtr accept(int32_t token) const override {
        Grammar next = grammar;
        try {
            next.accept(token);
        } catch (const Failure & failure) {
            if (std::strcmp(failure.code, code::invalid_argument) == 0) {
                return nullptr;
            }
            throw;
        }
        return std::make_shared<const ModelGrammar>(std::move(next));
    }

    uint32_t marks() const override { return grammar.marks(); }

private:
    Grammar grammar;
};

} // namespace

Place place_of(const std::shared_ptr<Model> & model) {
    if (llama_vocab_type(model->vocab()) == LLAMA_VOCAB_TYPE_NONE || model->vocab_size() < 1) {
        refuse(code::invalid_argument, "the model has no vocabulary");
    }
    return { model->vocab_size(), std::make_shared<const ModelVocabulary>(model),
             [model](const std::string & gbnf, const std::vector<std::string> & rules) -> GrammarPtr {
                 return std::make_shared<const ModelGrammar>(Grammar(*model, gbnf, "root", rules));
             } };
}

uint64_t fingerprint_of(const llama_vocab * vocab) {
    uint64_t   hash = 0xcbf29ce484222325u; // FNV-1a
    const auto add  = [&](uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3u; };
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
        for (const char * text = llama_vocab_get_text(vocab, token); *text != '\0'; ++text) {
            add(static_cast<uint8_t>(*text));
        }
        add(static_cast<uint8_t>(llama_vocab_get_attr(vocab, token)));
        add(llama_vocab_is_eog(vocab, token) ? 1 : 0);
    }
    return hash;
}

} // namespace ggsl::c
