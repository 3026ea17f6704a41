"""The gRPC edge: check the request, call the match layer, translate the answer.

No rule of any game or match lives here.
"""
