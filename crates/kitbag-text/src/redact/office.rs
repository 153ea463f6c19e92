//! Rules for messaging, payments, shops and documents, in the formats documented by the services.

use super::rule::{SecretRule, near_keyword, token};

pub(super) const RULES: &[SecretRule] = &[
    token(
        "slack-token",
        "Slack token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.xox", "xoxc-", "xoxd-"],
        r"xox(?:[abprsced]-|e\.xox[bp]-)[A-Za-z0-9%+/=-]{20,}",
    ),
    token(
        "slack-app-token",
        "Slack app token",
        &["xapp-"],
        r"xapp-[0-9]-[A-Z0-9]{8,14}-[0-9]{8,16}-[a-f0-9]{40,80}",
    ),
    token(
        "slack-webhook",
        "secret part of a Slack webhook URL",
        &["hooks.slack.com/"],
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9]{8,14}/[A-Za-z0-9]{8,20}/[A-Za-z0-9/]{16,80})",
    ),
    token(
        "stripe-key",
        "Stripe secret or restricted key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    ),
    token(
        "stripe-webhook-secret",
        "Stripe webhook signing secret",
        &["whsec_"],
        r"whsec_[A-Za-z0-9+/]{32,64}={0,2}",
    ),
    token("twilio-key", "Twilio API key", &["SK"], r"SK[0-9a-f]{32}\b"),
    token(
        "sendgrid-key",
        "SendGrid API key",
        &["SG."],
        r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}",
    ),
    token("mailgun-key", "Mailgun API key", &["key-"], r"key-[0-9a-f]{32}\b"),
    near_keyword(
        "mailgun-key",
        "Mailgun API key, newer",
        &["mailgun", "MAILGUN", "Mailgun"],
        r"\b([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})\b",
    ),
    near_keyword(
        "mailchimp-key",
        "Mailchimp API key",
        &["mailchimp", "MAILCHIMP", "Mailchimp"],
        r"\b([0-9a-f]{32}-us[0-9]{1,2})\b",
    ),
    near_keyword(
        "discord-bot-token",
        "Discord bot token",
        &["discord", "Discord", "DISCORD", "bot_token", "BOT_TOKEN", "botToken", "Bot "],
        r"\b([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
    ),
    token(
        "discord-webhook",
        "secret part of a Discord webhook URL",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/([0-9]{17,20}/[A-Za-z0-9_-]{60,80})",
    ),
    near_keyword(
        "telegram-bot-token",
        "Telegram bot token",
        &[":AA"],
        r"(?:\A|[^A-Za-z0-9])([0-9]{8,10}:AA[A-Za-z0-9_-]{32,35})(?:[^A-Za-z0-9_-]|\z)",
    ),
    near_keyword(
        "telegram-bot-token",
        "Telegram bot token in a URL",
        &["api.telegram.org/bot"],
        r"/bot([0-9]{8,10}:AA[A-Za-z0-9_-]{32,35})",
    ),
    token(
        "shopify-token",
        "Shopify token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b",
    ),
    token(
        "square-token",
        "Square access token or secret",
        &["sq0atp-", "sq0csp-", "EAAA"],
        r"(sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60})(?:[^A-Za-z0-9_-]|\z)",
    ),
    token("dropbox-token", "Dropbox access token", &["sl."], r"sl\.(?:u\.)?[A-Za-z0-9_-]{120,}"),
    token(
        "linear-key",
        "Linear API key",
        &["lin_api_", "lin_oauth_"],
        r"lin_(?:api|oauth)_[A-Za-z0-9]{40,64}\b",
    ),
    token(
        "notion-token",
        "Notion token",
        &["ntn_", "secret_"],
        r"(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})\b",
    ),
    token("figma-token", "Figma token", &["figd_"], r"figd_[A-Za-z0-9_-]{38,60}"),
    near_keyword(
        "airtable-token",
        "Airtable token",
        &["airtable", "AIRTABLE", "Airtable"],
        r"\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b",
    ),
    token(
        "contentful-token",
        "Contentful management token",
        &["CFPAT-"],
        r"CFPAT-[A-Za-z0-9_-]{43}",
    ),
    token(
        "hubspot-token",
        "HubSpot private app token",
        &["pat-na1-", "pat-eu1-", "pat-na2-"],
        r"pat-(?:na|eu)[0-9]-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    ),
];
