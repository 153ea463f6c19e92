//! Latin letters with diacritics, which passwords contain as well as the texts of a user interface.

/// Letters of U+00C0 to U+017F by their base letters. A space marks a character that is not a letter.
const BASES: &[u8; 192] = b"AAAAAAACEEEEIIIIDNOOOOO OUUUUYTsaaaaaaaceeeeiiiidnooooo ouuuuytyAaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlLlLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

/// Returns a text with base letters instead of letters with diacritics; `None` if it has other characters.
pub(super) fn folded(value: &str) -> Option<String> {
    value.chars().map(base).collect()
}

fn base(character: char) -> Option<char> {
    if character.is_ascii() {
        return Some(character);
    }
    let index = (character as usize).checked_sub(0xC0)?;
    BASES.get(index).map(|base| char::from(*base)).filter(|base| *base != ' ')
}

/// Returns the length of the letter with a diacritic at the beginning of `bytes`, or 0.
pub(super) fn letter_length(bytes: &[u8]) -> usize {
    match bytes {
        [0xC3..=0xC5, 0x80..=0xBF, ..]
            if bytes[..2] != [0xC3, 0x97] && bytes[..2] != [0xC3, 0xB7] =>
        {
            2
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_bases() {
        assert_eq!(folded("Käsekuchen für Łódź").as_deref(), Some("Kasekuchen fur Lodz"));
        assert_eq!(folded("Şifre, ğ, ÿ, ž, ſ").as_deref(), Some("Sifre, g, y, z, s"));
        assert_eq!(folded("пароль"), None);
        assert_eq!(folded("3×4"), None);
    }
}
