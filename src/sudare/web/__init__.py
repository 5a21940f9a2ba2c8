"""The contest server: checks, stores and shows what arrives over the network; the contest itself is the library."""
