//! Rules for the tokens and keys of services, in the formats that the services document.

use super::guard;
use super::rule::{SecretRule, rule};

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
    // Clouds, databases and monitoring.
    rule("aws-access-key", "AWS access key id", r"A[KS]IA[A-Z2-7]{16}\b"),
    rule(
        "aws-secret-key",
        "AWS secret access key",
        assigned!(r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|\z)"),
    )
    .after(&["ecret_access_key", "ECRET_ACCESS_KEY", "ecretAccessKey", "ecret_key", "ecretKey"])
    .with_guard(guard::is_random),
    rule("aws-session-token", "AWS session token", assigned!(r"([A-Za-z0-9/+]{100,}={0,2})"))
        .after(&["session_token", "SESSION_TOKEN", "essionToken"]),
    rule("google-api-key", "Google API key", r"AIza[0-9A-Za-z_-]{35}"),
    rule("google-oauth-secret", "Google OAuth client secret", r"GOCSPX-[A-Za-z0-9_-]{24,40}"),
    rule("google-oauth-token", "Google OAuth access token", r"ya29\.[0-9A-Za-z_-]{20,}"),
    rule("google-refresh-token", "Google OAuth refresh token", r"1//0[0-9A-Za-z_-]{40,}"),
    rule("azure-storage-key", "Azure storage account key", r"AccountKey=([A-Za-z0-9+/]{86}==)")
        .after(&["AccountKey="]),
    rule(
        "azure-shared-access-key",
        "Azure service bus or IoT shared access key",
        r"SharedAccessKey=([A-Za-z0-9+/]{42,44}=)",
    )
    .after(&["SharedAccessKey="]),
    rule(
        "azure-sas",
        "signature of an Azure shared access URL",
        r"sig=([A-Za-z0-9+/%]{40,}(?:%3D|%3d|=))",
    ),
    rule(
        "azure-client-secret",
        "Microsoft Entra client secret",
        r"\b([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})",
    )
    .near(&["Q~"]),
    rule("digitalocean-token", "DigitalOcean token", r"do[opr]_v1_[a-f0-9]{64}\b"),
    rule("heroku-api-key", "Heroku API key", r"HRKU-[A-Za-z0-9_-]{36,80}"),
    rule(
        "heroku-api-key",
        "Heroku API key, as a UUID",
        r"\b([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12})\b",
    )
    .near(&["HEROKU_API", "heroku_api", "herokuApi", "HEROKU_KEY", "heroku_key"]),
    rule(
        "cloudflare-api-token",
        "Cloudflare API token or global key",
        r#"[=:"'` ]([A-Za-z0-9_-]{40}|[a-f0-9]{37})(?:["'`\s,;]|\z)"#,
    )
    .near(&["cloudflare", "Cloudflare", "CLOUDFLARE", "CF_API", "cf_api"])
    .with_guard(guard::is_random),
    rule(
        "cloudflare-api-token",
        "Cloudflare token, newer",
        r"cf(?:ut|at|k|pat)_[A-Za-z0-9_-]{40,}",
    ),
    rule("dynatrace-token", "Dynatrace token", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    rule("brevo-key", "Brevo API or SMTP key", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b"),
    rule(
        "firebase-key",
        "Firebase cloud messaging server key",
        r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}",
    ),
    rule("alibaba-access-key", "Alibaba Cloud access key id", r"LTAI[A-Za-z0-9]{20}\b"),
    rule("sonar-token", "SonarQube token", r"sq[pua]_[a-f0-9]{40}\b"),
    rule("pinecone-key", "Pinecone API key", r"pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,70}\b"),
    rule("posthog-key", "PostHog personal key", r"phx_[A-Za-z0-9]{40,60}\b"),
    rule("clojars-token", "Clojars deploy token", r"CLOJARS_[a-z0-9]{60}\b"),
    rule("prefect-key", "Prefect API key", r"pn[ub]_[A-Za-z0-9]{36}\b"),
    rule("readme-key", "ReadMe API key", r"rdme_[a-z0-9]{70}\b"),
    rule("easypost-key", "EasyPost key", r"EZ[AT]K[A-Za-z0-9]{54}\b"),
    rule("flutterwave-key", "Flutterwave secret key", r"FLWSECK(?:_TEST)?-[a-zA-Z0-9]{12,40}-X\b"),
    rule("duffel-token", "Duffel token", r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"),
    rule("frameio-token", "Frame.io token", r"fio-u-[A-Za-z0-9_=-]{64}"),
    rule("shippo-token", "Shippo token", r"shippo_(?:live|test)_[a-f0-9]{40}\b"),
    rule("infracost-key", "Infracost API key", r"ico-[A-Za-z0-9]{32}\b"),
    rule("sourcegraph-token", "Sourcegraph token", r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}\b"),
    rule("adafruit-key", "Adafruit IO key", r"aio_[A-Za-z0-9]{28}\b"),
    rule("mailersend-token", "MailerSend token", r"mlsn\.[a-f0-9]{64}\b"),
    rule("resend-key", "Resend API key", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}\b"),
    rule("mapbox-token", "Mapbox secret token", r"sk\.eyJ[A-Za-z0-9_-]{60,}\.[A-Za-z0-9_-]{20,}"),
    rule("facebook-token", "Facebook access token", r"EAAC[A-Za-z0-9]{80,}"),
    rule(
        "amazon-mws-token",
        "Amazon MWS token",
        r"amzn\.mws\.[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    rule("langsmith-key", "LangSmith API key", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b"),
    rule("nvidia-key", "NVIDIA API key", r"nvapi-[A-Za-z0-9_-]{60,70}"),
    rule("tavily-key", "Tavily API key", r"tvly-[A-Za-z0-9-]{32,48}\b"),
    rule(
        "onepassword-secret-key",
        "1Password secret key",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}\b",
    ),
    rule("cloudflare-origin-key", "Cloudflare origin CA key", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}"),
    rule(
        "datadog-key",
        "Datadog API or application key",
        r#"[=:"'` ]([a-f0-9]{32}|[a-f0-9]{40})(?:["'`\s,;]|\z)"#,
    )
    .near(&["DD_API", "DD_APP", "dd_api", "dd_app", "datadog", "DATADOG", "Datadog"]),
    rule(
        "new-relic-key",
        "New Relic user, browser or insights key",
        r"NR(?:AK-[A-Z0-9]{27}|JS-[a-f0-9]{19}|II-[A-Za-z0-9_-]{32})\b",
    ),
    rule("new-relic-license", "New Relic license key", r"\b([a-f0-9]{36}NRAL)\b").near(&["NRAL"]),
    rule("databricks-token", "Databricks access token", r"dapi[0-9a-f]{32}(?:-[0-9])?\b"),
    rule("vault-token", "HashiCorp Vault token", r"hv[sbr]\.[A-Za-z0-9_-]{24,}"),
    rule(
        "terraform-cloud-token",
        "Terraform Cloud token",
        r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,80})",
    )
    .near(&[".atlasv1."]),
    rule(
        "grafana-token",
        "Grafana cloud or service account token",
        r"gl(?:c_[A-Za-z0-9+/]{32,}={0,2}|sa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8})",
    ),
    rule("sentry-token", "Sentry token", r"sntry(?:u_[a-f0-9]{64}|s_[A-Za-z0-9+/=_]{50,})"),
    rule(
        "planetscale-token",
        "PlanetScale password or token",
        r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}",
    ),
    rule(
        "supabase-token",
        "Supabase token or secret key",
        r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{22,60})\b",
    ),
    rule(
        "doppler-token",
        "Doppler token",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b",
    ),
    rule("pulumi-token", "Pulumi access token", r"pul-[a-f0-9]{40}\b"),
    rule(
        "tailscale-key",
        "Tailscale key",
        r"tskey-(?:api|auth|client|scim|webhook)-[A-Za-z0-9]+-[A-Za-z0-9]{16,}",
    ),
    rule("fly-token", "Fly.io token", r"(?:fm2_[A-Za-z0-9+/]{100,}={0,2}|fo1_[A-Za-z0-9_-]{43})"),
    rule("netlify-token", "Netlify token", r"nfp_[A-Za-z0-9]{36,40}\b"),
    rule(
        "age-secret-key",
        "age secret key",
        r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    ),
    // Code hosts, package registries and models.
    rule(
        "github-token",
        "GitHub token: personal, OAuth, app or refresh",
        r"gh[pousr]_[A-Za-z0-9]{36,}",
    ),
    rule(
        "github-fine-grained-token",
        "GitHub fine-grained personal access token",
        r"github_pat_[A-Za-z0-9_]{40,}",
    ),
    rule(
        "gitlab-token",
        "GitLab token: personal, deploy, runner, trigger, feed and others",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{20,}",
    ),
    rule("bitbucket-token", "Bitbucket app password", r"ATBB[A-Za-z0-9]{28,40}\b"),
    rule("atlassian-token", "Atlassian API token", r"AT[AC]TT3[A-Za-z0-9_=-]{80,}"),
    rule("npm-token", "npm access token", r"npm_[A-Za-z0-9]{36}\b"),
    rule(
        "npm-auth-token",
        "token in an .npmrc",
        r#":?_(?:authToken|password)[ \t]*=[ \t]*"?([A-Za-z0-9_+/.=-]{20,})"#,
    )
    .after(&["_authToken", ":_password"]),
    rule("pypi-token", "PyPI upload token", r"pypi-AgE[A-Za-z0-9_-]{50,}"),
    rule("rubygems-key", "RubyGems API key", r"rubygems_[a-f0-9]{48}\b"),
    rule("crates-io-token", "crates.io token", r"cio[A-Za-z0-9]{32}\b"),
    rule("nuget-key", "NuGet API key", r"oy2[a-z0-9]{43}\b"),
    rule("docker-hub-token", "Docker Hub access token", r"dckr_[po]at_[A-Za-z0-9_-]{27,60}"),
    rule(
        "docker-auth",
        "login in a Docker configuration",
        r#""auth"[ \t]*:[ \t]*"([A-Za-z0-9+/]{20,}={0,2})""#,
    ),
    rule("artifactory-key", "Artifactory API key", r"AKCp[A-Za-z0-9]{60,80}\b"),
    rule("anthropic-key", "Anthropic API key", r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{32,}"),
    rule(
        "openai-key",
        "OpenAI API key",
        r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}\b)",
    ),
    rule("openrouter-key", "OpenRouter API key", r"sk-or-v1-[a-f0-9]{64}\b"),
    rule("hugging-face-token", "Hugging Face token", r"(?:hf|api_org)_[A-Za-z0-9]{34}\b"),
    rule("groq-key", "Groq API key", r"gsk_[A-Za-z0-9]{52}\b"),
    rule("replicate-token", "Replicate token", r"r8_[A-Za-z0-9]{37}\b"),
    rule("perplexity-key", "Perplexity API key", r"pplx-[A-Za-z0-9]{40,60}\b"),
    rule("xai-key", "xAI API key", r"xai-[A-Za-z0-9]{80}\b"),
    rule("postman-key", "Postman API key", r"PMA(?:K-[a-f0-9]{24}-[a-f0-9]{34}|T-[A-Z0-9]{26})\b"),
    rule(
        "launchdarkly-key",
        "LaunchDarkly SDK or API key",
        r"(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b",
    ),
    rule(
        "onepassword-token",
        "1Password service account token",
        r"ops_eyJ[A-Za-z0-9+/_-]{200,}={0,2}",
    ),
    // Messaging, payments, shops and documents.
    rule("slack-token", "Slack token", r"xox(?:[abprsced]-|e\.xox[bp]-)[A-Za-z0-9%+/=-]{20,}"),
    rule(
        "slack-app-token",
        "Slack app token",
        r"xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{8,16}-[a-f0-9]{40,80}",
    ),
    rule(
        "slack-webhook",
        "secret part of a Slack webhook URL",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9]{8,14}/[A-Za-z0-9]{8,20}/[A-Za-z0-9/]{16,80})",
    ),
    rule("stripe-key", "Stripe secret or restricted key", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    rule(
        "stripe-webhook-secret",
        "Stripe webhook signing secret",
        r"whsec_[A-Za-z0-9+/]{32,64}={0,2}",
    ),
    rule("twilio-key", "Twilio API key", r"SK[0-9a-f]{32}\b"),
    rule("sendgrid-key", "SendGrid API key", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    rule("mailgun-key", "Mailgun API key", r"key-[0-9a-f]{32}\b"),
    rule("mailgun-key", "Mailgun API key, newer", r"\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b")
        .near(&["mailgun", "MAILGUN", "Mailgun"]),
    rule("mailchimp-key", "Mailchimp API key", r"\b([0-9a-f]{32}-us[0-9]{1,2})\b").near(&[
        "mailchimp",
        "MAILCHIMP",
        "Mailchimp",
    ]),
    rule(
        "discord-bot-token",
        "Discord bot token",
        r"\b([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
    )
    .near(&["discord", "Discord", "DISCORD", "bot_token", "BOT_TOKEN", "botToken", "Bot "]),
    rule(
        "discord-webhook",
        "secret part of a Discord webhook URL",
        r"discord(?:app)?\.com/api/webhooks/([0-9]{10,20}/[A-Za-z0-9_-]{60,80})",
    ),
    rule(
        "telegram-bot-token",
        "Telegram bot token",
        r"(?:\A|[^A-Za-z0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{32,35})(?:[^A-Za-z0-9_-]|\z)",
    )
    .near(&[":AA"]),
    rule(
        "telegram-bot-token",
        "Telegram bot token in a URL",
        r"/bot([0-9]{8,10}:AA[A-Za-z0-9_-]{32,35})",
    )
    .near(&["api.telegram.org/bot"]),
    rule("shopify-token", "Shopify token", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    rule(
        "square-token",
        "Square access token or secret",
        r"(sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60})(?:[^A-Za-z0-9_-]|\z)",
    ),
    rule("dropbox-token", "Dropbox access token", r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,}"),
    rule("linear-key", "Linear API key", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}\b"),
    rule("notion-token", "Notion token", r"(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})\b"),
    rule("figma-token", "Figma token", r"figd_[A-Za-z0-9_-]{38,60}"),
    rule("airtable-token", "Airtable token", r"\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b")
        .near(&["airtable", "AIRTABLE", "Airtable"]),
    rule("contentful-token", "Contentful management token", r"CFPAT-[A-Za-z0-9_-]{43}"),
    rule(
        "hubspot-token",
        "HubSpot private app token",
        r"pat-(?:na[12]|eu1)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    ),
];
