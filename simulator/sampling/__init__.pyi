from .sampler import simulate as simulate
from .simulation import Simulation as Simulation
