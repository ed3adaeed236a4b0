"""Views of results: tables, figures, pages and files, made of one description."""
