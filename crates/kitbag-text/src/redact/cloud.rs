//! Rules for clouds, databases and monitoring, in the formats documented by the services.

use super::guard;
use super::rule::{SecretRule, near_keyword, token, value};

/// An assignment of a value, quoted or not.
macro_rules! assigned {
    ($value:literal) => {
        concat!(
            r#"[A-Za-z0-9_.-]{0,24}["'\]]{0,2}[ \t]{0,8}(?::=|=>|=|:|,)[ \t]{0,8}["'`]?"#,
            $value
        )
    };
}

pub(super) const RULES: &[SecretRule] = &[
    token("aws-access-key", "AWS access key id", &["AKIA", "ASIA"], r"A[KS]IA[A-Z2-7]{16}\b"),
    value(
        "aws-secret-key",
        "AWS secret access key",
        &["ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey", "ecret_key", "ecretKey"],
        assigned!(r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|\z)"),
    )
    .with_guard(guard::is_random),
    value(
        "aws-session-token",
        "AWS session token",
        &["session_token", "SESSION_TOKEN", "essionToken"],
        assigned!(r"([A-Za-z0-9/+]{100,}={0,2})"),
    ),
    token("google-api-key", "Google API key", &["AIza"], r"AIza[0-9A-Za-z_-]{35}"),
    token(
        "google-oauth-secret",
        "Google OAuth client secret",
        &["GOCSPX-"],
        r"GOCSPX-[A-Za-z0-9_-]{24,40}",
    ),
    token(
        "google-oauth-token",
        "Google OAuth access token",
        &["ya29."],
        r"ya29\.[0-9A-Za-z_-]{20,}",
    ),
    token(
        "google-refresh-token",
        "Google OAuth refresh token",
        &["1//0"],
        r"1//0[0-9A-Za-z_-]{40,}",
    ),
    value(
        "azure-storage-key",
        "Azure storage account key",
        &["AccountKey="],
        r"AccountKey=([A-Za-z0-9+/]{86}==)",
    ),
    value(
        "azure-shared-access-key",
        "Azure service bus or IoT shared access key",
        &["SharedAccessKey="],
        r"SharedAccessKey=([A-Za-z0-9+/]{42,44}=)",
    ),
    token(
        "azure-sas",
        "signature of an Azure shared access URL",
        &["sig="],
        r"sig=([A-Za-z0-9+/%]{40,}(?:%3D|%3d|=))",
    ),
    near_keyword(
        "azure-client-secret",
        "Microsoft Entra client secret",
        &["Q~"],
        r"\b([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})",
    ),
    token(
        "digitalocean-token",
        "DigitalOcean token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"do[opr]_v1_[a-f0-9]{64}\b",
    ),
    token("heroku-api-key", "Heroku API key", &["HRKU-"], r"HRKU-[A-Za-z0-9_-]{36,80}"),
    near_keyword(
        "heroku-api-key",
        "Heroku API key, as a UUID",
        &["HEROKU_API", "heroku_api", "herokuApi", "HEROKU_KEY", "heroku_key"],
        r"\b([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\b",
    ),
    near_keyword(
        "cloudflare-api-token",
        "Cloudflare API token or global key",
        &["cloudflare", "Cloudflare", "CLOUDFLARE", "CF_API", "cf_api"],
        r#"[=:"'` ]([A-Za-z0-9_-]{40}|[a-f0-9]{37})(?:["'`\s,;]|\z)"#,
    )
    .with_guard(guard::is_random),
    token(
        "cloudflare-origin-key",
        "Cloudflare origin CA key",
        &["v1.0-"],
        r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
    ),
    near_keyword(
        "datadog-key",
        "Datadog API or application key",
        &["DD_API", "DD_APP", "dd_api", "dd_app", "datadog", "DATADOG", "Datadog"],
        r#"[=:"'` ]([a-f0-9]{32}|[a-f0-9]{40})(?:["'`\s,;]|\z)"#,
    ),
    token(
        "new-relic-key",
        "New Relic user, browser or insights key",
        &["NRAK-", "NRJS-", "NRII-"],
        r"NR(?:AK-[A-Z0-9]{27}|JS-[a-f0-9]{19}|II-[A-Za-z0-9_-]{32})\b",
    ),
    near_keyword(
        "new-relic-license",
        "New Relic license key",
        &["NRAL"],
        r"\b([a-f0-9]{36}NRAL)\b",
    ),
    token(
        "databricks-token",
        "Databricks access token",
        &["dapi"],
        r"dapi[0-9a-f]{32}(?:-[0-9])?\b",
    ),
    token(
        "vault-token",
        "HashiCorp Vault token",
        &["hvs.", "hvb.", "hvr."],
        r"hv[sbr]\.[A-Za-z0-9_-]{24,}",
    ),
    near_keyword(
        "terraform-cloud-token",
        "Terraform Cloud token",
        &[".atlasv1."],
        r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80})",
    ),
    token(
        "grafana-token",
        "Grafana cloud or service account token",
        &["glc_", "glsa_"],
        r"gl(?:c_[A-Za-z0-9+/]{32,}={0,2}|sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})",
    ),
    token(
        "sentry-token",
        "Sentry token",
        &["sntrys_", "sntryu_"],
        r"sntry(?:u_[a-f0-9]{64}|s_[A-Za-z0-9+/=_]{50,})",
    ),
    token(
        "planetscale-token",
        "PlanetScale password or token",
        &["pscale_"],
        r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}",
    ),
    token(
        "supabase-token",
        "Supabase token or secret key",
        &["sbp_", "sb_secret_"],
        r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{22,60})\b",
    ),
    token(
        "doppler-token",
        "Doppler token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b",
    ),
    token("pulumi-token", "Pulumi access token", &["pul-"], r"pul-[a-f0-9]{40}\b"),
    token(
        "tailscale-key",
        "Tailscale key",
        &["tskey-"],
        r"tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{16,}",
    ),
    token(
        "fly-token",
        "Fly.io token",
        &["fm2_", "fo1_"],
        r"(?:fm2_[A-Za-z0-9+/]{100,}={0,2}|fo1_[A-Za-z0-9_-]{43})",
    ),
    token("netlify-token", "Netlify token", &["nfp_"], r"nfp_[A-Za-z0-9]{36,40}\b"),
    token(
        "age-secret-key",
        "age secret key",
        &["AGE-SECRET-KEY-1"],
        r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    ),
];
