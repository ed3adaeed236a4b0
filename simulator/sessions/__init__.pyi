from .engine import simulate_sessions as simulate_sessions
from .session import play as play
from .trace import time_curve as time_curve
