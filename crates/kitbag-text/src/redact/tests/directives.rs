//! Secrets in the files of services and devices, on command lines and in notes.

use super::super::find_secrets;
use super::families::{check, check_whole};

#[test]
fn files_of_services() {
    check(
        r#"    stats auth operator:«gatehouse»
cache_peer proxy.host parent 3128 0 no-query login=branch:«Fjordpony»
ldap_default_authtok = «Plumtree-9»
rocommunity «harbourmaster» 10.1.0.0/16
rwcommunity «harbourmaster»
createUser monitor SHA "«tangled kite»" AES "«Upland-fox»"
rootpw --plaintext «sleigh-ride-4»
ENV MYSQL_PWD «copper_kettle»
  user "marta" there with password "«ginger-2-snap»" is "marta" here
default_pass = «wandering.heron»
    environment: { MINIO_ROOT_USER: minio, MINIO_ROOT_PASSWORD: «featherweight» }
<wsse:Password Type="http://docs.oasis-open.org/wss/profile-1.0#PasswordText">«operetta9»</wsse:Password>
<Pass encoding="base64">«UXVpbGwyOCs3»</Pass>
WTF_CSRF_SECRET_KEY = "«hJ3kPq8ZvT5nXw2LsD7cYb4R»"
    stats auth needs a user and a password
rocommunity public
rocommunity string of the agent
rootpw --lock
password: settings.password
{ DB_PASSWORD: config.password }
csrf_token = "hJ3kPq8ZvT5nXw2LsD7cYb4R"
<password-field label="Secret question">"#,
    );
}

#[test]
fn blocks_of_lines() {
    check_whole("hostname a\nline vty 0 4\n password «lighthouse»\n login\n!\n");
    check_whole("line con 0\n exec-timeout 5 0\n password 7 «094F471A1A0A57»\n");
    check_whole("The line vty 0 4 has a\n password required\n");
    check_whole(
        "#cloud-config\nchpasswd:\n  expire: false\n  list: |\n    root:«Cloudberry8»\n    dev:$6$abc$def\nruncmd:\n  - \
         a:bcdefgh\n",
    );
    check_whole("chpasswd:\n  list:\n    - root:«Cloudberry8»\n    - pi:RANDOM\n");
    check_whole(
        "# client    server  secret          IP addresses\ndsl1 * «qd8Jw2vx» *\n\"vpn b\"\tl2tpd\t\"«bob's pony»\"\t10.9.0.4\n",
    );
    check_whole("# client server model\ndsl1 * qd8Jw2vx *\n");
    check_whole(
        "expect \"assword:\"\nsend \"«Whitewater»\\r\"\nexpect \"# \"\nsend \"reboot now\\r\"\n",
    );
    check_whole("child.expect('Password:')\nchild.sendline('«Whitewater»')\n");
    check_whole("[[inputs.snmp]]\n  version = 2\n  community = \"«tramline-ro»\"\n");
    check_whole("[forum]\n  community = \"tramline-ro\"\n");
    check_whole(
        "; users\n\"app_rw\" \"«Lobsters4tea»\"\n\"stats\" \"md5d8578edf8458ce06fbc5bb76a58c5ca4\"\n",
    );
    check_whole("printf(\n\"app_rw\" \"Lobsters4tea\"\n);\n");
    check_whole("expect \"login:\"\nsend \"operator\\r\"\n");
    check_whole("expect \"assword:\"\nsend \"$password\\r\"\n");
}

#[test]
fn command_lines() {
    check(
        r#"openssl passwd -6 -salt ab «graphite»
nmcli dev wifi connect Office password "«cake and tea»"
psexec \\host1 -u admin -p «tawnyOwl» cmd
["CMD", "mysqladmin", "ping", "-uroot", "-p«hazelnut»"]
kubectl create secret generic db --from-literal=user=app --from-literal=password=«cubicle»
helm install shop --set auth.password=«hedgerow» --wait
kubectl create secret generic db --from-literal=password=$DB_PASSWORD
helm install shop --set auth.existingSecret=shop-credentials
nmcli connection modify Office password-flags 0"#,
    );
}

#[test]
fn code_and_statements() {
    check(
        r#"await page.fill('input[name="password"]', '«Drumkit8»')
ks.load(in, "«Walnuts4me»".toCharArray());
client = Client(account_sid, "«5d513eb1d737a9d52e52d069c4025ec7»")
new Client("AC2619b4079aeff496c9f65fda835d10be", "«5d513eb1d737a9d52e52d069c4025ec7»")
CREATE DATABASE LINK hq CONNECT TO app IDENTIFIED BY «lanterns7» USING 'hq';
$ua->credentials("host:443", "Members", "ann" => "«oysterDiver»");
$ftp->login("upload", "«pearlOnion»");
EXEC sp_addlogin 'jane', '«Doorstep88»';
login {user=ann, password=«otterDam», remember=true}
GET /cb?code=«3ek2L9bRhKqdZWg4u61YRJ5E4YuaNX»&state=ok
ks.load(in, "changeit".toCharArray());
client.connect(80, (err) => { log("Walnuts4me") })
for (char c : "abcdef12".toCharArray()) {
a resource is identified by name using the index
session = {user=user, password=password}
connect(user=name, password=phrase, port=1)
GET /search?code=us-east-1&state=ca"#,
    );
}

#[test]
fn notes() {
    check(
        "WLAN-Passwort: «Teekanne»\nMot de passe : «croissant-9»\nContraseña: «nopalVerde»\nПароль: «kolobok77»\nパスワード：«sakura8»\n\
         Zugang Router: admin / «fritter77»\ndb login -> sa:«Overhand5»\nAPI key for the weather service = \
         «6a395d99eb22d9372c9b1df028983b49»\nContraseña: obligatoria por favor\npasswort: Passwort\nlogin: \
         see:README\n",
    );
}

/// Lines are read up to a maximum length, which may end within a character.
#[test]
fn directives_end_with_a_character() {
    let starts = [
        "line vty 0 4\n",
        "chpasswd:\n",
        "# client server secret\n",
        "expect \"assword\"\nsend \"",
    ];
    for (start, character) in starts.iter().flat_map(|it| ["é", "漢", "🙂"].map(|c| (it, c))) {
        for shift in 0..4 {
            for (indent, length) in [("", 20), (" password ", 300), ("  a:", 600), ("a b ", 2_000)]
            {
                let line = format!("{}{indent}{}\n", "x".repeat(shift), character.repeat(length));
                find_secrets(&format!("{start}{line}{line}"));
            }
        }
    }
}
