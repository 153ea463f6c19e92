//! LEB128 variable-length integers: seven bits a byte, least significant first.

pub(crate) fn write_varint(bytes: &mut Vec<u8>, value: impl Into<u64>) {
    let mut value = value.into();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Reads a number and advances. A truncated number reads as if zeros followed.
#[inline]
pub(crate) fn read_varint(bytes: &mut &[u8]) -> u32 {
    match **bytes {
        [byte @ ..0x80, ref rest @ ..] => {
            *bytes = rest;
            u32::from(byte)
        }
        _ => read_long(bytes),
    }
}

fn read_long(bytes: &mut &[u8]) -> u32 {
    let mut value = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        if byte & 0x80 == 0 {
            break;
        }
        shift += 7;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn varints_round_trip() {
        let values = [0, 1, 127, 128, 300, 1 << 20, u32::MAX];
        let mut bytes = Vec::new();
        values.iter().for_each(|&value| write_varint(&mut bytes, value));
        let mut rest = bytes.as_slice();
        assert!(values.iter().all(|&value| read_varint(&mut rest) == value));
        assert_eq!((rest.len(), read_varint(&mut rest)), (0, 0));
    }
}
