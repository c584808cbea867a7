"""A server on this machine that answers scikit-learn as OpenML does, for one data set."""

import gzip
import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ARFF = b"""@RELATION mine
@ATTRIBUTE size REAL
@ATTRIBUTE day {1,2,'10'}
@ATTRIBUTE colour {red,'dark blue'}
@ATTRIBUTE label {3,10}
@DATA
0.5,10,'dark blue',10
1.5,1,red,3
-2,2,?,10
4,10,red,3
"""
NUMBER, FILE = 42, 7
SEARCH = "/api/v1/json/data/list/data_name/mine/limit/2/data_version/3"
DESCRIPTION = f"/api/v1/json/data/{NUMBER}"
DATA = f"/data/v1/download/{FILE}"
HOST = re.compile(r"https://[a-z.]*openml\.org")
WAIT = 20.0  # seconds after which a test that hangs is given up


def column(index, name, kind, target="false"):
    """What OpenML tells of a column."""
    return {"index": str(index), "name": name, "data_type": kind, "is_target": target,
            "is_ignore": "false", "is_row_identifier": "false",
            "number_of_missing_values": "0"}  # fmt: skip


class OpenML:
    """The server: `asked` are the paths that were asked for, `wrong` those with a status to give.

    Of the paths in `cut` it sends one half and hangs up, after it has called what stands there.
    """

    def __init__(self):
        self.asked, self.wrong, self.cut = [], {}, {}
        self.md5 = hashlib.md5(ARFF).hexdigest()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(WAIT)
        assert not self.thread.is_alive()

    def instead_of(self, module, monkeypatch):
        """Let scikit-learn ask this server."""
        for name, value in list(vars(module).items()):
            if isinstance(value, str) and HOST.match(value):
                monkeypatch.setattr(module, name, HOST.sub(self.address, value))
        monkeypatch.setenv("no_proxy", "127.0.0.1")

    def answers(self):
        """What is answered to whom asks for a path."""
        entry = {"did": NUMBER, "name": "mine", "version": 3, "status": "active"}
        description = {"id": str(NUMBER), "name": "mine", "version": "3", "format": "ARFF",
                "status": "active", "description": "rows", "md5_checksum": self.md5,
                "file_id": str(FILE), "url": self.address + DATA}  # fmt: skip
        columns = [
            column(0, "size", "numeric"), column(1, "day", "nominal"),
            column(2, "colour", "nominal"), column(3, "label", "nominal", target="true"),
        ]  # fmt: skip
        qualities = [{"name": "NumberOfInstances", "value": "4.0"}]
        return {
            SEARCH: {"data": {"dataset": [entry]}},
            DESCRIPTION: {"data_set_description": description},
            f"/api/v1/json/data/features/{NUMBER}": {"data_features": {"feature": columns}},
            f"/api/v1/json/data/qualities/{NUMBER}": {"data_qualities": {"quality": qualities}},
        }

    def _handler(self):
        openml = self

        class Handler(BaseHTTPRequestHandler):
            timeout = WAIT

            def do_GET(self):
                openml.asked.append(self.path)
                answers = openml.answers()
                status = openml.wrong.get(self.path, 200)
                if status != 200 or self.path not in {DATA, *answers}:
                    self.send_error(status if status != 200 else 404)
                    return
                if self.path == DATA:
                    self.answer(gzip.compress(ARFF), "application/octet-stream", gzipped=True)
                else:
                    self.answer(json.dumps(answers[self.path]).encode(), "application/json")

            def answer(self, body, kind, gzipped=False):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                if gzipped:
                    self.send_header("Content-Encoding", "gzip")
                self.end_headers()
                if self.path in openml.cut:
                    self.wfile.write(body[: len(body) // 2])
                    openml.cut[self.path]()
                else:
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler
