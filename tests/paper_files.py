"""The files that commands of docs/papers.csv name, small."""

from pathlib import Path

_PATHS = ("/a[1]", "/a[1]/b[1]", "/a[1]/b[1]/c[1]")
_RESULTS = "".join(
    f"<result><file>drama</file><path>{path}</path></result>" for path in reversed(_PATHS)
)
_JUDGED = "".join(
    f'<path path="{path}" exhaustiveness="3" specificity="{number + 1}"/>'
    for number, path in enumerate(_PATHS)
)
_RUN = "q1 Q0 x 1 .9 s\nq1 Q0 b 2 .5 s\nq1 Q0 p 3 .1 s\nq2 Q0 a 1 .8 s\n"
_GRADES = "q1 0 a 1\nq1 0 b 2\nq1 0 x 0\nq2 0 a 1\nq2 0 x 0\n"
_SCORES = "\n".join(
    f"s{system}," + ",".join(f"{(7 * system + 3 * topic) % 10 / 10}" for topic in range(12))
    for system in range(5)
)

PAPER_FILES = {
    "run": _RUN,
    "second": "q1 Q0 a 1 .9 t\nq1 Q0 x 2 .7 t\nq2 Q0 x 1 .8 t\nq2 Q0 a 2 .6 t\n",
    "qrels": _GRADES,
    "other": "q1 0 a 0\nq1 0 b 1\nq1 0 x 0\nq2 0 a 1\nq2 0 x 1\n",
    "subtopics": "q1 1 a 1\nq1 2 b 2\nq1 2 x 0\nq2 1 a 1\n",
    "preferences.csv": "topic,preferred,other\nq1,x,b\nq1,b,p\nq2,a,x\n",
    "intents.csv": "topic,subtopic,probability\nq1,1,.75\nq1,2,.25\nq2,1,1\n",
    "assessed": "q1 0 p E3S1\nq1 0 a E3S3\nq1 0 b E2S3\nq2 0 p E3S1\nq2 0 x E3S3\n",
    "elements.csv": "element,parent,length,start\np,,100,0\na,p,40,0\nb,p,40,40\nx,p,20,80\n",
    "links.csv": "source,target\nx,b\nx,a\na,b\np,a\n",
    "log.csv": "session,element\n1,x\n1,b\n2,x\n2,a\n2,b\n3,p\n3,a\n",
    "clicks.tsv": "".join(
        f"{i}\t0\tQ\tq\tr\tu1\tu2\tu3\n{i}\t1\tC\tu{1 + i % 3}\n" for i in range(9)
    ),
    "totals.tsv": "1\t50\n2\t20\n3\t9\n4\t6\npage1\t85\nlater\t15\n",
    "scores.csv": "system," + ",".join(f"t{topic}" for topic in range(12)) + f"\n{_SCORES}\n",
    "drama.xml": "<a><b><c>one two</c></b><d>three</d></a>",
    "submission.xml": f'<inex-submission><topic topic-id="1">{_RESULTS}</topic></inex-submission>',
    "assessments.xml": f'<assessments topic="1"><file file="drama">{_JUDGED}</file></assessments>',
}


def write_paper_files(folder: Path) -> None:
    """Write them all."""
    for name, text in PAPER_FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
