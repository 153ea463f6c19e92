//! Rules for passwords on command lines and in configuration with a syntax of its own.

use super::guard;
use super::rule::{SecretRule, rule};

/// An option's value, quoted or not.
macro_rules! value {
    () => {
        r#"(?:"([^"$`\n]{4,64})"|'([^'\n]{4,64})'|["']?([^\s"'`<>|;&()\\]{4,}))"#
    };
}

const ID: &str = "command-password";
const COMMAND: &str = "password on a command line";
const DEVICE: &str = "password in the configuration of a device or service";

/// Minimum distance between two commands.
const COMMAND_DISTANCE: usize = 32;

/// A password after an option of a command.
const fn command(keywords: &'static [&'static str], pattern: &'static str) -> SecretRule {
    rule(ID, COMMAND, pattern)
        .after(keywords)
        .at_distance(COMMAND_DISTANCE)
        .with_guard(guard::is_plain_password)
}

/// A password on a line of configuration.
const fn device(keywords: &'static [&'static str], pattern: &'static str) -> SecretRule {
    rule("config-password", DEVICE, pattern).after(keywords).with_guard(guard::is_device_password)
}

/// A line that consists of a label and a value.
const LABEL: &str = r"\A[ \t]*(?:[-*>] )?(?:[^\s:=\x22'(]{1,24}[ -]){0,2}(?i:passwort|kennwort|mot de passe|contrase\xC3\xB1a|senha|wachtwoord|has\xC5\x82o|heslo|\xD0\xBF\xD0\xB0\xD1\x80\xD0\xBE\xD0\xBB\xD1\x8C|\xD0\x9F\xD0\xB0\xD1\x80\xD0\xBE\xD0\xBB\xD1\x8C|\xE5\xAF\x86\xE7\xA0\x81|\xE5\xAF\x86\xE7\xA2\xBC|\xE3\x83\x91\xE3\x82\xB9\xE3\x83\xAF\xE3\x83\xBC\xE3\x83\x89|\xEB\xB9\x84\xEB\xB0\x80\xEB\xB2\x88\xED\x98\xB8)(?: ?: ?|\xEF\xBC\x9A)([!-~]{4,64})[ \t\r]*\z";

pub(super) const RULES: &[SecretRule] = &[
    command(
        &["curl ", "wget ", "httpie ", "http ", "xh "],
        concat!(r#"[a-z]+ [^\n]{0,300}?(?:-u|--user|-U|--proxy-user|-a|--auth)[ =]["']?[^\s:"']{1,64}:"#, value!()),
    ),
    command(&["mysql", "mariadb"], concat!(r"(?:mysql|mariadb)[a-z-]{0,10} (?:[^\n|;]{0,300}? )?-p", value!())),
    command(&["mysqladmin "], concat!(r"mysqladmin [^\n]{0,120}?password ", value!())),
    command(&["lftp "], r#"lftp [^\n]{0,80}?-u ["']?[^\s,"']{1,64},([^\s"']{4,})"#),
    command(&["sshpass "], concat!(r"sshpass (?:-[ev] ){0,2}-p ?", value!())),
    command(&["redis-cli "], concat!(r"redis-cli [^\n]{0,200}?(?:-a|--pass) ", value!())),
    command(
        &["docker ", "podman ", "nerdctl ", "helm ", "az login", "twine ", "crane ", "oras ", "skopeo ", "oc login", "cf login"],
        concat!(r"(?:docker|podman|nerdctl|helm|az|twine|crane|oras|skopeo|oc|cf) [^\n]{0,80}?(?:login|upload) [^\n]{0,200}?(?:-p|--password)[ =]", value!()),
    ),
    command(&["net use ", "NET USE "], concat!(r"(?:net use|NET USE) [^\n]{0,160}?/(?:user|USER):\S+ ", value!())),
    command(&["schtasks ", "SCHTASKS "], concat!(r"(?:schtasks|SCHTASKS) [^\n]{0,200}?/(?:rp|RP|p|P) ", value!())),
    command(&["plink ", "pscp ", "psftp ", "winscp"], concat!(r"[a-z]+ [^\n]{0,160}?[-/](?:pw|password=) ?", value!())),
    command(&["net user ", "NET USER "], concat!(r"(?:net user|NET USER) [^\s/]+ ", value!())),
    command(&["7z ", "7za ", "7zz ", "rar "], concat!(r"[a-z0-9]+ [a-z]{1,2} [^\n]{0,160}?-(?:p|hp)", value!())),
    command(&["zip "], concat!(r"zip [^\n]{0,80}?-P ", value!())),
    command(&["-pass ", "-passin ", "-passout "], concat!(r"-pass(?:in|out)? pass:", value!())),
    command(&["htpasswd "], concat!(r"htpasswd -[a-zA-Z]*b[a-zA-Z]* \S+ \S+ ", value!())),
    command(&["ldapsearch ", "ldapadd ", "ldapmodify ", "ldappasswd "], concat!(r"ldap[a-z]+ [^\n]{0,200}?-w ", value!())),
    command(&["mosquitto_", "ipmitool ", "sqlcmd ", "bcp "], concat!(r"[a-z_]+ [^\n]{0,200}?-P ", value!())),
    command(&["smbclient ", "rpcclient ", "mount -t cifs"], r#"[a-z]+ [^\n]{0,200}?-U ?["']?[^\s%"']+%([^\s"']{4,})"#),
    command(&["mongo", "mongosh ", "psql ", "influx ", "cqlsh "], concat!(r"[a-z]+ [^\n]{0,200}?(?:-p|--password)[ =]", value!())),
    command(&["xfreerdp", "cmdkey "], concat!(r"[a-z]+ [^\n]{0,200}?/(?:p|pass):", value!())),
    command(&["rabbitmqctl "], concat!(r"rabbitmqctl [^\n]{0,60}?(?:add_user|change_password) \S+ ", value!())),
    command(
        &["sqlplus ", "rman ", "CONNECT ", "connect ", "Connect ", "CONN ", "conn "],
        r#"[A-Za-z]+ (?:[^\n]{0,40}? )?["']?[A-Za-z][A-Za-z0-9_$#]{0,63}/["']?([^\s@/"']{4,64})["']?@"#,
    ),
    command(
        &["expdp ", "impdp ", "sqlldr "],
        r#"[a-z]+ (?:userid=)?[A-Za-z][A-Za-z0-9_$#]{0,63}/["']?([^\s@/"']{4,64})"#,
    ),
    command(
        &["ConvertTo-SecureString "],
        r#"ConvertTo-SecureString (?:-String )?(?:"([^"$\n]{4,64})"|'([^'\n]{4,64})'|([A-Za-z0-9][^\s"'$()]{3,63}))"#,
    ),
    command(&["openssl passwd "], concat!(r"openssl passwd (?:-salt \S+ |-[0-9a-z]+ )*", value!())),
    command(&["nmcli "], concat!(r"nmcli [^\n]{0,160}? password ", value!())),
    command(&["psexec", "PsExec"], concat!(r"(?i:psexec)[0-9a-z.]* [^\n]{0,160}? -p ", value!())),
    command(&["\"mysql", "\"mariadb"], r#""[a-z-]{5,20}",[^\n]{0,200}?"(?:-p|--password=)([^"\s$]{4,})""#),
    command(&["openconnect ", "passwd ", "vpnc "], concat!(r"[a-z]+ [^\n]{0,160}?<<< ?", value!())),
    rule(ID, "password that is piped to a command", r#"["' ][A-Za-z0-9_.-]{1,32}:([^\s"':|]{4,})["']? *\| *(?:sudo )?chpasswd"#)
        .near(&["chpasswd"])
        .with_guard(guard::is_plain_password),
    rule(ID, "password that is piped to a command", r#"echo (?:"([^"$|\n]{4,64})"|'([^'|\n]{4,64})'|([^\s"'|]{4,})) *\| *(?:sudo -S|sudo passwd|passwd --stdin|docker login)"#)
        .near(&["sudo -S", "passwd --stdin", "login -u", "--password-stdin"])
        .with_guard(guard::is_plain_password),
    rule(ID, "user and password of a request", r#"CURLOPT_(?:PROXY)?USERPWD["']?\s*(?:,|=>)\s*["'][^:"']{1,64}:([^"'\s]{4,})["']"#)
        .after(&["CURLOPT_USERPWD", "CURLOPT_PROXYUSERPWD"])
        .with_guard(guard::is_plain_password),
    rule(ID, "user and password that are encoded", r#"(?:btoa|b64encode|b64|base64_encode|Buffer\.from|getEncoder\(\)\.encodeToString|strict_encode64)\(b?["'`][^:"'`]{1,64}:([^"'`\s\\]{4,})["'`]"#)
        .near(&["btoa(", "b64encode(", "base64_encode(", "encode64(", "Buffer.from("])
        .with_guard(guard::is_encoded_password),
    rule(ID, "user and password of a session", r#"[a-z]+ ?[=:] ?[\(\[]["'][^"']{1,64}["'], ?["']([^"'\s]{4,})["'][\)\]]"#)
        .after(&["auth = (", "auth=(", "credentials = (", "credentials=(", "auth = [", "auth: ["])
        .with_guard(guard::is_plain_password),
    // Network devices and services.
    device(&["enable secret ", "enable password "], concat!(r"enable (?:secret|password) (?:level \d+ )?(?:0 )?", value!())),
    device(&["username "], concat!(r"username \S+ (?:[a-z]+ \d+ )?(?:password|secret) (?:0 )?", value!())),
    device(&["snmp-server community "], concat!(r"snmp-server community ", value!())),
    device(&["radius-server ", "tacacs-server ", "isakmp key "], concat!(r"[a-z-]+ (?:[^\n]{0,80}?key |key )(?:0 )?", value!())),
    device(&["pre-shared-key ", "wpa-psk ", "key-string ", "neighbor "], concat!(r"(?:pre-shared-key|wpa-psk|key-string|neighbor \S+ password) (?:(?:local|remote|ascii(?:-text)?) )?(?:0 )?", value!())),
    device(&["user "], r"user \S+ (?:on|off) (?:[^\n]{0,80}? )?>([^\s>]{4,})"),
    device(&[" EAP ", " XAUTH ", " PSK "], r#" (?:EAP|XAUTH|PSK) "([^"\s]{4,})""#),
    device(&["stats auth "], r"stats auth [^\s:]{1,64}:([^\s:]{4,})"),
    device(&["rootpw "], concat!(r"rootpw (?:--[a-z]+ )*--plaintext (?:--[a-z]+ )*", value!())),
    rule("config-password", "login of a parent proxy", r"cache_peer [^\n]{0,200}? login=[^\s:]{1,64}:([^\s:]{4,})")
        .after(&["cache_peer "])
        .with_guard(guard::is_plain_password),
    rule("config-password", "community of an SNMP agent", r"r[ow]community6? ([^\s]{4,})(?:[ \t]+(?:default|[0-9a-fA-F.:/]+))?[ \t]*\z")
        .after(&["rocommunity ", "rwcommunity ", "rocommunity6 ", "rwcommunity6 "])
        .with_guard(guard::is_plain_password),
    rule("config-password", "passphrase of an SNMP user", concat!(r"createUser [^\n]{1,120}? (?:MD5|SHA[0-9-]*) ", value!()))
        .after(&["createUser "])
        .with_guard(guard::is_plain_password),
    rule("config-password", "passphrase of an SNMP user", concat!(r"createUser [^\n]{1,200}? (?:DES|AES[0-9-]*) ", value!()))
        .after(&["createUser "])
        .with_guard(guard::is_plain_password),
    // Labels of notes, in languages whose words are not those of code.
    rule("password", "password after a label in another language", LABEL)
        .near(&[
            "asswort", "ennwort", "ot de passe", "ontraseña", "enha:", "enha :", "achtwoord", "asło", "eslo:", "ароль", "密码",
            "密碼", "パスワード", "비밀번호",
        ])
        .with_guard(guard::is_plain_password),
    rule("config-password", "password in a .pgpass file", r"[A-Za-z0-9.*-]{1,128}:(?:\d{2,5}|\*):[^:\s]{1,64}:[^:\s]{1,64}:([^\s:]{4,}?)(?:[\x22'\s]|\z)")
        .near(&[":5432:", ":5433:", ":6432:", ":*:"])
        .with_guard(guard::is_plain_password),
    rule("config-password", "password of a mail relay", r"\[[A-Za-z0-9.-]{1,128}\](?::\d{1,5})?[ \t]+[^\s:]{1,64}:([^\s:]{4,})")
        .near(&["]:587", "]:465", "]:25 ", "]:25\t"])
        .with_guard(guard::is_plain_password),
    command(&["curl "], r#"curl [^\n]{0,300}?(?:-b|--cookie) ["']?[A-Za-z0-9_.-]*(?i:sess|sid|token|auth)[A-Za-z0-9_.-]*=([A-Za-z0-9._%+/-]{16,})"#),
    rule(ID, "user and password of an administrator", r#"[=:] {0,4}["'](?:admin|root):([^"'\s:/@{}$_]{6,64})["']"#)
        .near(&["\"admin:", "'admin:", "\"root:", "'root:"])
        .with_guard(guard::is_password_with_digit),
    rule(ID, "user and password of a login", r#"(?i:logins?|credentials|zugang|account)(?: [A-Za-z]{1,16})?(?:[:=] {0,2}| )[`"']?[A-Za-z0-9._@-]{2,40}[`"']? ?/ ?[`"']?([^\s`"'/,;()<>]{4,64})"#)
        .near(&["login", "Login", "credentials", "Credentials", "ugang"])
        .with_guard(guard::is_password_with_digit),
    rule(ID, "user and password of a login", r#"(?i:logins?|credentials)(?: ?[-=]> ?|[:=] ?)[`"']?[A-Za-z0-9._-]{2,40}:([^\s`"':/,;()<>]{4,64})(?:[\s`"']|\z)"#)
        .near(&["login", "Login", "credentials", "Credentials"])
        .with_guard(guard::is_password_with_digit),
    rule(ID, "user and password of a login", r#"(?i:logins?|credentials)[:=] {1,2}[`"']?[A-Za-z0-9._@-]{0,32}(?:admin|root|demo|guest)[A-Za-z0-9._@-]{0,32}[`"']? / [`"']?([^\s`"'/,;()<>]{4,64})"#)
        .near(&["login:", "Login:", "logins:", "credentials:", "Credentials:"])
        .with_guard(guard::is_plain_password),
    rule("pin", "code of a lock or an alarm", r"(?i:code)(?: is|:)? {1,2}([0-9]{4,8}#?)(?:[^0-9A-Za-z]|\z)")
        .near(&["door code", "gate code", "alarm code", "enter code", "lock code", "safe code", "Door code", "Alarm code", "Enter code"])
        .with_guard(guard::is_pin),
    rule(ID, "password of a key store", r#"(?:\.(?:load|init|getKey|setKeyEntry|loadKeyMaterial)|PasswordProtection)\([^"\n]{0,80}"([^"\s]{4,64})"\.toCharArray\(\)"#)
        .near(&["\".toCharArray()"])
        .with_guard(guard::is_password_with_digit),
    // SQL.
    rule("sql-password", "password in an SQL statement", r"IDENTIFIED BY ([^\s\x22';,.]{4,64}) (?:USING|DEFAULT|ACCOUNT|QUOTA|PROFILE)\b")
        .after(&["IDENTIFIED BY "])
        .with_guard(guard::is_sql_password),
    rule("sql-password", "password in an SQL statement", r"sp_[a-z]+[ \t]+(?:@[a-z]+[ \t]*=[ \t]*)?N?'[^'\n]{1,64}'[ \t]*,[ \t]*(?:@[a-z]+[ \t]*=[ \t]*)?N?'([^'\n]{4,64})'")
        .after(&["sp_addlogin ", "sp_addapprole "])
        .with_guard(guard::is_sql_password),
    rule("sql-password", "password in an SQL statement", r"(?i:set[ \t]+[a-z_]{0,24}value[a-z_]{0,16}[ \t]*=[ \t]*)N?'([^'\n]{4,64})'[ \t\n]+(?i:where)[^\n]{0,80}?'[^'\n]{0,64}(?i:password|passwd|passphrase|secret)'")
        .after(&["SET ", "set "])
        .with_guard(guard::is_sql_password),
    rule("sql-password", "password in an SQL statement", r"PASSWORD[ \t]+'([^'\n]{4,64})'")
        .after(&["PASSWORD '", "PASSWORD  '"])
        .with_guard(guard::is_sql_password),
    rule("sql-password", "password in an SQL statement", r"(?i:set[ \t]+password)[^\n=']{0,40}(?:'[^'\n]{0,64}'@'[^'\n]{0,64}'[ \t]*)?=[ \t]*(?i:password\()?'([^'\n]{4,64})'")
        .after(&["SET PASSWORD", "set password", "Set Password"])
        .with_guard(guard::is_sql_password),
    rule("sql-password", "password in an SQL statement", r#"(?i:identified[ \t]+(?:with[ \t]+\S+[ \t]+)?by[ \t]+(?:password[ \t]+)?)(?:["']([^"'\s]{4,})["']|([^\s"';,.]{4,})(?:;|[ \t]*\n))"#)
        .after(&["IDENTIFIED ", "identified ", "Identified "])
        .with_guard(guard::is_sql_password),
];
