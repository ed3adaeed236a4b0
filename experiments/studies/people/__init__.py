"""Whether people browse as Hypothesis 2.2 says.

The study compares a log of people (or machines) with independent visits, and with a walk fitted to
it: joint visits, persons, goals, and what they do to precision. Each quantity stands beside
a control where the hypothesis holds. Exit status 0, whatever is found.
"""

from prum.experiments.frame.study import Study
from prum.experiments.studies.people.steps import PeopleRow
from prum.experiments.studies.people.study import PeopleDesign, compute
from prum.experiments.studies.people.view import view

PEOPLE = Study("people", __doc__, PeopleDesign, PeopleRow, compute, view)
