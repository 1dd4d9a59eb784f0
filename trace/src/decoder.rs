//! One instruction line to one instruction.
//!
//! Between program counter and addresses, a line says the same at every execution of its
//! instruction. Each such text is parsed once; from then on it is recognised by comparison, and
//! only mask and addresses are read.

use std::collections::HashMap;

use crate::fields::{decimal, hexadecimal, number, show, Fields};
use crate::opcode::OpcodeError;
use crate::program::{Instruction, Program};
use crate::registers::Register;

/// Why a line cannot be decoded; the caller adds file and line.
pub(crate) enum LineError {
    Garbled(String),
    Opcode(OpcodeError),
}

impl LineError {
    fn garbled(what: &str, found: &[u8]) -> LineError {
        LineError::Garbled(format!("{what} expected, `{}` found", show(found)))
    }
}

/// Decodes the instruction lines of one file.
pub(crate) struct Decoder {
    /// Fields before the program counter.
    skipped_fields: usize,
    /// Immediates at the end of a line: none before version 5, one in it, two after it.
    immediate_fields: usize,
    heads: HashMap<u32, Vec<Head>, PcHashing>,
}

/// The part of a line from destination count to memory width, met at one program counter.
struct Head {
    text: Box<[u8]>,
    opcode: Box<str>,
    destination: Option<Register>,
    sources: Vec<Register>,
    width: u16,
    /// Index in the program, by immediates.
    indices: Vec<([i64; 2], u32)>,
}

impl Decoder {
    pub fn new(tracer_version: u32, skipped_fields: usize) -> Decoder {
        Decoder {
            skipped_fields,
            immediate_fields: tracer_version.saturating_sub(4) as usize,
            heads: HashMap::default(),
        }
    }

    /// Static index and mask of the instruction in `line`; its addresses are appended to `pool`.
    pub fn decode(
        &mut self,
        line: &[u8],
        program: &mut Program,
        pool: &mut Vec<u64>,
    ) -> Result<(u32, u32), LineError> {
        let mut fields = Fields(line);
        for _ in 0..self.skipped_fields {
            fields.next();
        }
        let pc = fields.next();
        let pc = hexadecimal(pc)
            .and_then(|pc| u32::try_from(pc).ok())
            .ok_or_else(|| LineError::garbled("a hexadecimal program counter", pc))?;
        let mask = fields.next();
        let mask = hexadecimal(mask)
            .filter(|_| mask.len() == 8)
            .ok_or_else(|| LineError::garbled("an 8-digit lane mask", mask))? as u32;

        let heads = self.heads.entry(pc).or_default();
        let position = match heads.iter().position(|head| head.starts(fields.0)) {
            Some(position) => position,
            None => {
                heads.push(Head::parse(fields)?);
                heads.len() - 1
            }
        };
        let head = &mut heads[position];
        let mut fields = Fields(fields.0.get(head.text.len() + 1..).unwrap_or_default());

        if head.width > 0 {
            read_addresses(&mut fields, mask, pool)?;
        }

        let mut immediates = [0; 2];
        for immediate in &mut immediates[..self.immediate_fields] {
            let field = fields.next();
            *immediate = decimal(field).ok_or_else(|| LineError::garbled("a decimal immediate", field))?;
        }
        check_trailer(fields)?;
        let known = head.indices.iter().find(|(met, _)| *met == immediates);
        let index = match known {
            Some(&(_, index)) => index,
            None => head.intern(pc, immediates, program)?,
        };
        Ok((index, mask))
    }
}

impl Head {
    /// Whether a line goes on with this text.
    fn starts(&self, rest: &[u8]) -> bool {
        rest.starts_with(&self.text) && matches!(rest.get(self.text.len()), None | Some(b' '))
    }

    /// Parses `nd [Rd] opcode ns [Rs..] width`.
    fn parse(line: Fields) -> Result<Head, LineError> {
        let mut fields = line;
        let destination = match fields.next() {
            b"0" => None,
            b"1" => Some(register(fields.next())?),
            found => return Err(LineError::garbled("destination count 0 or 1", found)),
        };
        let opcode = fields.next();
        let opcode = std::str::from_utf8(opcode)
            .ok()
            .filter(|opcode| opcode.starts_with(|first: char| first.is_ascii_uppercase()))
            .ok_or_else(|| LineError::garbled("an opcode", opcode))?;
        let count = fields.next();
        let count = number::<u8>(count)
            .filter(|&count| count <= 16)
            .ok_or_else(|| LineError::garbled("a source count", count))?;
        let sources = (0..count).map(|_| register(fields.next())).collect::<Result<_, _>>()?;
        let width = fields.next();
        let width = number::<u16>(width)
            .filter(|&width| width <= 128)
            .ok_or_else(|| LineError::garbled("a memory width in bytes", width))?;
        let text = line.0[..line.0.len() - fields.0.len()].trim_ascii_end();
        Ok(Head {
            text: text.into(),
            opcode: opcode.into(),
            destination,
            sources,
            width,
            indices: Vec::new(),
        })
    }

    fn intern(&mut self, pc: u32, immediates: [i64; 2], program: &mut Program) -> Result<u32, LineError> {
        let instruction = Instruction {
            pc,
            opcode: &self.opcode,
            destination: self.destination,
            sources: &self.sources,
            width: self.width,
            immediates,
        };
        let index = program.intern(&instruction).map_err(LineError::Opcode)?;
        self.indices.push((immediates, index));
        Ok(index)
    }
}

fn register(text: &[u8]) -> Result<Register, LineError> {
    let parsed = match text {
        [b'R', digits @ ..] => number(digits).map(Register::vector),
        [b'U', b'R', digits @ ..] => number(digits).map(Register::Uniform),
        _ => None,
    };
    parsed.ok_or_else(|| LineError::garbled("a register", text))
}

/// Reads one address per active lane in any of the three compressions.
fn read_addresses(fields: &mut Fields, mask: u32, pool: &mut Vec<u64>) -> Result<(), LineError> {
    let lanes = mask.count_ones();
    let address = |field: &[u8]| {
        hexadecimal(field)
            .filter(|_| field.starts_with(b"0x"))
            .ok_or_else(|| LineError::garbled("an address", field))
    };
    let offset =
        |field: &[u8]| decimal(field).ok_or_else(|| LineError::garbled("an address difference", field));
    match fields.next() {
        // Every address.
        b"0" => {
            for _ in 0..lanes {
                pool.push(address(fields.next())?);
            }
        }
        // First address and stride.
        b"1" => {
            let mut current = address(fields.next())?;
            let stride = offset(fields.next())?;
            for _ in 0..lanes {
                pool.push(current);
                current = current.wrapping_add_signed(stride);
            }
        }
        // First address, then the difference to each next one.
        b"2" => {
            let mut current = address(fields.next())?;
            if lanes > 0 {
                pool.push(current);
            }
            for _ in 1..lanes {
                current = current.wrapping_add_signed(offset(fields.next())?);
                pool.push(current);
            }
        }
        found => return Err(LineError::garbled("address mode 0, 1 or 2", found)),
    }
    Ok(())
}

/// After the immediates come nothing, version 6's register values, or the values a store wrote.
/// Values are of no use here.
fn check_trailer(mut rest: Fields) -> Result<(), LineError> {
    if rest.is_empty() {
        return Ok(());
    }
    match rest.next() {
        b"NoVal" | b"Val" | b"STORE_DATA" => Ok(()),
        found => Err(LineError::garbled("the end of the line", found)),
    }
}

/// Program counters are small multiples of 8 or 16: one multiplication spreads them.
#[derive(Clone, Copy, Default)]
struct PcHashing;

impl std::hash::BuildHasher for PcHashing {
    type Hasher = PcHasher;

    fn build_hasher(&self) -> PcHasher {
        PcHasher(0)
    }
}

struct PcHasher(u64);

impl std::hash::Hasher for PcHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0 ^ u64::from(value)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::RegisterId;

    fn decode(version: u32, line: &str) -> Result<(Program, u32, Vec<u64>), String> {
        let mut decoder = Decoder::new(version, if version < 3 { 4 } else { 0 });
        let mut program = Program::default();
        let mut pool = Vec::new();
        match decoder.decode(line.as_bytes(), &mut program, &mut pool) {
            Ok((index, mask)) => {
                assert_eq!(index, 0);
                Ok((program, mask, pool))
            }
            Err(LineError::Garbled(reason)) => Err(reason),
            Err(LineError::Opcode(error)) => Err(error.to_string()),
        }
    }

    #[test]
    fn each_version_has_its_fields() {
        for (version, line, immediates) in [
            (2, "3 0 0 7 00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 ", [0, 0]),
            (3, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 ", [0, 0]),
            (4, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 ", [0, 0]),
            (5, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 -7 ", [-7, 0]),
            (6, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 3 192 NoVal ", [3, 192]),
            (6, "00a0 ffffffff 1 R3 IMAD 2 R6 R3 0 3 192 Val 1 5 ", [3, 192]),
        ] {
            let (program, mask, pool) = decode(version, line).unwrap();
            let instruction = &program[0];
            assert_eq!((instruction.pc, mask), (0xa0, u32::MAX));
            assert_eq!(&*instruction.opcode, "IMAD");
            assert_eq!(instruction.named_destination, Some(Register::vector(3)));
            assert_eq!(instruction.sources[..], [6, 3].map(RegisterId));
            assert_eq!(instruction.immediates, immediates);
            assert!(pool.is_empty());
        }
    }

    #[test]
    fn addresses_come_in_three_modes() {
        for (mode, addresses) in [
            ("0 0x10 0x30 0x20", vec![0x10, 0x30, 0x20]),
            ("1 0x10 -4", vec![0x10, 0xc, 0x8]),
            ("2 0x10 0 8", vec![0x10, 0x10, 0x18]),
        ] {
            let line = format!("0000 0000000e 1 R2 LDG.E 1 R4 4 {mode} 9 ");
            let (program, _, pool) = decode(5, &line).unwrap();
            assert_eq!(pool, addresses);
            assert_eq!(program[0].immediates, [9, 0]);
        }
        let (_, mask, pool) = decode(3, "0000 00000000 1 R2 LDG.E 1 R4 4 1 0x0 0 ").unwrap();
        assert_eq!((mask, pool.len()), (0, 0));
    }

    #[test]
    fn store_data_is_passed_over() {
        let line = "0000 00000001 0 STG.E.SYS 2 R6 R9 4 1 0x8 4 0 STORE_DATA I32 1 REG0:T0:0x1 ";
        assert_eq!(decode(5, line).unwrap().2, [8]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, reason) in [
            ("", "program counter expected"),
            ("zz ffffffff 0 EXIT 0 0 0 ", "program counter expected, `zz` found"),
            ("0000 ffff 0 EXIT 0 0 0 ", "8-digit lane mask expected, `ffff` found"),
            ("0000 ffffffff 2 R1 R2 MOV 0 0 0 ", "destination count 0 or 1"),
            ("0000 ffffffff 1 X1 MOV 0 0 0 ", "a register expected, `X1`"),
            ("0000 ffffffff 1 R256 MOV 0 0 0 ", "a register expected, `R256`"),
            ("0000 ffffffff 0 EXIT x 0 0 ", "source count expected, `x`"),
            ("0000 ffffffff 0 EXIT 0 y 0 ", "memory width in bytes expected, `y`"),
            ("0000 ffffffff 0 EXIT 0 0 ", "decimal immediate expected, `` found"),
            ("0000 ffffffff 0 EXIT 0 0 0 7 ", "end of the line expected, `7`"),
            ("0000 ffffffff 0 FROB 0 0 0 ", "unknown opcode `FROB`"),
            ("0000 00000001 1 R2 LDG.E 1 R4 4 3 0x0 0 0 ", "address mode"),
            ("0000 00000003 1 R2 LDG.E 1 R4 4 0 0x0 ", "an address expected"),
        ] {
            let error = decode(5, line).expect_err(line);
            assert!(error.contains(reason), "{line}: {error}");
        }
    }

    #[test]
    fn instructions_at_one_place_are_told_apart() {
        let mut decoder = Decoder::new(5, 0);
        let (mut program, mut pool) = (Program::default(), Vec::new());
        let mut index = |line: &str| {
            let result = decoder.decode(line.as_bytes(), &mut program, &mut pool);
            result.ok().expect("a good line").0
        };
        assert_eq!(index("0000 ffffffff 0 EXIT 0 0 0 "), 0);
        assert_eq!(index("0000 ffffffff 0 EXIT 0 0 1 "), 1);
        assert_eq!(index("0000 ffffffff 0 BRA 0 0 1 "), 2);
        assert_eq!(index("0010 ffffffff 0 EXIT 0 0 0 "), 3);
        assert_eq!(index("0000 00000000 0 EXIT 0 0 0 "), 0);
    }
}
