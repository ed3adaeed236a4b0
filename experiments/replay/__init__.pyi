from .sentences import sentences as sentences
