// Included before ggml's RPC backend: its one symbol that is newer than what llama.cpp's prebuilt libraries need, by its older version,
// which libstdc++ has for programs that were linked before. A libstdc++ within the plugin is no way out: templates that libllama
// exports too, such as those of std::future, would meet the thread-local variables of the other copy.
#pragma once

__asm__(".symver _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE, "
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
