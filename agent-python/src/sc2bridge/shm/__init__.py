"""Messages that only shared memory uses. Each folder is a version."""
