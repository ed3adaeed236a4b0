"""A Dask cluster as workers, by real processes: found, killed, refused."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from prum.experiments.sweeps.cluster import Cluster
from prum.simulator.model import InputError
from tests.deadline import SOON
from tests.end_to_end.sweep_processes import until
from tests.end_to_end.worker_jobs import (
    Dask,
    needs_dask,
    needs_openssl,
)

pytestmark = pytest.mark.usefixtures("jobs_can_be_imported")


@pytest.mark.slow
@needs_dask
def test_scheduler_file(dask: Dask) -> None:
    dask.worker()
    dask.worker()
    with Cluster(dask.folder / "scheduler.json") as workers:
        until(lambda: workers.num_workers == 2)
        assert workers.submit(pow, 2, 3).result(SOON) == 8


@needs_dask
@pytest.mark.parametrize("address", ["", "nonsense", "tcp://127.0.0.1:1", "tls://127.0.0.1:1"])
def test_scheduler_that_cannot_be_reached(address: str) -> None:
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(ConnectionError, match=f"scheduler {address} can't be reached .*; start it"),
    ):
        Cluster(address)


def test_cluster_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"install prum\[cluster\]"):
        Cluster("tcp://127.0.0.1:1")


def certificates(folder: Path, name: str) -> dict[str, str]:
    """Return the files of a new CA, and of a certificate it signed."""
    ca, ca_key, request, key, certificate = (
        str(folder / f"{name}-{part}.pem") for part in ("ca", "ca-key", "request", "key", "cert")
    )
    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    sign = ("x509", "-req", "-CAcreateserial")
    for words in (
        (*new, "-x509", "-subj", f"/CN={name} CA", "-keyout", ca_key, "-out", ca),
        (*new, "-subj", f"/CN={name}", "-keyout", key, "-out", request),
        (*sign, "-CA", ca, "-CAkey", ca_key, "-in", request, "-out", certificate),
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True, timeout=SOON)
    return {"ca": ca, "certificate": certificate, "key": key}


@pytest.mark.slow
@needs_dask
@needs_openssl
def test_certificates_are_those_of_dasks_configuration(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    from dask.config import set as configured

    ours, theirs = certificates(tmp_path, "ours"), certificates(tmp_path, "theirs")
    options = ("--tls-ca-file", ours["ca"], "--tls-cert", ours["certificate"])
    dask = Dask(tmp_path, start, *options, "--tls-key", ours["key"])
    dask.worker()

    def settings(files: dict[str, str]) -> dict[str, str]:
        tls = "distributed.comm.tls"
        return {
            "distributed.comm.timeouts.connect": "2s",
            f"{tls}.ca-file": files["ca"],
            f"{tls}.client.cert": files["certificate"],
            f"{tls}.client.key": files["key"],
        }

    with configured(settings(ours)), Cluster(dask.address) as workers:
        assert workers.submit(pow, 2, 3).result(SOON) == 8
    with configured(settings(theirs)), pytest.raises(ConnectionError, match="configuration"):
        Cluster(dask.address)
