"""The directory of matches that are published to a broker; each folder is a version."""
