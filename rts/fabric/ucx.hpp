// Settings of UCX, which carries MPICH's messages: made before MPI starts.
#pragma once

namespace trawl::fabric {

/// Did the user ask UCX for TCP? That rehearses several hosts: then only bells are shared.
bool asked_for_tcp();

/// UCX over TCP stalls when it has several network devices to choose from: names one, where TCP may
/// be what carries messages and the user named none.
void choose_network_device();

/// UCX's rendezvous reads a long message out of its sender's memory: if the sender dies meanwhile,
/// the receiver is aborted or, without cross-memory attach, gets wrong bytes. Sending all eagerly
/// is also several times faster up to the limit (README.md, Measured).
void avoid_rendezvous();

/// Takes back the handlers for SIGSEGV, SIGBUS, SIGILL and SIGFPE that the UCX library, once
/// linked, installs before main; a user who sets UCX_ERROR_SIGNALS keeps them. Call at the start of
/// main, under mpiexec or not.
void disarm_ucx_signals();

}  // namespace trawl::fabric
