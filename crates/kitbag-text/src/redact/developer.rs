//! Rules for code hosts, package registries and models, in the formats documented by the services.

use super::rule::{SecretRule, token, value};

pub(super) const RULES: &[SecretRule] = &[
    token(
        "github-token",
        "GitHub token: personal, OAuth, app or refresh",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9]{36,}",
    ),
    token(
        "github-fine-grained-token",
        "GitHub fine-grained personal access token",
        &["github_pat_"],
        r"github_pat_[A-Za-z0-9_]{40,}",
    ),
    token(
        "gitlab-token",
        "GitLab token: personal, deploy, runner, trigger, feed and others",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-",
            "glagent-", "gloas-", "glffct-",
        ],
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{20,}",
    ),
    token("bitbucket-token", "Bitbucket app password", &["ATBB"], r"ATBB[A-Za-z0-9]{28,40}\b"),
    token(
        "atlassian-token",
        "Atlassian API token",
        &["ATATT3", "ATCTT3"],
        r"AT[AC]TT3[A-Za-z0-9_=-]{80,}",
    ),
    token("npm-token", "npm access token", &["npm_"], r"npm_[A-Za-z0-9]{36}\b"),
    value(
        "npm-auth-token",
        "token in an .npmrc",
        &["_authToken", ":_password"],
        r#":?_(?:authToken|password)[ \t]*=[ \t]*"?([A-Za-z0-9_+/.=-]{20,})"#,
    ),
    token("pypi-token", "PyPI upload token", &["pypi-AgE"], r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    token("rubygems-key", "RubyGems API key", &["rubygems_"], r"rubygems_[a-f0-9]{48}\b"),
    token("crates-io-token", "crates.io token", &["cio"], r"cio[A-Za-z0-9]{32}\b"),
    token("nuget-key", "NuGet API key", &["oy2"], r"oy2[a-z0-9]{43}\b"),
    token(
        "docker-hub-token",
        "Docker Hub access token",
        &["dckr_pat_", "dckr_oat_"],
        r"dckr_[po]at_[A-Za-z0-9_-]{27,60}",
    ),
    token(
        "docker-auth",
        "login in a Docker configuration",
        &["\"auth\""],
        r#""auth"[ \t]*:[ \t]*"([A-Za-z0-9+/]{20,}={0,2})""#,
    ),
    token("artifactory-key", "Artifactory API key", &["AKCp"], r"AKCp[0-9][A-Za-z0-9]{60,80}\b"),
    token(
        "anthropic-key",
        "Anthropic API key",
        &["sk-ant-"],
        r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{32,}",
    ),
    token(
        "openai-key",
        "OpenAI API key",
        &["sk-"],
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}\b)",
    ),
    token("openrouter-key", "OpenRouter API key", &["sk-or-v1-"], r"sk-or-v1-[a-f0-9]{64}\b"),
    token(
        "hugging-face-token",
        "Hugging Face token",
        &["hf_", "api_org_"],
        r"(?:hf|api_org)_[A-Za-z0-9]{34}\b",
    ),
    token("groq-key", "Groq API key", &["gsk_"], r"gsk_[A-Za-z0-9]{52}\b"),
    token("replicate-token", "Replicate token", &["r8_"], r"r8_[A-Za-z0-9]{37}\b"),
    token("perplexity-key", "Perplexity API key", &["pplx-"], r"pplx-[A-Za-z0-9]{40,60}\b"),
    token("xai-key", "xAI API key", &["xai-"], r"xai-[A-Za-z0-9]{80}\b"),
    token(
        "postman-key",
        "Postman API key",
        &["PMAK-", "PMAT-"],
        r"PMA(?:K-[a-f0-9]{24}-[a-f0-9]{34}|T-[A-Z0-9]{26})\b",
    ),
    token(
        "launchdarkly-key",
        "LaunchDarkly SDK or API key",
        &["sdk-", "api-"],
        r"(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b",
    ),
    token(
        "onepassword-token",
        "1Password service account token",
        &["ops_eyJ"],
        r"ops_eyJ[A-Za-z0-9+/_-]{200,}={0,2}",
    ),
];
