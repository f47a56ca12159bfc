//! Status bits in pieces, so that a change reads and writes little.

use codec::{Decode, Encode, MaxEncodedLen};
use scale_info::TypeInfo;

use crate::limits::{MAX_LENGTH, MAX_MEMBERS};

/// Bytes of a chunk.
const BYTES: usize = 256;
/// Bits of a chunk.
pub const CHUNK_BITS: u32 = BYTES as u32 * 8;
/// Chunks of the longest list, and of the members of an accumulator.
pub const CHUNKS: u32 = MAX_INDEX_END / CHUNK_BITS;
const MAX_INDEX_END: u32 = if MAX_LENGTH > MAX_MEMBERS { MAX_LENGTH } else { MAX_MEMBERS };

/// Greatest number of chunks that this many indexes can be in.
pub fn chunks_at_most(indexes: u32) -> u32 {
    indexes.min(CHUNKS)
}

/// 2,048 status bits. Bit `i` of the list is bit `i % 2048` of chunk `i / 2048`; within a byte, the first bit is the
/// highest.
#[derive(Clone, Debug, Decode, Encode, Eq, MaxEncodedLen, PartialEq, TypeInfo)]
pub struct Chunk(pub [u8; BYTES]);

impl Default for Chunk {
    fn default() -> Self {
        Self([0; BYTES])
    }
}

impl Chunk {
    /// Whether no bit is set.
    pub fn is_zero(&self) -> bool {
        self.0.iter().all(|byte| *byte == 0)
    }

    /// Whether the bit of an index of the list is set.
    pub fn get(&self, index: u32) -> bool {
        let (byte, mask) = place(index);
        self.0[byte] & mask != 0
    }

    /// Gives a bit a value and returns whether it had another one.
    pub fn put(&mut self, index: u32, value: bool) -> bool {
        let changes = self.get(index) != value;
        let (byte, mask) = place(index);
        if changes {
            self.0[byte] ^= mask;
        }
        changes
    }
}

fn place(index: u32) -> (usize, u8) {
    let bit = index % CHUNK_BITS;
    ((bit / 8) as usize, 0x80 >> (bit % 8))
}
