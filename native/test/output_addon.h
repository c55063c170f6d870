// Test only: see output_addon.cc.
#pragma once

#include <napi.h>

namespace ggsl {

void add_output(Napi::Env env, Napi::Object & exports);

} // namespace ggsl
