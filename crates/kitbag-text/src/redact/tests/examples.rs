//! Examples of what each rule finds and ignores.
//!
//! The examples are encoded so that this file contains no secrets. `|` joins two halves of a prefix, and
//! `{h32}` is replaced by 32 random characters: `h` hex, `A` letters and digits, `a` letters, `U` base32,
//! `b` base64, `w` letters, digits, `_` and `-`, `d` digits, `l` lowercase letters and digits.

use super::super::find_secrets;
use super::super::scanner::SCANNER;

/// A rule, lines in which it finds the text between `«` and `»`, and lines without secrets.
type Example = (&'static str, &'static [&'static str], &'static [&'static str]);

const EXAMPLES: &[Example] = &[
    (
        "aws-access-key",
        &["id = «AK|IA{U16}»", "\\n«AS|IA{U16}»,"],
        &["AK|IAIOSFODNN7EXAMPLE", "xAK|IA{U16}", "AK|IA{U15}", "AK|IA{U17}"],
    ),
    (
        "aws-secret-key",
        &[
            "aws_secret_access_key = «{b40}»",
            "secretAccessKey: \"«{b40}»\"",
            "\"SecretAccessKey\" : \"«{b40}»\",",
        ],
        &[
            "aws_secret_access_key = <from the console>",
            "secret_key = get_the_secret_key_of_the_account_now",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        ],
    ),
    (
        "aws-session-token",
        &["aws_session_token=«{b180}»", "\"SessionToken\": \"«{b200}»\""],
        &["session_token = None"],
    ),
    (
        "google-api-key",
        &["key=«AI|za{w35}»&x"],
        &["AI|zaxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "AI|za{w20}"],
    ),
    ("google-oauth-secret", &["\"client_secret\":\"«GOC|SPX-{w28}»\""], &["GOC|SPX-short"]),
    ("google-oauth-token", &["«ya|29.{w60}»"], &["ya|29.example"]),
    ("google-refresh-token", &["\"«1/|/0{w60}»\""], &["a1/|/0 = 3"]),
    (
        "azure-storage-key",
        &["DefaultEndpointsProtocol=https;AccountName=x;AccountKey=«{b86}==»;EndpointSuffix=y"],
        &["AccountKey=<key>;"],
    ),
    (
        "azure-shared-access-key",
        &["SharedAccessKeyName=Root;SharedAccessKey=«{b43}=»"],
        &["SharedAccessKey=xxx"],
    ),
    ("azure-sas", &["?sv=2024&sig=«{A41}%3D»&se=1"], &["sig=abc", "config={A60}"]),
    ("azure-client-secret", &["secret: «{A3}8Q~{A33}»"], &["Q~ is nothing"]),
    ("digitalocean-token", &["«dop|_v1_{h64}»"], &["dop|_v1_{h63}"]),
    (
        "heroku-api-key",
        &["«HRK|U-{w60}»", "HEROKU_API_KEY=«{h8}-{h4}-{h4}-{h4}-{h12}»"],
        &["app_id = {h8}-{h4}-{h4}-{h4}-{h12}"],
    ),
    (
        "cloudflare-api-token",
        &["CLOUDFLARE_API_TOKEN=«{w40}»", "cloudflare_key: '«{h37}»'"],
        &[
            "cloudflare/wrangler-action@{h40}",
            "cloudflare: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        ],
    ),
    ("cloudflare-origin-key", &["«v1|.0-{h24}-{h146}»"], &["v1|.0-beta"]),
    (
        "datadog-key",
        &["DD_API_KEY=«{h32}»", "datadog.app_key: \"«{h40}»\""],
        &["datadog/dd-trace@{h40}"],
    ),
    ("new-relic-key", &["«NRA|K-{U27}»"], &["NRA|K-SHORT"]),
    ("new-relic-license", &["license_key: «{h36}NR|AL»"], &["NR|AL"]),
    ("databricks-token", &["token = \"«da|pi{h32}»\""], &["da|pi_client", "ada|pi{h32}"]),
    ("vault-token", &["VAULT_TOKEN=«hv|s.{w90}»"], &["hv|s.client.read()"]),
    ("terraform-cloud-token", &["token = \"«{A14}.atlas|v1.{A67}»\""], &[".atlas|v1."]),
    ("grafana-token", &["«gls|a_{A32}_{h8}»"], &["gls|a_{A32}"]),
    ("sentry-token", &["«sntr|yu_{h64}»"], &["sntr|yu_{h10}"]),
    ("planetscale-token", &["«psc|ale_pw_{A43}»"], &["psc|ale_pw_x"]),
    ("supabase-token", &["«sb|p_{h40}»"], &["sb|p_{h39}"]),
    ("doppler-token", &["«dp.|st.prd.{A43}»", "«dp.|pt.{A43}»"], &["dp.|pt.x"]),
    ("pulumi-token", &["«pu|l-{h40}»"], &["pu|l-request"]),
    ("tailscale-key", &["«tsk|ey-auth-{A12}-{A32}»"], &["tsk|ey-auth-"]),
    ("fly-token", &["FlyV1 «fm|2_{b140}»"], &["fm|2_x"]),
    ("netlify-token", &["«nf|p_{A36}»"], &["nf|p_x"]),
    (
        "age-secret-key",
        &["# x\n«AGE-SEC|RET-KEY-1QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LQPZRY9X8GF2TVDW0S3JN54KHCE»"],
        &["AGE-SEC|RET-KEY-1"],
    ),
    (
        "github-token",
        &["«gh|p_{A36}»", "https://x-access-token:«gh|s_{A36}»@github.com/a/b"],
        &["gh|p_{A35}", "gh|p_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "agh|p_{A36}"],
    ),
    (
        "github-fine-grained-token",
        &["«github|_pat_{A22}_{A59}»"],
        &["github|_pat_your_token_goes_here_please_and_thank_you"],
    ),
    ("gitlab-token", &["«gl|pat-{w20}»", "«gl|rt-{w20}»"], &["gl|pat-xxxxxxxxxxxxxxxxxxxx"]),
    ("bitbucket-token", &["«AT|BB{A32}»"], &["AT|BB"]),
    ("atlassian-token", &["«ATA|TT3{w180}={h8}»"], &["ATA|TT3"]),
    ("npm-token", &["«np|m_{A36}»"], &["np|m_config_registry", "np|m_{A37}"]),
    (
        "npm-auth-token",
        &["//registry.npmjs.org/:_authToken=«{h8}-{h4}-{h4}-{h4}-{h12}»"],
        &["//registry.npmjs.org/:_authToken=${NPM_TOKEN}"],
    ),
    ("pypi-token", &["«pypi-|AgEIcHlwaS5vcmc{w150}»"], &["pypi-|AgE"]),
    ("rubygems-key", &["«rubyg|ems_{h48}»"], &["rubyg|ems_version"]),
    ("crates-io-token", &["«ci|o{A32}»"], &["ci|o", "preci|o{A32}"]),
    ("nuget-key", &["«oy|2{l43}»"], &["oy|2"]),
    ("docker-hub-token", &["«dckr|_pat_{w27}»"], &["dckr|_pat_x"]),
    ("docker-auth", &["\"auth\": \"«{b40}»\""], &["\"auth\": \"basic\""]),
    ("artifactory-key", &["«AK|Cp8{A69}»"], &["AK|Cp8"]),
    ("anthropic-key", &["«sk-|ant-api03-{w93}AA»"], &["sk-|ant-api03-..."]),
    (
        "openai-key",
        &["«sk-|proj-{w74}»", "«sk-|{A20}T3Blbk|FJ{A20}»", "\"«sk-|{A48}»\""],
        &["sk-|learn", "task-|{A48}", "sk-|proj-your-key-goes-here-please"],
    ),
    ("openrouter-key", &["«sk-|or-v1-{h64}»"], &["sk-|or-v1-x"]),
    ("hugging-face-token", &["«hf|_{a34}»"], &["hf|_hub_download"]),
    ("groq-key", &["«gs|k_{A52}»"], &["gs|k_x"]),
    ("replicate-token", &["«r8|_{A37}»"], &["r8|_x"]),
    ("perplexity-key", &["«pp|lx-{A48}»"], &["pp|lx-7b-online"]),
    ("xai-key", &["«xa|i-{A80}»"], &["xa|i-sdk"]),
    ("postman-key", &["«PMA|K-{h24}-{h34}»"], &["PMA|K-x"]),
    (
        "launchdarkly-key",
        &["«sd|k-{h8}-{h4}-4{h3}-a{h3}-{h12}»"],
        &["sd|k-version", "{h8}-{h4}-4{h3}-a{h3}-{h12}"],
    ),
    ("onepassword-token", &["«ops_|eyJ{w400}»"], &["ops_|eyJ"]),
    (
        "slack-token",
        &["«xox|b-{d12}-{d12}-{A24}»"],
        &["xox|b-your-token", "xox|b-xxxxxxxxxxxx-xxxxxxxxxxxx"],
    ),
    ("slack-app-token", &["«xa|pp-1-A{U10}-{d13}-{h64}»"], &["xa|pp-1"]),
    (
        "slack-webhook",
        &["https://hooks.slack|.com/services/«T{U8}/B{U8}/{A24}»"],
        &["https://hooks.slack|.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"],
    ),
    ("stripe-key", &["«sk_|live_{A24}»", "«rk_|test_{A99}»"], &["pk_|live_{A24}", "sk_|test_..."]),
    ("stripe-webhook-secret", &["«whs|ec_{A32}»"], &["whs|ec_x"]),
    ("twilio-key", &["«S|K{h32}»"], &["TAS|K{h32}", "S|K{h31}"]),
    ("sendgrid-key", &["«S|G.{w22}.{w43}»"], &["S|G.x.y"]),
    (
        "mailgun-key",
        &["«ke|y-{h32}»", "MAILGUN_KEY={q}«{h32}-{h8}-{h8}»{q}"],
        &["ke|y-value", "monke|y-{h32}"],
    ),
    ("mailchimp-key", &["mailchimp: «{h32}-us12»"], &["{h32}-us12"]),
    ("discord-bot-token", &["DISCORD_TOKEN=«M{A23}.{w6}.{w38}»"], &["discord.ext.commands"]),
    (
        "discord-webhook",
        &["https://discord.com/api/webhooks/«{d18}/{w68}»"],
        &["https://discord.com/api/webhooks/123/abc"],
    ),
    (
        "telegram-bot-token",
        &["bot = '«{d10}:A|A{w33}»'", "https://api.telegram.org/bot«{d10}:A|A{w33}»/getMe"],
        &["x:A|A", "{d10}:A|A{w10}"],
    ),
    ("shopify-token", &["«shp|at_{h32}»"], &["shp|at_x"]),
    ("square-token", &["«sq0|atp-{w22}»", "«EA|AA{w60}»"], &["sq0|idp-{w22}"]),
    ("dropbox-token", &["«s|l.{w138}»"], &["s|l.append(x)", "ss|l.{w138}"]),
    ("linear-key", &["«lin|_api_{A40}»"], &["lin|_api_x"]),
    (
        "notion-token",
        &["«nt|n_{A46}»", "«secr|et_{A43}»"],
        &["secr|et_manager_client_for_the_whole_of_the_service"],
    ),
    ("figma-token", &["«fig|d_{w40}»"], &["fig|d_x"]),
    ("airtable-token", &["AIRTABLE_KEY=«pa|t{A14}.{h64}»"], &["pa|t{A14}.x"]),
    ("contentful-token", &["«CFP|AT-{w43}»"], &["CFP|AT-x"]),
    ("hubspot-token", &["«pat-|na1-{h8}-{h4}-{h4}-{h4}-{h12}»"], &["pat-|na1-x"]),
    (
        "jwt",
        &["\"«ey|J{w33}.ey|J{w80}.{w43}»\""],
        &["ey|JhbGciOiJIUzI1NiJ9.ey|JzdWIiOiIxMjM0NTY3ODkwIn0.{w43}", "ey|J{w33}"],
    ),
    (
        "connection-string",
        &[
            "postgres://app:«{A16}»@db.internal:5432/app",
            "mongodb+srv://u:«{A12}!x»@h/x",
            "\"Server=db;User Id=sa;Password=«{A10}#q»;\"",
            "https://me:«{A20}»@git.host/x",
            "postgres://svc:«Wv8Q1234zLk0TnXe9»@db.corp/x",
            "postgres://svc:«Latest9xK2mQ7vLw»@db.corp/x",
            "postgres://svc:«Kq9mCompass77Zx»@db.corp/x",
            "postgres://svc:«p%40ss%23kW82hf»@db.corp/x",
            "redis://:«p4ssw0rdXyZ»@cache.corp",
        ],
        &[
            "postgres://postgres:postgres@localhost/x",
            "http://user:password@host",
            "amqp://guest:guest@h",
            "https://host:8080/@scope/x",
            "redis://:${REDIS_PASSWORD}@h",
            "https://<user>:<password>@h",
            "http://user:pw@proxy:1",
            "mysql://root:secret123@h",
            "mysql://root:P4ssw0rd!@h",
            "mysql://root:p@ssw0rd1234@h",
            "postgres://app:mysecretpassword@h",
            "postgres://app:test-pass-1@h",
            "ftp://joe:super_secret_key@h",
            "imap://user:secret;opt@host/",
            "https://repo-user:repo-pass@repo.domain.com",
            "socks5://uz3r:p4ssworm@h",
            "dynamodb://aws_access_key_id:aws_secret_access_key@region/table",
            "https://joe:pass%40word%zyx%v@git.example.com/foo",
            "Password=x;",
        ],
    ),
    (
        "authorization-header",
        &[
            "Authorization: Bearer «{A40}»",
            "-H 'authorization: Basic «{b43}=»'",
            "headers[\"Authorization\"] = \"«{A32}»\"",
        ],
        &[
            "Authorization: Bearer <token>",
            "Authorization: Bearer $TOKEN",
            "Authorization: Basic dXNlcjpwYXNzd29yZA==",
            "Bearer authentication is required",
            "Authorization: Bearer your-token-goes-here-1",
            "Basic understanding_of_the_matter",
        ],
    ),
    (
        "password",
        &[
            "password = \"«xK9#{A8}»\"",
            "DB_PASSWORD: '«{A14}»'",
            "<password>«{A20}»</password>",
            "let password: &str = \"«q7!Zp{A6}»\";",
            "setPassword(\"«v9Z{A12}»\")",
            "define('DB_PASSWORD', '«h3X{A12}»');",
            "DATABASE_PASSWORD=«{A24}»",
            "      POSTGRES_PASSWORD: «kW82hfLq0zT»",
            "spring.datasource.password=«kW82hfLq0zT»",
            "export DB_PASSWORD=«k8!Wf#2Lq»",
            "password = «kW82$hf@Lq0zT%m» ; of the database",
            "<password>«kW82hfLq»</password>",
            "mysqladmin --password=«kW82hfLq0zT» ping",
        ],
        &[
            "password = \"password123\"",
            "password = \"P@ssw0rd!1\"",
            "password = 'changeme'",
            "password: ${DB_PASSWORD}",
            "password_hash = \"{A30}\"",
            "password: \"Must be 8 characters\"",
            "type=\"password\"",
            "password = \"\"",
            "password = getPassword(1234)",
            "$password = \"test1234\";",
            "password = os.environ[\"DB_PASSWORD\"]",
            "passwordField = \"login-form__2password\"",
            "password=\"{{ vault_db_password_2 }}\"",
            "password = user_password2",
            "Password: cfg.Db2Pass,",
            "pwd = sha256Sum1",
            "password = input2Text;",
            "password: str2bytes,",
            "password=form.cleaned_data1,",
            "passwd-lib: 1.2.3-rc1",
            "PWD=/srv/me/src2",
            "PASSWORD=$DB_PASS2",
            "password = hash2Hex(salt1)",
            "password: 2024-01-02T03",
            "password = @user.p2X4y",
            "password: Argon2Id,",
            "\"DSN=mydsn;UID=ed;PWD=pass%2Bword\"",
        ],
    ),
    (
        "secret",
        &[
            "api_key = \"«{A32}»\"",
            "client_secret: «{A40}»",
            "\"apiKey\": \"«{h32}»\"",
            "SECRET_KEY=«{A50}»",
            "auth_token => '«{h40}»'",
            "os.environ[\"MY_TOKEN\"] = \"«{A36}»\"",
            "const token: string = `«{A44}»`;",
            "x-api-key: «{A36}»",
        ],
        &[
            "token = next_token(tokens2, 33)",
            "api_key = \"your-api-key-here-1234\"",
            "api_key = \"xxxxxxxxxxxxxxxxxxxxxxxx\"",
            "secret = \"<your secret 12345678>\"",
            "token = \"{h8}-{h4}-{h4}-{h4}-{h12}\"",
            "token_hash = \"{h64}\"",
            "\"js-tokens\": \"^4.0.0\", \"integrity\": \"sha512-{b86}==\"",
            "commit: {h40}",
            "secretName: my-app-credentials-v2-2024",
            "token: Option<Token<'a1, 'b2, 'c3>>",
            "const token = this.tokens[this.index++];",
            "tokenAddress = \"0x{h40}\"",
            "accessKeyId = \"{A20}\"",
            "token = user.session2.token3.value4.read5()",
            "public_token = \"{A40}\"",
            "api_key = \"abcdefghijklmnop1234567890\"",
            "SECRET_KEY = \"django-insecure-test-{A20}\"",
            "secret: https://example.org/{A40}",
        ],
    ),
    ("cloudflare-api-token", &["«cfu|t_{A40}{h8}»"], &["cfu|t_short"]),
    ("dynatrace-token", &["«dt0|c01.{U24}.{U64}»"], &["dt0|c01.{U24}.short"]),
    ("brevo-key", &["«xkey|sib-{h64}-{A16}»"], &["xkey|sib-{h60}"]),
    ("firebase-key", &["key=«AAAA{w7}:APA|91b{w134}»"], &["AAAA{w7}:x"]),
    ("alibaba-access-key", &["id: «LT|AI{A20}»"], &["LT|AI{A12}"]),
    ("sonar-token", &["«sq|p_{h40}»"], &["sq|p_{h20}"]),
    ("pinecone-key", &["«pc|sk_{A6}_{A63}»"], &["pc|sk_{A6}"]),
    ("posthog-key", &["«ph|x_{A43}»"], &["ph|x_abc"]),
    ("clojars-token", &["«CLO|JARS_{l60}»"], &["CLO|JARS_URL"]),
    ("prefect-key", &["«pn|u_{A36}»"], &["pn|u_x"]),
    ("readme-key", &["«rd|me_{l70}»"], &["rd|me_x"]),
    ("easypost-key", &["«EZ|AK{A54}»"], &["EZ|AKx"]),
    ("flutterwave-key", &["«FLW|SECK-{h32}-X»"], &["FLW|SECK-X"]),
    ("duffel-token", &["«duf|fel_live_{w43}»"], &["duf|fel_live_x"]),
    ("frameio-token", &["«fi|o-u-{w64}»"], &["fi|o-u-x"]),
    ("shippo-token", &["«ship|po_live_{h40}»"], &["ship|po_live_x"]),
    ("infracost-key", &["«ic|o-{A32}»"], &["ic|o-moon"]),
    ("sourcegraph-token", &["«sg|p_{h16}_{h40}»"], &["sg|p_x"]),
    ("adafruit-key", &["«ai|o_{A28}»"], &["ai|o_read"]),
    ("mailersend-token", &["«ml|sn.{h64}»"], &["ml|sn.x"]),
    ("resend-key", &["«r|e_{A8}_{A24}»"], &["re_compile_{A5}"]),
    ("mapbox-token", &["«s|k.eyJ{w80}.{w22}»"], &["s|k.eyJ"]),
    ("facebook-token", &["«EA|AC{A120}»"], &["EA|ACx"]),
    ("amazon-mws-token", &["«amzn|.mws.{h8}-{h4}-{h4}-{h4}-{h12}»"], &["amzn|.mws.x"]),
    ("langsmith-key", &["«lsv|2_pt_{h32}_{h10}»"], &["lsv|2_pt_x"]),
    ("nvidia-key", &["«nv|api-{w64}»"], &["nv|api-x"]),
    ("tavily-key", &["«tv|ly-{A32}»"], &["tv|ly-x"]),
    ("onepassword-secret-key", &["«A|3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}»"], &["A|3-SIZE-PAPER"]),
    (
        "session-cookie",
        &[
            "Cookie: theme=dark; sessionid=«{A32}»; lang=en",
            "document.cookie = {q}auth_token=«{h40}»; path=/{q}",
            ".host\tTRUE\t/\tTRUE\t1798761600\tsessionid\t«{A32}»",
        ],
        &["Cookie: theme=dark; lang=en", "cookie: sessionid=31d4d96e407aad42"],
    ),
    (
        "oauth-code",
        &["GET /callback?code=«{A32}»&state=ok", "https://app/cb?state=x1&code=«{A32}»"],
        &["GET /search?code=us-east-1&state=ok", "?code=invalid_request&state=ok"],
    ),
    (
        "twilio-token",
        &["client = Client(account_sid, {q}«{h32}»{q})"],
        &["client = Client(account_sid, auth_token)"],
    ),
    (
        "url-signature",
        &["?X-Amz-Expires=60&X-Amz-Signature=«{h64}»"],
        &["X-Amz-Signature=<signature>"],
    ),
    (
        "otp-secret",
        &["otpauth://totp/shop:anna?secret=«{U32}»&issuer=shop"],
        &["otpauth://totp/x?issuer=y"],
    ),
    ("pin", &["The door code is «4711»."], &["Enter code 1234.", "Enter code below."]),
    (
        "seed-phrase",
        &[
            "Wallet seed phrase: «amber cedar coral fern hazel heron larch maple otter pebble raven willow»",
        ],
        &["seed phrase: twelve words that you keep"],
    ),
    (
        "json-web-key",
        &["{ {q}kty{q}: {q}oct{q}, {q}k{q}: {q}«{w43}»{q} }"],
        &["{ {q}k{q}: {q}{w43}{q} }", "{ {q}kty{q}: {q}RSA{q}, {q}n{q}: {q}{w342}{q} }"],
    ),
    (
        "webhook",
        &["https://maker.ifttt.com/trigger/door/with/key/«{A22}»"],
        &["https://maker.ifttt.com/trigger/door/with/key/your-key-goes-here"],
    ),
    (
        "kubernetes-secret",
        &[
            "kind: Secret\ndata:\n  admin: «ZmFsY29uMjAxMA==»\n  username: YW5uYQ==",
            "{ {q}kind{q}: {q}Secret{q}, {q}data{q}: { {q}admin{q}: {q}«ZmFsY29uMjAxMA==»{q} } }",
        ],
        &[
            "kind: ConfigMap\ndata:\n  admin: ZmFsY29uMjAxMA==",
            "kind: SecretStore\ndata:\n  admin: ZmFsY29uMjAxMA==",
        ],
    ),
    (
        "credential-argument",
        &[
            "DriverManager.getConnection({q}jdbc:mysql://host/shop{q}, {q}anna{q}, {q}«birchNectar72»{q});",
            "req.SetBasicAuth({q}anna{q}, {q}«meadow3665»{q})",
            "Client::new().basic_auth({q}anna{q}, Some({q}«saffron1989»{q}))",
            "f = Fernet(b{q}«{w43}=»{q})",
            "jwt.sign({ id: 1 }, '«{A20}»', { expiresIn: '1h' });",
            "config.omniauth :github, 'Iv1.{h16}', '«{h40}»', scope: 'user'",
        ],
        &[
            "DriverManager.getConnection(url, user, password);",
            "req.SetBasicAuth({q}user{q}, {q}password{q})",
            "jwt.sign(payload, process.env.KEY)",
            "new Fernet(key)",
        ],
    ),
    (
        "command-password",
        &[
            "curl -u anna:«raven9197» https://api.host/v1",
            "mysqldump -h host -u anna -p«copper2573» shop",
            "sshpass -p '«nickel2005»' ssh anna@host",
            "docker login -u anna -p «crater1220» registry.host",
            "redis-cli -h host -a «{A24}» PING",
            "7z a -p«lantern7825» archive.7z dump.sql",
            "openssl enc -aes-256-cbc -pass pass:«crater1220» -in a",
            "net user anna «zephyr1673» /add",
            "curl_easy_setopt(curl, CURLOPT_USERPWD, {q}anna:«Raven91-97»{q});",
            "session.auth = ({q}anna{q}, {q}«SparrowRaven734»{q})",
            "headers = {q}Basic {q} + btoa({q}anna:«larch2018»{q})",
        ],
        &[
            "curl -u {q}$NAME:$PASS{q} https://host",
            "mysql -h host -P 3307 -u anna -p shop",
            "mysql --user={q}$DB_USER{q} --password={q}$DB_PASSWORD{q}",
            "docker run -d -p 8080:80 nginx:1.27",
            "ssh -p 2222 anna@host uptime",
            "openssl enc -pass env:BACKUP_PASS",
            "docker login -u <username> -p <password> registry.host",
        ],
    ),
    (
        "config-password",
        &[
            "enable secret 0 «pebble7748»",
            "username anna privilege 15 password 0 «basil1319»",
            "snmp-server community «HazelSaffron485» RO",
            "crypto isakmp key «garnet0300» address 10.0.0.1",
            "user anna on >«marble1039» ~* +@all",
            "anna : EAP {q}«Sierra-copper35»{q}",
            "echo {q}db.host:5432:shop:anna:«thistle0650»{q} > ~/.pgpass",
            "[smtp.host]:587 anna@host:«quartz7481»",
        ],
        &[
            "a username and password parameters",
            "func New(username string, password string) {",
            "user anna on leave >8 days",
        ],
    ),
    (
        "sql-password",
        &[
            "CREATE USER 'anna'@'%' IDENTIFIED BY '«tundra1978»';",
            "ALTER USER system IDENTIFIED BY «pepper5205»;",
            "ALTER USER 'root'@'localhost' IDENTIFIED WITH mysql_native_password BY '«mangocoral»';",
        ],
        &["the transaction identified by key. All", "CREATE USER anna IDENTIFIED VIA unix_socket;"],
    ),
];

/// Decodes an example, with characters from a deterministic generator.
pub(super) fn spell(example: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |alphabet: &str| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(alphabet.as_bytes()[(state >> 33) as usize % alphabet.len()])
    };
    let mut text = String::new();
    let mut rest = example;
    while let Some(at) = rest.find(['|', '{']) {
        text.push_str(&rest[..at]);
        let close = rest[at..].find('}').map(|close| at + close);
        let count = close.and_then(|close| rest.get(at + 2..close)?.parse::<usize>().ok());
        let alphabet = rest.as_bytes().get(at + 1).map(|&kind| alphabet(kind));
        match (count, close, alphabet) {
            (Some(count), Some(close), Some(alphabet)) => {
                text.extend((0..count).map(|_| draw(alphabet)));
                rest = &rest[close + 1..];
            }
            _ if rest[at..].starts_with("{q}") => {
                text.push('"');
                rest = &rest[at + 3..];
            }
            _ => {
                text.push_str(if rest[at..].starts_with('{') { "{" } else { "" });
                rest = &rest[at + 1..];
            }
        }
    }
    text + rest
}

fn alphabet(kind: u8) -> &'static str {
    match kind {
        b'h' => "0123456789abcdef",
        b'U' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        b'd' => "1234567890",
        b'a' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
        b'l' => "abcdefghijklmnopqrstuvwxyz0123456789",
        b'b' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        b'w' => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        _ => "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    }
}

#[test]
fn each_rule_finds_exactly_its_secrets() {
    let mut failures = Vec::new();
    for (rule, lines, _) in EXAMPLES {
        for (line, seed) in lines.iter().zip(1..) {
            let spelled = spell(line, seed);
            let parts: Vec<&str> = spelled.split(['«', '»']).collect();
            let [before, secret, after] = parts[..] else { panic!("{rule}: no secret in {line}") };
            let text = format!("first\n{before}{secret}{after}\nlast\n");
            let found = find_secrets(&text);
            let found: Vec<_> = found.iter().map(|it| (it.rule, &text[it.range.clone()])).collect();
            if found != [(*rule, secret)] {
                failures.push(format!("{rule}: {before}{secret}{after}\n  found {found:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn lookalikes_are_not_redacted() {
    let mut failures = Vec::new();
    for (rule, _, lines) in EXAMPLES {
        for (line, seed) in lines.iter().zip(100..) {
            let text = format!("{}\n", spell(line, seed));
            for secret in find_secrets(&text) {
                failures.push(format!("{rule}: {} in {text}", secret.rule));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_rule_has_examples_of_both_kinds_and_a_valid_expression() {
    for rule in SCANNER.tables() {
        let is_block = rule.id == "private-key";
        let examples = EXAMPLES.iter().filter(|it| it.0 == rule.id);
        let has_both = |it: &Example| !it.1.is_empty() && !it.2.is_empty();
        assert!(is_block || examples.clone().any(has_both), "{}", rule.id);
        assert!(!rule.description.is_empty());
        rule.compile();
    }
    let known = |id: &str| SCANNER.tables().iter().any(|rule| rule.id == id);
    assert!(EXAMPLES.iter().all(|example| known(example.0)));
}
