"""What shared memory adds to the messages; each folder is a version."""
