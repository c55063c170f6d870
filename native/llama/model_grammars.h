// What the grammars of a model share: its vocabulary, and each grammar that is in use, once.
#pragma once

#include "grammar/grammar.h"

#include <map>
#include <string>

namespace ggsl {

class Model;

// Safe to use from several threads.
class ModelGrammars {
public:
    // Throws Failure (LIMIT_EXCEEDED).
    explicit ModelGrammars(const Model & model);

    // The grammar of a text, for all of the same text as long as one of them is there. Throws Failure (INVALID_ARGUMENT,
    // LIMIT_EXCEEDED).
    std::shared_ptr<grammar::Grammar> open(const Model & model, const std::string & text, const std::string & root);

private:
    using Key = std::pair<std::string, std::string>; // text and root

    std::shared_ptr<const grammar::Vocabulary>     vocabulary;
    std::mutex                                     lock;
    std::map<Key, std::weak_ptr<grammar::Grammar>> known;
};

} // namespace ggsl
