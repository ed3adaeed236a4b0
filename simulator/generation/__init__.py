"""Made collections: structure, topics, judgements and systems from dials and a seed."""
