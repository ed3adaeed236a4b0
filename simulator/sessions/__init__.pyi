from .engine import simulate_sessions as simulate_sessions
from .reading import Readings as Readings
from .reading import simulate_reading as simulate_reading
from .session import play as play
from .trace import time_curve as time_curve
