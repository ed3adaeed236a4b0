from .walking import reached as reached
