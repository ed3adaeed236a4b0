from .curves import time_curve as time_curve
from .engine import simulate_sessions as simulate_sessions
from .session import play as play
from .session import scripted as scripted
from .trace import Event as Event
from .trace import Session as Session
