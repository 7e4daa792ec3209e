"""What Linux offers to keep a process from files, the network, other processes and system calls."""
