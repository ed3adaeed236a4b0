from .dataset import Dataset as Dataset
from .dataset import read_dataset as read_dataset
from .presets import preset as preset
from .verb import generate_dataset as generate_dataset
from .verification import verify as verify
