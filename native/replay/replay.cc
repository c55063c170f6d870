// ggsl_replay: checks and times recorded chains on any ggml device, without Node.js. `--help` lists its commands.
#include "graph/backend.h"
#include "graph/failure.h"
#include "check.h"
#include "count.h"
#include "logits.h"
#include "options.h"
#include "timing.h"

#include <cstdio>
#include <exception>

namespace {

using namespace ggsl;
using namespace ggsl::tools;

// GGSL_LIBRARIES is the folder of the libraries that this program is linked with.
void load(const Options & options) {
    capture_logs();
    load_backends(options.libraries.empty() ? GGSL_LIBRARIES : options.libraries);
    for (const std::string & path : options.backends) {
        LogCapture logs;
        if (ggml_backend_load(path.c_str()) == nullptr) {
            fail(code::no_device, "%s did not load as a ggml backend%s", path.c_str(), logs.suffix().c_str());
        }
    }
}

void list_devices() {
    int number = 0;
    for (const ggsl::Device & device : devices()) {
        std::printf("%d  %-10s %-14s %s\n", number++, device.name.c_str(), device.type.c_str(),
                    device.description.c_str());
    }
}

// Calls `action` with each case whose name matches, and returns their number.
template <typename Action> int each_case(const Options & options, Action action) {
    CaseFile file(options.file);
    int      number = 0, wanted = 0;
    while (std::optional<Case> c = file.next()) {
        ++number;
        if (c->name.find(options.only) == std::string::npos) {
            continue;
        }
        ++wanted;
        std::fprintf(stderr, "[%d/%d] %s\n", number, file.count(), c->name.c_str());
        fill_logits(*c);
        action(*c);
    }
    if (wanted == 0) {
        fail(code::invalid_argument, "%s: no case has \"%s\" in its name", options.file.c_str(), options.only.c_str());
    }
    return wanted;
}

// A case that cannot run is reported; the others still run.
template <typename Action> std::optional<std::string> failure_of(Action action) {
    try {
        return action();
    } catch (const Failure & failure) {
        return std::string(failure.code) + ": " + failure.what();
    }
}

int check(const Options & options, ggml_backend_dev_t device) {
    int       failed = 0;
    const int count  = each_case(options, [&](const Case & c) {
        const auto difference = failure_of([&] { return check_case(c, device, options.threads[0]); });
        failed += difference ? 1 : 0;
        std::printf("%s  %s%s%s\n", difference ? "FAIL" : "pass", c.name.c_str(), difference ? ": " : "",
                    difference ? difference->c_str() : "");
        std::fflush(stdout);
    });
    std::printf("%d passed, %d failed on %s\n", count - failed, failed, ggml_backend_dev_name(device));
    return failed == 0 ? 0 : 1;
}

void print(const Json & json) {
    std::puts(json.text().c_str());
    std::fflush(stdout);
}

int measure(const Options & options, ggml_backend_dev_t device) {
    int                 failed = 0;
    const TimingOptions timing{ options.rounds, options.round_ms * 1000.0 };
    each_case(options, [&](const Case & c) {
        for (const int threads : options.threads) {
            const auto failure = failure_of([&]() -> std::optional<std::string> {
                const tools::Device target(device, threads);
                if (options.command == "time") {
                    print(time_case(c, target, timing));
                } else {
                    for (const Json & line : profile_case(c, target, options.rounds)) {
                        print(line);
                    }
                }
                return std::nullopt;
            });
            if (failure) {
                ++failed;
                print(Json().add("case", c.name).add("threads", threads).add("error", *failure));
            }
        }
    });
    return failed == 0 ? 0 : 1;
}

int count_work(const Options & options, ggml_backend_dev_t device) {
    const tools::Device target(device, options.threads[0]);
    each_case(options, [&](const Case & c) { print(count_case(c, target)); });
    return 0;
}

int run(int count, char ** arguments) {
    const Options options = parse_options(count, arguments);
    if (options.is_help) {
        std::fputs(usage, stdout);
        return 0;
    }
    load(options);
    if (options.is_list) {
        list_devices();
        return 0;
    }
    ggml_backend_dev_t device = choose_device(options.device);
    return options.command == "check"   ? check(options, device)
           : options.command == "count" ? count_work(options, device)
                                        : measure(options, device);
}

} // namespace

int main(int count, char ** arguments) {
    try {
        return run(count, arguments);
    } catch (const std::exception & error) {
        std::fprintf(stderr, "ggsl_replay: %s\n", error.what());
        return 2;
    }
}
