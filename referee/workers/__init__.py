"""Several processes that serve one port: a supervisor, which only supervises, and its workers."""
