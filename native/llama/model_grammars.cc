#include "model_grammars.h"

#include "grammar_rules.h"
#include "grammar_table.h"
#include "model.h"

#include <algorithm>

namespace ggsl {

namespace {

constexpr uint8_t control_or_end = 3; // of Model::classes

// llama.cpp refuses tokens with a zero byte at the beginning, too; the other bytes are in no text in UTF-8.
bool can_come(std::string_view text) {
    return !text.starts_with('\0') && std::none_of(text.begin(), text.end(), [](char at) {
        const auto byte = static_cast<uint8_t>(at);
        return byte == 0xc0 || byte == 0xc1 || byte >= 0xf5;
    });
}

// Control tokens, ends and those that never come have an empty text.
std::shared_ptr<const grammar::Vocabulary> vocabulary_of(const Model & model) {
    const Model::Pieces        texts   = model.texts();
    const std::vector<uint8_t> classes = model.classes();
    std::vector<uint8_t>       bytes;
    std::vector<uint32_t>      offsets{ 0 };
    std::vector<uint32_t>      ends;
    for (size_t token = 0; token < classes.size(); ++token) {
        const auto begin = texts.bytes.begin() + texts.offsets[token];
        const auto end   = texts.bytes.begin() + texts.offsets[token + 1];
        if ((classes[token] & control_or_end) == 0 && can_come(std::string(begin, end))) {
            bytes.insert(bytes.end(), begin, end);
        }
        if (model.is_end(static_cast<llama_token>(token))) {
            ends.push_back(static_cast<uint32_t>(token));
        }
        offsets.push_back(static_cast<uint32_t>(bytes.size()));
    }
    return std::make_shared<const grammar::Vocabulary>(bytes, offsets, ends);
}

} // namespace

ModelGrammars::ModelGrammars(const Model & model) : vocabulary(vocabulary_of(model)) {}

std::shared_ptr<grammar::Grammar> ModelGrammars::open(const Model & model, const std::string & text,
                                                      const std::string &              root,
                                                      const std::vector<std::string> & rules) {
    const Key key{ text, root, rules };
    {
        const std::lock_guard guard(lock);
        if (const auto at = known.find(key); at != known.end()) {
            if (auto grammar = at->second.lock()) {
                return grammar;
            }
        }
    }
    // the others do not wait for it
    auto grammar =
        std::make_shared<grammar::Grammar>(table_of(parse_grammar(model.vocab(), text, root), rules), vocabulary);
    const std::lock_guard guard(lock);
    std::erase_if(known, [](const auto & one) { return one.second.expired(); });
    known[key] = grammar;
    return grammar;
}

} // namespace ggsl
