"""The bridge's protocol as logic without I/O: bytes and messages in, frames and messages out."""
