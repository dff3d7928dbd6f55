#!/usr/bin/env -S python3 -B
"""PEs of other hosts, which are network namespaces, join a running program; the first of one leaves again."""
import time

from harness import expect, finish, program, start
from namespaces import with_hosts

KEY = {"TRAWL_KEY": "0f" * 32}


def main(hosts):
    begun = time.monotonic()
    words = [program("trawl-run"), "-n", 1, "--seats", 6, program("queens"), "14"]
    process = start([*hosts.on(0), *words], KEY)
    line = process.stderr.readline().split()
    expect(line[-1].startswith("--trawl:join="), f"expected a line, not {line}", "")
    others = []
    for host in 1, 2, 1, 2, 0:
        others.append(start([*hosts.on(host), "env", *line[1:]], KEY))
        time.sleep(0.2)
    others[0].terminate()
    result = finish(process, begun)
    expect(result.code == 0 and result.out == "365596\n" and "lost" not in result.err, "expected 365596", result)
    for other in others:
        result = finish(other, begun)
        expect(result.code == 0 and result.err == "", "expected exit code 0", result)


with_hosts(3, main)
