"""mpi4py's and Dask's executors do evaluate()'s work over several processes, with the same hashes."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import walker
from test_evaluate import wave

import voxelastic as vx

SCRIPT = """
import sys
sys.path[:0] = {path!r}
import voxelastic as vx
from conftest import walker
from test_evaluate import wave
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        for controller in (None, wave):
            run = vx.evaluate([walker(seed) for seed in range(8)], time=0.05, controller=controller, executor=executor)
            print(" ".join(r.hash for r in sorted(run, key=lambda r: r.index)))
"""


def hashes(controller):
    run = vx.evaluate([walker(seed) for seed in range(8)], time=0.05, controller=controller)
    return " ".join(r.hash for r in sorted(run, key=lambda r: r.index))


def test_mpi4py(tmp_path):
    pytest.importorskip("mpi4py")
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is missing")
    path = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(vx.__file__))]
    script = tmp_path / "study.py"
    script.write_text(SCRIPT.format(path=path))
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    done = subprocess.run(["mpirun", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)], env=environment,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [hashes(None), hashes(wave)]


def test_dask():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            for controller in (None, wave):
                run = vx.evaluate([walker(seed) for seed in range(8)], time=0.05, controller=controller,
                                  executor=client.get_executor(pure=False))
                assert " ".join(r.hash for r in sorted(run, key=lambda r: r.index)) == hashes(controller)
