//! Places where people write secrets, besides assignments, and texts that have the same form.

use super::super::find_secrets;
use super::families::{check, check_whole};

#[test]
fn numbers_that_unlock_something() {
    check(
        r#"alarm_code: "«7391»"
garage_pin: «804417»
"adminPin": "«9021»",
#define UNLOCK_PIN «2580»
let pin: u32 = «9173»;
PIN for the server room: «4711#»
password: "«19640712»"
To unlock the alarm enter code «9630».
PIN = "1234"
pin: 0000
led_pin = 13
CKF_EXCLUDE_PIN = 0x00000010
error_code = 4711
password: "123123""#,
    );
}

#[test]
fn letters_with_diacritics() {
    check(
        r#"admin_password = "«Käsekuchen»"
"passphrase": "«über den Wolken»",
pwd = "«gießkanne»"
"password": "Contraseña",
"password": "пароль",
"password": "Fjalëkalimi","#,
    );
}

#[test]
fn words_joined_by_underscores() {
    check(
        r#"DB_PASSWORD = "«mechanical_turk»"
DB_PASSWORD = "db_password_field"
smtp_password: "vault_smtp_secret"
tool --user robot --password «clockwork_orange»"#,
    );
}

#[test]
fn defaults_options_and_symbols() {
    check(
        r#"env('DB_PASSWORD', '«pain au chocolat»')
os.environ.get("ADMIN_PASSWORD", "«blotting»")
@Value("${admin.password:«saffron milk»}")
set :password, "«sapphire»"
CMD ["redis-server", "--requirepass", "«begonia»"]
read -r DB_PASSWORD <<< "«halyard»"
flag.String("password", "«margot»", "database password")
${DB_PASSWORD:?DB_PASSWORD is not set}
os.environ.get("ADMIN_PASSWORD", "")
parser.add_argument("--password", "-p", help="password of the database")
validates :password, "is too short""#,
    );
}

#[test]
fn documents() {
    check(
        r#"<tr><td>FTP password</td><td>«tintenfisch»</td></tr>
<p>FTP password: <code>«OurBlaupause»</code></p>
2. The staging password is **«marshmallow»**.
Log in with user `qa` and password `«Crash-Test-1»`.
# web1 root password: «abacus»
/* old root pw: «metronome» */
Default admin login: `admin` / `«Ferriswheel599!»`
machine ftp.host login ada password «telegram»
<tr><th>Username</th><th>Password</th><th>Actions</th></tr>
<tr><td>password</td><td>string</td></tr>
# The password: hashed
either specify user and password separately
login/logout and token_url: https://login.host/oauth2/token"#,
    );
    check_whole("\n| Sonar | Password |\n|---|---|\n| admin | «bumper cars» |\n");
}

#[test]
fn statements_maps_and_fields() {
    check(
        r##"UPDATE settings SET value = '«krabbenbrot»' WHERE name = 'smtp_password';
INSERT INTO settings (name, value) VALUES ('smtp_password', '«redwine»');
PASSWORDS = {"alice": "«rabbit-hole»", "hatter": "«tea at six»"}
cy.get("#password").type("«balloon»");
page.locator("#password").fill("«confetti»")
"mailer": { "auth": { "user": "bot", "pass": "«pigeon post»" } },
schtasks /create /tn nightly /ru CORP\build /rp «avalanche» /tr run.cmd
"tests": { "pass": "all of them" },"##,
    );
}

#[test]
fn catalogs_of_texts() {
    check_whole(
        "{\n  \"Name\": \"Der Name\",\n  \"Host\": \"Der Rechner\",\n  \"password\": \"Geheimwort\",\n  \
         \"Port\": \"Der Anschluss\",\n  \"User\": \"Der Benutzer\"\n}\n",
    );
    check_whole(
        "{\n  \"name\": \"shop\",\n  \"host\": \"db1\",\n  \"password\": \"«Geheimwort»\",\n  \
         \"port\": 5432,\n  \"user\": \"anna\"\n}\n",
    );
    check(r#""Client Secret": "Klienthemlighet","#);
}

/// Values are read up to a maximum length, which may end within a character.
#[test]
fn values_end_with_a_character() {
    let starts = [
        "password is ",
        "password: ",
        "password=",
        "<password>\n",
        "curl -u a:",
        "sshpass -p ",
        "enable secret ",
        "snmp-server community ",
        "login: admin / ",
        "Password=",
        "a,password\nb,",
        "| password |\n|--|\n| ",
        "${password:",
        "password: **",
    ];
    for (start, character) in starts.iter().flat_map(|it| ["é", "漢", "🙂"].map(|c| (it, c))) {
        for shift in 0..4 {
            for length in [20, 53, 64, 160, 256, 640, 1_024, 4_096] {
                let text = format!("{}{start}{}", "x".repeat(shift), character.repeat(length));
                find_secrets(&text);
            }
        }
    }
}
