"""The program `onearm`.

Its matrix products are small: two threads of BLAS spin while they wait for each other, on a busy
machine a hundred times as long as they work. So it has one, unless the environment says otherwise.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
