// SPDX-License-Identifier: Apache-2.0
//! One line of machine code: guard, opcode, operands.

use gpurf_trace::Control;
use winnow::ascii::{digit1, hex_digit1};
use winnow::combinator::{alt, delimited, opt, preceded, repeat, terminated};
use winnow::prelude::*;
use winnow::token::{rest, take_while};

/// An instruction as the listing has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// Byte offset in the kernel's code.
    pub pc: u32,
    /// The predicate it executes under; PT if none is written.
    pub guard: Predicate,
    /// Opcode with its modifiers, such as `LDG.E.64.SYS`.
    pub opcode: String,
    /// Operands in the order written.
    pub operands: Vec<Operand>,
    /// The text of all that, for messages.
    pub text: String,
    /// The lower half of its encoding, if the listing has it. An immediate stands in its upper 32 bits.
    pub encoding: Option<u64>,
    /// The compiler's control bits, if the listing has its encoding.
    pub control: Control,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// `R0`, `UR0`
    Register(Register),
    /// `P0`, `UP0`
    Predicate(Predicate),
    /// Written in hexadecimal.
    Integer(i64),
    /// Written in decimal.
    Float(f64),
    /// `c[bank][address]`
    Constant(Constant),
    /// `[..]`: a place in memory.
    Memory(Address),
    /// `` `(..) ``: a place in the code, by name; in a parsed listing it is a [`Operand::Target`] if the
    /// listing has that place.
    Label(String),
    /// `32@lo(..)`, `32@hi(..)`: half of an address, by name; in a parsed listing of a variable only.
    Half {
        /// The name.
        symbol: String,
        /// Added to the address.
        addend: u64,
        /// The upper half, not the lower one.
        upper: bool,
    },
    /// A place in the code.
    Target(u32),
    /// `B0` to `B15`: a convergence barrier.
    Barrier(u8),
    /// Special registers, scoreboards and the like.
    Name(String),
}

/// Vector registers, one value per lane, and uniform ones, one per warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterFile {
    /// `R`, one value per lane.
    Vector,
    /// `UR`, one value per warp.
    Uniform,
}

/// The halves of a register that an operand of half precision takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Bits 0 to 15.
    Low,
    /// Bits 16 to 31.
    High,
    /// All of it as a single, narrowed towards zero.
    Single,
}

/// A register operand with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Vector or uniform.
    pub file: RegisterFile,
    /// 255 is RZ, 63 is URZ.
    pub index: u8,
    /// `-R0`
    pub negate: bool,
    /// `|R0|`
    pub absolute: bool,
    /// `~R0`
    pub invert: bool,
    /// `.reuse`: kept in the operand reuse cache.
    pub reuse: bool,
    /// `.H0_H0`, `.H1_H1`, or `.H0`, `.H1` where only one half is taken; `.F32`.
    pub half: Option<Half>,
    /// `.B0` to `.B3`: the byte of the register to take.
    pub byte: Option<u8>,
    /// `.SIGN`: its uppermost bit, as a predicate; `!R0.SIGN` has `invert`.
    pub sign: bool,
    /// `.ROW`: a matrix that lies row by row.
    pub by_row: bool,
}

impl Register {
    /// A register without modifiers.
    pub fn new(file: RegisterFile, index: u8) -> Register {
        Register {
            file,
            index,
            negate: false,
            absolute: false,
            invert: false,
            reuse: false,
            half: None,
            byte: None,
            sign: false,
            by_row: false,
        }
    }

    /// RZ or URZ, which read as zero and swallow writes.
    pub fn is_zero(&self) -> bool {
        match self.file {
            RegisterFile::Vector => self.index == 255,
            RegisterFile::Uniform => self.index == 63,
        }
    }

    /// R1, which compiled code has its stack pointer in.
    pub fn is_stack_pointer(&self) -> bool {
        self.file == RegisterFile::Vector && self.index == 1
    }
}

/// A predicate operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// Vector or uniform.
    pub file: RegisterFile,
    /// 7 is PT, always true.
    pub index: u8,
    /// `!P0`
    pub negate: bool,
}

impl Predicate {
    /// Always true.
    pub const TRUE: Predicate = Predicate { file: RegisterFile::Vector, index: 7, negate: false };
}

/// An operand in constant memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Number of the constant bank.
    pub bank: u8,
    /// Where in the bank.
    pub address: Address,
    /// `-c[..]`
    pub negate: bool,
    /// `|c[..]|`
    pub absolute: bool,
    /// `~c[..]`
    pub invert: bool,
    /// As of a register.
    pub half: Option<Half>,
}

/// An address: the sum of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// A vector register, taken with its successor if `wide`, times `scale`.
    pub register: Option<u8>,
    /// The vector register is the lower half of 64 bits.
    pub wide: bool,
    /// The factor of the vector register.
    pub scale: u8,
    /// A uniform register that is added.
    pub uniform: Option<u8>,
    /// A constant that is added, in bytes.
    pub offset: i64,
    /// The register has the `.reuse` flag.
    pub reuse: bool,
}

/// Parses guard, opcode and operands; the error says what was not understood.
pub(super) fn instruction(pc: u32, text: &str) -> Result<Instruction, String> {
    // Jump targets of an indexed branch stand in a comment.
    let code = text.split("(*").next().unwrap_or_default().trim();
    let mut input = code;
    let guard =
        opt(terminated(preceded('@', predicate), ' ')).parse_next(&mut input).map_err(|_| syntax(text))?;
    let opcode =
        take_while::<_, _, Failure>(1.., |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
            .parse_next(&mut input)
            .map_err(|_| syntax(text))?;
    let base = opcode.split('.').next().unwrap_or_default();
    // Between a register and the base of its jump stands a blank.
    let separators: &[char] =
        if matches!(base, "BRX" | "RET" | "CALL" | "JMX") { &[',', ' '] } else { &[','] };
    let operands = input
        .split(separators)
        .map(str::trim)
        .filter(|operand| !operand.is_empty())
        .map(|text| operand.parse(text).map_err(|_| format!("operand `{text}` is not understood")))
        .collect::<Result<_, _>>()?;
    Ok(Instruction {
        pc,
        guard: guard.unwrap_or(Predicate::TRUE),
        opcode: opcode.into(),
        operands,
        text: code.into(),
        encoding: None,
        control: Control::UNKNOWN,
    })
}

fn syntax(text: &str) -> String {
    format!("instruction `{text}` is not understood")
}

type Failure = winnow::error::ErrMode<winnow::error::EmptyError>;
type Parsed<T> = Result<T, Failure>;

fn operand(input: &mut &str) -> Parsed<Operand> {
    alt((
        alt((label, half_address, scoreboards)),
        predicate.map(Operand::Predicate),
        constant.map(Operand::Constant),
        address.map(Operand::Memory),
        register.map(Operand::Register),
        preceded('B', number::<u8>).verify(|&barrier| barrier < 16).map(Operand::Barrier),
        integer.map(Operand::Integer),
        float.map(Operand::Float),
        rest.verify(|name: &str| {
            name.starts_with(|c: char| c.is_ascii_uppercase()) || matches!(name, "1D" | "2D" | "3D")
        })
        .map(|name: &str| Operand::Name(name.into())),
    ))
    .parse_next(input)
}

/// `{1}`, or the first or last of `{2,1}`: scoreboards that a `DEPBAR` waits for.
fn scoreboards(input: &mut &str) -> Parsed<Operand> {
    let of_set = |text: &str| {
        let number = text.trim_start_matches('{').trim_end_matches('}');
        number != text && matches!(number.as_bytes(), [b'0'..=b'5'])
    };
    rest.verify(of_set).map(|text: &str| Operand::Name(text.into())).parse_next(input)
}

fn label(input: &mut &str) -> Parsed<Operand> {
    let label: &str = delimited("`(", take_while(1.., |c| c != ')'), ')').parse_next(input)?;
    Ok(Operand::Label(label.into()))
}

/// `32@lo(table)`, `32@lo(fun@R_CUDA_ABS32_LO((table + 0x8)))`, `32@hi((kernel + .L_x_0@srel))`: of a label,
/// only the label is kept.
fn half_address(input: &mut &str) -> Parsed<Operand> {
    let upper = preceded("32@", alt(("lo(".value(false), "hi(".value(true)))).parse_next(input)?;
    let sum: &str = rest.verify(|sum: &str| sum.ends_with(')')).parse_next(input)?;
    let sum = sum.trim_matches(['(', ')']);
    let (first, second) = sum.split_once(" + ").unwrap_or((sum, "0x0"));
    if let Some(label) = second.strip_suffix("@srel") {
        return Ok(Operand::Half { symbol: label.into(), addend: 0, upper });
    }
    let addend = second.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let addend = addend.or_else(|| second.parse().ok()).ok_or_else(fail)?;
    Ok(Operand::Half { symbol: first.into(), addend, upper })
}

fn number<T: std::str::FromStr>(input: &mut &str) -> Parsed<T> {
    digit1.parse_to().parse_next(input)
}

fn integer(input: &mut &str) -> Parsed<i64> {
    let negative = opt('-').parse_next(input)?.is_some();
    let digits = preceded("0x", hex_digit1).parse_next(input)?;
    // Some immediates are printed with all 64 bits.
    let value = u64::from_str_radix(digits, 16).map_err(|_| fail())? as i64;
    Ok(if negative { value.wrapping_neg() } else { value })
}

fn float(input: &mut &str) -> Parsed<f64> {
    let text = take_while(1.., |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c)).parse_next(input)?;
    match text {
        "+INF" | "INF" => Ok(f64::INFINITY),
        "-INF" => Ok(f64::NEG_INFINITY),
        "+QNAN" | "+SNAN" | "QNAN" => Ok(f64::NAN),
        "-QNAN" | "-SNAN" => Ok(-f64::NAN),
        // Rust's own names for such values are none of ours.
        _ if text.contains(['n', 'N', 'i', 'I']) => Err(fail()),
        _ => text.parse().map_err(|_| fail()),
    }
}

fn fail() -> Failure {
    winnow::error::ErrMode::Backtrack(winnow::error::EmptyError)
}

fn predicate(input: &mut &str) -> Parsed<Predicate> {
    let negate = opt('!').parse_next(input)?.is_some();
    let uniform = opt('U').parse_next(input)?.is_some();
    let index =
        preceded('P', alt(('T'.value(7), number::<u8>.verify(|&index| index < 7)))).parse_next(input)?;
    let file = if uniform { RegisterFile::Uniform } else { RegisterFile::Vector };
    Ok(Predicate { file, index, negate })
}

/// `R0`, `RZ`, `UR0`, `URZ`.
fn register_name(input: &mut &str) -> Parsed<(RegisterFile, u8)> {
    let uniform = opt('U').parse_next(input)?.is_some();
    let (file, zero) = if uniform { (RegisterFile::Uniform, 63) } else { (RegisterFile::Vector, 255) };
    let index = preceded('R', alt(('Z'.value(zero), number::<u8>.verify(move |&index| index < zero))))
        .parse_next(input)?;
    Ok((file, index))
}

fn half(input: &mut &str) -> Parsed<Half> {
    let low = alt((".H0_H0", ".H0")).value(Half::Low);
    let high = alt((".H1_H1", ".H1")).value(Half::High);
    alt((low, high, ".F32".value(Half::Single))).parse_next(input)
}

/// Suffixes that repeat what the opcode says.
fn shape<'a>(input: &mut &'a str) -> Parsed<&'a str> {
    alt((".64", ".U32", ".S32", ".U64", ".COL", ".24")).parse_next(input)
}

fn register(input: &mut &str) -> Parsed<Register> {
    // The sign of a register is inverted as a predicate is.
    let inverted_sign = opt('!').parse_next(input)?.is_some();
    let invert = opt('~').parse_next(input)?.is_some() || inverted_sign;
    let negate = opt('-').parse_next(input)?.is_some();
    let absolute = opt('|').parse_next(input)?.is_some();
    let (file, index) = register_name(input)?;
    let mut register = Register { negate, absolute, invert, ..Register::new(file, index) };
    loop {
        if absolute && input.starts_with('|') {
            *input = &input[1..];
        } else if opt(".reuse").parse_next(input)?.is_some() {
            register.reuse = true;
        } else if let Some(half) = opt(half).parse_next(input)? {
            register.half = Some(half);
        } else if let Some(byte) =
            opt(preceded(".B", number::<u8>.verify(|&byte| byte < 4))).parse_next(input)?
        {
            register.byte = Some(byte);
        } else if opt(".SIGN").parse_next(input)?.is_some() {
            register.sign = true;
        } else if opt(".ROW").parse_next(input)?.is_some() {
            register.by_row = true;
        } else if opt(shape).parse_next(input)?.is_none() {
            return if inverted_sign && !register.sign { Err(fail()) } else { Ok(register) };
        }
    }
}

fn constant(input: &mut &str) -> Parsed<Constant> {
    let invert = opt('~').parse_next(input)?.is_some();
    let negate = opt('-').parse_next(input)?.is_some();
    let absolute = opt('|').parse_next(input)?.is_some();
    let bank = delimited("c[", integer, ']').verify(|bank| (0..16).contains(bank)).parse_next(input)?;
    // A blank stands there where the constant is an operand of half precision.
    let address = preceded(opt(' '), address).parse_next(input)?;
    let half = opt(half).parse_next(input)?;
    if absolute {
        '|'.parse_next(input)?;
    }
    let half = half.or(opt(self::half).parse_next(input)?);
    Ok(Constant { bank: bank as u8, address, negate, absolute, invert, half })
}

/// `[R2]`, `[R2.64+UR4+0x10]`, `[R3.X4+0x100]`, `[UR4]`, `[0x10]`.
fn address(input: &mut &str) -> Parsed<Address> {
    enum AddressPart {
        Register { file: RegisterFile, index: u8, wide: bool, scale: u8, reuse: bool },
        Offset(i64),
    }
    let scale = alt((".X16".value(16), ".X8".value(8), ".X4".value(4)));
    let base = (
        register_name,
        opt(".reuse"),
        opt(scale),
        opt(alt((".64".value(true), ".U32".value(false), ".S32".value(false)))),
        opt(".reuse"),
    )
        .map(|((file, index), early, scale, wide, late)| AddressPart::Register {
            file,
            index,
            wide: wide.unwrap_or(false),
            scale: scale.unwrap_or(1),
            reuse: early.is_some() || late.is_some(),
        });
    let part = alt((base, integer.map(AddressPart::Offset)));
    let parts: Vec<AddressPart> =
        delimited('[', repeat(1..=4, terminated(part, opt('+'))), ']').parse_next(input)?;
    let mut address =
        Address { register: None, wide: false, scale: 1, uniform: None, offset: 0, reuse: false };
    for part in parts {
        match part {
            AddressPart::Register { file: RegisterFile::Vector, index, wide, scale, reuse }
                if address.register.is_none() =>
            {
                address.register = Some(index);
                address.wide = wide;
                address.scale = scale;
                address.reuse = reuse;
            }
            AddressPart::Register { file: RegisterFile::Uniform, index, .. } if address.uniform.is_none() => {
                address.uniform = Some(index);
            }
            AddressPart::Offset(offset) => address.offset = address.offset.wrapping_add(offset),
            AddressPart::Register { .. } => return Err(fail()),
        }
    }
    Ok(address)
}
