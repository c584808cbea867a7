"""Ray clusters: an address without one is refused, and one that is started is shut down."""

import socket

import numpy as np
import pytest

from onearm.mh.classifier import AdaBoostMH
from onearm.racing.race import race


@pytest.fixture
def nobody():
    """An address of this machine at which there is no cluster."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{free.getsockname()[1]}"


def test_an_address_without_a_cluster_is_refused(nobody):
    wrong = f"on must be the address of a Ray cluster, got '{nobody}'"
    with pytest.raises(ValueError, match=wrong):
        race("balance", ["SOBA"], rounds=100, on=nobody)
    with pytest.raises(ValueError, match=wrong):
        AdaBoostMH(n_rounds=2).fit(np.eye(4), [0, 1, 0, 1], on=nobody)


@pytest.mark.compiled
def test_a_started_cluster_is_shut_down():
    import ray

    results = race("balance", ["SOBA"], rounds=100, on="ray")
    assert len(results.runs) == 1
    assert not ray.is_initialized()
    with ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False):
        port = ray.get_runtime_context().gcs_address.rpartition(":")[2]
        assert race("balance", ["SOBA"], rounds=100, on=f"localhost:{port}").runs
        assert ray.is_initialized()
    with pytest.raises(ValueError, match="on must be the address of a Ray cluster, got 'foo'"):
        race("balance", ["SOBA"], rounds=100, on="foo")
