"""Seeds, commitments, salts and keys."""

import hashlib

import pytest

from referee.chance.seed import commitment, hkdf_sha256, match_key, new_server_seed, salt

# RFC 5869, appendix A, the three cases for SHA-256: ikm, salt, info, length, okm.
RFC_5869 = [
    pytest.param(
        "0b" * 22,
        "000102030405060708090a0b0c",
        "f0f1f2f3f4f5f6f7f8f9",
        42,
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        id="A.1",
    ),
    pytest.param(
        bytes(range(0x50)).hex(),
        bytes(range(0x60, 0xB0)).hex(),
        bytes(range(0xB0, 0x100)).hex(),
        82,
        "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c"
        "59045a99cac7827271cb41c65e590e09da3275600c2f09b8367793a9aca3db71"
        "cc30c58179ec3e87c14c01d5c1f3434f1d87",
        id="A.2",
    ),
    pytest.param(
        "0b" * 22,
        "",
        "",
        42,
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        id="A.3",
    ),
]


@pytest.mark.parametrize(("ikm", "salt_bytes", "info", "length", "okm"), RFC_5869)
def test_hkdf_gives_the_vectors_of_rfc_5869(ikm, salt_bytes, info, length, okm):
    derived = hkdf_sha256(
        bytes.fromhex(ikm), bytes.fromhex(salt_bytes), bytes.fromhex(info), length
    )
    assert okm == derived.hex()


def test_hkdf_gives_up_to_255_blocks_and_no_more():
    longest = hkdf_sha256(b"k", b"", b"", 255 * 32)
    assert len(longest) == 255 * 32
    assert longest[:100] == hkdf_sha256(b"k", b"", b"", 100)
    assert b"" == hkdf_sha256(b"k", b"", b"", 0)
    with pytest.raises(ValueError, match="8160"):
        hkdf_sha256(b"k", b"", b"", 255 * 32 + 1)


def test_a_new_seed_has_32_bytes_and_is_never_the_last_one():
    seeds = {new_server_seed() for _ in range(100)}
    assert 100 == len(seeds)
    assert {32} == {len(seed) for seed in seeds}


def test_the_commitment_is_the_hash_of_the_seed():
    seed = bytes(range(32))
    assert hashlib.sha256(seed).digest() == commitment(seed)


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_seed_of_another_length_is_refused(length):
    with pytest.raises(ValueError, match="32 bytes"):
        commitment(bytes(length))
    with pytest.raises(ValueError, match="32 bytes"):
        match_key(bytes(length), [], "m")


def test_the_salt_of_no_seats_is_the_hash_of_nothing():
    assert hashlib.sha256(b"").digest() == salt([])


def test_the_salt_spells_out_the_length_of_each_nonce():
    written_out = b"\0\0\0\x05alice" + b"\0\0\0\0" + b"\0\0\0\x01b"
    assert hashlib.sha256(written_out).digest() == salt([b"alice", b"", b"b"])


def test_moving_a_byte_from_one_nonce_to_the_next_gives_another_salt():
    assert salt([b"ab", b"c"]) != salt([b"a", b"bc"])
    assert salt([b"", b"x"]) != salt([b"x", b""])
    assert salt([b""]) != salt([])


def test_a_nonce_of_64_bytes_counts_and_a_longer_one_is_refused():
    assert salt([b"x" * 64]) != salt([b"x" * 63])
    with pytest.raises(ValueError, match="seat 1 has 65 bytes"):
        salt([b"", b"x" * 65])


def test_seed_nonces_and_match_id_each_change_the_key():
    keys = {
        match_key(bytes(32), [b"", b""], "m-1"),
        match_key(bytes(31) + b"\x01", [b"", b""], "m-1"),
        match_key(bytes(32), [b"", b"n"], "m-1"),
        match_key(bytes(32), [b"", b""], "m-2"),
    }
    assert 4 == len(keys)
