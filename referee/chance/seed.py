"""Where luck comes from: the server seed, its commitment, and the key of one match.

What lives here: bytes in, bytes out. What must not live here: draws, event numbers, or where a seed
is kept.

The referee commits to a secret seed before it knows the nonces of the seats, and publishes the seed
when the match is over. So neither side can steer the match key: the referee is bound by the
commitment, the seats don't know the seed. A match key fixes every chance event of its match (see
``draws.py``).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

SEED_BYTES = 32
MAX_NONCE_BYTES = 64
KEY_BYTES = 32
_HASH_BYTES = 32
_INFO = b"referee/v1 match-key"


def new_server_seed() -> bytes:
    """A fresh server seed: 32 bytes from the system's cryptographic generator."""
    return secrets.token_bytes(SEED_BYTES)


def commitment(server_seed: bytes) -> bytes:
    """What is published of a server seed while it is secret: its SHA-256, 32 bytes.

    Raises:
        ValueError: The seed is not 32 bytes long.
    """
    _require_seed(server_seed)
    return hashlib.sha256(server_seed).digest()


def salt(nonces: Sequence[bytes]) -> bytes:
    """SHA-256 over the client nonces of all seats, in seat order; empty for a seat that gave none.

    Each nonce is preceded by its length as a big-endian uint32, so that no two lists of nonces meet
    in one salt.

    Raises:
        ValueError: A nonce is longer than 64 bytes.
    """
    digest = hashlib.sha256()
    for seat, nonce in enumerate(nonces):
        if len(nonce) > MAX_NONCE_BYTES:
            msg = (
                f"the nonce of seat {seat} has {len(nonce)} bytes; at most {MAX_NONCE_BYTES} count"
            )
            raise ValueError(msg)
        digest.update(len(nonce).to_bytes(4, "big"))
        digest.update(nonce)
    return digest.digest()


def match_key(server_seed: bytes, nonces: Sequence[bytes], match_id: str) -> bytes:
    """The key that every chance event of one match is drawn from, 32 bytes.

    Args:
        server_seed: 32 secret bytes, the same that the commitment was made of.
        nonces: One per seat, in seat order; ``b""`` for a seat that gave none.
        match_id: The match's id as clients know it.

    Raises:
        ValueError: The seed is not 32 bytes long, or a nonce is longer than 64.
    """
    _require_seed(server_seed)
    return hkdf_sha256(server_seed, salt(nonces), _INFO + match_id.encode(), KEY_BYTES)


def hkdf_sha256(ikm: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """HKDF with SHA-256 (RFC 5869): extract, then expand to ``length`` bytes.

    Raises:
        ValueError: More than 255 * 32 bytes, or fewer than none, are asked for.
    """
    if not 0 <= length <= 255 * _HASH_BYTES:
        msg = f"HKDF-SHA256 gives 0 to {255 * _HASH_BYTES} bytes, not {length}"
        raise ValueError(msg)
    pseudo_random_key = hmac.digest(salt, ikm, "sha256")
    output = block = b""
    counter = 1
    while len(output) < length:
        block = hmac.digest(pseudo_random_key, block + info + bytes((counter,)), "sha256")
        output += block
        counter += 1
    return output[:length]


def _require_seed(server_seed: bytes) -> None:
    if len(server_seed) != SEED_BYTES:
        msg = f"a server seed has {SEED_BYTES} bytes, not {len(server_seed)}"
        raise ValueError(msg)
