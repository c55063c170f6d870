// draft DATA_DIR DEMO.gguf OUT.gguf MINUTES LAYER... -- make a smaller model that guesses what the demo model says next.
//
// The new model has the given layers of the demo model, and its embeddings, which stay as they are. Layers and norms are
// trained for so many minutes, on one thread, to give the next tokens the probabilities that the demo model gives them:
// the gradient is that of the divergence between the two. 0 minutes: only the losses are printed.
// Also writes OUT.gguf.probe, as train.cpp does.
#include "files.h"
#include "pass.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <vector>

constexpr float DRAFT_LR = 1e-3f, DRAFT_WARMUP = 10;

int main(int argc, char ** argv) {
    if (argc < 6) { fprintf(stderr, "usage: %s DATA_DIR DEMO.gguf OUT.gguf MINUTES LAYER...\n", argv[0]); return 1; }
    const std::string data = argv[1], demo = argv[2], out = argv[3];
    const double seconds = 60*atof(argv[4]);
    std::vector<int> from, all;
    for (int i = 5; i < argc; i++) from.push_back(atoi(argv[i]));
    for (int l = 0; l < LAYERS; l++) all.push_back(l);
    openblas_set_num_threads(1);

    const auto vocab = read_lines(data + "/tokens.txt");
    const Tokens train = read_tokens(data + "/train.u16"), valid = read_tokens(data + "/valid.u16");
    const Model model(vocab.size(), from.size()), taught_by(vocab.size());
    Vec w = read_gguf(demo, model, from), m1(w.size()), m2(w.size());
    const Vec tw = read_gguf(demo, taught_by, all);
    Worker student(model, 0, 1), teacher(taught_by, 0, 1);
    student.keep_embd = true;

    // of every eighth validation window: the loss, and how often the likeliest token is the demo model's
    const auto check = [&] {
        double loss = 0;
        int windows = 0, same = 0;
        for (size_t i = 0; i + T < valid.size(); i += 8*T, windows++) {
            const uint16_t * seq = &valid[i];
            student.forward(w, &seq, 1, false);
            teacher.forward(tw, &seq, 1, false);
            const auto likeliest = [&](const Vec & logits, int r) {
                const auto first = logits.begin() + (size_t) r*model.vocab;
                return std::max_element(first, first + model.vocab) - first;
            };
            for (int r = 0; r < T; r++) same += likeliest(student.logits, r) == likeliest(teacher.logits, r);
            loss += student.loss(&seq, 1, 0);
        }
        printf("  valid %.4f nats/token  same token %.4f", loss/windows/T, (double) same/windows/T);
    };
    printf("%zu parameters, %d layers, one sequence of %d tokens a step\nbefore", model.size, model.layers, T);
    check();
    printf("\n");
    fflush(stdout);

    std::mt19937 rng(1);
    std::vector<size_t> queue;
    const auto t0 = std::chrono::steady_clock::now();
    const auto since = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count(); };
    double mean = 0, checked = 0; // the divergence, moving; when it was checked last
    for (int step = 1; since() < seconds; step++) {
        std::fill(student.grad.begin(), student.grad.end(), 0.0f);
        if (queue.empty()) { // all windows, at a new phase, in a new order
            for (size_t i = rng() % T; i + T < train.size(); i += T) queue.push_back(i);
            std::shuffle(queue.begin(), queue.end(), rng);
        }
        const uint16_t * seq = &train[queue.back()];
        queue.pop_back();
        teacher.forward(tw, &seq, 1, false);
        student.forward(w, &seq, 1, true);
        const double divergence = student.divergence(teacher.logits, 1, 1.0f/T)/T;
        student.backward(w, &seq, 1);
        mean += (step == 1 ? 1 : 0.02)*(divergence - mean);

        double norm = 0;
        for (const float g : student.grad) norm += (double) g*g;
        const float clip = std::min(1.0, CLIP/std::sqrt(norm)), done = std::min(1.0, since()/seconds);
        const float lr = DRAFT_LR*std::min(1.0f, step/DRAFT_WARMUP)*0.5f*(1 + std::cos(3.14159265f*done));
        const float c1 = 1 - std::pow(BETA1, (float) step), c2 = 1 - std::pow(BETA2, (float) step);
        for (size_t i = (size_t) D*model.vocab; i < w.size(); i++) { // the embeddings come first
            const float g = student.grad[i]*clip;
            m1[i] = BETA1*m1[i] + (1 - BETA1)*g;
            m2[i] = BETA2*m2[i] + (1 - BETA2)*g*g;
            w[i] -= lr*(m1[i]/c1)/(std::sqrt(m2[i]/c2) + 1e-8f);
        }
        const bool last = since() >= seconds;
        if (!last && since() - checked < 300) continue;
        checked = since();
        printf("step %5d  lr %.5f  divergence %.4f  %.0f tokens/s  %.0f s", step, lr, mean, step*T/checked, checked);
        check();
        printf("\n");
        fflush(stdout);
    }
    if (seconds == 0) return 0;

    const uint16_t * probe = valid.data();
    student.forward(w, &probe, 1, false);
    std::ofstream f(out + ".probe", std::ios::binary);
    f.write((const char *) probe, T*sizeof(uint16_t));
    f.write((const char *) student.logits.data(), (size_t) T*model.vocab*sizeof(float));
    const bool ok = write_gguf(out, data, model, w, "KJV and Moby-Dick demo, draft") && f.good();
    printf("%s %s\n", ok ? "wrote" : "cannot write", out.c_str());
    return !ok;
}
