//! URLs of stores.

use std::fmt;
use std::str::FromStr;

/// Reason why a text is not the URL of a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// The part before `://` is missing or unknown.
    #[error(
        "`{url}` is not the URL of a store: it must begin with `s3://`, `gs://`, `az://` or `file:///`"
    )]
    Scheme {
        /// The text.
        url: String,
    },
    /// The bucket is missing or has an invalid name.
    #[error("`{url}` has no valid bucket: write `{scheme}://bucket/prefix`")]
    Bucket {
        /// The URL.
        url: String,
        /// Its scheme.
        scheme: &'static str,
    },
    /// The path of a folder is relative.
    #[error("`{url}` is not an absolute path: write `file:///path`")]
    Relative {
        /// The URL.
        url: String,
    },
    /// The prefix has empty parts, `..`, or characters that need escaping.
    #[error(
        "`{url}` has an invalid prefix: use letters, digits and `-_.+=` between single slashes"
    )]
    Prefix {
        /// The URL.
        url: String,
    },
}

/// Kind of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    S3,
    Gcs,
    Azure,
    File,
}

impl Scheme {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S3 => "s3",
            Self::Gcs => "gs",
            Self::Azure => "az",
            Self::File => "file",
        }
    }
}

/// URL of a store, such as `s3://bucket/prefix` or `file:///srv/kitbag`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreUrl {
    pub(crate) scheme: Scheme,
    /// Bucket or container; the path of a folder.
    pub(crate) bucket: String,
    /// Prefix of all names, without slashes at either end.
    pub(crate) prefix: String,
}

impl FromStr for StoreUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        let schemes = [Scheme::S3, Scheme::Gcs, Scheme::Azure, Scheme::File];
        let split = text.split_once("://");
        let found = split.and_then(|(name, rest)| {
            let scheme = schemes.into_iter().find(|scheme| scheme.as_str() == name)?;
            Some((scheme, rest))
        });
        // Credentials do not belong in a URL, and must not be repeated in an error.
        let url = split.and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1)));
        let url =
            url.map_or_else(|| text.to_owned(), |(scheme, rest)| format!("{scheme}://{rest}"));
        let Some((scheme, rest)) = found else { return Err(UrlError::Scheme { url }) };
        if scheme == Scheme::File {
            return Self::of_folder(rest).ok_or(UrlError::Relative { url });
        }
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if !is_bucket(bucket) {
            return Err(UrlError::Bucket { url, scheme: scheme.as_str() });
        }
        let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
        if !prefix.is_empty() && !prefix.split('/').all(is_part) {
            return Err(UrlError::Prefix { url });
        }
        Ok(Self { scheme, bucket: bucket.to_owned(), prefix: prefix.to_owned() })
    }
}

impl StoreUrl {
    fn of_folder(path: &str) -> Option<Self> {
        let path = if cfg!(windows) { path.strip_prefix('/')? } else { path };
        let is_absolute = std::path::Path::new(path).is_absolute();
        let (bucket, prefix) = (path.to_owned(), String::new());
        is_absolute.then_some(Self { scheme: Scheme::File, bucket, prefix })
    }
}

fn is_bucket(name: &str) -> bool {
    let is_valid = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
    !name.is_empty() && name.len() <= 255 && name.bytes().all(is_valid)
}

fn is_part(part: &str) -> bool {
    let is_valid = |it: u8| it.is_ascii_alphanumeric() || b"-_.+=".contains(&it);
    !part.is_empty() && part != "." && part != ".." && part.bytes().all(is_valid)
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scheme, bucket, prefix } = self;
        let root = if cfg!(windows) && *scheme == Scheme::File { "/" } else { "" };
        write!(formatter, "{}://{root}{bucket}", scheme.as_str())?;
        if prefix.is_empty() { Ok(()) } else { write!(formatter, "/{prefix}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_round_trip() {
        for url in ["s3://bucket", "s3://my-bucket/a/b.c", "gs://b/x=1", "az://container/prefix"] {
            assert_eq!(url.parse().map(|url: StoreUrl| url.to_string()), Ok(url.to_owned()));
        }
        let slash = "s3://bucket/a/".parse().map(|url: StoreUrl| url.to_string());
        assert_eq!(slash, Ok("s3://bucket/a".to_owned()));
    }

    #[test]
    fn invalid_urls_are_explained() {
        let error = |url: &str| url.parse::<StoreUrl>().expect_err(url).to_string();
        for url in ["", "bucket", "http://host/bucket", "S3://bucket", "s3:/bucket"] {
            assert!(error(url).contains("must begin with `s3://`"), "{url}");
        }
        for url in ["s3://", "s3:///prefix", "gs://b?x", "az://b#c", "s3://user:secret@bucket"] {
            assert!(error(url).contains("no valid bucket"), "{url}");
        }
        assert!(!error("s3://user:secret@bu cket").contains("secret"));
        assert!(!error("http://user:secret@host/bucket").contains("secret"));
        for url in ["s3://b//x", "s3://b/a/../c", "s3://b/a b", "s3://b/%2e%2e"] {
            assert!(error(url).contains("invalid prefix"), "{url}");
        }
        for url in ["file://", "file://folder", "file://./folder"] {
            assert!(error(url).contains("not an absolute path"), "{url}");
        }
    }
}
