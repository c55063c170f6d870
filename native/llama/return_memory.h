// Gives memory back to the system.
#pragma once

namespace ggsl {

// To be called after much memory was freed, as of a model or a context. The threads of Node.js's pool allocate from heaps of
// their own, where glibc keeps what is freed; without this, a process that loads and frees models or contexts grows to the sum of
// what each heap once held. It takes no more than a twentieth of the caller's time, and changes no setting of the process.
void return_memory();

} // namespace ggsl
