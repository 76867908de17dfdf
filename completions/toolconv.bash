# Completion of toolconv(1) for bash; made by 'python -m toolconv.manual'.

_toolconv_words() # of what, and what is typed already
{
    case $1 in
        dialects)
            echo 'anthropic_xml apertus beam bfcl_fc canonical chatglm3 cohere_command3 cohere_command4 command_r deepseek_v3 deepseek_v31 deepseek_v32 deepseek_v4 deepseek_v41 dots ernie45 firefunction functionary_v2 functionary_v32 functiongemma gemma4 generic gigachat3 glaive glm45 glm47 glm4_chat gorilla granite granite-20b-fc granite4 harmony hermes hf hunyuan_a13b hunyuan_dense hy_v3 hy_v4 inkling internlm jamba k2_horizon kimi kimi_k2 kimi_k3 lfm2 ling3 llama3_custom llama3_json llama4_json llama4_pythonic longcat longcat_tags mimo minicpm3 minicpm5 minimax minimax_m2 minimax_m3 mistral mistral_v11 mistral_v3 mistral_v3_tekken muse muse_glimmer nemotron olmo3 openai phi4_mini_json plamo3 poolside_v1 pythonic qwen3_xml qwen_agent raven react seed_oss step3 step3p5 step5 toolace xlam'
            [[ -n $2 ]] && echo 'claude_xml apertus2509 json tooletta glm3 command-r-plus deepseek deepseekv3 deepseekv31 deepseek-v3.1 deepseekv32 deepseekv4 deepseekv41 ernie firefunction_v1 firefunction_v2 functionary-v2.4 functionary functionary-v3.2 functionary_v3_llama3 function_gemma gemma_4 gigachat glaive-v2 glm glm4_moe glm5 spark25 glm4 glm-4-9b-chat openfunctions gorilla_openfunctions granite3 gpt-oss gptoss qwen qwen25 qwen3_json trinity nous nous-hermes hunyuan hy3 hy4 internlm2 internlm2_plugin interns1 intern-s1 k2_v3 moonshot kimi-k2 moonshot-k2 kimi-k3 lfm liquid bailing_v3 functionary_v31 functionary-v3.1 llama3 llama4 longcat_flash longcat2 longcat_lite minicpm minimax_m1 minimax-m2 minimax_m2_append_think minimax-m3 mistral_nemo musespark1x muse_spark nemotron_json nemotron_nano_v2 olmo oai phi4_mini phi4 poolside laguna python bfcl llama32_pythonic qwen3_coder qwen-agent nexusraven nexus_raven seed step3.5'
            ;;
        sources)
            echo auto
            _toolconv_words dialects "$2"
            ;;
        layouts)
            echo 'anthropic api-bank apigen-mt axolotl bedrock bfcl canonical chat chat-completion completion gemini glaive hermes llamafactory llamafactory-v1 ms-swift nemotron openai openai-ft prompt-completion raw responses sharegpt smolagents stream toolace toolbench toucan trl xlam'
            [[ -n $2 ]] && echo 'claude messages-api apigen converse bedrock-converse acebench completion-response batch vertex google llama-factory swift openai-finetuning openai-responses nemo-gym sse chunks'
            ;;
        writable_layouts)
            echo 'anthropic apigen-mt axolotl bedrock canonical chat completion gemini glaive hermes llamafactory llamafactory-v1 ms-swift openai openai-ft prompt-completion raw responses sharegpt toolace toolbench trl xlam'
            [[ -n $2 ]] && echo 'claude messages-api apigen converse bedrock-converse vertex google llama-factory swift openai-finetuning openai-responses nemo-gym'
            ;;
        templates)
            echo 'apertus command-a deepseek-v3 deepseek-v3.1 deepseek-v3.1-terminus deepseek-v3.2 deepseek-v4 devstral-2 functiongemma gemma-4 glm-4.6 glm-4.7 gpt-oss granite-4 hermes hermes-fc hunyuan-a13b hy3 kimi-k2 kimi-k3 lfm2.5 ling-3 llama-3.1 llama-3.2 llama-4 longcat-flash mimo-v2.5 minicpm5 minimax-m2 minimax-m2.1 minimax-m2.5 minimax-m2.7 mistral-7b-v0.3 mistral-large-3 mistral-nemo nemotron-3 olmo-3 phi4-mini qwen2.5 qwen3 qwen3-coder qwen3-instruct-2507 qwen3.5 seed-oss step-3.5 xlam-2'
            [[ -n $2 ]] && echo 'deepseek-r1 glm-4.5 glm-5'
            ;;
        targets)
            echo 'openai anthropic'
            _toolconv_words templates "$2"
            ;;
        rules)
            echo 'TC001 TC002 TC003 TC004 TC005 TC006 TC007 TC008 TC009 TC101 TC102 TC103 TC104 TC105 TC106 TC107 TC108 TC109 TC110 TC111 TC112 TC113 TC114 TC115 TC116 TC117 TC118 TC119 TC120 TC121 TC122 TC123 TC201 TC202 TC203 TC204 TC205 TC206 TC207 TC208 TC209 TC210 TC211 TC212 TC213 TC301 TC302 TC303 TC304 TC305 TC306 TC307 TC308 TC309 TC310 TC311 TC401 TC402 TC403 TC404 TC405 TC406 TC407 TC408 TC409 TC410 TC411 TC412 TC413 TC414 TC501 TC502 TC503 TC504 TC505 TC506 TC507 TC508 TC509 TC510 TC511 TC512 TC513 TC514'
            [[ -n $2 ]] && echo 'invalid-json not-an-object unknown-layout invalid-encoding duplicate-json-key unsafe-number lone-surrogate truncated-last-line mixed-layouts undeclared-tool missing-required-argument unknown-argument argument-schema-mismatch enum-violation string-typed-value integral-float arguments-not-json arguments-not-object arguments-double-encoded null-padded-arguments missing-arguments missing-name empty-call duplicate-call placeholder-argument ungrounded-argument name-namespace-token invalid-name-charset pseudo-tool mixed-argument-encoding malformed-call unchecked-arguments orphan-tool-response tool-call-id-mismatch unanswered-call partial-parallel-answers response-order-differs duplicate-call-id call-id-format response-name-mismatch role-sequence unknown-role no-assistant-turn no-final-answer empty-turn leaked-call-markup special-token-in-text unbalanced-think duplicated-reasoning call-inside-reasoning escaped-payload python-literal-in-json mixed-dialects mixed-reasoning stripped-preface dropped-by-target invalid-json-schema null-padded-schema not-json-schema-types duplicate-tool conflicting-tool vague-description undocumented-parameter required-not-in-properties missing-parameters unsupported-keyword tools-as-string tools-only-in-system-text tools-declared-twice no-tools-declared low-no-call-ratio no-parallel-calls no-multi-turn no-irrelevant-request no-error-recovery tool-frequency-skew never-called-tool exact-duplicate-row near-duplicate-row eval-contamination same-prompt-different-call first-tool-bias single-tool-rows row-too-long'
            ;;
        rule_words)
            echo ALL
            [[ -n $2 ]] && echo 'TC0 TC1 TC2 TC3 TC4 TC5'
            _toolconv_words rules "$2"
            ;;
        *) echo "$1" ;;
    esac
}

_toolconv_files() # what is typed already, and the endings to keep: any file where no file has one
{
    local typed=$1 ending IFS=$'\n'
    shift
    for ending in "$@"; do
        COMPREPLY+=($(compgen -f -X "!*.$ending" -- "$typed"))
    done
    if [[ -n ${COMPREPLY[0]} ]]; then
        COMPREPLY+=($(compgen -d -- "$typed"))
    else
        COMPREPLY=($(compgen -f -- "$typed"))
    fi
    compopt -o filenames -o default 2> /dev/null
}

_toolconv()
{
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command= options= argument= value= only_arguments= index
    if [[ $current == = ]]; then # --option=
        current=
    elif [[ $previous == = ]]; then # --option=value
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((index = 1; index < COMP_CWORD; index++)); do
        if [[ ${COMP_WORDS[index]} == -- ]]; then
            only_arguments=yes
        elif [[ -z $command && ${COMP_WORDS[index]} != -* ]]; then
            command=${COMP_WORDS[index]}
        fi
    done
    case $command in
        '')
            options='--version -h --help'
            argument='convert parse render lint stats diff schema detect dialects layouts templates rules completions'
            ;;
        convert)
            options='--from --model --text-key --from-layout --dialect-file --to --to-layout --arguments --tools --empty-content -o --output --template --chat-template --template-kwargs --add-generation-prompt --spans --prompt-completion --strict --on-error --rejects --receipt --lint --jobs --resume --shard --max-line-bytes --no-progress -q --quiet -h --help'
            argument=rows
            case $previous in
                --from) value=sources ;;
                --model | --text-key | --template-kwargs | --jobs | --shard | --max-line-bytes) value=nothing ;;
                --from-layout) value=layouts ;;
                --dialect-file | -o | --output | --chat-template | --rejects | --receipt) value=files ;;
                --to) value=dialects ;;
                --to-layout) value=writable_layouts ;;
                --arguments) value='object string' ;;
                --tools) value='list string' ;;
                --empty-content) value='null empty omit' ;;
                --template) value=templates ;;
                --on-error) value='keep reject fail' ;;
            esac
            ;;
        parse)
            options='--from --model --text-key --from-layout --dialect-file --to-layout --arguments --tools --empty-content -o --output --strict --on-error --rejects --receipt --jobs --resume --shard --max-line-bytes --no-progress -q --quiet -h --help'
            argument=rows
            case $previous in
                --from) value=sources ;;
                --model | --text-key | --jobs | --shard | --max-line-bytes) value=nothing ;;
                --from-layout) value=layouts ;;
                --dialect-file | -o | --output | --rejects | --receipt) value=files ;;
                --to-layout) value=writable_layouts ;;
                --arguments) value='object string' ;;
                --tools) value='list string' ;;
                --empty-content) value='null empty omit' ;;
                --on-error) value='keep reject fail' ;;
            esac
            ;;
        render)
            options='--from-layout --dialect-file --to --to-layout --arguments --tools --empty-content -o --output --template --chat-template --template-kwargs --add-generation-prompt --spans --prompt-completion --strict --on-error --rejects --receipt --jobs --resume --shard --max-line-bytes --no-progress -q --quiet -h --help'
            argument=rows
            case $previous in
                --from-layout) value=layouts ;;
                --dialect-file | -o | --output | --chat-template | --rejects | --receipt) value=files ;;
                --to) value=dialects ;;
                --to-layout) value=writable_layouts ;;
                --arguments) value='object string' ;;
                --tools) value='list string' ;;
                --empty-content) value='null empty omit' ;;
                --template) value=templates ;;
                --template-kwargs | --jobs | --shard | --max-line-bytes) value=nothing ;;
                --on-error) value='keep reject fail' ;;
            esac
            ;;
        lint)
            options='--from --from-layout --text-key --select --extend-select --ignore --config --isolated --eval --target --max-chars --max-tokens --tokenizer --output-format --statistics --max-findings --report --baseline --write-baseline --fix --unsafe-fixes --diff --filter -o --output --receipt --jobs --max-line-bytes --no-progress -q --quiet -h --help'
            argument=rows
            case $previous in
                --from) value=sources ;;
                --from-layout) value=layouts ;;
                --text-key | --max-chars | --max-tokens | --max-findings | --jobs | --max-line-bytes) value=nothing ;;
                --select | --extend-select | --ignore) value=rule_words ;;
                --config | --tokenizer | --report | --baseline | --write-baseline | -o | --output | --receipt) value=files ;;
                --eval) value=rows ;;
                --target) value=targets ;;
                --output-format) value='full concise json jsonl github gitlab sarif junit' ;;
            esac
            ;;
        stats)
            options='--from --from-layout --text-key --json --html --max-line-bytes --no-progress -q --quiet -h --help'
            argument=rows
            case $previous in
                --from) value=sources ;;
                --from-layout) value=layouts ;;
                --text-key | --max-line-bytes) value=nothing ;;
                --html) value=files ;;
            esac
            ;;
        diff)
            options='--from --from-layout --to --to-layout --text-key --max-line-bytes --key-order --json --no-progress -q --quiet -h --help'
            argument=rows
            case $previous in
                --from | --to) value=sources ;;
                --from-layout | --to-layout) value=layouts ;;
                --text-key | --max-line-bytes) value=nothing ;;
            esac
            ;;
        schema)
            options='--from --from-layout --max-line-bytes --structural-tag --to -h --help'
            argument=rows
            case $previous in
                --from) value=sources ;;
                --from-layout) value=layouts ;;
                --max-line-bytes) value=nothing ;;
                --to) value=dialects ;;
            esac
            ;;
        detect)
            options='--max-line-bytes -h --help'
            argument=rows
            case $previous in
                --max-line-bytes) value=nothing ;;
            esac
            ;;
        dialects)
            options='-h --help'
            argument=dialects
            ;;
        layouts)
            options='--dataset-info -h --help'
            argument=layouts
            case $previous in
                --dataset-info) value=rows ;;
            esac
            ;;
        templates)
            options='-h --help'
            argument=templates
            ;;
        rules)
            options='-h --help'
            argument=rules
            ;;
        completions)
            options='-h --help'
            argument='bash zsh fish'
            ;;
    esac
    COMPREPLY=()
    if [[ -n $only_arguments ]]; then
        value=
    elif [[ -z $value && $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        return
    fi
    value=${value:-$argument}
    case $value in
        '' | nothing) ;;
        files) _toolconv_files "$current" ;;
        rows) _toolconv_files "$current" jsonl ndjson json gz zst parquet ;;
        rule_words)
            local before=
            [[ $current == *,* ]] && before=${current%,*},
            current=${current##*,}
            COMPREPLY=($(compgen -P "$before" -W "$(_toolconv_words rule_words "$current")" -- "$current"))
            ;;
        *)
            COMPREPLY=($(compgen -W "$(_toolconv_words "$value" "$current")" -- "$current"))
            [[ $value == targets ]] && compopt -o default 2> /dev/null
            ;;
    esac
}

complete -F _toolconv toolconv
