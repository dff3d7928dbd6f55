#!/usr/bin/env -S python3 -B
"""What a PE says on standard error goes out in one write, a line or many: what PEs say at once stays whole."""
import os
import socket
import subprocess
import sys

from harness import BIN, HANG

SAID = [  # arguments, what the one piece begins and ends with
    (["fib", "20", "--trawl:bogus"], "trawl: --trawl:bogus", "flags)\n"),
    (["fib", "20", "--trawl:trace=/proc/no/such/place"], "trawl: cannot write", "event log\n"),
    (["tests/endings", "exception"], "trawl: the program ended", "beyond the end\n"),
    (["tests/endings", "code-7", "--trawl:stats"], "trawl statistics: 1 PE", "%\n"),
    (["tests/endings", "code-7", "--trawl:stats=json"], "{\n", "}\n"),
    (["fib"], "fib: N is required", "\n"),
]


def pieces(words):
    """What each write to standard error was: a datagram each."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TRAWL_")}
    subprocess.run([os.path.join(BIN, words[0]), *words[1:]], env=clean, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=theirs, timeout=HANG)
    theirs.close()
    ours.setblocking(False)
    found = []
    while True:
        try:
            found.append(ours.recv(1 << 20).decode())
        except BlockingIOError:
            return found


for arguments, begin, end in SAID:
    said = pieces(arguments)
    if len(said) != 1 or not said[0].startswith(begin) or not said[0].endswith(end):
        sys.exit(f"FAILED: {arguments} said {said}, not in one piece '{begin}...{end}'")
print(f"{len(SAID)} texts in one write each")
