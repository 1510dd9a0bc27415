"""The bridge's protocol without I/O: converts bytes and messages to frames and messages."""
