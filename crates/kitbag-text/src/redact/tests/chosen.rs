//! Passwords as people choose them, and code, labels and examples that resemble them.

use super::families::{check, check_whole};

#[test]
fn words_names_and_phrases_under_clear_names() {
    check(
        r#"spring.datasource.password=«mollyandmax»
"password": "«Rex the dog»",
password: "«bluewhale»"
smtp_password = '«tinman»'
db_password = "«Groundhog Day»"
DB_PASSWORD=«hedgehog»
export SESSION_SECRET="«all hands on deck»"
  password: '«it''s a kind of magic»'
"jwtSecret": "«do not tell anyone»",
ADMIN_TOKEN=«wicked-witch-13»
user=anna password=«lighthouse» host=db
jdbc:postgresql://db/shop?user=shop&password=«peppermint»
"password" -> "«aida1871»", "user" -> "etl"
mapOf("password" to "«petersburg»")
.option("password", "«Milano!»")
{password, "«erlangen»"}.
storePassword "«marzipan»"
requirepass «Rhubarb»
(user 'remote', password '«far away»')
tool --user anna --password «subversive» https://svn.host/
PGPASSWORD=«quitten» pg_dump shop
Wifi password: «coffee-shop-9»
- "BASICAUTH_PASSWORD=«jelly time»"
password: «Welcome1»
password: «spring2020»
password = "«Barcelona1899»""#,
    );
}

#[test]
fn code_labels_and_examples() {
    check(
        r#"password = get_password()
    password = content
self.password = password
password: str
password: SecretStr
let password: String?
"password": "string",
"password": "Mot de passe",
"newPassword": "Nieuw wachtwoord",
error.password=The password is too short
'password' => ['required', 'string', 'min:8'],
fields = ("password", "nickname", "birthday")
<p id="pass">Form submitted!</p>
password: "letmein"
password = "celerypassword"
password: "Admin!pass"
update_password: always
--password option is read from the environment
existingSecret: falcon-postgresql
tls-secret: "falcon-tls"
refresh_token: "refresh-token-1234"
"not_secret": "this is displayed"
Password manager
f(user=user, password=passphrase)"#,
    );
}

/// The lines around a value without quotes tell configuration from code.
#[test]
fn lines_around_a_value() {
    check_whole("development:\n  adapter: mysql\n  password: «kittycat»\n  pool: 5\n");
    check_whole("[db]\nhost = db\npassword = «snowflake»\n");
    check_whole("class Settings:\n    user: str\n    password: Vaultling\n");
    check_whole("def login(self):\n    name = read()\n    password = snowfall\n");
    check_whole("@@ -1,2 +1,2 @@\n host = db\n-password = «oldbones»\n+password = «newbones»\n");
    check_whole("app.yml:11:  host: db\napp.yml:12:  password: «greppable»\n");
}

#[test]
fn passwords_in_commands_statements_and_addresses() {
    check(
        r#"ConvertTo-SecureString "«Herbst!»" -AsPlainText -Force
ConvertTo-SecureString -String '«Thar Desert»' -AsPlainText -Force
ConvertTo-SecureString $plain -AsPlainText -Force
Connect-VIServer -Server vc01 -Password «vSphere_6»
CONNECT hr/«peoplePerson»@//db01:1521/ORCLPDB1
SQL> conn app_owner/«delphi»@(DESCRIPTION=(ADDRESS=(HOST=db01)))
CONNECT / AS SYSDBA
expdp system/«pythia77» schemas=shop
CREATE ROLE shop LOGIN PASSWORD '«gobi»';
SET PASSWORD FOR 'etl'@'%' = '«etl4ever»';
Server=s;User Id=u;Password=«hours of idleness»;
amqp://anna:«rabbit@hole/2»@mq:5672/%2f
redis://default:«a/b/c-def»@cache:6379/1
https://anna:«me@work»@nexus.host/raw/
https://anna:«Harbor?1985»@git.host/shop.git
http://localhost:8080/users/@me?next=/a@b
TOTP_SEED = "«NB2W45DFOIZA3VTK»"
pyotp.TOTP("«MFRGGZDFMZTWQ2LK»")
setup key: «krug s4dq n5xs a43f mnzg k5dt oj4x i2ll»"#,
    );
}
