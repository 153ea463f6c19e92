//! Texts full of values that look like secrets but are not.

use super::super::find_secrets;
use super::examples::spell;

fn check(text: &str) {
    let text = spell(text, 11);
    let found: Vec<_> =
        find_secrets(&text).iter().map(|it| (it.rule, text[it.range.clone()].to_owned())).collect();
    assert_eq!(found, []);
}

#[test]
fn lock_files_have_no_secrets() {
    check(
        "\"node_modules/js-tokens\": {\n  \"version\": \"4.0.0\",\n  \"resolved\": \
         \"https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz\",\n  \"integrity\": \
         \"sha512-{b86}==\"\n},\n\"node_modules/@aws-sdk/credential-provider-env\": {\n  \
         \"integrity\": \"sha512-{b86}==\"\n}\n",
    );
    check("name = \"secrecy\"\nversion = \"0.8.0\"\nchecksum = \"{h64}\"\n");
    check("token-types (0.9.1):\n  github.com/a/token v0.0.0-20240102030405-{h12} h1:{b43}=\n");
    check("password-hash==1.2 \\\n    --hash=sha256:{h64} \\\n    --hash=sha256:{h64}\n");
}

#[test]
fn code_about_tokens_and_passwords_has_no_secrets() {
    check(
        "fn token(&mut self) -> Token { let token = self.tokens[self.at2]; token }\n\
         if (user.password != hash(password, user.salt2)) { throw new Error(\"bad password\"); }\n\
         <input type=\"password\" name=\"password\" id=\"user_password_2\">\n\
         const SECRET_PATH: &str = \"/run/secrets/db2\";\n\
         token: process.env.GITHUB_TOKEN || process.env.GH_TOKEN2,\n\
         password: { type: String, required: true, minlength: 8 },\n\
         api_key = config[\"services\"][\"maps2\"][\"api_key\"]\n\
         let token = cancellationTokenSource.token;\n\
         'password' => ['required', 'string', 'min:8', Rules\\Password::defaults()],\n",
    );
}

#[test]
fn minified_code_has_no_secrets() {
    check(
        "!function(e,t){var n={token:e.t1,password:t.p2,secret:function(){return n.x3}};e.exports=n.token+\
         r(12)(n.password||\"\",{key:\"a1b2\",apiKey:o.a9,tokens:[1,2,3]})}(a,b),c=\"data:image/png;base64,{b400}\";",
    );
}

#[test]
fn hashes_ids_and_test_data_have_no_secrets() {
    check(
        "commit {h40}\nuses: actions/checkout@{h40}\nimage: redis@sha256:{h64}\n\
         id: {h8}-{h4}-{h4}-{h4}-{h12}\nETag: \"{h32}\"\nsha256 = \"{h64}\"\n\
         password = \"test1234\"\ntoken = \"test-token-123456789\"\nsecret: \"s3cr3t-value-1234\"\n\
         API_KEY=your-api-key-here\nAPI_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxx\ntoken: ${TOKEN}\n\
         secret: {{ .Values.secret.token1234567890 }}\npassword: <password>\n\
         assert token == \"0123456789abcdef0123456789abcdef\"\n",
    );
}
