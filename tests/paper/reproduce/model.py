"""How long a divide-and-conquer program takes on equal clusters, by a few lines of arithmetic."""
import math


def model(clusters, latency, perfect, path):
    """Seconds. `perfect`: all work over all speeds; `path`: the critical path on a fast PE, which is
    what is left at the end; `latency`: one way between clusters, so a steal takes two.

    At first one cluster has work, and with each round trip as many again as have some: log2 of
    the clusters. At the end of every steal half of what the victim has is elsewhere, so what is
    left for all halves with a round trip, until it is shorter than one: log2 of perfect over a round trip,
    in which a thief's cluster waits: all but the one that has work."""
    trip = 2 * latency
    begin = trip * math.log2(clusters)
    end = trip * math.log2(max(perfect / trip, 1)) * (clusters - 1) / clusters if trip else 0
    return perfect + path + begin + end
