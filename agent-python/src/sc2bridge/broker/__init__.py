"""Messages for matches that are published to a broker. Each folder is a version."""
