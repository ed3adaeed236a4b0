"""All of click and rich: the commands, and views on the terminal."""
