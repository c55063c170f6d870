// What the grammars of a model share: its vocabulary, and each grammar that is in use, once.
#pragma once

#include "grammar/grammar.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ggsl {

class Model;

// Safe to use from several threads.
class ModelGrammars {
public:
    // Throws Failure (LIMIT_EXCEEDED).
    explicit ModelGrammars(const Model & model);

    // The grammar of a text, with a mark for each of the rules, for all of the same text and rules as long as one of them is there. Throws
    // Failure (INVALID_ARGUMENT, LIMIT_EXCEEDED).
    std::shared_ptr<grammar::Grammar> open(const Model & model, const std::string & text, const std::string & root,
                                           const std::vector<std::string> & rules = {});

private:
    using Key = std::tuple<std::string, std::string, std::vector<std::string>>; // text, root and rules

    std::shared_ptr<const grammar::Vocabulary>     vocabulary;
    std::mutex                                     lock;
    std::map<Key, std::weak_ptr<grammar::Grammar>> known;
};

} // namespace ggsl
