"""One file a format: each turns a file into conversations and says what it could not read."""
