"""A real API server, a real Kueue and the real charts on one machine, for the tests and the demonstration.

`with ControlPlane(programs) as cluster, Node(cluster, programs): seed(cluster)` is the whole of it.
Everything listens on loopback only and is stopped by process handle.
"""
