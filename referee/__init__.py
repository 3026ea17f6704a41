"""A gRPC referee for turn-based games."""

__version__ = "0.1.0"
