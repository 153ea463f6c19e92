//! Families of secrets that are recognized by their surroundings, each in the ways in which people write them.
//!
//! A secret is between `«` and `»`; a line without one has to stay as it is. The values are invented.

use super::super::find_secrets;

/// Checks a text line by line, or as a whole if secrets depend on other lines.
pub(super) fn check(text: &str) {
    let mut failures = Vec::new();
    for text in text.lines() {
        failures.extend(failure(text));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

pub(super) fn check_whole(text: &str) {
    assert_eq!(failure(text), None);
}

fn failure(marked: &str) -> Option<String> {
    let expected: Vec<&str> =
        marked.split('«').skip(1).map(|it| it.split('»').next().unwrap_or(it)).collect();
    let text = marked.replace(['«', '»'], "");
    let found = find_secrets(&text);
    let found: Vec<&str> = found.iter().map(|it| &text[it.range.clone()]).collect();
    (found != expected).then(|| format!("{text}\n  found {found:?}"))
}

#[test]
fn passwords_that_people_choose_under_clear_names() {
    check(
        r#"password: "«Falcon47!»"
password: «amberFalcon47»
db_password = '«Falcon-amber47»'
DB_PASSWORD=«falcon1998»
export ADMIN_PASS=«Falcon!2024»
MINIO_ROOT_PASSWORD: «4Mb3R?77»
admin_password = «orbitcobalt»
storePassword=«CedarCrater109»
requirepass «Thistle81x»
ansible_ssh_pass=«pebble7748»
passphrase: '«saffron-nickel-raven-linden»'
psk="«lindenamber»"
  "pass": "«Garnet_2025»",
spring.datasource.password=«P3Pp3R_44»"#,
    );
}

#[test]
fn names_and_values_that_are_not_secret() {
    check(
        r#"password: required
password_policy: min12-upper1-digit1
password_file: /run/secrets/db2
password_encoder: bcrypt12
passwordInput = 'passwordInput2'
PASSWORD_MIN_LENGTH = "12345678"
pwd = sha256Sum1
password = user_password2
password: Optional[Str1] = None
secret: falcon-api-tls-2026
existingSecret: falcon-postgresql-v2
"password": "Passwort",
<entry key="password">Kennwort</entry>
checksum/secret: 7ece13d38cf0359d256a80a5b3ac4456c0bd46850a86e201fdf7b7479f6619fc
idempotency_key: 968d9e58-b578-41dc-931c-4e0798164150
cl_git_pass(git_revparse(&id, "a8233120f6ad708f843d861ce2b7228ec4e3dec6"));
you may pass --parallel=1 to it
Public Key: d107beecc17325f55da976bcbab207ba4df68bd3f8fce7c3b5850311128264fd
token_endpoint_auth_method: client_secret_post
password: 2024-01-02T03:04:05"#,
    );
}

#[test]
fn literals_of_many_languages() {
    check(
        r##"#define WIFI_PASSWORD "«Falcon47!»"
password := `«Falcon47!»`
api_key <- "«Zm6oMRU5WVfXyrocgXA7DxOs»"
constexpr std::string_view kPassword{"«Falcon47!»"};
const auto secret = R"(«Falcon47!zz»)";
secret = r#"«Falcon47!zz»"#
SECRET_KEY = b'«Zm6oMRU5WVfXyrocgXA7DxOs»'
password = """«Falcon47!»"""
config["DB_PASSWORD"] = "«Falcon47!»"
const password = process.env.DB_PASSWORD || '«Falcon47!»';
hmacSecret = []byte("«Falcon47!zz»")
Self { password: "«Falcon47!»".to_string() }
Private Const Password As String = "«Falcon47!»"
public string ApiKey { get; set; } = "«Zm6oMRU5WVfXyrocgXA7DxOs»";
const API_KEY: &str = "«Zm6oMRU5WVfXyrocgXA7DxOs»";
'api_key' => '«Zm6oMRU5WVfXyrocgXA7DxOs»',
["api-key"] = "«Zm6oMRU5WVfXyrocgXA7DxOs»",
"source": "password = \"«Falcon47!»\"\n"
@Value("${db.password:«falcon1998»}")
.password("{noop}«Falcon47!»")
config.setPassword("«Falcon47!»");
props.setProperty("mail.smtp.password", "«Falcon47!»");"##,
    );
    check_whole("password: >-\n  «Falcon47!x»\nport: 80\n");
    check_whole("TOKEN = <<~KEY.freeze\n  «Zm6oMRU5WVfXyrocgXA7DxOshgxJnmlw»\nKEY\n");
}

#[test]
fn names_and_values_apart() {
    check(
        r#"<property name="password" value="«Falcon47!»"/>
<property name="password"><value>«Falcon47!»</value></property>
<entry key="apiToken" value="«82b0e52d8b9b7da99e5294747b55168bc8056f25»"/>
<string name="api_secret" translatable="false">«Zm6oMRU5WVfXyrocgXA7DxOs»</string>
{ "key": "password", "value": "«Falcon47!»" }
{ "ParameterKey": "DBPassword", "ParameterValue": "«Falcon47!»" }
"db_password": { "value": "«Falcon47!»", "type": "string" }
<input type="password" name="password" value="«Falcon47!»">
<password>«Falcon47!»</password>"#,
    );
    check_whole("- name: DB_PASSWORD\n  value: \"«Falcon47!»\"\n- name: LOG\n  value: info\n");
    check_whole("<key>ProxyPassword</key>\n<string>«Falcon47!»</string>\n");
    check_whole("variable \"admin_password\" {\n  type = string\n  default = \"«Falcon47!»\"\n}\n");
    check_whole("DBPassword:\n  Type: String\n  Default: «Falcon47x»\n");
}

#[test]
fn columns_of_passwords() {
    check_whole("username,password,role\nanna,«Falcon47!»,admin\nbert,«amberFalcon47»,viewer\n");
    check_whole("service\tlogin\tapi_key\nmail\tanna\t«Zm6oMRU5WVfXyrocgXA7DxOs»\n");
    check_whole("| System | Password |\n| --- | --- |\n| Grafana | «Falcon47!» |\n");
    check_whole(
        "INSERT INTO users (id, password, role) VALUES (1, '«Falcon47!»', 'a'), (2, '«tundra1978»', 'b');",
    );
    check_whole("INSERT INTO clients (name, api_key) VALUES ('x', '«Zm6oMRU5WVfXyrocgXA7DxOs»');");
    check_whole("model,prompt_tokens,password_resets\ngpt,128000,3\n");
    check_whole("| `password` | string | At least 12 characters |\n");
}

#[test]
fn values_that_are_split() {
    check_whole(
        "TOKEN = (\n    \"«e7eca62115933a9d8826ed15c15822ca»\"\n    \"«08bc4eec4491b9d94d74bb29192c744a»\"\n)\n",
    );
    check_whole(
        "String TOKEN =\n    \"«Zm6oMRU5WVfXyrocgXA7DxOs»\" +\n    \"«hgxJnmlwATXx47KErg3kP06w»\";\n",
    );
    check_whole(
        "password = \"\".join([\"«Zm6oMRU5WVfXyrocgXA7DxOs»\", \"«hgxJnmlwATXx47KErg3kP06w»\"])\n",
    );
}

#[test]
fn passwords_in_prose_and_output() {
    check(
        r#"your account is anna and the password is «Falcon47!».
Generated root password: «aB3-xY7_qR2z»
A temporary password is generated for root@localhost: «orarn7QT-blOIz68»
passphrase for the key above: «Falcon47!»
Unseal Key 1: «q9HK4pEZnf5k1gRy5ypLfUrsgcB7sE3mhyWMoO+T/BRO»
Bitwarden recovery code: «GDVSCZQKET6TBESXVNXBMVKQFCY5OVU7»
echo 'root:«tractorbirch»' | chpasswd
machine api.host login anna password «falcon1998»
The password is required. The token is opaque; it expires after 15 minutes."#,
    );
}

#[test]
fn passwords_with_reserved_characters_in_addresses() {
    check(
        r#"postgres://anna:«meadow/Goo2EYYD»@pebble.host/shop
"postgres://anna:«dahlia@deBL1aoJ»@replica.host/shop"
amqp://anna:«marble:PhuPs5Gn»@nickel.host:5672
dsn = "anna:«K=dnjhUO7VV4S»@tcp(autumn.host:3306)/shop"
https://anna:«Falcon4711x»@host/path?mail=bert@host.com
http://localhost:8080/users/anna@host.com
git@github.com:anna/shop.git"#,
    );
}

#[test]
fn secrets_in_base64() {
    let key = "LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk1IY0NBUUVFSUdoMTIzNDU2Nzg5MGFiY2RlZg==";
    let certificate =
        "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSURkekNDQWwrZ0F3SUJBZ0lFMTIzNDU2Nzg5MA==";
    check_whole(&format!("    client-key-data: «{key}»\n"));
    check_whole(&format!("    client-certificate-data: {certificate}\n"));
    check_whole("kind: Secret\ndata:\n  password: «RmFsY29uNDch»\n  username: YW5uYQ==\n");
    check_whole("proxy_set_header Authorization \"Basic «YW5uYTpGYWxjb240NyE=»\";\n");
    check_whole("Authorization: Basic dXNlcjpwYXNzd29yZA==\n");
}
