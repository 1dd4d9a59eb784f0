// SPDX-License-Identifier: Apache-2.0
//! Gzip files of any number of members, one behind the other.
//!
//! Tapes and object stores fill files up with zero bytes. They are passed over where a member may begin, as
//! gunzip does; anything else that is no member is an error.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The members' content. `None` at the end of the file.
pub(crate) struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Members<R> {
    pub fn new(file: R) -> Self {
        Members(Some(GzDecoder::new(file)))
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            let Some(mut rest) = self.0.take().map(GzDecoder::into_inner) else { break };
            if pass_zeros(&mut rest)? {
                self.0 = Some(GzDecoder::new(rest));
            }
        }
        Ok(0)
    }
}

/// Reads on to the first byte that is not zero; whether there is one.
fn pass_zeros(rest: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = rest.fill_buf()?;
        if bytes.is_empty() {
            return Ok(false);
        }
        let (zeros, length) = (bytes.iter().take_while(|&&byte| byte == 0).count(), bytes.len());
        rest.consume(zeros);
        if zeros < length {
            return Ok(true);
        }
    }
}
