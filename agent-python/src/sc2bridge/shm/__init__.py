"""Messages for shared memory alone; each folder is a version."""
