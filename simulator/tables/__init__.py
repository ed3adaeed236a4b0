"""Tables, in whatever form people have them: files, data frames, records; read in one way."""
