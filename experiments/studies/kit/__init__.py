"""The frame of a study: what it asks for, computes and shows, said once."""
