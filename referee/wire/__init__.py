"""Protobuf to the match model and back, for the service, the store and record files alike.

Games bring their own (``games/<id>/wire.py``); what is wrapped around a game's payload is
translated here.
"""
