"""The contest server: what comes in over the network is checked, kept and shown; the contest itself is the library."""
