from .making import generate_dataset as generate_dataset
from .verifying import verify as verify
