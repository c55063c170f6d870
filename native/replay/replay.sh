#!/bin/sh
# Checks and times recorded cases on a device of a machine without Node.js; see docs/performance.md.
#   native/replay/replay.sh FOLDER DEVICE LLAMA_SOURCE LLAMA_LIBRARIES
# FOLDER is the output of `npm run record`, DEVICE a name such as cuda or vulkan.
set -eu
if [ $# -ne 4 ]; then
    sed -n 's/^#   /usage: /p' "$0" >&2
    exit 2
fi
folder=$1 device=$2 source=$3 libraries=$4
native=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$folder/build

cmake -S "$native" -B "$build" -DCMAKE_BUILD_TYPE=Release -DLLAMA_SOURCE="$source" -DLLAMA_LIBRARIES="$libraries" \
    -DGGSL_OUTPUT="$build/Release" > "$folder/build.log"
cmake --build "$build" --target ggsl_replay --parallel >> "$folder/build.log" || { cat "$folder/build.log" >&2; exit 2; }

replay=$build/Release/ggsl_replay
"$replay" --list
status=0
"$replay" check "$folder/check.cases" --device "$device" > "$folder/$device.check.txt" || status=$?
grep -v '^pass' "$folder/$device.check.txt" || true
"$replay" time "$folder/timing.cases" --device "$device" > "$folder/$device.jsonl" || status=$?
echo "written: $folder/$device.check.txt, $folder/$device.jsonl"
exit "$status"
