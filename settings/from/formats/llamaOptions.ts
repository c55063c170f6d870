/** The options of all llama.cpp programs that are not about sampling, by their number of values. */

/** Options without a value. */
export const SWITCHES: ReadonlySet<string> = new Set(
  `
  --agent --cache-idle-slots --cache-list --cache-prompt --check --check-tensors --completion-bash --cont-batching
  --context-shift --conversation --cors-credentials --cpu-moe --cpu-moe-draft --dflash --diffusion-visual
  --display-prompt --eagle3 --embd-gemma-default --embedding --embeddings --escape --fim-qwen-1.5b-default
  --fim-qwen-14b-spec --fim-qwen-30b-default --fim-qwen-3b-default --fim-qwen-7b-default --fim-qwen-7b-spec
  --gpt-oss-120b-default --gpt-oss-20b-default --hellaswag --help --ids --in-prefix-bos --interactive
  --interactive-first --jinja --kl-divergence --kv-offload --kv-unified --list-devices --log-disable --log-jsonl
  --log-prefix --log-timestamps --log-verbose --lora-init-without-apply --metrics --mmproj-auto --mmproj-offload
  --models-autoload --mtp --multiline-input --multiple-choice --no-agent --no-bos --no-cache-idle-slots
  --no-cache-prompt --no-cont-batching --no-context-shift --no-conversation --no-cors-credentials
  --no-display-prompt --no-escape --no-host --no-jinja --no-kv-offload --no-kv-unified --no-log-jsonl
  --no-log-prefix --no-log-timestamps --no-mmproj --no-mmproj-auto --no-mmproj-offload --no-models-autoload
  --no-op-offload --no-parse-special --no-perf --no-ppl --no-prefill-assistant --no-reasoning-preserve --no-repack
  --no-show-timings --no-skip-chat-parsing --no-slots --no-spec-draft-backend-sampling --no-ui --no-ui-mcp-proxy
  --no-warmup --no-webui --no-webui-mcp-proxy --offline --op-offload --parse-special --perf --ppl
  --prefill-assistant --process-output --prompt-cache-all --prompt-cache-ro --props --reasoning-preserve --repack
  --rerank --reranking --reuse-port --save-logits --show-count --show-statistics --show-timings --simple-io
  --single-turn --skip-chat-parsing --slots --spec-default --spec-draft-backend-sampling --spec-draft-cpu-moe
  --special --spm-infill --stdin --swa-full --ui --ui-mcp-proxy --usage --verbose --verbose-prompt --version
  --vision-gemma-12b-default --vision-gemma-4b-default --warmup --webui --webui-mcp-proxy --winogrande -ag -cb -cl
  -cmoe -cmoed -cnv -e -h -i -if -kvo -kvu -mli -nkvo -no-ag -no-cnv -no-kvu -nocb -nr -pps -sp -st -tgs -v
`
    .trim()
    .split(/\s+/),
);

/** Options with one value. */
export const WITH_VALUE: ReadonlySet<string> = new Set(
  `
  --alias --api-key --api-key-file --api-prefix --attention --audio --batch-size --binary-file --cache-ram
  --cache-reuse --cache-type-k --cache-type-k-draft --cache-type-v --cache-type-v-draft --chat-template
  --chat-template-file --chat-template-kwargs --checkpoint-min-step --chunk --chunk-separator --chunk-size
  --chunks --cls-separator --color --context-file --control-vector --control-vector-scaled --cors-headers
  --cors-methods --cors-origins --cpu-mask --cpu-mask-batch --cpu-mask-batch-draft --cpu-mask-draft --cpu-range
  --cpu-range-batch --cpu-range-batch-draft --cpu-range-draft --cpu-strict --cpu-strict-batch
  --cpu-strict-batch-draft --cpu-strict-draft --ctx-checkpoints --ctx-size --defrag-thold --device --device-draft
  --diffusion-add-gumbel-noise --diffusion-alg-temp --diffusion-algorithm --diffusion-block-length
  --diffusion-cfg-scale --diffusion-eps --diffusion-steps --docker-repo --draft --draft-max --draft-min --draft-n
  --draft-n-min --draft-p-min --draft-p-split --embd-normalize --embd-output-format --embd-separator --epochs
  --file --fit --fit-ctx --fit-print --fit-target --flash-attn --from-chunk --gpu-layers --gpu-layers-draft
  --grp-attn-n --grp-attn-w --hellaswag-tasks --hf-file --hf-repo --hf-repo-draft --hf-token --host --image
  --image-max-tokens --image-min-tokens --in-file --in-prefix --in-suffix --junk --keep --kl-divergence-base
  --kv-unified-per-slot --lazy-mode --learning-rate --learning-rate-decay-epochs --learning-rate-min --load-mode
  --log-colors --log-file --log-prompts-dir --log-verbosity --logits-output-dir --lookup-cache-dynamic
  --lookup-cache-static --lora --lora-scaled --main-gpu --mcp-servers-config --mcp-servers-json --media-path
  --method --mmproj --mmproj-device --mmproj-url --model --model-draft --model-url --models-dir --models-max
  --models-preset --mtmd-batch-max-tokens --multiple-choice-tasks --n-cpu-ffn --n-cpu-moe --n-cpu-moe-draft
  --n-gpu-layers --n-gpu-layers-draft --n-predict --negative-file --numa --optimizer --output --output-file
  --output-format --output-frequency --override-kv --override-tensor --override-tensor-draft --parallel --path
  --pca-batch --pca-iter --poll --poll-batch --poll-batch-draft --poll-draft --pooling --port --pos
  --positive-file --ppl-output-type --ppl-stride --predict --print-token-count --prio --prio-batch
  --prio-batch-draft --prio-draft --prompt --prompt-cache --reasoning --reasoning-budget
  --reasoning-budget-message --reasoning-effort --reasoning-format --reverse-prompt --rope-freq-base
  --rope-freq-scale --rope-scale --rope-scaling --save-all-logits --save-frequency --sequences --server-base
  --sleep-idle-seconds --slot-prompt-similarity --slot-save-path --spec-draft-cpu-mask --spec-draft-cpu-mask-batch
  --spec-draft-cpu-range --spec-draft-cpu-range-batch --spec-draft-cpu-strict --spec-draft-cpu-strict-batch
  --spec-draft-device --spec-draft-hf --spec-draft-model --spec-draft-n-cpu-moe --spec-draft-n-max
  --spec-draft-n-min --spec-draft-ncmoe --spec-draft-ngl --spec-draft-override-tensor --spec-draft-p-min
  --spec-draft-p-split --spec-draft-poll --spec-draft-poll-batch --spec-draft-prio --spec-draft-prio-batch
  --spec-draft-threads --spec-draft-threads-batch --spec-draft-type-k --spec-draft-type-v
  --spec-ngram-map-k-min-hits --spec-ngram-map-k-size-m --spec-ngram-map-k-size-n --spec-ngram-map-k4v-min-hits
  --spec-ngram-map-k4v-size-m --spec-ngram-map-k4v-size-n --spec-ngram-min-hits --spec-ngram-mod-n-match
  --spec-ngram-mod-n-max --spec-ngram-mod-n-min --spec-ngram-simple-min-hits --spec-ngram-simple-size-m
  --spec-ngram-simple-size-n --spec-ngram-size-m --spec-ngram-size-n --spec-synth-len --spec-synth-rates
  --spec-type --split-mode --sse-ping-interval --ssl-cert-file --ssl-key-file --swa-checkpoints --system-prompt
  --system-prompt-file --tags --tensor-filter --tensor-split --threads --threads-batch --threads-batch-draft
  --threads-draft --threads-http --timeout --tools --tools-runtime --tts-lang --tts-speaker-file --ubatch-size
  --ui-config --ui-config-file --val-split --verbosity --video --video-ffmpeg-dir --video-fps
  --video-timestamp-interval --webui-config --webui-config-file --weight-decay --winogrande-tasks
  --yarn-attn-factor --yarn-beta-fast --yarn-beta-slow --yarn-ext-factor --yarn-orig-ctx -C -Cb -Cbd -Cd -Cr -Crb
  -Crbd -Crd -a -b -bf -c -cms -co -cram -ctk -ctkd -ctv -ctvd -ctxcp -decay-epochs -dev -devd -dr -dt -epochs -f
  -fa -fit -fitc -fitp -fitt -gan -gaw -hf -hfd -hff -hfr -hfrd -hft -lcd -lcs -lm -lr -lr-min -lv -lzm -m -md -mg
  -mm -mmdev -mmu -mu -n -ncffn -ncmoe -ncmoed -ngl -ngld -np -npl -npp -ns -ntg -o -ofreq -opt -ot -otd -p -ptc
  -r -rea -sm -sps -sys -sysf -t -tb -tbd -td -to -ts -ub -val-split -wd
`
    .trim()
    .split(/\s+/),
);

/** Options with two values. */
export const WITH_TWO_VALUES: ReadonlySet<string> = new Set(
  `
  --control-vector-layer-range
`
    .trim()
    .split(/\s+/),
);
