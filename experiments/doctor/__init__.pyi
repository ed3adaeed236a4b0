from .verb import doctor as doctor
