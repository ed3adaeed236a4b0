from .measured.judging import simulate_judging as simulate_judging
from .measured.stops import simulate_stops as simulate_stops
from .sampler import simulate as simulate
from .simulation import Simulation as Simulation
