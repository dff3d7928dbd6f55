"""Several hosts on this machine: network namespaces on a bridge, with TCP between them."""
import os
import subprocess
import sys


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)


class Hosts:
    """`with Hosts(2) as hosts`: hosts.addresses, and hosts.on(i): what a command is put behind to run there."""

    def __init__(self, count):
        # The kernel takes its time with names that others have had.
        tag = f"tr{count}_{os.getpid()}"
        self.bridge = f"{tag}b"
        self.names = [f"{tag}n{i}" for i in range(count)]
        net = f"10.{64 + os.getpid() % 64}.{os.getpid() // 64 % 256}"
        self.addresses = [f"{net}.{i + 1}" for i in range(count)]

    def __enter__(self):
        """Raises OSError or CalledProcessError where there is no permission, or no `ip`."""
        try:
            ip("link", "add", self.bridge, "type", "bridge")
            ip("link", "set", self.bridge, "up")
            for i, (name, address) in enumerate(zip(self.names, self.addresses)):
                cable = f"{self.bridge}{i}"
                ip("netns", "add", name)
                ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name)
                ip("link", "set", cable, "master", self.bridge, "up")
                ip("-n", name, "addr", "add", address + "/24", "dev", "eth0")
                ip("-n", name, "link", "set", "eth0", "up")
                ip("-n", name, "link", "set", "lo", "up")
        except (OSError, subprocess.CalledProcessError):
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for words in [["link", "del", self.bridge]] + [["netns", "del", name] for name in self.names]:
            subprocess.run(["ip", *words], check=False, capture_output=True)

    def on(self, i):
        return ["ip", "netns", "exec", self.names[i]]

    def cut(self, i):
        """Nothing goes to or from this host any more, and nobody is told."""
        ip("link", "set", f"{self.bridge}{i}", "down")

    def mend(self, i):
        """What was cut is whole again; nobody remembers that there was no answer."""
        ip("link", "set", f"{self.bridge}{i}", "up")
        for name in self.names:
            ip("-n", name, "neigh", "flush", "dev", "eth0")

    def prohibit(self, i, j):
        """Nothing goes from one of these hosts to the other, and those who try are told."""
        for a, b in (i, j), (j, i):
            ip("-n", self.names[a], "route", "add", "prohibit", self.addresses[b] + "/32")

    def drop(self, i, j):
        """Nothing goes from one of these hosts to the other any more, and nobody is told."""
        for a, b in (i, j), (j, i):
            ip("-n", self.names[a], "neigh", "replace", self.addresses[b], "lladdr", "02:00:00:00:00:01", "dev", "eth0",
               "nud", "permanent")

    def shell(self, file):
        """Writes a script that takes the words of ssh: HOST COMMAND."""
        with open(file, "w", encoding="ascii") as script:
            script.write("#!/bin/sh\nhost=$1; shift\ncase $host in\n")
            for name, address in zip(self.names, self.addresses):
                script.write(f'{address}) exec ip netns exec {name} sh -c "$*" ;;\n')
            script.write("esac\necho \"no host $host\" >&2; exit 255\n")
        os.chmod(file, 0o755)
        return file


def with_hosts(count, use):
    """`use(hosts)`; where none can be made the test is skipped."""
    try:
        hosts = Hosts(count).__enter__()
    except (OSError, subprocess.CalledProcessError) as e:
        print(f"no network namespaces can be made here ({e}): hosts not tried")
        sys.exit(77)
    try:
        use(hosts)
    finally:
        hosts.__exit__()
