from .presets import preset as preset
from .reading import Dataset as Dataset
from .reading import read_dataset as read_dataset
from .verb import generate_dataset as generate_dataset
from .verifying import verify as verify
