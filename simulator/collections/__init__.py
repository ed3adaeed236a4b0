"""Where tasks come from: files that people have, and campaigns that are made."""
